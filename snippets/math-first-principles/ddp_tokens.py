# --8<-- [start:ddp]
import torch
from torch.nn.functional import cross_entropy

torch.manual_seed(0)
model = torch.nn.Linear(11, 3).double()
x, y = torch.randn(12, 11).double(), torch.randint(3, (12,))
ranks = [(x[:7], y[:7]), (x[7:], y[7:])]
n, tokens = len(ranks), 12              # all-reduce the counts first


def gradient(loss):
    return torch.autograd.grad(loss, model.weight)[0]


whole = gradient(cross_entropy(model(x), y))
for kind, factor in (("mean", 1), ("sum", n / tokens)):
    average = sum(gradient(cross_entropy(model(a), b, reduction=kind)
                           * factor) for a, b in ranks) / n  # as DDP
    print(f"{kind} of each rank times {factor:.4f}: right",
          torch.allclose(average, whole))
# --8<-- [end:ddp]
empty = cross_entropy(model(x[:0]), y[:0], reduction="sum") * n / tokens
assert torch.equal(gradient(empty), torch.zeros_like(model.weight))  # a rank without tokens takes part
assert cross_entropy(model(x[:0]), y[:0]).isnan()  # the mean of none does not
