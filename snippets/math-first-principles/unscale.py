# --8<-- [start:unscale]
import torch
from torch.nn.utils import clip_grad_norm_

scale = 65536.0
for order in ("unscale, clip", "clip, unscale"):
    w = torch.tensor([0.0, 0.0], requires_grad=True)
    loss = (w * torch.tensor([0.3, 0.4])).sum()  # true norm 0.5
    (loss * scale).backward()
    for what in order.split(", "):
        if what == "unscale":
            w.grad /= scale
        else:
            clip_grad_norm_([w], max_norm=1.0)
    print(f"{order}: norm {w.grad.norm().item():.2e}")
# --8<-- [end:unscale]
