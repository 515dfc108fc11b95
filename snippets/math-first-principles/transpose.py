# --8<-- [start:transpose]
import torch

x = torch.arange(12).view(3, 4)
t = x.T
print("x  ", tuple(x.shape), x.stride())
print("x.T", tuple(t.shape), t.stride())
print("same first byte:", t.data_ptr() == x.data_ptr())
t[3, 0] = -1                      # write through the transpose
print("x[0, 3] =", x[0, 3].item())
c = t.contiguous()
print("copy", c.stride(), "same:", c.data_ptr() == x.data_ptr())
# --8<-- [end:transpose]
assert t.stride() == x.stride()[::-1]
