"""Formats: every code against ml_dtypes and torch, rounding against casts, bit tricks and exhaustive tables."""

import bisect
import functools
import itertools
import math
import struct
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import torch
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from infra_ref.numerics.formats import FORMATS, e8m0fnu, fp16, fp32, fp64, tf32

ORACLE = yaml.safe_load((Path(__file__).parents[1] / "oracles" / "floats.yaml").read_text(encoding="utf-8"))

DTYPES = {
    "fp16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "fp8_e4m3_ieee": ml_dtypes.float8_e4m3,
    "fp8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "fp8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "fp8_e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "fp8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "fp8_e3m4": ml_dtypes.float8_e3m4,
    "fp6_e3m2fn": ml_dtypes.float6_e3m2fn,
    "fp6_e2m3fn": ml_dtypes.float6_e2m3fn,
    "fp4_e2m1fn": ml_dtypes.float4_e2m1fn,
    "e8m0fnu": ml_dtypes.float8_e8m0fnu,
}
TORCH = {
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp8_e4m3fn": torch.float8_e4m3fn,
    "fp8_e4m3fnuz": torch.float8_e4m3fnuz,
    "fp8_e5m2": torch.float8_e5m2,
    "fp8_e5m2fnuz": torch.float8_e5m2fnuz,
    "e8m0fnu": torch.float8_e8m0fnu,
}
FEW = settings(max_examples=30)  # per format; every code and every tie of the short formats is tried besides
SMALL = [name for name in DTYPES if name not in ("fp16", "bf16", "e8m0fnu")]


def same(ours, theirs):
    """Equal as numbers, with NaN equal to NaN and the zeros told apart."""
    ours, theirs = float(ours), float(theirs)
    return struct.pack("<d", ours) == struct.pack("<d", theirs) or (math.isnan(ours) and math.isnan(theirs))


@functools.cache
def decoded(name):
    """What we make of every code."""
    form = FORMATS[name]
    return [form.decode(code) for code in range(2**form.bits)]


@functools.cache
def table(name):
    """All finite values of a format and their codes, decoded by ml_dtypes, ascending; -0 left out."""
    bits = FORMATS[name].bits
    codes = np.arange(2**bits, dtype=np.uint16 if bits == 16 else np.uint8)
    with np.errstate(invalid="ignore"):  # signalling NaN
        values = codes.view(DTYPES[name]).astype(np.float64)
    pairs = [(v, int(c)) for v, c in zip(values, codes, strict=True) if math.isfinite(v) and not same(v, -0.0)]
    return sorted(pairs)


def exact(text):
    """A number of the oracle file: '2047*2^117', '1/2^14', '15/2^1', '448'."""
    for operator, sign in (("*2^", 1), ("/2^", -1)):
        if operator in str(text):
            factor, power = str(text).split(operator)
            return Fraction(int(factor)) * Fraction(2) ** (sign * int(power))
    return Fraction(text)


@pytest.mark.oracle(
    "formats.*.max", "formats.*.min_normal", "formats.*.min_subnormal", "formats.*.epsilon", "formats.*.unit_roundoff"
)
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "e8m0fnu"])
def test_limits(name):
    expected, form = ORACLE["formats"][name], FORMATS[name]
    assert form.max == exact(expected["max_finite_exact"])
    assert form.min_normal == exact(expected["min_normal_exact"])
    assert form.min_subnormal == exact(expected["min_subnormal_exact"])
    assert form.epsilon == exact(expected["epsilon_exact"])
    assert form.unit_roundoff == exact(expected["unit_roundoff_exact"])


@pytest.mark.oracle(
    "formats.*.bits", "formats.*.exponent_bits", "formats.*.mantissa_bits", "formats.*.bias", "formats.*.sign_bits"
)
@pytest.mark.parametrize("name", FORMATS)
def test_fields_of_the_format(name):
    expected, form = ORACLE["formats"][name], FORMATS[name]
    for field in ("bits", "sign_bits", "exponent_bits", "mantissa_bits", "bias"):
        assert getattr(form, field) == expected[field], field


