# --8<-- [start:ids]
import torch

ids = torch.arange(50257)
for dtype in (torch.bfloat16, torch.float16, torch.float32):
    stored = ids.to(dtype).to(torch.int64)
    kept = torch.count_nonzero(stored == ids).item()
    print(f"{dtype!s:<14} {kept:>6} unchanged,"
          f" {stored.unique().numel():>6} different")
# --8<-- [end:ids]
from infra_ref.numerics.formats import bf16, fp16

results = {}
for form, dtype in ((bf16, torch.bfloat16), (fp16, torch.float16)):
    values = sorted({int(form.round(i)) for i in range(50257)})
    assert ids.to(dtype).to(torch.int64).unique().tolist() == values
    results[f"{form.id}_kept"] = len(values)
