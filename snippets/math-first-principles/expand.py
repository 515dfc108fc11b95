# --8<-- [start:expand]
import torch

row = torch.arange(4, dtype=torch.float32)
grid = row.expand(3, 4)
print(tuple(grid.shape), grid.stride())
print(grid.numel(), "elements,", grid.untyped_storage().nbytes(), "B")
try:
    grid += 1
except RuntimeError as error:
    print("in place:", str(error).split(":")[0])
grid[0, 0] = 9
print("column 0:", grid[:, 0].tolist())
# --8<-- [end:expand]
results = {"storage": (grid.untyped_storage().nbytes(), "B")}
