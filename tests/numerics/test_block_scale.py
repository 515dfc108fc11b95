"""Block scales: hand-worked blocks, an independent NumPy quantiser, and bounds that follow from the definition."""

import math
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import block_scale, formats
from infra_ref.numerics.block_scale import BLOCK_FORMATS, mxfp4, nvfp4

ORACLE = yaml.safe_load((Path(__file__).parents[1] / "oracles" / "floats.yaml").read_text(encoding="utf-8"))
ELEMENTS = {
    "mxfp8_e4m3": (ml_dtypes.float8_e4m3fn, 448.0, 8),
    "mxfp8_e5m2": (ml_dtypes.float8_e5m2, 57344.0, 15),
    "mxfp6_e3m2": (ml_dtypes.float6_e3m2fn, 28.0, 4),
    "mxfp6_e2m3": (ml_dtypes.float6_e2m3fn, 7.5, 2),
    "mxfp4": (ml_dtypes.float4_e2m1fn, 6.0, 2),
}
FEW = settings(max_examples=30)  # per format
numbers = st.floats(-(2.0**40), 2.0**40, width=32) | st.floats(-7, 7, width=32)


@pytest.mark.oracle("block_scale.*.bits_per_value")
@pytest.mark.parametrize("name", BLOCK_FORMATS)
def test_bits_per_value(name):
    assert BLOCK_FORMATS[name].bits_per_value == Fraction(ORACLE["bits_per_value"][name])


@pytest.mark.oracle("block_scale.*.block")
@pytest.mark.parametrize("name", BLOCK_FORMATS)
def test_block_length(name):
    """A scale every so many values, as the format's documentation says, and one more for what is left over."""
    length = ORACLE["block_length"][name]
    assert BLOCK_FORMATS[name].block == length
    stored = BLOCK_FORMATS[name].quantize([1.0] * (3 * length + 1))
    assert [len(block.codes) for block in stored.blocks] == [length, length, length, 1]


@pytest.mark.oracle("formats.*.emax")
@pytest.mark.parametrize("name", ORACLE["emax_of_mx_elements"])
def test_largest_exponent_of_an_element(name):
    assert formats.FORMATS[name].emax == ORACLE["emax_of_mx_elements"][name]


@pytest.mark.oracle("block_scale.*.quantize")
def test_a_block_by_hand():
    """amax 7 lies in [4, 8), so X = 2^(2-2) = 1. 7 is nearest to 8, which e2m1 lacks: it saturates at 6."""
    block = mxfp4.quantize([7, 3.5, 0.25, -0.75, 0])
    assert block.scales() == [1]
    assert block.dequantize() == [6, 4, 0, -1, 0]  # 3.5, 0.25 and 0.75 are ties, to the even code
    # a thousandth of it needs X = 2^-10
    assert mxfp4.quantize([0.007, 0.0035]).scales() == [Fraction(1, 1024)]


@pytest.mark.oracle("block_scale.*.quantize")
def test_two_levels_by_hand():
    """amax 6 * 448 makes the tensor scale 1; a block with maximum 6 then gets scale 1, one with 33 gets 5.5."""
    quantized = nvfp4.quantize([2688.0] + [0.0] * 15 + [6.0, 1.25] + [0.0] * 14 + [33.0, 11.0])
    assert quantized.tensor_scale == 1
    assert quantized.scales() == [448, 1, Fraction(11, 2)]
    values = quantized.dequantize()
    assert (values[0], values[16], values[17], values[32], values[33]) == (2688, 6, 1, 33, 11)


def reference_mx(values, dtype, largest, emax):
    """float64 throughout: exact for the powers of two and for the quotients by them."""
    x = np.asarray(values, np.float64)
    out = np.empty_like(x)
    for start in range(0, len(x), 32):
        chunk = x[start : start + 32]
        amax = np.abs(chunk).max()
        exponent = -127 if amax == 0 else min(max(int(np.frexp(amax)[1]) - 1 - emax, -127), 127)
        scaled = np.clip(np.ldexp(chunk, -exponent), -largest, largest)
        out[start : start + 32] = np.ldexp(scaled.astype(dtype).astype(np.float64), exponent)
    return out


@pytest.mark.oracle("block_scale.*.quantize", "block_scale.*.dequantize")
@pytest.mark.parametrize("name", ELEMENTS)
@FEW
@given(values=st.lists(numbers, min_size=1, max_size=71))
def test_mx_against_numpy(name, values):
    ours = [float(v) for v in BLOCK_FORMATS[name].quantize(values).dequantize()]
    np.testing.assert_array_equal(ours, reference_mx(values, *ELEMENTS[name]))


