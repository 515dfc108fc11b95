# --8<-- [start:orders]
import torch


def add_up(x):                                   # left to right
    total = torch.zeros((), dtype=x.dtype)
    for value in x:
        total = total + value
    return total


def pairwise(x):
    while len(x) > 1:
        x = x[0::2] + x[1::2]
    return x[0]


terms = 1 / torch.arange(1, 1025, dtype=torch.float64)
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    x = terms.to(dtype)
    exact = x.double().sum()
    sums = add_up(x), add_up(x.flip(0)), pairwise(x)
    off = [f"{float(s / exact - 1):+.0e}" for s in sums]
    print(f"{dtype!s:<14}", *off)
# --8<-- [end:orders]
from infra_ref.numerics import formats, summation

for name in ("fp16", "bf16"):
    form, dtype = formats.FORMATS[name], {"fp16": torch.float16, "bf16": torch.bfloat16}[name]
    x = terms[:64].to(dtype)
    for ours, theirs in ((summation.sequential, add_up), (summation.pairwise, pairwise)):
        assert ours(x.tolist(), format=form) == theirs(x).item()
stops = {}
for name, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16)):
    total, last = torch.zeros((), dtype=dtype), 0
    for k, value in enumerate(terms.to(dtype), 1):
        if total + value != total:
            total, last = total + value, k
    stops[f"{name}_last"] = last
x = terms.bfloat16()
results = stops | {
    name: abs(float(f"{float(found.double() / x.double().sum() - 1):.2g}"))
    for name, found in (("down", add_up(x)), ("up", add_up(x.flip(0))), ("pairwise", pairwise(x)))
}
