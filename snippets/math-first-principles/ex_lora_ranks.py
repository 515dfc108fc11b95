# --8<-- [start:ranks]
from infra_ref.tensor.algebra import lora_share, low_rank_parameters

for rows, cols in ((4096, 4096), (14336, 4096)):
    for rank in (8, 16, 64):
        n = low_rank_parameters(rows=rows, cols=cols, rank=rank)
        share = float(lora_share(rows=rows, cols=cols, rank=rank))
        print(f"{rows}x{cols} r={rank:<2} {n:>9,} = {share:.6%}")
# --8<-- [end:ranks]
