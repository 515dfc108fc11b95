# --8<-- [start:kahan]
import torch

for dtype in (torch.float16, torch.bfloat16):
    x = (1 / torch.arange(1, 1025, dtype=torch.float64)).to(dtype)
    total = lost = torch.zeros((), dtype=dtype)
    for value in x:
        y = value - lost          # put back what the last step lost
        new = total + y
        lost = (new - total) - y  # what this step loses
        total = new
    nearest = x.double().sum().to(dtype)
    print(f"{dtype!s:<14} {total:g}, nearest {nearest:g}")
# --8<-- [end:kahan]
