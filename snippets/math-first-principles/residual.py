# --8<-- [start:residual]
import torch

torch.manual_seed(0)
n = 128
for kind in ("plain", "residual", "residual / sqrt(L)"):
    norms = []
    for layers in (1, 10, 100):
        h = x = torch.randn(n, dtype=torch.float64, requires_grad=True)
        share = layers**-0.5 if "sqrt" in kind else 1
        for _ in range(layers):
            w = torch.randn(n, n, dtype=x.dtype) * (0.5 / n**0.5)
            h = w @ h if kind == "plain" else h + share * (w @ h)
        (h @ torch.randn(n, dtype=x.dtype)).backward()
        norms.append(f"{x.grad.norm().item() / n**0.5:.0e}")
    print(f"{kind:<19} gradient at x for L = 1, 10, 100:", *norms)
# --8<-- [end:residual]
