# --8<-- [start:repeated]
import torch

matrices = {                          # named by effect and |lambda|
    "rotate 0.9": [[0.0, 0.9], [-0.9, 0.0]],
    "flip   1.1": [[1.1, 0.0], [0.0, -1.1]],
    "shear  0.9": [[0.9, 10.0], [0.0, 0.9]]}
for name, rows in matrices.items():
    m = torch.tensor(rows, dtype=torch.float64)
    x, sizes = torch.tensor([0.6, 0.8], dtype=torch.float64), {}
    for step in range(1, 101):
        x = m @ x
        sizes[step] = float(x.norm())
    print(name, *(f"step {s}: {sizes[s]:.2e}" for s in (1, 10, 100)))
# --8<-- [end:repeated]
results = {"shear_peak": round(max(sizes.values()), 6), "shear_peak_step": max(sizes, key=sizes.get)}
for rows in matrices.values():
    largest = torch.linalg.eigvals(torch.tensor(rows, dtype=torch.float64)).abs().max()
    assert torch.isclose(largest, torch.tensor(max(rows[0][0], 0.9), dtype=torch.float64))
