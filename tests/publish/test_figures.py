from fractions import Fraction

import pytest

from infra_ref.publish import figures, names
from infra_ref.units import Q


@pytest.mark.parametrize(
    ("text", "value", "step", "unit"),
    [
        ("65,504", 65504, 1, ""),
        ("137,438,953,472 FLOP", 137438953472, 1, "FLOP"),
        ("0.9995 FLOP/B", Fraction(9995, 10000), Fraction(1, 10000), "FLOP/B"),
        ("50.01%", Fraction(5001, 100), Fraction(1, 100), "%"),
        ("1.0133 × 10⁻⁶", Fraction(10133, 10**10), Fraction(1, 10**10), ""),
        ("−3", -3, 1, ""),
        ("4.7 倍", Fraction(47, 10), Fraction(1, 10), "倍"),
    ],
)
def test_literal_is_read_with_its_digits_and_unit(text, value, step, unit):
    literal = figures.parse(text)
    assert (literal.value, literal.step, literal.unit) == (value, step, unit)


@pytest.mark.parametrize("text", ["about 5", "", "GiB", "1,23", "12,34,567"])
def test_text_without_a_well_written_number_is_refused(text):
    with pytest.raises(figures.Mismatch):
        figures.in_unit(1, figures.parse(text).unit)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("3.1", Fraction(31, 10), True),
        ("3.1", Fraction(314, 100), True),
        ("3.2", Fraction(314, 100), False),
        ("0.5", Fraction(45, 100), True),  # a tie may be rounded either way
        ("0.4", Fraction(45, 100), True),
        ("0.6", Fraction(45, 100), False),
        ("1,365", Fraction(4096, 3), True),
        ("1,366", Fraction(4096, 3), False),
        ("−1", Fraction(-14, 10), True),
        ("−2", Fraction(-14, 10), False),
    ],
)
def test_literal_agrees_with_a_value_when_its_last_digit_is_rounded(text, value, expected):
    assert figures.agrees(figures.parse(text), value) is expected


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        (Q(8, "GiB"), "GB/s"),
        (Q(8, "GiB"), ""),
        (8, "GiB"),
        (Q(8, "GiB"), "%"),
        (Q(8, "GiB"), "GIB"),
        (True, ""),
        ("8", ""),
    ],
)
def test_units_that_do_not_fit_are_refused(value, unit):
    with pytest.raises(figures.Mismatch):
        figures.in_unit(value, unit)


def test_gib_is_not_gb():
    scope = {"gemm": type("M", (), {"size": staticmethod(lambda: Q(8 * 2**30, "B"))})}
    assert figures.check("8 GiB", "gemm.size()", scope) == "8"
    with pytest.raises(figures.Mismatch, match=r"8\.589934592 GB"):
        figures.check("8 GB", "gemm.size()", scope)


@pytest.mark.parametrize(
    ("size", "text", "other"),
    [
        (Q(2**30, "B"), "1 GB", "GiB"),
        (Q(2**29, "B"), "0.5 GB", "GiB"),
        (Q(1007, "kB"), "1 MiB", "MB"),
        (Q(1007, "GB/s"), "1 TB/s", "TiB/s"),
        (Q(8 * 1003, "b"), "8 kb", "Kib"),
    ],
)
def test_a_size_that_would_be_as_right_in_the_other_prefix_needs_a_digit_more(size, text, other):
    scope = {"gemm": type("M", (), {"size": staticmethod(lambda: size)})}
    with pytest.raises(figures.Mismatch, match=f"as right in {other}: show a digit more"):
        figures.check(text, "gemm.size()", scope)


@pytest.mark.parametrize(
    ("size", "text"), [(2**30, "1 GiB"), (2**29, "0.5 GiB"), (10**9, "1 GB"), (2**30 + 1, "1.00 GiB")]
)
def test_an_exact_size_or_one_of_three_digits_is_clear(size, text):
    scope = {"gemm": type("M", (), {"size": staticmethod(lambda: Q(size, "B"))})}
    assert figures.check(text, "gemm.size()", scope)


def test_a_bare_literal_proves_nothing():
    with pytest.raises(figures.Mismatch, match="bare literal"):
        figures.check("4", "2 + 2", names.HELPERS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(137438953472), "137,438,953,472"),
        (Fraction(1, 2), "0.5"),
        (Fraction(4096, 3), "1365.333333"),
        (Fraction(2) ** 128, "3.402823669e+38"),
    ],
)
def test_exact_values_are_shown_whole_where_that_is_short(value, text):
    assert figures.show(value) == text
