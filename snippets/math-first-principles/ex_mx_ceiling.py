# --8<-- [start:ceiling]
from fractions import Fraction

from infra_ref.numerics.block_scale import BLOCK_FORMATS

for name in ("mxfp8_e4m3", "mxfp6_e2m3", "mxfp4"):
    f = BLOCK_FORMATS[name]
    ceiling = 2 ** (f.element.emax + 1)
    x = ceiling - Fraction(1, 10**9)
    back = f.quantize([x]).dequantize()[0]
    print(f"{name:<11} just under {ceiling:>3} -> {float(back):g},"
          f" {float(1 - back / x):.2%} lost")
# --8<-- [end:ceiling]
assert 0.2499 < 1 - back / x < 0.25
