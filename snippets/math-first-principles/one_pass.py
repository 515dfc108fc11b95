# --8<-- [start:modes]
import torch
import torch.autograd.forward_ad as forward

torch.manual_seed(0)
w = [torch.randn(a, b, dtype=torch.float64)
     for a, b in ((11, 7), (5, 11), (1, 5))]


def loss(x):                                     # 7 numbers in, 1 out
    return w[2] @ torch.tanh(w[1] @ torch.tanh(w[0] @ x))


x = torch.randn(7, dtype=torch.float64, requires_grad=True)
(reverse,) = torch.autograd.grad(loss(x), x)     # one VJP
slopes = []
for direction in torch.eye(7, dtype=torch.float64):
    with forward.dual_level():                   # one JVP
        dual = loss(forward.make_dual(x.detach(), direction))
        slopes.append(forward.unpack_dual(dual).tangent)
print("reverse: 1 pass, forward:", len(slopes), "passes")
print("same gradient:", torch.allclose(reverse, torch.cat(slopes)))
# --8<-- [end:modes]