def test_the_names_are_those_of_the_oracle():
    assert list(FORMATS) == list(ORACLE["formats"])


@pytest.mark.oracle("formats.*.max", "formats.*.min_normal", "formats.*.min_subnormal", "formats.*.epsilon")
@pytest.mark.parametrize("name", [*(n for n in DTYPES if n != "e8m0fnu"), "fp32", "fp64"])
def test_limits_against_finfo(name):
    info = ml_dtypes.finfo(DTYPES.get(name, {"fp32": np.float32, "fp64": np.float64}.get(name)))
    form = FORMATS[name]
    limits = (form.max, form.min_normal, form.min_subnormal, form.epsilon)
    theirs = (info.max, info.smallest_normal, info.smallest_subnormal, info.eps)
    assert limits == tuple(Fraction(float(v)) for v in theirs)


@pytest.mark.oracle("formats.*.decode")
@pytest.mark.parametrize("name", DTYPES)
def test_every_code_against_ml_dtypes(name):
    form = FORMATS[name]
    codes = np.arange(2**form.bits, dtype=np.uint16 if form.bits == 16 else np.uint8)
    with np.errstate(invalid="ignore"):  # signalling NaN
        theirs = codes.view(DTYPES[name]).astype(np.float64).tolist()
    assert [c for c, v in enumerate(theirs) if not same(decoded(name)[c], v)] == []


@pytest.mark.oracle("formats.*.decode")
@pytest.mark.parametrize("name", TORCH)
def test_every_code_against_torch(name):
    form = FORMATS[name]
    codes = torch.arange(2**form.bits, dtype=torch.int32).to(torch.uint16 if form.bits == 16 else torch.uint8)
    theirs = codes.view(TORCH[name]).to(torch.float64).tolist()
    assert [c for c, v in enumerate(theirs) if not same(decoded(name)[c], v)] == []


@pytest.mark.oracle("formats.*.decode")
@given(st.integers(0, 2**64 - 1))
@example(0x7FF0000000000000)
@example(0xFFF0000000000000)
@example(0x8000000000000000)
@example(0x8000000000000001)
def test_codes_of_the_wide_formats(code):
    assert same(fp64.decode(code), struct.unpack("<d", code.to_bytes(8, "little"))[0])
    assert same(fp32.decode(code >> 32), struct.unpack("<f", (code >> 32).to_bytes(4, "little"))[0])
    # a tf32 code is an fp32 code without its last 13 bits
    assert same(tf32.decode(code >> 45), struct.unpack("<f", ((code >> 45) << 13).to_bytes(4, "little"))[0])


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@pytest.mark.parametrize("name", DTYPES)
def test_every_value_comes_back(name):
    """Also through NaN, the infinities and negative zero: only NaN codes may merge."""
    form = FORMATS[name]
    for code in range(0, 2**form.bits, 7 if form.bits == 16 else 1):
        value = form.decode(code)
        assert math.isnan(value) or form.encode(value) == code


@pytest.mark.oracle("formats.*.values")
@pytest.mark.parametrize("name", [n for n, f in ORACLE["formats"].items() if "nonnegative_values" in f])
def test_values_of_the_small_formats(name):
    expected = ORACLE["formats"][name]
    ours = FORMATS[name].values()
    assert ours == sorted(ours)
    assert [float(v) for v in ours if v >= 0] == expected["nonnegative_values"]
    assert len(ours) == expected["counts"]["distinct"]
    assert [-v for v in reversed(ours)] == ours


@pytest.mark.oracle("formats.*.values")
@pytest.mark.parametrize("name", ["fp16", "bf16"])
def test_number_of_values_of_the_16_bit_formats(name):
    assert len(FORMATS[name].values()) == ORACLE["formats"][name]["counts"]["distinct"]


