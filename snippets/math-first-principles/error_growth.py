# --8<-- [start:growth]
import torch

torch.manual_seed(0)
u = 2.0**-24                           # unit roundoff of fp32
for k in (64, 1024, 16384):
    a, b = 2 * torch.rand(2, k, 300) - 1       # 300 dot products
    total = torch.zeros(300)
    for products in a * b:             # left to right, in fp32
        total += products
    exact = (a.double() * b.double()).sum(0)
    error = (total - exact).square().mean().sqrt()
    typical = exact.square().mean().sqrt()     # of |y|
    e = float(error / typical / u)
    print(f"K={k:<6} error {e:>4.1f} u = {e / k**0.5:.1f} sqrt(K) u")
# --8<-- [end:growth]
bound = k * u / (1 - k * u) * (a.double() * b.double()).abs().sum(0)
assert ((total - exact).abs() < 0.01 * bound).all()
inner, blocked = torch.zeros(128, 300), torch.zeros(300)
for products in (a * b).reshape(128, 128, 300).transpose(0, 1):
    inner += products
for part in inner:
    blocked += part
assert (blocked - exact).square().mean().sqrt() < error / 4
