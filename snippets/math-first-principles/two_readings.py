# --8<-- [start:readings]
import torch

a = torch.arange(6.0).reshape(2, 3)
b = torch.arange(12.0).reshape(3, 4)
dots = torch.tensor([[a[i] @ b[:, j] for j in range(4)]
                     for i in range(2)])
outers = sum(torch.outer(a[:, k], b[k]) for k in range(3))
print("dot products:  ", torch.equal(dots, a @ b))
print("outer products:", torch.equal(outers, a @ b))
# --8<-- [end:readings]
