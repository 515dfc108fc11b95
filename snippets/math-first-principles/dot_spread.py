# --8<-- [start:spread]
from itertools import product
from statistics import pvariance

import torch

for d in 1, 4, 9:                            # every sum of d signs
    sums = [sum(signs) for signs in product((-1, 1), repeat=d)]
    print(f"D = {d}: variance {pvariance(sums)}")

torch.manual_seed(0)
q, k = torch.randn(512, 128), torch.randn(1024, 128)
for label, z in ("raw    ", q @ k.T), ("divided", q @ k.T / 128**0.5):
    p = torch.softmax(z, 1)
    top = p.amax(1).mean().item()
    keys = torch.special.entr(p).sum(1).exp().mean().item()
    print(f"{label} std {z.std():4.1f}, max p {top:.2f}, "
          f"keys {keys / 1024:.1%}")
# --8<-- [end:spread]
assert top < 0.02
assert abs(keys / 1024 - 0.6065) < 0.01  # exp(-1/2)
