# --8<-- [start:place]
import torch

torch.manual_seed(0)
for d in (64, 128):
    q = torch.randn(1000, d).bfloat16()
    exact = q.double() * d**-0.5
    early = (q * d**-0.5).double()          # scaled and kept in bf16
    changed = (early != exact).double().mean().item()
    print(f"D_h = {d:>3}: {changed:.0%} of q were rounded by scaling")
q = torch.full((128,), 23.0)
print("score in fp16:", (q @ q).half().item())
print("q scaled first:", (q / 128**0.5 @ q).half().item())
# --8<-- [end:place]
from infra_ref.numerics import formats

assert formats.fp16.max < 128 * 23**2
results = {"raw": 128 * 23**2}
