"""Sums bit by bit against NumPy and ml_dtypes arithmetic; errors against exact fractions."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infra_ref.numerics import formats, summation
from infra_ref.numerics.formats import FORMATS

DTYPES = {
    "fp16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "fp32": np.float32,
    "fp64": np.float64,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "fp8_e4m3fn": ml_dtypes.float8_e4m3fn,
}
METHODS = {"sequential": summation.sequential, "pairwise": summation.pairwise, "kahan": summation.kahan}


def library(name, method, values):
    """The same sum in the library's own arithmetic: its additions are the hardware's, rounded once each."""
    dtype = DTYPES[name]
    zero = dtype(0)
    x = [dtype(v) for v in values]
    with np.errstate(over="ignore", invalid="ignore"):
        if method == "sequential":
            total = zero
            for v in x:
                total = total + v
            return total
        if method == "kahan":
            total = lost = zero
            for v in x:
                y = v - lost
                t = total + y
                lost = (t - total) - y
                total = t
            return total

        def tree(first, last):
            if last - first < 2:
                return x[first] if last > first else zero
            middle = first + (last - first) // 2
            return tree(first, middle) + tree(middle, last)

        return tree(0, len(x))


def agree(ours, theirs):
    ours, theirs = float(ours), float(theirs)
    return ours == theirs or (math.isnan(ours) and math.isnan(theirs))


@pytest.mark.oracle("summation.sequential", "summation.pairwise", "summation.kahan")
@pytest.mark.parametrize("name", DTYPES)
@settings(max_examples=40)
@given(st.lists(st.floats(-1e3, 1e3) | st.sampled_from([0.1, 1.0, 6e4, -6e4, 1e-8, math.inf]), max_size=19))
def test_sums_in_the_libraries(name, values):
    for method, add in METHODS.items():
        assert agree(add(values, format=FORMATS[name]), library(name, method, values)), method


@pytest.mark.oracle("summation.sequential", "summation.pairwise", "summation.kahan")
@pytest.mark.parametrize("name", ["fp16", "bf16", "fp32"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 31, 257])
def test_odd_lengths(name, n):
    values = np.random.default_rng(n).uniform(-1, 1, n).tolist()
    for method, add in METHODS.items():
        assert agree(add(values, format=FORMATS[name]), library(name, method, values))


@pytest.mark.oracle("summation.sequential", "summation.pairwise", "summation.kahan")
@pytest.mark.parametrize(("form", "stuck"), [(formats.fp16, 2048), (formats.bf16, 256), (formats.fp8_e4m3fn, 16)])
def test_ones_that_vanish(form, stuck):
    """From 2^(m+1) on the spacing is 2, and half of it is a tie that goes to the even side: nothing moves any more."""
    ones = [1] * (stuck + stuck // 16)
    assert summation.sequential(ones, format=form) == stuck
    assert summation.pairwise(ones, format=form) == form.round(len(ones))
    if form != formats.fp16:  # the same, only slower
        assert summation.kahan(ones, format=form) == form.round(len(ones))


@pytest.mark.oracle("summation.sequential")
@pytest.mark.parametrize(("form", "big"), [(formats.fp16, 2**11), (formats.bf16, 2**8), (formats.fp32, 2**24)])
def test_order_matters(form, big):
    """Addition is commutative but not associative: two ones count if they meet before the big number does."""
    assert summation.sequential([big, 1, 1], format=form) == big
    assert summation.sequential([1, 1, big], format=form) == big + 2
    assert summation.sequential([1, big, -big], format=form) == 0
    assert summation.sequential([big, -big, 1], format=form) == 1


@pytest.mark.oracle("summation.kahan")
def test_compensation_keeps_tenths():
    """A thousand times fp32(0.1): the compensated sum is the nearest float, the plain one many floats away."""
    tenth = float(np.float32(0.1))
    values = [tenth] * 1009
    exact = Fraction(tenth) * 1009
    assert summation.kahan(values, format=formats.fp32) == formats.fp32.round(exact)
    plain = summation.sequential(values, format=formats.fp32)
    assert abs(plain - exact) > 20 * formats.fp32.spacing(exact)


@pytest.mark.oracle("summation.exact")
@settings(max_examples=40)
@given(st.lists(st.floats(-1e30, 1e30), max_size=9))
def test_exact_sum(values):
    """math.fsum rounds the exact sum once."""
    assert float(summation.exact(values, format=formats.fp64)) == math.fsum(values)
    narrow = [float(np.float32(v)) for v in values]
    assert summation.exact(values, format=formats.fp32) == sum(map(Fraction, narrow))


@pytest.mark.oracle("summation.error_bound")
@settings(max_examples=40)
@given(st.lists(st.floats(-100, 100), max_size=23), st.sampled_from(["fp16", "bf16", "fp32", "fp8_e5m2"]))
def test_no_sum_is_further_off_than_its_bound(values, name):
    form = FORMATS[name]
    assume(len(values) * form.unit_roundoff < 1)
    exact = summation.exact(values, format=form)
    for order in ("sequential", "pairwise"):
        computed = METHODS[order](values, format=form)
        assume(math.isfinite(computed))
        bound = summation.error_bound(values, format=form, order=order)
        assert abs(Fraction(computed) - exact) <= bound
    assert summation.error_bound(values, format=form, order="sequential") >= bound


@pytest.mark.oracle("summation.gamma", "summation.error_bound")
@given(st.integers(0, 40))
def test_gamma_is_the_geometric_series(k):
    """1 + gamma_k bounds a product of k factors 1 + u, and of k factors 1 / (1 - u)."""
    u = Fraction(1, 256)
    found = summation.gamma(additions=k, unit_roundoff=u)
    assert (1 + u) ** k <= 1 / (1 - u) ** k <= 1 + found
    assert found <= sum((k * u) ** i for i in range(1, 60)) + Fraction(1, 10**9)
    ones = [1] * (k + 1)
    assert summation.error_bound(ones, format=formats.bf16, order="sequential") == found * (k + 1)
    depth = math.ceil(math.log2(k + 1))
    shallow = summation.gamma(additions=depth, unit_roundoff=u) * (k + 1)
    assert summation.error_bound(ones, format=formats.bf16, order="pairwise") == shallow


@pytest.mark.oracle("summation.kahan")
@settings(max_examples=40)
@given(st.lists(st.integers(-2047, 2047), min_size=1, max_size=64))
def test_compensation_does_not_grow_with_the_count(values):
    """Following one step of the recurrence, with n u <= 1/16: the error is at most (5u + 12 n u^2) sum |x|."""
    u = formats.fp16.unit_roundoff
    magnitudes = sum(map(abs, values))
    assume(magnitudes < 60_000)
    error = abs(Fraction(summation.kahan(values, format=formats.fp16)) - sum(values))
    assert error <= (5 * u + 12 * len(values) * u * u) * magnitudes


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: summation.sequential([1], format=formats.e8m0fnu), "format must have a sign and a zero"),
        (lambda: summation.exact([1e9], format=formats.fp16), "values must be finite in fp16"),
        (lambda: summation.exact([math.nan], format=formats.fp32), "values must be finite in fp32"),
        (lambda: summation.gamma(additions=-1, unit_roundoff=0.5), "additions must be an int of at least 0"),
        (lambda: summation.gamma(additions=1.0, unit_roundoff=0.5), "additions must be an int of at least 0, not 1.0"),
        (
            lambda: summation.gamma(additions=True, unit_roundoff=0.5),
            "additions must be an int of at least 0, not True",
        ),
        (lambda: summation.gamma(additions=2, unit_roundoff=Fraction(1, 2)), "must be below 1, got 1.0"),
        (
            lambda: summation.error_bound([1] * 300, format=formats.bf16, order="sequential"),
            "must be below 1, got 1.16",
        ),
        (lambda: summation.error_bound([1], format=formats.bf16, order="kahan"), "order must be 'sequential' or 'pair"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
