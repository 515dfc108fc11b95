# --8<-- [start:orders]
import torch

torch.manual_seed(0)
k, u = 4096, 2.0**-24
a, b = 2 * torch.rand(2, k, 2000) - 1             # 2000 dot products
up, down = torch.zeros(2000), torch.zeros(2000)
for i in range(k):
    up += a[i] * b[i]
    down += a[k - 1 - i] * b[k - 1 - i]
wrong = up - a[7] * b[7]                          # one term is lost
derived = 8 * k**0.5 * u * (k**0.5 / 3)           # typical |y| here
for name, atol in (("default", 1e-5), ("derived", derived)):
    ok = torch.isclose(up, down, rtol=1.3e-6, atol=atol)
    missed = torch.isclose(wrong, down, rtol=1.3e-6, atol=atol)
    print(f"{name} atol {atol:.1e}: {int((~ok).sum()):>3} right ones "
          f"rejected, {int(missed.sum())} wrong ones accepted")
# --8<-- [end:orders]
results = {"difference": float(f"{(up - down).double().square().mean().sqrt():.3g}")}
for c, rejected in ((2, False), (1, True)):
    assert rejected != torch.isclose(up, down, rtol=1.3e-6, atol=c / 8 * derived).all()
lost = (a[7] * b[7])[missed].abs()
assert (up - down).abs().max() < lost.max() < derived  # small for the tolerance, not for the rounding
