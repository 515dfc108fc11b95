# --8<-- [start:lora]
import torch

torch.manual_seed(0)
d, r, alpha = 64, 4, 8
w = torch.randn(d, d)                            # frozen
a = torch.randn(r, d).requires_grad_()
b = torch.zeros(d, r).requires_grad_()
x = torch.randn(3, d)
y = x @ w.T + (alpha / r) * (x @ a.T) @ b.T
print("output unchanged at the start:", torch.equal(y, x @ w.T))
y.square().sum().backward()
print("B gets a gradient:", bool(b.grad.abs().max() > 0))
print("A gets a gradient:", bool(a.grad.abs().max() > 0))
# --8<-- [end:lora]
with torch.no_grad():
    b -= 0.01 * b.grad
(x @ w.T + (alpha / r) * (x @ a.T) @ b.T).square().sum().backward()
assert a.grad.abs().max() > 0  # from the second step on
a, b = (torch.zeros(shape, requires_grad=True) for shape in ((r, d), (d, r)))
(x @ w.T + (alpha / r) * (x @ a.T) @ b.T).square().sum().backward()
assert a.grad.abs().max() == b.grad.abs().max() == 0
