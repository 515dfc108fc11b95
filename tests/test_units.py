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
def test_published_confusions():
    """10^14 numbers of 16 bit are 200 TB, which is 181.9 TiB; 400 Gb/s is 50 GB/s and not 3,200."""
    stored = Q(10**14 * 16, "b")
    assert magnitude(stored, "TB") == 200
    assert round(float(magnitude(stored, "TiB")), 1) == 181.9
    assert magnitude(Q(400, "Gb/s"), "GB/s") == 50
    assert magnitude(Q(64, "GiB"), "GB") == Fraction(68719476736, 10**9)


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
     "tokens", "FLOP/s/s", "GB /s", " B", "B*s", "μs", "s2", "/s", "1/s", "us"],
)  # fmt: skip
def test_other_spellings_are_refused(unit):
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
