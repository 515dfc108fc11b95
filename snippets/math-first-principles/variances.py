# --8<-- [start:variances]
import torch

offsets = torch.tensor([i * i % 7 / 8 for i in range(64)])
for mean in (10, 100, 1000, 4096, 10_000):
    x = mean + offsets                           # fp32, all exact
    total = squares = centre = m2 = torch.zeros(())
    for n, value in enumerate(x, 1):
        total, squares = total + value, squares + value * value
        delta = value - centre                   # Welford
        centre = centre + delta / n
        m2 = m2 + delta * (value - centre)
    naive = squares / 64 - (total / 64) ** 2
    print(f"mean {mean:>5}: E[x²] - E[x]² = {naive:<9.4g}"
          f" Welford {m2 / 64:.4f}")
# --8<-- [end:variances]
from infra_ref.numerics import conditioning

results = {"variance": float(offsets.double().var(correction=0))}
results["condition_1000"] = conditioning.of_variance((1000 + offsets).tolist())
x = 10_000 + offsets
shifted = x - x[0]
total = squares = torch.zeros(())
for value in shifted:
    total, squares = total + value, squares + value * value
assert abs(squares / 64 - (total / 64) ** 2 - results["variance"]) < 1e-7