def bits_of(name, value):
    cast = np.asarray(value, np.float32).astype(DTYPES[name])
    return int(cast.view(np.uint16 if FORMATS[name].bits == 16 else np.uint8))


singles = st.floats(width=32, allow_nan=False) | st.floats(-600, 600, width=32)


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@pytest.mark.parametrize("name", [n for n in DTYPES if n != "e8m0fnu"])
@FEW
@given(x=singles)
def test_rounding_against_ml_dtypes(name, x):
    with np.errstate(over="ignore", invalid="ignore"):
        theirs = bits_of(name, x)
    form = FORMATS[name]
    if math.isnan(form.decode(theirs)):
        assert math.isnan(form.round(x))
    else:
        assert form.encode(x) == theirs


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@given(x=st.floats(width=32, min_value=0, exclude_min=True))
@example(x=3.0)
@example(x=2.0**-149)
def test_scale_format_against_ml_dtypes(x):
    with np.errstate(over="ignore", invalid="ignore"):
        assert e8m0fnu.encode(x) == bits_of("e8m0fnu", x)


@pytest.mark.oracle("formats.*.round")
@pytest.mark.parametrize("name", [n for n in TORCH if n != "e8m0fnu"])
@FEW
@given(x=singles)
def test_rounding_against_torch(name, x):
    theirs = torch.tensor(x, dtype=torch.float32).to(TORCH[name]).to(torch.float64).item()
    form = FORMATS[name]
    if abs(x) > form.max and name == "fp8_e4m3fn":
        # the one cast on which libraries and versions differ
        assert theirs in (448.0, -448.0) or math.isnan(theirs)
        assert same(form.round(x, overflow="saturate"), math.copysign(448.0, x))
    else:
        assert same(form.round(x), theirs)


@pytest.mark.oracle("formats.*.encode", "formats.*.round", "formats.*.spacing")
@pytest.mark.parametrize("name", [*DTYPES])
def test_ties_go_to_the_even_code(name):
    """Halfway between neighbouring values, the code with last bit 0 wins; a hair to either side, the nearer one."""
    form = FORMATS[name]
    pairs = [(Fraction(v), c) for v, c in table(name) if v >= 0]
    if form.bits == 16:
        pairs = pairs[:300] + pairs[1000:1100] + pairs[-300:]  # subnormal, the step to normal, top
    for (low, low_code), (high, high_code) in itertools.pairwise(pairs):
        if high_code != low_code + 1:
            continue
        middle, hair = (low + high) / 2, (high - low) / 1009
        tie = high_code if name == "e8m0fnu" or high_code % 2 == 0 else low_code
        assert form.encode(middle) == tie
        assert form.encode(middle - hair) == low_code
        assert form.encode(middle + hair) == high_code
        assert form.spacing(low) == high - low == form.spacing(middle)


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@pytest.mark.parametrize("name", SMALL)
@FEW
@given(x=st.fractions(min_value=-470, max_value=470))
def test_fractions_against_an_exhaustive_table(name, x):
    """No float on the way: the nearest entry of the table that ml_dtypes gives, by exact distance."""
    form = FORMATS[name]
    x = max(-form.max, min(form.max, x))
    values = table(name)
    at = bisect.bisect_left(values, (x, -1))
    near = values[max(0, at - 1) : at + 1]
    distance = min(abs(Fraction(v) - x) for v, _ in near)
    best = [(v, c) for v, c in near if abs(Fraction(v) - x) == distance]
    value, _ = best[0] if len(best) == 1 else next(pair for pair in best if pair[1] % 2 == 0)
    assert form.round(x) == value


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@given(x=st.floats(allow_nan=False))
@example(x=5e-324)
@example(x=65519.999999999)
def test_half_precision_of_a_double_is_rounded_once(x):
    """Python's own packing rounds a double to binary16 in one step; through fp32 there would be two."""
    try:
        theirs = int.from_bytes(struct.pack("<e", x), "little")
    except OverflowError:
        theirs = 0xFC00 if x < 0 else 0x7C00
    assert fp16.encode(x) == theirs
    assert fp64.encode(x) == int.from_bytes(struct.pack("<d", x), "little")


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@given(numerator=st.integers(-(10**40), 10**40), denominator=st.integers(1, 10**40))
def test_fractions_to_double(numerator, denominator):
    x = Fraction(numerator, denominator)
    assert fp64.round(x) == numerator / denominator


