# --8<-- [start:kept]
import torch
from torch import nn

b, s, h = 2, 3, 5
block = nn.Sequential(nn.LayerNorm(h), nn.Linear(h, 4 * h), nn.GELU(),
                      nn.Linear(4 * h, h)).bfloat16()
weights = {p.data_ptr() for p in block.parameters()}
kept = {}


def keep(tensor):
    if tensor.data_ptr() not in weights:
        kept[tensor.data_ptr()] = tensor
    return tensor


x = torch.randn(b, s, h).bfloat16().requires_grad_()
with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
    y = x + block(x)
sizes = [t.numel() for t in kept.values() if t.numel() >= x.numel()]
print("kept, in units of x:", sorted(n // x.numel() for n in sizes))
# --8<-- [end:kept]
assert all(n % x.numel() == 0 for n in sizes)
results = {"units": sum(sizes) // x.numel()}