@pytest.mark.oracle("block_scale.*.quantize")
@given(values=st.lists(numbers, min_size=1, max_size=53))
def test_nvfp4_against_numpy(values):
    """The tensor scale and the block scales are casts of exact quotients, so float64 and the casts agree with us."""
    x = np.asarray(values, np.float64)
    tensor_scale = np.float64(np.float32(np.abs(x).max() / 2688.0))
    quantized = nvfp4.quantize(values)
    assert float(quantized.tensor_scale) == tensor_scale
    for i, (block, scale) in enumerate(zip(quantized.blocks, quantized.scales(), strict=True)):
        chunk = x[16 * i : 16 * i + 16]
        wanted = 0.0 if tensor_scale == 0 else np.abs(chunk).max() / 6.0 / tensor_scale
        code_value = np.float64(min(wanted, 448.0))
        # one ULP of float64 away from a tie the two quotients may round apart; anything else is an error
        near = {
            float(np.float64(v).astype(ml_dtypes.float8_e4m3fn))
            for v in (code_value, code_value * (1 + 1e-15), code_value * (1 - 1e-15))
        }
        assert float(nvfp4.scale.decode(block.scale_code)) in near
        for value, code in zip(chunk, block.codes, strict=True):
            element = float(nvfp4.element.decode(code))
            assert element == 0 if scale == 0 else abs(element - min(max(value / float(scale), -6), 6)) <= 1.0


@pytest.mark.oracle("block_scale.*.quantize", "block_scale.*.scales")
@pytest.mark.parametrize("name", ELEMENTS)
@FEW
@given(values=st.lists(numbers, min_size=1, max_size=37), shift=st.integers(-30, 30))
def test_mx_scales_with_powers_of_two(name, values, shift):
    """Multiplying all values by 2^k multiplies the result by 2^k and moves every scale code by k."""
    form = BLOCK_FORMATS[name]
    exact = [Fraction(v) for v in values]
    if any(0 < abs(v) < Fraction(1, 2**60) for v in exact):
        return
    factor = Fraction(2) ** shift
    before, after = form.quantize(exact), form.quantize([v * factor for v in exact])
    assert after.dequantize() == [Fraction(v) * factor for v in before.dequantize()]


@pytest.mark.parametrize("name", BLOCK_FORMATS)
@FEW
@given(values=st.lists(st.floats(-(2.0**20), 2.0**20, width=32), min_size=1, max_size=37))
def test_error_is_half_a_gap_unless_saturated(name, values):
    form = BLOCK_FORMATS[name]
    quantized = form.quantize(values)
    scales = [s for block, s in zip(quantized.blocks, quantized.scales(), strict=True) for _ in block.codes]
    for value, result, scale in zip(values, quantized.dequantize(), scales, strict=True):
        if scale == 0:
            assert result == 0
        elif abs(Fraction(value)) >= form.element.max * scale:
            assert abs(result) == form.element.max * scale
        else:
            assert abs(Fraction(value) - Fraction(result)) <= form.element.spacing(Fraction(value) / scale) * scale / 2


def test_zero_tiny_and_huge_blocks():
    zero = mxfp4.quantize([0.0] * 32)
    assert (zero.blocks[0].scale_code, zero.dequantize()) == (0, [0] * 32)
    assert nvfp4.quantize([0, 0]).dequantize() == [0, 0]
    assert mxfp4.quantize([Fraction(1, 2**140)]).dequantize() == [0]  # below the smallest scale
    assert mxfp4.quantize([Fraction(2) ** 200]).scales() == [Fraction(2) ** 127]
    small = nvfp4.quantize([1.0] + [0.0] * 15 + [1e-7] * 16)
    assert small.dequantize()[16:] == [0] * 16


def test_blocks_do_not_see_each_other():
    values = [1000.0] * 32 + [0.001] * 32
    assert [float(s) for s in mxfp4.quantize(values).scales()] == [2.0**7, 2.0**-12]


@pytest.mark.parametrize(
    ("values", "words"),
    [([], "values must hold at least one number"), ([1, math.inf], "finite, got inf"), ([math.nan], "finite, got nan")],
)
@pytest.mark.parametrize("form", [mxfp4, nvfp4], ids=lambda form: form.id)
def test_wrong_use_is_explained(form, values, words):
    with pytest.raises(ValueError, match=words):
        form.quantize(values)


def test_names():
    assert all(getattr(block_scale, name) is form and form.id == name for name, form in BLOCK_FORMATS.items())