@pytest.mark.oracle("formats.*.encode", "formats.*.round")
@given(x=st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(x=3.4028234663852886e38)
@example(x=2.0**-149)
def test_tf32_against_the_integer_trick(x):
    """Add half of the 13 lost bits, and one more if the kept part is odd; then cut them off."""
    bits = int.from_bytes(struct.pack("<f", x), "little")
    assert tf32.encode(x) == (bits + 0x0FFF + ((bits >> 13) & 1)) >> 13


@pytest.mark.oracle("formats.*.overflow", "formats.*.encode", "formats.*.round")
@pytest.mark.parametrize("name", [n for n in DTYPES if n != "e8m0fnu"])
def test_overflow_of_the_definition_is_that_of_ml_dtypes(name):
    form = FORMATS[name]
    for x in (2 * float(form.max), -2 * float(form.max), math.inf, -math.inf):
        with np.errstate(over="ignore", invalid="ignore"):
            theirs = np.asarray(x, np.float64).astype(DTYPES[name]).astype(np.float64)
        assert same(form.round(x), theirs)
        kind = "nan" if math.isnan(theirs) else "infinity" if math.isinf(theirs) else "saturate"
        assert form.overflow == kind
        assert abs(form.round(x, overflow="saturate")) == form.max


def test_overflow_starts_half_a_gap_above_the_largest_value():
    e4m3fn, fnuz = FORMATS["fp8_e4m3fn"], FORMATS["fp8_e4m3fnuz"]
    assert e4m3fn.round(464) == 448  # a tie; 448 is even
    assert math.isnan(e4m3fn.round(Fraction(46401, 100)))
    assert e4m3fn.round(Fraction(46401, 100), overflow="saturate") == 448
    assert fnuz.round(Fraction(24799, 100)) == 240
    assert math.isnan(fnuz.round(248))  # a tie; 240 is odd
    assert fp16.round(65519) == 65504
    assert fp16.round(65520) == math.inf
    assert math.isnan(fp16.round(65520, overflow="nan"))
    assert fp16.round(-65520, overflow="saturate") == -65504


def test_zero_of_either_sign():
    assert same(fp16.round(-0.0), -0.0)
    assert same(fp16.round(-1e-30), -0.0)
    assert fp16.encode(-1e-30) == 0x8000
    assert FORMATS["fp8_e4m3fnuz"].encode(-0.0) == 0
    assert FORMATS["fp8_e4m3fnuz"].encode(-1e-30) == 0
    assert math.isnan(e8m0fnu.round(0))
    assert math.isnan(e8m0fnu.round(-1))


@pytest.mark.oracle("formats.*.round")
def test_what_fp16_keeps_and_loses():
    assert float(fp16.round(1e-6)) == np.float16(1e-6) == 17 * 2.0**-24
    assert fp16.round(2.0**-25) == 0
    assert fp16.round(math.nextafter(2.0**-25, 1)) == Fraction(1, 2**24)
    assert fp16.round(1e-8) == 0
    assert float(fp16.round(1024 * 1e-8)) == np.float16(1024 * 1e-8) > 0


@pytest.mark.oracle("formats.*.round")
def test_cutting_a_float_is_not_rounding_it():
    """gorse#1244 took the infinity for a fault, and a right shift for the cure.

    The largest fp32 lies more than half a gap beyond bf16. A shift hides that, and makes a NaN infinite whose payload
    lies in the lost bits.
    """
    bf16 = FORMATS["bf16"]
    with np.errstate(over="ignore"):
        assert np.float32(np.finfo(np.float32).max).astype(ml_dtypes.bfloat16) == math.inf
    assert bf16.round(fp32.max) == math.inf
    assert bf16.decode(fp32.encode(fp32.max) >> 16) == bf16.max
    for payload in (1, 0x7F, 0x8000, 0xFFFF):
        nan = fp32.decode(0x7F80_0000 | payload)
        assert math.isnan(nan)
        assert math.isnan(bf16.round(nan))
        assert bf16.decode((0x7F80_0000 | payload) >> 16) == math.inf


@pytest.mark.oracle("formats.*.decode", "formats.*.fields")
def test_hand_decoded_number():
    """AISystem#315: 0 10000011 101000... has exponent field 131, so 2^4, and significand 1.625."""
    code = int("0" + "10000011" + "101".ljust(23, "0"), 2)
    assert fp32.fields(code) == (0, 131, 5 * 2**20)
    assert fp32.decode(code) == 26
    assert fp32.decode(code | 1 << 31) == -26


@pytest.mark.oracle("formats.*.consecutive_integers")
@pytest.mark.parametrize("name", [n for n in DTYPES if n != "e8m0fnu"])
def test_consecutive_integers_by_walking(name):
    have = {v for v, _ in table(name)}
    assert FORMATS[name].consecutive_integers == next(n for n in range(10**5) if n + 1 not in have)


@pytest.mark.oracle("formats.*.consecutive_integers")
@pytest.mark.parametrize(("name", "cast"), [("fp32", np.float32), ("fp64", np.float64)])
def test_consecutive_integers_of_the_wide_formats(name, cast):
    n = FORMATS[name].consecutive_integers
    assert int(cast(n)) == n
    assert int(cast(n - 1)) == n - 1
    assert int(cast(n + 1)) == n


@pytest.mark.oracle("formats.*.spacing")
@given(x=st.floats(min_value=0, max_value=1e308))
def test_spacing_against_ulp(x):
    assert fp64.spacing(x) == Fraction(math.ulp(x)) == fp64.spacing(-x)
    if x < 3.4e38:  # at the very top NumPy's own spacing overflows
        assert float(fp32.spacing(np.float32(x).item())) == np.spacing(np.float32(x))


def test_the_scale_format_has_one_value_per_binade():
    assert e8m0fnu.spacing(Fraction(3, 2)) == 1
    assert e8m0fnu.values() == [Fraction(2) ** k for k in range(-127, 128)]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: fp16.encode(1, overflow="wrap"),
            "overflow must be one of infinity, nan, saturate for fp16, got 'wrap'",
        ),
        (lambda: FORMATS["fp8_e4m3fn"].round(1, overflow="infinity"), "one of nan, saturate for fp8_e4m3fn"),
        (lambda: FORMATS["fp4_e2m1fn"].round(9, overflow="nan"), "one of saturate for fp4_e2m1fn"),
        (lambda: FORMATS["fp4_e2m1fn"].encode(math.nan), "x must be a number for fp4_e2m1fn"),
        (lambda: fp16.encode("1"), "x must be an int, a float or a Fraction, got '1'"),
        (lambda: fp16.encode(True), "x must be an int, a float or a Fraction, got True"),
        (lambda: fp16.decode(65536), "code must be 0 to 65535 for fp16, got 65536"),
        (lambda: fp16.fields(-1), "code must be 0 to 65535 for fp16, got -1"),
        (lambda: fp16.spacing(65505), "x must have a magnitude from 0 to 65504.0 for fp16, got 65505"),
        (lambda: fp16.spacing(math.inf), "x must have a magnitude"),
        (lambda: e8m0fnu.spacing(0), "x must have a magnitude from 5.87"),
        (lambda: fp32.values(), "at most 16 bits; fp32 has 32"),
        (lambda: e8m0fnu.min_subnormal, "e8m0fnu has no subnormal numbers"),
    ],
)
def test_wrong_use_is_explained(call, words):
    with pytest.raises(ValueError) as error:
        call()
    assert words in str(error.value)
