# --8<-- [start:depth]
import torch

torch.manual_seed(0)
n, layers = 128, 100
for gain in (0.9, 1.0, 1.1):
    x = torch.randn(n, dtype=torch.float64, requires_grad=True)
    h = x
    for _ in range(layers):              # linear layers, nothing else
        w = torch.randn(n, n, dtype=x.dtype) * (gain / n**0.5)
        h = w @ h
    (h @ torch.randn(n, dtype=x.dtype)).backward()
    signal, gradient = h.norm() / x.norm(), x.grad.norm() / n**0.5
    print(f"gain {gain}: signal x {signal.item():.0e}, gradient x "
          f"{gradient.item():.0e}; gain^100 = {gain**layers:.0e}")
# --8<-- [end:depth]
assert abs(signal.log10() - 100 * torch.tensor(1.1).log10()) < 1
results = {"vanish": 0.9**layers, "explode": 1.1**layers}
