# --8<-- [start:underflow]
import torch

for x in (1e-6, 2.0**-25, 1e-8, 1024 * 1e-8):
    half = torch.tensor(x).to(torch.float16).item()
    lost = "lost" if half == 0 else f"off by {abs(half / x - 1):.1%}"
    print(f"{x:.4e} -> {half:.4e}  {lost}")
# --8<-- [end:underflow]
from infra_ref.numerics.formats import fp16

for x in (1e-6, 2.0**-25, 1e-8, 1024 * 1e-8):
    assert torch.tensor(x).to(torch.float16).item() == fp16.round(x)
