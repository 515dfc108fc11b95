# --8<-- [start:truncate]
from infra_ref.numerics.formats import bf16, fp32

codes = {"1.99": fp32.encode(1.99),
         "largest": fp32.encode(fp32.max),
         "a NaN": 0x7F800001}
for name, code in codes.items():
    nearest = bf16.round(fp32.decode(code))
    cut = bf16.decode(code >> 16)
    print(f"{name:<8} nearest {float(nearest):<10g}"
          f" cut {float(cut):g}")
# --8<-- [end:truncate]
import math

import torch

assert torch.tensor(float(fp32.max)).to(torch.bfloat16).item() == math.inf == bf16.round(fp32.max)
assert cut == math.inf
assert math.isnan(nearest)
