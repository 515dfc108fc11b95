# --8<-- [start:repeated]
import torch

matrices = {"complex, |l|=0.9": [[0.0, 0.9], [-0.9, 0.0]],
            "real,    |l|=1.1": [[1.1, 0.0], [0.0, -1.1]],
            "shear,   |l|=0.9": [[0.9, 10.0], [0.0, 0.9]]}
for name, rows in matrices.items():
    m = torch.tensor(rows, dtype=torch.float64)
    x, sizes = torch.tensor([0.6, 0.8], dtype=torch.float64), []
    for step in range(1, 101):
        x = m @ x
        if step in (1, 10, 100):
            sizes.append(f"{x.norm():9.2e}")
    print(name, *sizes)
# --8<-- [end:repeated]
results = {"shear_peak": float(max((torch.linalg.matrix_power(m, n) @ torch.tensor([0.6, 0.8], dtype=torch.float64)).norm() for n in range(1, 101)))}
