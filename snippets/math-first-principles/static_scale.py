# --8<-- [start:static]
import torch

for scale in (1, 1024):
    w = torch.zeros(1, dtype=torch.float16, requires_grad=True)
    x = torch.tensor([1e-4], dtype=torch.float16)
    loss = 1e-4 * (w * x).float().sum()          # dL/dw = 1e-8
    (scale * loss).backward()
    stored = w.grad.float()
    print(f"scale {scale:>4}: stored {stored.item():.3e},"
          f" unscaled {stored.item() / scale:.3e}")
# --8<-- [end:static]
