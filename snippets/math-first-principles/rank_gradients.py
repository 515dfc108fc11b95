# --8<-- [start:ranks]
import torch
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
w = torch.randn(11, 5, dtype=torch.float64, requires_grad=True)
x, y = torch.randn(12, 11).double(), torch.randint(5, (12,))
tokens = [7, 5, 0]                               # of each rank


def gradient(rows, factor):
    loss = cross_entropy(x[rows] @ w, y[rows], reduction="sum")
    return torch.autograd.grad(factor * loss, w)[0]


whole = gradient(slice(0, 12), 1 / 12)
parts = [slice(0, 7), slice(7, 12), slice(12, 12)]
recipes = {"own mean": [1 / max(t, 1) for t in tokens],
           "n / all tokens": [3 / sum(tokens)] * 3}
for name, factors in recipes.items():
    average = sum(map(gradient, parts, factors)) / 3     # DDP
    print(f"{name}: right {torch.allclose(average, whole)}")
# --8<-- [end:ranks]
assert cross_entropy(x[:0] @ w, y[:0]).isnan()  # the mean over no token
