# --8<-- [start:solve]
import torch

torch.manual_seed(0)
q, _ = torch.linalg.qr(torch.randn(64, 64, dtype=torch.float64))
p, _ = torch.linalg.qr(torch.randn(64, 64, dtype=torch.float64))
sizes = torch.logspace(0, -10, 64, dtype=torch.float64)
a = (q * sizes) @ p                         # condition number 1e10
x = torch.ones(64, dtype=torch.float64)
b = a @ x
for name, found in {"solve": torch.linalg.solve(a, b),
                    "invert": torch.linalg.inv(a) @ b}.items():
    residual = (a @ found - b).norm() / a.norm() / found.norm()
    error = (found - x).norm() / x.norm()
    print(f"{name:<6} residual below 1e-15: {bool(residual < 1e-15)},"
          f" error below 1e-10: {bool(error < 1e-10)}")
# --8<-- [end:solve]
assert 0.9e10 < torch.linalg.cond(a) < 1.1e10
solved = torch.linalg.solve(a, b)
assert residual > 1e5 * (a @ solved - b).norm() / a.norm() / solved.norm()
assert (solved - x).norm() / x.norm() < 1e-6
assert 1e-10 < error < 1e-4
