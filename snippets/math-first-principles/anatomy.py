# --8<-- [start:parts]
import torch

x = torch.arange(12, dtype=torch.float32).view(3, 4)
y = x[1:, 1:]
print("shape  ", tuple(y.shape))
print("strides", y.stride(), "elements")
print("offset ", y.storage_offset(), "elements")
print("dtype  ", y.dtype, "on", y.device, "as", y.layout)
print("bytes  ", y.nbytes, "in a storage of",
      y.untyped_storage().nbytes())
print("y[1, 2] =", y[1, 2].item())
# --8<-- [end:parts]
assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
assert y.data_ptr() - x.data_ptr() == 5 * 4
