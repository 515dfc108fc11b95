# --8<-- [start:hooks]
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 8), nn.LayerNorm(8),
                    nn.GELU(), nn.Linear(8, 1)).half()
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.constant_(layer.weight, 12.0)    # far too large


def report(name):
    def hook(module, inputs, output):
        state = ["finite", "inf", "NaN"][
            2 if output.isnan().any() else int(output.isinf().any())]
        print(f"{name} {type(module).__name__:<9} {state}")
    return hook


for name, layer in net.named_children():
    layer.register_forward_hook(report(name))
net(torch.full((2, 8), 10.0, dtype=torch.float16))
# --8<-- [end:hooks]
