# --8<-- [start:cosine]
import torch

x = torch.tensor([3.0, 4.0])
y = torch.tensor([4.0, 3.0])
for scale in (1.0, 100.0, -1.0):
    dot = torch.dot(scale * x, y)
    cosine = dot / ((scale * x).norm() * y.norm())
    print(f"{scale:>4g} x: dot {dot:>5g}  cosine {cosine:>5.2f}")
# --8<-- [end:cosine]
assert torch.dot(x, y) == 24
assert torch.allclose(torch.nn.functional.cosine_similarity(x, y, dim=0), torch.tensor(24 / 25))
