# --8<-- [start:softmax]
import torch

z = torch.tensor([1000.0, 1001.0])
naive = z.exp() / z.exp().sum()
stable = (z - z.max()).exp() / (z - z.max()).exp().sum()
print("exp:   ", z.exp().tolist())
print("naive: ", naive.tolist())
print("stable:", [round(p, 4) for p in stable.tolist()])
small = torch.softmax(torch.tensor([0.0, 1.0]), 0)
print("0 and 1:", [round(p, 4) for p in small.tolist()])
# --8<-- [end:softmax]
from infra_ref.numerics import softmax

assert naive.isnan().all()
assert torch.allclose(stable, torch.tensor(softmax.softmax([1000, 1001])))
