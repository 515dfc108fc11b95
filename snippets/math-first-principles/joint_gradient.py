# --8<-- [start:joint]
import torch
from torch.nn.functional import cross_entropy

far = torch.tensor([[0.0, 200.0]], requires_grad=True)  # target: 0
(-torch.softmax(far, 1)[0, 0].log()).backward()
print("log after softmax:", far.grad.tolist())
far.grad = None
cross_entropy(far, torch.tensor([0])).backward()
print("joint:            ", far.grad.tolist())

torch.manual_seed(0)
z = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
target = torch.tensor([1, -100, 4, 0])           # one row ignored
cross_entropy(z, target).backward()
y = torch.eye(5, dtype=torch.float64)[target.clamp(min=0)]
counts = (target != -100)[:, None]
ours = (z.softmax(1) - y) * counts / counts.sum()
print("(p - y) / n:", torch.allclose(ours.detach(), z.grad))
# --8<-- [end:joint]
from infra_ref.numerics import gradients

listed = gradients.cross_entropy_backward(z.tolist(), target.tolist())
assert torch.allclose(torch.tensor(listed, dtype=torch.float64), z.grad)
