# --8<-- [start:shape]
import torch

from infra_ref.tensor.algebra import bmm_flops, matmul_shape

for left, right in [((8, 1, 128, 64), (4, 64, 256)),
                    ((3, 128, 64), (2, 64, 32)),
                    ((8, 128, 64), (8, 128, 64))]:
    try:
        shape, work = matmul_shape(left, right), bmm_flops(left, right)
        print(left, "@", right, "->", shape, f"{work.m:,} FLOP")
    except ValueError:
        print(left, "@", right, "-> no")
q = torch.empty(8, 128, 64, device="meta")
print("with a transpose:", tuple((q @ q.transpose(-2, -1)).shape))
# --8<-- [end:shape]
