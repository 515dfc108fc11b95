# --8<-- [start:solve]
import torch

torch.manual_seed(0)
q, _ = torch.linalg.qr(torch.randn(64, 64, dtype=torch.float64))
p, _ = torch.linalg.qr(torch.randn(64, 64, dtype=torch.float64))
a = q * torch.logspace(0, -10, 64, dtype=torch.float64) @ p
x = torch.ones(64, dtype=torch.float64)
b = a @ x
for name, found in {"solve": torch.linalg.solve(a, b),
                    "invert": torch.linalg.inv(a) @ b}.items():
    residual = (a @ found - b).norm() / a.norm() / found.norm()
    error = (found - x).norm() / x.norm()
    print(f"{name:<6} residual < 1e-15: {bool(residual < 1e-15)!s:<5}"
          f"  > 1e-10: {bool(residual > 1e-10)!s:<5}"
          f"  error < 1e-4: {bool(error < 1e-4)}")
# --8<-- [end:solve]
assert 0.9e10 < torch.linalg.cond(a) < 1.1e10
assert error > (torch.linalg.solve(a, b) - x).norm() / x.norm()
