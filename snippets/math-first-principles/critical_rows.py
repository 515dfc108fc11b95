# --8<-- [start:devices]
from infra_ref import hardware
from infra_ref.ledger import gemm

for id in ("a100-80-sxm", "h100-sxm", "h200-sxm", "b200-sxm"):
    device = hardware.accelerator(id)
    ridge = device.ridge(dtype="bf16")
    rows = gemm.smallest_m(n=32000, k=4096, itemsize=2, intensity=ridge)
    print(f"{id:<11} ridge {float(ridge.m):>5.1f} FLOP/B,",
          f"compute-bound from M = {rows}")
# --8<-- [end:devices]
for id in hardware.ids()[1:]:
    ridge = hardware.accelerator(id).ridge(dtype="bf16")
    rows = gemm.smallest_m(n=32000, k=4096, itemsize=2, intensity=ridge)
    assert gemm.intensity(m=rows, n=32000, k=4096, itemsize=2) >= ridge
    assert gemm.intensity(m=rows - 1, n=32000, k=4096, itemsize=2) < ridge
