# --8<-- [start:map]
from itertools import pairwise

import torch

torch.manual_seed(0)
w = torch.randn(3, 5, dtype=torch.float64, requires_grad=True)
x = torch.randn(5, dtype=torch.float64)
d = torch.randn(3, 5, dtype=torch.float64)       # a direction


def loss(w):
    return torch.logsumexp(w @ x, 0)


(gradient,) = torch.autograd.grad(loss(w), w)
slope = (gradient * d).sum()                     # <gradient, d>
errors = [abs(loss(w + t * d) - loss(w) - t * slope).item()
          for t in (1e-2, 1e-3, 1e-4)]
print("shape of the gradient:", tuple(gradient.shape))
print("t / 10 divides the error by",
      [round(a / b) for a, b in pairwise(errors)])
# --8<-- [end:map]
assert all(abs(a / b - 100) < 3 for a, b in pairwise(errors))
