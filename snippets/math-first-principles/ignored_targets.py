# --8<-- [start:ignored]
import torch
from torch.nn.functional import cross_entropy

z = torch.tensor([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
some, none = torch.tensor([0, -100]), torch.tensor([-100, -100])
same = cross_entropy(z, some) == cross_entropy(z[:1], some[:1])
print("ignored = removed:", same.item())
for reduction in "mean", "sum":
    loss = cross_entropy(z, none, reduction=reduction)
    print(f"all ignored, {reduction}: {loss.item()}")
z[0, 2] = -torch.inf                    # a class that is masked
for eps in 0.0, 0.1:
    loss = cross_entropy(z[:1], some[:1], label_smoothing=eps)
    print(f"one class masked, smoothing {eps}: {loss.item():.3f}")
# --8<-- [end:ignored]
assert same
