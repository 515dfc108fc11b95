"""The formulas printed on the page about number formats, each as printed and as evaluated against decoded codes."""

import itertools
import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from infra_ref.numerics import block_scale
from infra_ref.numerics.formats import FORMATS

DTYPES = {
    "fp16": np.float16,
    "fp8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "fp8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "fp6_e2m3fn": ml_dtypes.float6_e2m3fn,
    "fp4_e2m1fn": ml_dtypes.float4_e2m1fn,
}
formats = pytest.mark.parametrize("name", DTYPES)


def decoded(name):
    """(code, value) of every finite code, decoded by ml_dtypes or NumPy."""
    bits = FORMATS[name].bits
    codes = np.arange(2**bits, dtype=np.uint16 if bits == 16 else np.uint8)
    values = codes.view(DTYPES[name]).astype(np.float64)
    return [(int(c), Fraction(float(v))) for c, v in zip(codes, values, strict=True) if math.isfinite(v)]


def test_value_of_a_normal_code():
    r"""x = (-1)^s\,2^{E-b}\left(1+\frac{M}{2^m}\right)"""
    for name in DTYPES:
        f = FORMATS[name]
        for code, x in decoded(name):
            s, E, M = f.fields(code)
            if E > 0:
                assert x == (-1) ** s * Fraction(2) ** (E - f.bias) * (1 + Fraction(M, 2**f.mantissa_bits))


def test_value_of_a_subnormal_code():
    r"""x = (-1)^s\,2^{1-b}\,\frac{M}{2^m}"""
    for name in DTYPES:
        f = FORMATS[name]
        for code, x in decoded(name):
            s, E, M = f.fields(code)
            if E == 0:
                assert x == (-1) ** s * Fraction(2) ** (1 - f.bias) * Fraction(M, 2**f.mantissa_bits)


@formats
def test_gap_between_neighbours(name):
    r"""\text{ulp}(x) = 2^{\lfloor\log_2|x|\rfloor-m}"""
    f = FORMATS[name]
    positive = sorted(x for _, x in decoded(name) if x >= f.min_normal)
    for x, after in itertools.pairwise(positive):
        exponent = math.frexp(float(x))[1] - 1
        assert after - x == Fraction(2) ** (exponent - f.mantissa_bits)


@formats
def test_relative_error_of_rounding(name):
    r"""\frac{|\text{fl}(x)-x|}{|x|} \le 2^{-(m+1)}"""
    f = FORMATS[name]
    values = sorted(x for _, x in decoded(name))
    worst = Fraction(0)
    for low, high in itertools.pairwise(values):
        if low >= f.min_normal:
            for part in (Fraction(1, 7), Fraction(1, 2), Fraction(5, 7)):
                x = low + part * (high - low)
                worst = max(worst, abs(Fraction(f.round(x)) - x) / x)
    bound = Fraction(1, 2 ** (f.mantissa_bits + 1))
    assert bound / 2 < worst < bound  # nearly reached just above a power of two


@formats
def test_what_rounds_to_zero(name):
    r"""\text{fl}(x) = 0 \iff |x| \le 2^{-(b+m)}"""
    f = FORMATS[name]
    smallest = min(x for _, x in decoded(name) if x > 0)
    limit = Fraction(1, 2 ** (f.bias + f.mantissa_bits))
    assert limit == smallest / 2
    assert f.round(limit) == 0
    assert f.round(limit * Fraction(1001, 1000)) == smallest
    assert f.round(-limit) == 0


@pytest.mark.parametrize("name", ["mxfp8_e4m3", "mxfp6_e2m3", "mxfp4"])
def test_scale_of_an_mx_block(name):
    r"""X = 2^{\lfloor\log_2 a\rfloor-e_{\max}}"""
    f = block_scale.BLOCK_FORMATS[name]
    top = max(x for _, x in decoded(f.element.id))
    e_max = math.frexp(float(top))[1] - 1
    for a in (0.011, 0.7, 1.0, 1.99, 300.0, 4096.0):
        assert f.quantize([0.01, -a]).scales() == [Fraction(2) ** (math.frexp(a)[1] - 1 - e_max)]


def test_bits_per_value_count_every_stored_bit():
    r"""b = b_\text{elem} + \frac{b_\text{scale}}{k}"""
    for f in block_scale.BLOCK_FORMATS.values():
        stored = f.quantize([1.0] * (5 * f.block))
        bits = sum(f.scale.bits + f.element.bits * len(block.codes) for block in stored.blocks)
        assert f.bits_per_value == Fraction(bits, 5 * f.block)
