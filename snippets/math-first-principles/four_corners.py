# --8<-- [start:corners]
import torch

u = 2.0**-24                                       # fp32
x = torch.tensor(1e-4)
row = 1000 + torch.tensor([i * i % 7 / 8 for i in range(64)])
mean = row.mean()
growth, spread = x.double().expm1(), row.double().var(correction=0)
cases = (
    ("expm1(x)", 1, x.expm1(), growth),
    ("exp(x) - 1", 1, x.exp() - 1, growth),
    ("two-pass variance", 1.1e4, (row - mean).square().mean(), spread),
    ("E[x²] - E[x]²", 1.1e4, row.square().mean() - mean**2, spread),
)
for name, kappa, found, exact in cases:
    error = abs(float(found / exact) - 1)
    print(f"{name:<18} κu = {kappa * u:.0e}, error within 4κu:",
          error <= 4 * kappa * u)
# --8<-- [end:corners]
from infra_ref.numerics import conditioning

assert abs(conditioning.of_variance(row.tolist()) / 1.1e4 - 1) < 0.03
at = float(x)
assert abs(conditioning.of_function(x=at, value=float(growth), slope=1 + float(growth)) - 1) < 1e-3
assert abs(float((x.exp() - 1) / growth) - 1) > 100 * u
