# --8<-- [start:ema]
import torch

for dtype in (torch.bfloat16, torch.float32):
    v = torch.tensor(1.0, dtype=dtype)
    for _ in range(2000):                        # g² has doubled
        v = 0.999 * v + 0.001 * torch.tensor(2.0, dtype=dtype)
    print(f"{dtype!s:<14} {v.item():.2f}")
# --8<-- [end:ema]
