# --8<-- [start:beta]
import torch

a, b = torch.ones(2, 3), torch.ones(3, 2)
c = torch.full((2, 2), float("nan"))         # fresh memory
print("0 * c + a b:  ", (0 * c + a @ b).tolist())
print("addmm, beta=0:", torch.addmm(c, a, b, beta=0).tolist())
# --8<-- [end:beta]
