"""Roofline: a machine stepped in small slices agrees with the closed form; exact values; clear refusals."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra_ref.ledger import roofline
from infra_ref.units import Q, magnitude


def slices_needed(operations: int, nbytes: int, per_slice: tuple[int, int]) -> int:
    """Work off both queues side by side, one slice of time after another."""
    slices = 0
    while operations > 0 or nbytes > 0:
        operations -= per_slice[0]
        nbytes -= per_slice[1]
        slices += 1
    return slices


@pytest.mark.oracle("roofline.bound_time")
@given(st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 50), st.integers(1, 50))
def test_bound_time_against_a_stepped_machine(operations, nbytes, rate, band):
    time = magnitude(roofline.bound_time(flops=operations, nbytes=nbytes, peak=rate, bandwidth=band), "s")
    slices = slices_needed(operations, nbytes, (rate, band))
    assert slices - 1 < time <= slices or time == slices == 0


@pytest.mark.oracle("roofline.bound_time", "roofline.ridge", "roofline.attainable")
def test_worked_values():
    """Read off by hand: 12 operations at 3 a second take 4 s, 10 bytes at 5 a second take 2 s."""
    assert roofline.bound_time(flops=12, nbytes=10, peak=3, bandwidth=5) == Q(4, "s")
    assert roofline.bound_time(
        flops=Q(12, "GFLOP"), nbytes=Q(10, "GB"), peak=Q(30, "GFLOP/s"), bandwidth=Q(5, "GB/s")
    ) == Q(2, "s")
    assert roofline.ridge(peak=Q(312, "TFLOP/s"), bandwidth=Q(2039, "GB/s")) == Q(Fraction(312_000, 2039), "FLOP/B")
    assert roofline.attainable(intensity=2, peak=Q(100, "FLOP/s"), bandwidth=Q(7, "B/s")) == Q(14, "FLOP/s")
    assert roofline.attainable(intensity=20, peak=Q(100, "FLOP/s"), bandwidth=Q(7, "B/s")) == Q(100, "FLOP/s")


@pytest.mark.oracle("roofline.ridge", "roofline.attainable")
@given(st.integers(1, 10**15), st.integers(1, 10**12), st.integers(1, 10**12))
def test_at_the_ridge_both_walls_take_the_same_time(peak, bandwidth, nbytes):
    balance = roofline.ridge(peak=peak, bandwidth=bandwidth)
    work = magnitude(balance, "FLOP/B") * nbytes
    assert Fraction(work) / peak == Fraction(nbytes, bandwidth)
    assert magnitude(roofline.attainable(intensity=balance, peak=peak, bandwidth=bandwidth), "FLOP/s") == peak
    below = roofline.attainable(intensity=magnitude(balance, "FLOP/B") / 2, peak=peak, bandwidth=bandwidth)
    assert magnitude(below, "FLOP/s") * 2 == pytest.approx(peak)


@pytest.mark.parametrize(("peak", "bandwidth"), [(1.5e12, 1e9), (1.5e12, 10**9), (15 * 10**11, 1e9)])
def test_a_float_makes_the_result_a_float(peak, bandwidth):
    found = roofline.ridge(peak=peak, bandwidth=bandwidth).magnitude
    assert (found, type(found)) == (1500.0, float)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: roofline.ridge(peak=0, bandwidth=1), "peak must be above 0 FLOP/s"),
        (lambda: roofline.ridge(peak=1, bandwidth=Q(-1, "GB/s")), "bandwidth must be above 0 B/s"),
        (lambda: roofline.ridge(peak=Q(1, "GB/s"), bandwidth=1), "cannot be expressed in 'FLOP/s'"),
        (lambda: roofline.bound_time(flops=-1, nbytes=1, peak=1, bandwidth=1), "flops must be at least 0 FLOP"),
        (lambda: roofline.bound_time(flops=1, nbytes=Q(1, "token"), peak=1, bandwidth=1), "cannot be expressed in 'B'"),
        (lambda: roofline.attainable(intensity=float("nan"), peak=1, bandwidth=1), "intensity must be at least 0"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
