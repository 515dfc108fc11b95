# --8<-- [start:column]
import torch

B = 5
target = torch.arange(B, dtype=torch.float32)
predicted = target.view(B, 1)             # a perfect prediction
error = predicted - target
print(tuple(error.shape), "mean square", (error**2).mean().item())
print("squeezed:", ((predicted.squeeze(1) - target) ** 2).mean().item())
# --8<-- [end:column]
assert (error**2).mean().item() == 4
results = {"mean_square": (error**2).mean().item()}
