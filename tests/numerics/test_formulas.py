"""The formulas printed on the page about number formats, evaluated as printed against codes decoded by ml_dtypes."""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np

from infra_ref.numerics import block_scale
from infra_ref.numerics.formats import FORMATS
from infra_ref.publish.formula import equates, holds

DTYPES = {
    "fp16": np.float16,
    "fp8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "fp8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "fp6_e2m3fn": ml_dtypes.float6_e2m3fn,
    "fp4_e2m1fn": ml_dtypes.float4_e2m1fn,
}


def decoded(name):
    """(code, value) of every finite code, decoded by ml_dtypes or NumPy."""
    bits = FORMATS[name].bits
    codes = np.arange(2**bits, dtype=np.uint16 if bits == 16 else np.uint8)
    values = codes.view(DTYPES[name]).astype(np.float64)
    return [(int(c), Fraction(float(v))) for c, v in zip(codes, values, strict=True) if math.isfinite(v)]


def sample(name):
    """Some 60 codes, both signs, first and last ones among them, with their fields read off the bit string."""
    f, pairs = FORMATS[name], decoded(name)
    for code, x in pairs[:3] + pairs[:: max(1, len(pairs) // 53)] + pairs[-3:]:
        string = f"{code:0{f.bits}b}"
        yield x, int(string[0]), int(string[1 : 1 + f.exponent_bits], 2), int(string[1 + f.exponent_bits :], 2), f


def test_value_of_a_normal_code(latex):
    for name in DTYPES:
        for x, s, E, M, f in sample(name):
            if E > 0:
                assert equates(latex, {"x": x, "s": s, "E": E, "M": M, "b": f.bias, "m": f.mantissa_bits})


def test_value_of_a_subnormal_code(latex):
    for name in DTYPES:
        for x, s, E, M, f in sample(name):
            if E == 0:
                assert equates(latex, {"x": x, "s": s, "M": M, "b": f.bias, "m": f.mantissa_bits})


def test_gap_between_neighbours(latex):
    for name in DTYPES:
        f = FORMATS[name]
        positive = sorted(x for _, x in decoded(name) if x >= f.min_normal)
        pairs = list(itertools.pairwise(positive))
        for x, after in pairs[:: max(1, len(pairs) // 13)]:
            inside = x + (after - x) / 3
            assert equates(latex, {"ulp": after - x, "x": -inside, "m": f.mantissa_bits})
        assert equates(latex, {"ulp": f.epsilon, "x": Fraction(1), "m": f.mantissa_bits})


def test_relative_error_of_rounding(latex):
    """It holds at every midpoint, the worst place; one digit fewer of it is exceeded."""
    for name in DTYPES:
        f = FORMATS[name]
        values = sorted(x for _, x in decoded(name) if x >= f.min_normal)
        exceeded = False
        pairs = list(itertools.pairwise(values))
        for low, high in pairs[: 2 * 2**f.mantissa_bits : max(1, len(pairs) // 5003)][:31]:
            x = (low + high) / 2
            point = {"x": x, "x_hat": Fraction(f.round(x))}
            assert holds(latex, point | {"m": f.mantissa_bits})
            exceeded |= not holds(latex, point | {"m": f.mantissa_bits + 1})
        assert exceeded


def test_what_rounds_to_zero(latex):
    """A number rounds to zero exactly where the inequality holds."""
    for name in DTYPES:
        f = FORMATS[name]
        smallest = min(x for _, x in decoded(name) if x > 0)
        for factor in (Fraction(1, 3), Fraction(1, 2), Fraction(-1, 2), Fraction(501, 1000), Fraction(-1), Fraction(7)):
            x = factor * smallest
            assert (f.round(x) == 0) == holds(latex, {"x": x, "b": f.bias, "m": f.mantissa_bits})


def test_scale_of_an_mx_block(latex):
    for name in ("mxfp8_e4m3", "mxfp6_e2m3", "mxfp4"):
        f = block_scale.BLOCK_FORMATS[name]
        top = max(x for _, x in decoded(f.element.id))
        e_max = math.frexp(float(top))[1] - 1
        for a in (0.011, 0.7, 1.0, 1.99, 300.0, 4096.0):
            (scale,) = f.quantize([0.01, -a]).scales()
            assert equates(latex, {"X": scale, "a": Fraction(a), "e_max": e_max})


def test_bits_per_value_count_every_stored_bit(latex):
    for f in block_scale.BLOCK_FORMATS.values():
        stored = f.quantize([1.0] * (5 * f.block))
        bits = sum(f.scale.bits + f.element.bits * len(block.codes) for block in stored.blocks)
        count = {"b": Fraction(bits, 5 * f.block), "b_elem": f.element.bits, "b_scale": f.scale.bits, "k": f.block}
        assert equates(latex, count)
