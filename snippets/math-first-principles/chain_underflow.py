# --8<-- [start:chain]
import torch

for dtype in (torch.float32, torch.float64):
    p = torch.full((2048,), 1 / 8, dtype=dtype)   # of each token
    product = p[0].clone()
    tokens = 1
    while product > 0:
        product *= p[tokens]
        tokens += 1
    loss = -p.log().mean()
    print(f"{str(dtype)[6:]}: product is 0 from token {tokens} on; "
          f"loss {loss:.4f}")
# --8<-- [end:chain]
    if dtype == torch.float32:
        in_fp32 = tokens
    assert p.prod() == 0
    assert abs(loss + torch.tensor(1 / 8, dtype=torch.float64).log()) < 1e-5
results = {"fp32_tokens": in_fp32, "fp64_tokens": tokens}
