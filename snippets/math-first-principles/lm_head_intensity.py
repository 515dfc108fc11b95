# --8<-- [start:rows]
from infra_ref.ledger import gemm

for rows in (1, 64, 16384):
    shape = dict(m=rows, n=32000, k=4096)
    flops = gemm.flops(**shape).m
    nbytes = gemm.min_bytes(**shape, itemsize=2).m
    print(f"M={rows:<5} {flops:>17,} FLOP {nbytes:>13,} B",
          f"{flops / nbytes:>7.2f} FLOP/B")
# --8<-- [end:rows]
assert gemm.flops(m=64, n=32000, k=4096).m == 64 * gemm.flops(m=1, n=32000, k=4096).m
