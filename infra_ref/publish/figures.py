"""A number as readers see it, and the expression that must give it at the digits and in the unit shown."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

import pint

from ..units import magnitude
from . import names

FIGURE = r"\[([^\[\]\n]+)\]\{=([^{}\n]+)\}"
LITERAL = re.compile(
    r"(?P<sign>[-−]?)(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s*×\s*10(?P<power>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?P<unit>.*)"
)
SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
PREFIXES = {"k": "Ki", "M": "Mi", "G": "Gi", "T": "Ti"}
RATIO_UNITS = {"": 1, "%": 100, "×": 1, "倍": 1}
TRANSLATED = {"词元": "token", "tokens": "token"}


class Mismatch(ValueError):
    """A literal is not what its expression gives."""


@dataclass(frozen=True)
class Literal:
    """A printed number: `value` times the unit, known to the step of its last digit."""

    text: str
    value: Fraction
    step: Fraction
    unit: str


def parse(text: str) -> Literal:
    """Read `137,438,953,472 FLOP`, `0.9995`, `50.01%`, `1.0133 × 10⁻⁶`.

    Raises:
        Mismatch: there is no number at the start of the text.
    """
    m = LITERAL.fullmatch(text.strip())
    if not m:
        raise Mismatch(f"no number in {text!r}")
    number = Decimal(m["number"].replace(",", ""))
    scale = Fraction(10) ** int((m["power"] or "0").translate(SUPERSCRIPT))
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    sign = -1 if m["sign"] else 1
    unit = m["unit"].replace("\xa0", " ").strip()
    return Literal(text, sign * Fraction(number) * scale, Fraction(10) ** exponent * scale, unit)


def exact(value: Any) -> Fraction:
    """The value as a fraction; a float counts as the decimal that Python prints for it."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Fraction, Decimal)):
        raise Mismatch(f"{value!r} is not a number")
    if isinstance(value, float):
        return Fraction(Decimal(repr(value)))
    return Fraction(value)


def in_unit(value: Any, unit: str) -> Fraction:
    """A value in the unit shown beside it.

    Raises:
        Mismatch: the value has a unit and none is shown, or the other way round, or the two do not fit.
    """
    unit = TRANSLATED.get(unit, unit)
    if isinstance(value, pint.Quantity):
        if unit in RATIO_UNITS and value.dimensionless:
            return exact(magnitude(value, "dimensionless")) * RATIO_UNITS[unit]
        if not unit:
            raise Mismatch(f"the expression gives {value:~} and no unit is shown")
        try:
            return exact(magnitude(value, unit))
        except ValueError as error:
            raise Mismatch(f"the expression gives {value:~}: {error}") from None
    if unit not in RATIO_UNITS:
        raise Mismatch(f"the unit {unit!r} is shown and the expression gives a number without one")
    return exact(value) * RATIO_UNITS[unit]


def agrees(literal: Literal, value: Fraction) -> bool:
    """Whether rounding the value to the literal's last digit gives the literal; a tie may go either way."""
    steps = value / literal.step
    below = floor(steps)
    rest = steps - below
    rounded = {below} if rest < Fraction(1, 2) else {below + 1} if rest > Fraction(1, 2) else {below, below + 1}
    return literal.value / literal.step in rounded


def other_prefix(unit: str) -> str:
    """The unit that is taken for this one: GB for GiB, GiB/s for GB/s; empty where there is none."""
    for decimal, binary in PREFIXES.items():
        for prefix, other in ((decimal, binary), (binary, decimal)):
            if unit.startswith((f"{prefix}B", f"{prefix}b")):
                return other + unit.removeprefix(prefix)
    return ""


def show(value: Fraction) -> str:
    """All digits where a short decimal holds them, ten significant ones otherwise."""
    if value.denominator == 1:
        return f"{value.numerator:,}" if abs(value) < 10**21 else f"{float(value):.10g}"
    denominator = value.denominator
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    if denominator == 1 and len(text := format(Decimal(value.numerator) / Decimal(value.denominator), "f")) <= 18:
        return text
    return f"{float(value):.10g}"


def check(text: str, expression: str, scope: dict[str, Any]) -> str:
    """The exact value behind a literal, ready to be shown.

    Raises:
        Mismatch: the literal is not that value at the digits and unit shown, or the expression reads
            nothing of this package.
        UnknownName: the expression reads a name that pages do not have.
    """
    literal = parse(text)
    if not names.published(expression):
        raise Mismatch(f"{expression!r} reads nothing of infra_ref: a bare literal proves nothing")
    result = names.evaluate(expression, scope)
    value, other = in_unit(result, literal.unit), other_prefix(literal.unit)
    if not agrees(literal, value):
        raise Mismatch(f"{text!r} is shown, {expression} gives {show(value)} {literal.unit}".rstrip())
    if other and value != literal.value and agrees(literal, in_unit(result, other)):
        raise Mismatch(f"{text!r} would be as right in {other}: show a digit more")
    return show(value)
