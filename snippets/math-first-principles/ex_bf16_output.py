# --8<-- [start:bf16]
import torch

torch.manual_seed(0)
k = 4096
a, b = 2 * torch.rand(2, k, 2000) - 1
total = torch.zeros(2000)
for products in a * b:                     # accumulate in fp32
    total += products
actual = total.bfloat16().double()         # store in bf16
exact = (a.double() * b.double()).sum(0)
atol = 8 * k**0.5 * 2**-24 * k**0.5 / 3
for rtol in (2**-11, 2**-8):
    fails = ~torch.isclose(actual, exact, rtol=rtol, atol=atol)
    print(f"rtol {rtol:.1e}: {int(fails.sum()):>4} of 2000 rejected")
# --8<-- [end:bf16]
