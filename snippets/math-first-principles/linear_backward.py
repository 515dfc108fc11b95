# --8<-- [start:backward]
import torch

from infra_ref.ledger import linear

torch.manual_seed(0)
x = torch.randn(2, 7, 5, dtype=torch.float64, requires_grad=True)
w = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
b = torch.randn(3, dtype=torch.float64, requires_grad=True)
dy = torch.randn(2, 7, 3, dtype=torch.float64)
(x @ w + b).backward(dy)
rows, drows = x.detach().flatten(0, 1), dy.flatten(0, 1)
ours = {"dX": (x, (drows @ w.detach().T).view_as(x)),
        "dW": (w, rows.T @ drows), "db": (b, drows.sum(0))}
for name, (tensor, gradient) in ours.items():
    print(name, tuple(gradient.shape), "as autograd:",
          torch.allclose(gradient, tensor.grad, rtol=1e-12))

size = dict(rows=16384, in_features=4096, out_features=16384)
asked = dict(input_requires_grad=True, weight_requires_grad=True,
             bias_requires_grad=True)
forward = linear.forward_flops(**size, bias=True).product.m
backward = linear.backward_flops(**size, **asked).products.m
print(f"forward {forward:.3e} FLOP, backward {backward:.3e} FLOP")
# --8<-- [end:backward]
from infra_ref.numerics import gradients

lists = gradients.linear_backward(
    drows.tolist(), inputs=rows.tolist(), weight=w.tolist(), **asked)
for mine, (_, gradient) in zip(lists, ours.values(), strict=True):
    mine = torch.tensor(mine, dtype=torch.float64).view_as(gradient)
    assert torch.allclose(mine, gradient, rtol=1e-12)
