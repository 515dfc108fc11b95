# --8<-- [start:hides]
import torch

expected = torch.tensor([1000.0, 0.001])
actual = torch.tensor([1000.0, 0.0015])
error = actual - expected
overall = error.norm() / expected.norm()
worst = (error.abs() / expected.abs()).max()
print("whole vector, relative L2 error < 1e-6:", bool(overall < 1e-6))
print(f"worst element, relative error: {worst:.0%}")
# --8<-- [end:hides]
assert 4e-7 < overall < 6e-7
