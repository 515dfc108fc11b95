# --8<-- [start:shapes]
import torch

from infra_ref.tensor.algebra import bmm_flops, bmm_min_bytes

x = (8, 1, 4096)                              # one token of 8 requests
for name, w in {"shared": (4096, 4096), "stacked": (8, 4096, 4096)}.items():
    flops, moved = bmm_flops(x, w), bmm_min_bytes(x, w, itemsize=2)
    shape = torch.matmul(torch.empty(x, device="meta"),
                         torch.empty(w, device="meta")).shape
    print(f"{name:<7} {tuple(shape)} {flops.m:,} FLOP {moved.m:>11,} B")
# --8<-- [end:shapes]
