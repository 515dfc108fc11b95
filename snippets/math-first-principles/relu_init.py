# --8<-- [start:init]
import torch

torch.manual_seed(0)
n, layers = 256, 50
for numerator in (1, 2, 4):
    h = torch.randn(64, n, dtype=torch.float64)
    before = h.square().mean()
    for _ in range(layers):
        w = torch.randn(n, n, dtype=h.dtype) * (numerator / n) ** 0.5
        h = (h @ w.T).relu()
    ratio = (h.square().mean() / before).item()
    print(f"Var w = {numerator} / fan_in: mean square x {ratio:.0e}"
          f" after {layers} layers, x {ratio ** (1 / layers):.2f} a layer")
# --8<-- [end:init]
assert abs(ratio ** (1 / layers) - 2) < 0.1
