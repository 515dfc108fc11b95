# --8<-- [start:shapes]
import torch

from infra_ref.tensor.algebra import bmm_flops, bmm_min_bytes

x = (8, 1, 4096)                              # one token of 8 requests
for w in ((4096, 4096), (8, 4096, 4096)):
    y = (torch.empty(x, device="meta")        # shapes without data
         @ torch.empty(w, device="meta"))
    work, moved = bmm_flops(x, w), bmm_min_bytes(x, w, itemsize=2)
    print(w, "->", tuple(y.shape), f"{work.m:,} FLOP {moved.m:,} B")
# --8<-- [end:shapes]
