# --8<-- [start:reshape]
import torch

x = torch.arange(18).view(3, 6)
for name, t in (("every second", x[:, ::2]), ("transposed", x.T)):
    flat = t.reshape(-1)
    flat[0] = -7
    print(f"{name:<12} x[0, 0] is now {x[0, 0]}")
    x[0, 0] = 0
# --8<-- [end:reshape]
one_step, two_steps = x.T.reshape(-1), x.T.contiguous().view(-1)
copied = one_step.untyped_storage().nbytes()
assert x.data_ptr() not in (one_step.data_ptr(), two_steps.data_ptr())
assert copied == two_steps.untyped_storage().nbytes()
assert x[:, ::2].reshape(-1).data_ptr() == x.data_ptr()
results = {"copied": (copied, "B")}
