# --8<-- [start:overflow]
import torch

from infra_ref.numerics.formats import FORMATS

for name in ("fp8_e4m3fn", "fp8_e4m3fnuz", "fp8_e5m2"):
    f = FORMATS[name]
    limit = float(f.max)
    plain = {m: float(f.round(2 * limit, overflow=m))
             for m in f.overflow_modes}
    dtype = getattr(torch, name.replace("fp8", "float8"))
    clamped = torch.tensor(2 * limit).clamp(-limit, limit).to(dtype)
    print(f"{name:<12} {plain}")
    print(f"{'':<12} clamped first: {clamped.float().item():g}")
# --8<-- [end:overflow]
import math

cast = torch.tensor(1000.0).to(torch.float8_e4m3fn).float().item()
version = tuple(int(part) for part in torch.__version__.split(".")[:2])
assert cast == 448 or (math.isnan(cast) and version < (2, 13))
assert torch.tensor(114688.0).to(torch.float8_e5m2).float().item() == math.inf
