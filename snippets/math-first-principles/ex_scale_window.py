# --8<-- [start:window]
from statistics import NormalDist

import torch

spread = NormalDist(-22, 5)                      # of log2 |g|
log2 = [spread.inv_cdf((i + 0.5) / 10_000) for i in range(10_000)]
g = torch.tensor(log2, dtype=torch.float64).exp2()
for power in (0, 10, 15, 20):
    stored = (g * 2**power).half()
    lost = (stored == 0).sum() / len(g)
    coarse = ((stored != 0) & (stored < 2**-14)).sum() / len(g)
    over = stored.isinf().sum()
    print(f"S = 2^{power:<2} lost {lost:6.2%}  subnormal {coarse:6.2%}"
          f"  inf: {over} of {len(g)}")
# --8<-- [end:window]
results = {}
for power in (0, 10, 15, 20):
    stored = (g * 2**power).half()
    results |= {
        f"lost_{power}": int((stored == 0).sum()) / len(g),
        f"subnormal_{power}": int(((stored != 0) & (stored < 2**-14)).sum()) / len(g),
        f"inf_{power}": int(stored.isinf().sum()),
    }
