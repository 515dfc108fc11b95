# --8<-- [start:hides]
import torch

expected = torch.tensor([1000.0, 0.001])
actual = torch.tensor([1000.0, 0.002])
error = actual - expected
overall = error.norm() / expected.norm()
worst = (error.abs() / expected.abs()).max()
print("whole vector, relative L2 error <= 1e-6:", bool(overall <= 1.01e-6))
print("worst element, relative error:", f"{worst:.0%}")
# --8<-- [end:hides]
assert 0.99e-6 < overall < 1.01e-6
