# --8<-- [start:tiles]
import torch


def tiled_layer_norm(x, weight, bias, tile, eps=1e-5):
    count, mean, m2 = 0, torch.zeros(len(x)), torch.zeros(len(x))
    for left in range(0, x.shape[1], tile):
        part = x[:, left:left + tile]
        n, centre = part.shape[1], part.mean(1)
        delta, total = centre - mean, count + part.shape[1]
        m2 += (part - centre[:, None]).square().sum(1)
        m2 += delta.square() * (count * n / total)
        mean, count = mean + delta * (n / total), total
    scale = torch.rsqrt(m2 / count + eps)
    return (x - mean[:, None]) * scale[:, None] * weight + bias


torch.manual_seed(0)
for rows, h in ((7, 257), (5, 64), (3, 1), (0, 5)):
    x, (weight, bias) = torch.randn(rows, h), torch.randn(2, h)
    x[:1], x[1:2] = 0.1, 1e4 + x[1:2]       # constant; a large mean
    exact = torch.nn.functional.layer_norm(
        x.double(), (h,), weight.double(), bias.double(), 1e-5)
    variance = (x - x.double().mean(1, keepdim=True)).square().mean(1)
    sigma = (variance + 1e-5).sqrt()[:, None]
    worst = x.abs().amax(1)[:, None] / sigma
    bound = 2**-24 * (2 * (h + 8) * (1 + worst) * (weight.abs() + 1)
                      * (1 + exact.abs()))
    error = (tiled_layer_norm(x, weight, bias, tile=64) - exact).abs()
    print(f"{rows} x {h}: all within:", bool((error <= bound).all()))
# --8<-- [end:tiles]
x, (weight, bias) = torch.randn(2, 257), torch.randn(2, 257)
x[1] += 1e4
exact = torch.nn.functional.layer_norm(x.double(), (257,), weight.double(), bias.double(), 1e-5)
sigma = (x.double().var(1, correction=0, keepdim=True) + 1e-5).sqrt()
bound = 2**-24 * 2 * 265 * (1 + x.abs().amax(1, keepdim=True) / sigma) * (weight.abs() + 1) * (1 + exact.abs())
variance = x.square().mean(1) - x.mean(1).square()  # E[x^2] - E[x]^2
naive = (x - x.mean(1, keepdim=True)) * torch.rsqrt(variance + 1e-5)[:, None] * weight + bias
ok = ((naive - exact).abs() <= bound).all(1)
assert ok.tolist() == [True, False]  # the large mean finds it
error = (tiled_layer_norm(x, weight, bias, tile=64) - exact).abs()
assert (error <= bound).all()
