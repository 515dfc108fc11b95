# --8<-- [start:means]
import torch

offsets = torch.tensor([i * i % 7 / 8 for i in range(64)])
exact = offsets.double().var(correction=0)


def naive(x):
    return x.square().mean() - x.mean() ** 2


for mean in (8, 73, 730, 7300):
    x = mean + offsets                           # fp32
    found = {"E[x²] - E[x]²": naive(x), "shifted": naive(x - x[0]),
             "two-pass": (x - x.mean()).square().mean()}
    good = [k for k, v in found.items() if abs(v / exact - 1) < 0.01]
    print(f"mean {mean:>4}: within 1%:", ", ".join(good))
# --8<-- [end:means]
results = {"deviation": float(f"{exact.sqrt():.4g}")}
assert abs(naive(7300 + offsets) / exact - 1) > 1
