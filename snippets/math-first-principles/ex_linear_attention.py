# --8<-- [start:linear]
import torch

from infra_ref.tensor.algebra import association_flops

for s in (128, 4096, 32768):
    left, right = association_flops(m=s, k=128, n=s, p=128)
    print(f"S={s:<6} {left.m / right.m:g} times dearer from the left")
torch.manual_seed(0)
q, k, v = torch.randn(3, 50, 7, dtype=torch.float64)
free = ((q @ k.T) @ v - q @ (k.T @ v)).abs().max()
p = (q @ k.T).softmax(dim=-1) @ v
print("orders agree without softmax:", bool(free < 1e-12))
print("... and with it:", bool((p - q @ (k.T @ v)).abs().max() < 1e-12))
# --8<-- [end:linear]
