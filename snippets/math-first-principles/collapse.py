# --8<-- [start:collapse]
import torch

torch.manual_seed(0)
up = torch.nn.Linear(5, 20, dtype=torch.float64)
down = torch.nn.Linear(20, 3, dtype=torch.float64)
x = torch.randn(7, 5, dtype=torch.float64)
w = down.weight @ up.weight
b = down.weight @ up.bias + down.bias
gap = (down(up(x)) - (x @ w.T + b)).abs().max()
print("two layers equal one:", bool(gap < 1e-14))
gap = (down(up(x).relu()) - (x @ w.T + b)).abs().max()
print("with a ReLU between: ", bool(gap < 1e-14))
# --8<-- [end:collapse]
assert gap > 0.01
