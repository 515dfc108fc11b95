"""Units: exact conversions, bit against byte, decimal against binary, and only one spelling of each."""

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra_ref.units import Q, UnitError, magnitude

BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "EB": 10**18,
         "KiB": 1024, "MiB": 1048576, "GiB": 1073741824, "TiB": 1099511627776}  # fmt: skip


@pytest.mark.oracle("Q")
@pytest.mark.parametrize(("unit", "count"), BYTES.items())
def test_prefixes(unit, count):
    assert magnitude(Q(7, unit), "B") == 7 * count
    assert magnitude(Q(7, unit.replace("B", "b")), "B") == Fraction(7 * count, 8)
    assert magnitude(Q(7, unit + "/s"), "B/s") == 7 * count


@pytest.mark.oracle("Q")
def test_units_that_are_not_bytes():
    assert magnitude(Q(3, "TFLOP/s"), "FLOP/s") == 3 * 10**12
    assert magnitude(Q(3, "ms"), "s") == Fraction(3, 1000)
    assert magnitude(Q(3, "µs"), "ns") == 3000
    assert magnitude(Q(11, "FLOP") / Q(4, "B"), "FLOP/B") == Fraction(11, 4)
    assert magnitude(Q(2, "Mtoken"), "token") == 2_000_000
    assert magnitude(Q(1, "kB") / Q(2, "KiB"), "") == Fraction(1000, 2048)


@pytest.mark.oracle("Q")
def test_bits_are_not_bytes():
    """ai-performance-engineering#11: 10^14 numbers of 16 bit, times 8 instead of over it; its 182 "TB" are TiB.

    AISystem#271, ml-engineering#65: Gb/s printed as GB/s. A bare number of bits cannot be read as bytes at all.
    """
    stored = Q(10**14 * 16, "b")
    assert magnitude(stored, "TB") == 200
    assert round(float(magnitude(stored, "TiB")), 1) == 181.9
    assert stored != Q(10**14 * 16 * 8, "B")
    assert magnitude(Q(400, "Gb/s"), "GB/s") == 50
    assert Q(400, "Gb/s") != Q(400, "GB/s")
    with pytest.raises(UnitError, match="cannot be expressed in 'B'"):
        magnitude(10**14 * 16, "B")


@pytest.mark.oracle("Q")
@pytest.mark.parametrize(
    ("value", "gigabytes", "gibibytes"),
    [
        (2 * 80 * 8 * 128 * 2 * 32768, "10.74", "10.00"),
        (2 * 80 * 64 * 128 * 2 * 32768, "85.90", "80.00"),
        (64 * 2**30, "68.72", "64.00"),
    ],
)
def test_decimal_and_binary_prefixes_are_kept_apart(value, gigabytes, gibibytes):
    """ai-engineering-from-scratch#57: the review's 10.4 is neither unit."""
    found = [f"{float(magnitude(Q(value, 'B'), unit)):.2f}" for unit in ("GB", "GiB")]
    assert found == [gigabytes, gibibytes]


@pytest.mark.oracle("Q")
def test_prefixes_of_seconds_and_rates():
    """nccl#1049: 10 layers of 5 µs are 0.05 ms, not 0.05 s. modal-examples#992: a prefix that slipped by 1,000."""
    assert 10 * Q(5, "µs") == Q(Fraction(5, 100), "ms") != Q(Fraction(5, 100), "s")
    assert Q(500, "GB/s") != Q(500, "TB/s")
    assert magnitude(Q(989, "TFLOP/s"), "PFLOP/s") == Fraction(989, 1000)


@pytest.mark.oracle("Q")
def test_a_count_is_not_a_rate():
    """AISystem#338, scaling-book#86: FLOPs where FLOP/s is meant, and the other way round."""
    count, rate = Q(12, "GFLOP"), Q(4, "GFLOP/s")
    assert count / rate == Q(3, "s")
    for wrong in (lambda: count + rate, lambda: magnitude(count, "FLOP/s"), lambda: Q(rate, "FLOP")):
        with pytest.raises(Exception, match=r"Cannot convert|cannot be expressed"):
            wrong()


@given(st.integers(-(10**30), 10**30), st.sampled_from(sorted(BYTES)), st.sampled_from(sorted(BYTES)))
def test_a_round_trip_is_exact(value, there, back):
    moved = Q(magnitude(Q(value, there), back), back)
    result = magnitude(moved, there)
    assert result == value
    assert type(result) is int


def test_whole_results_are_int_and_floats_stay_float():
    assert type(magnitude(Q(Fraction(3, 2), "KiB"), "B")) is int
    assert type(magnitude(Q(1, "B"), "KiB")) is Fraction
    assert type(magnitude(Q(1.5, "KiB"), "B")) is float
    assert type(magnitude(5, "")) is int


def test_a_quantity_is_converted():
    assert Q(Q(1, "GiB"), "MiB").magnitude == 1024


@pytest.mark.parametrize(
    "unit",
    ["GBps", "FLOPS", "FLOPs", "TFLOPS", "TFLOP/S", "KB", "gb", "mB", "kiB", "KiFLOP", "Ms", "ks", "bytes", "byte",
     "tokens", "FLOP/s/s", "GB /s", " B", "B*s", "μs", "s2", "/s", "1/s", "us", "MAC", "MACs", "GMAC", "FMA",
     "Gbps", "Gbit/s"],
)  # fmt: skip
def test_other_spellings_are_refused(unit):
    """AISystem#338, scaling-book#86 (FLOPS for a count); fvcore#69, thop#184 (multiply-adds that pass for FLOPs)."""
    with pytest.raises(UnitError, match=r"unknown unit .*accepted: FLOP, B, b"):
        Q(1, unit)


@pytest.mark.parametrize(
    ("q", "unit"), [(Q(1, "B"), "FLOP"), (Q(1, "GB"), "GB/s"), (Q(1, "B"), ""), (3, "B"), (Q(1, "token"), "b")]
)
def test_another_kind_is_refused(q, unit):
    with pytest.raises(UnitError, match="cannot be expressed in"):
        magnitude(q, unit)


@pytest.mark.parametrize("value", ["3", True, None])
def test_a_value_must_be_a_number(value):
    with pytest.raises(ValueError, match="value must be"):
        Q(value, "B")


def test_adding_different_kinds_is_refused():
    with pytest.raises(Exception, match="Cannot convert"):
        Q(1, "B") + Q(1, "FLOP")
    assert magnitude(Q(1, "KiB") + Q(1, "b"), "b") == 8193


def test_import_is_light():
    """The pure storey serves command line and browser: no torch, and no reading of a large definition file."""
    code = "import sys, infra_ref.units, infra_ref.hardware, infra_ref.ledger; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=20)
