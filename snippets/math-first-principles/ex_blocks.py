# --8<-- [start:blocks]
import torch


def add_up(x):
    total = torch.zeros((), dtype=x.dtype)
    for value in x:
        total = total + value
    return total


terms = 1 / torch.arange(1, 1025, dtype=torch.float64)
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    x = terms.to(dtype)
    parts = torch.stack([add_up(part) for part in x.view(32, 32)])
    wide = x.float()                             # a wide accumulator
    off = [f"{float(s.double() / x.double().sum() - 1):+.0e}"
           for s in (add_up(x), add_up(parts), add_up(wide).to(dtype))]
    print(f"{dtype!s:<14} one chain {off[0]}, 32 blocks {off[1]},"
          f" fp32 sum {off[2]}")
# --8<-- [end:blocks]
