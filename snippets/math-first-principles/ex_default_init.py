# --8<-- [start:default]
import torch

torch.manual_seed(0)
for n in (256, 1024):
    w = torch.nn.Linear(n, n).weight.detach()
    print(f"fan_in {n:<4}: largest weight x sqrt(fan_in) ="
          f" {w.abs().max().item() * n**0.5:.2f},"
          f" Var w x fan_in = {w.var().item() * n:.2f}")
# --8<-- [end:default]
results = {"after_50": (1 / 6) ** 50}
