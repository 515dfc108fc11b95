# --8<-- [start:gelu]
import torch
from torch.nn.functional import gelu

from infra_ref.numerics import gradients

torch.manual_seed(0)
x = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
w = torch.randn(5, 7, dtype=torch.float64, requires_grad=True)
b = torch.randn(7, dtype=torch.float64, requires_grad=True)
dy = torch.randn(2, 3, 7, dtype=torch.float64)
u = x @ w + b
gelu(u).backward(dy)

slope = [gradients.gelu_derivative(t, approximate="none")
         for t in u.flatten().tolist()]
du = dy * torch.tensor(slope, dtype=dy.dtype).view_as(u)
dx, db = du @ w.T, du.sum((0, 1))
dw = x.flatten(0, 1).T @ du.flatten(0, 1)
for ours, tensor in ((dx, x), (dw, w), (db, b)):
    print(tuple(ours.shape), torch.allclose(ours, tensor.grad))
# --8<-- [end:gelu]
