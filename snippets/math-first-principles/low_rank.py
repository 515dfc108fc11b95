# --8<-- [start:lowrank]
import torch

torch.manual_seed(0)
a = torch.randn(60, 40, dtype=torch.float64)
u, s, vt = torch.linalg.svd(a, full_matrices=False)
for r in (1, 8, 32):
    cut = (u[:, :r] * s[:r]) @ vt[:r]             # r rank-one terms
    error = (a - cut).norm()
    agree = (error - s[r:].square().sum().sqrt()).abs() < 1e-12
    worse = 0
    for _ in range(200):                          # random subspaces
        q, _ = torch.linalg.qr(torch.randn(60, r, dtype=a.dtype))
        worse += int((a - q @ (q.T @ a)).norm() > error)
    print(f"r={r:<2} formula holds: {bool(agree)}, better than "
          f"{worse} of 200 random projections")
# --8<-- [end:lowrank]
from infra_ref.tensor.algebra import eckart_young_error

decaying = [2 ** (-i / 4) for i in range(64)]
results = {"decaying": round(eckart_young_error(decaying, rank=16) / eckart_young_error(decaying, rank=0), 9)}
