"""Limits of the 8-bit formats that were reported wrong elsewhere, read off a walk over all 256 codes by ml_dtypes."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from infra_ref.numerics.formats import FORMATS

DTYPES = {
    "fp8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "fp8_e4m3_ieee": ml_dtypes.float8_e4m3,
    "fp8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "fp8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
}


def power(exponent):
    return Fraction(2) ** exponent


@pytest.mark.oracle("formats.*.max", "formats.*.min_normal", "formats.*.min_subnormal")
@pytest.mark.parametrize(
    ("name", "largest", "normal", "subnormal", "nans", "infinities"),
    [
        ("fp8_e4m3fn", 448, -6, -9, 2, 0),
        ("fp8_e4m3_ieee", 240, -6, -9, 14, 2),
        ("fp8_e4m3fnuz", 240, -7, -10, 1, 0),
        ("fp8_e5m2", 57344, -14, -16, 6, 2),
        ("fp8_e5m2fnuz", 57344, -15, -17, 1, 0),
    ],
)
def test_limits(name, largest, normal, subnormal, nans, infinities):
    """tinygrad#18274: e4m3fn and the fnuz formats have no infinity. The other reports: wrong limits, below."""
    codes = np.arange(256, dtype=np.uint8).view(DTYPES[name]).astype(np.float64)
    finite = codes[np.isfinite(codes)]
    form = FORMATS[name]
    assert form.max == finite.max() == largest
    assert form.min_subnormal == finite[finite > 0].min() == power(subnormal)
    assert form.min_normal == power(normal)
    ours = [float(form.decode(code)) for code in range(256)]
    assert sum(map(math.isnan, ours)) == np.isnan(codes).sum() == nans
    assert sum(map(math.isinf, ours)) == np.isinf(codes).sum() == infinities


@pytest.mark.oracle("formats.*.max", "formats.*.values")
@pytest.mark.parametrize(
    ("name", "reported"),
    [
        ("fp8_e4m3fn", 416),  # cubecl#1472: one step short
        ("fp8_e5m2", 49152),  # cubecl#1472
        ("fp8_e4m3fn", 480),  # ppq#398: the code of NaN, read as a number
        ("fp8_e4m3fnuz", 224),  # sglang#3959
        ("fp8_e5m2", 98304),  # musubi-tuner#192: the codes of infinity and NaN, read as numbers
    ],
)
def test_limits_that_were_reported(name, reported):
    """Each is either a value with another above it, or no value of the format at all."""
    values = np.arange(256, dtype=np.uint8).view(DTYPES[name]).astype(np.float64)
    finite = {Fraction(v) for v in values[np.isfinite(values)].tolist()}
    form = FORMATS[name]
    assert set(form.values()) == finite
    assert form.max != reported
    assert (reported in finite) == (reported < form.max)


@pytest.mark.oracle("formats.*.max", "formats.*.min_subnormal")
def test_limits_of_wider_and_narrower_formats():
    assert f"{float(FORMATS['bf16'].max):.4e}" == "3.3895e+38"
    assert FORMATS["bf16"].min_subnormal == power(-133)
    assert FORMATS["tf32"].min_subnormal == power(-136)
    assert FORMATS["fp4_e2m1fn"].max == 6


@pytest.mark.oracle("formats.*.min_normal", "formats.*.min_subnormal")
def test_largest_subnormal():
    """FP8-Emulation-Toolkit#4: 7 * 2^-9 in e4m3."""
    form = FORMATS["fp8_e4m3fn"]
    assert form.min_normal - form.min_subnormal == Fraction(7, 512) == Fraction(0.013671875)
    assert form.decode(0b0000_0111) == ml_dtypes.float8_e4m3fn(0.013671875) == Fraction(7, 512)
