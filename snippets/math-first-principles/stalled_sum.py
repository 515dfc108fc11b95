# --8<-- [start:stall]
import torch

for dtype in (torch.float16, torch.bfloat16, torch.float32):
    total, one = torch.zeros((), dtype=dtype), torch.ones((), dtype=dtype)
    for _ in range(4096):
        total = total + one
    print(f"{dtype!s:<14} {total.item():g}")
# --8<-- [end:stall]
from infra_ref.numerics.formats import bf16, fp16

for form, dtype in ((fp16, torch.float16), (bf16, torch.bfloat16)):
    total = torch.zeros((), dtype=dtype)
    for _ in range(4096):
        total = total + torch.ones((), dtype=dtype)
    assert total.item() == form.consecutive_integers
assert torch.tensor(1.0) + torch.tensor(2.0**-24) == 1
assert torch.tensor(1.0) + torch.tensor(2.0**-23) > 1
