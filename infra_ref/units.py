"""Units of measurement: one small registry, exact conversions, and only the spellings the course uses.

Base units are FLOP, b (bit), token and s; B (byte) is 8 b. SI prefixes are decimal (1 GB = 10^9 B), IEC prefixes binary
(1 GiB = 2^30 B). Integers and fractions convert exactly; a float stays a float.
"""

import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import pint

if TYPE_CHECKING:
    Quantity: TypeAlias = pint.Quantity[Any]
else:
    Quantity = pint.Quantity  # so that isinstance works
Number: TypeAlias = int | Fraction | float

# "s" takes the small prefixes and the counts the large ones, so that "mB" for MB or "Ms" for ms cannot be written.
_PREFIXES = {
    "k": "10**3", "M": "10**6", "G": "10**9", "T": "10**12", "P": "10**15", "E": "10**18",
    "m": "1 / 10**3", "µ": "1 / 10**6", "n": "1 / 10**9",
    "Ki": "2**10", "Mi": "2**20", "Gi": "2**30", "Ti": "2**40",
}  # fmt: skip
_UNITS = {"FLOP": "[operations]", "b": "[information]", "B": "8 * b", "token": "[text]", "s": "[time]"}
_ONE = r"(?:(?:[kMGTPE]|[KMGT]i)?[Bb]|[kMGTPE]?(?:FLOP|token)|[mµn]?s)"
_SPELLING = re.compile(rf"{_ONE}(?:/{_ONE})?")
SPELLINGS = (
    "FLOP, B, b, token (prefixes k M G T P E; for B and b also Ki Mi Gi Ti), s (prefixes m µ n), "
    "one of them per another ('FLOP/s', 'GB/s', 'FLOP/B'), or '' for a pure number"
)

ureg: pint.UnitRegistry[Any] = pint.UnitRegistry(None, non_int_type=Fraction)
for _name, _definition in _PREFIXES.items():
    ureg.define(f"{_name}- = {_definition}")
for _name, _definition in _UNITS.items():
    ureg.define(f"{_name} = {_definition}")


class UnitError(ValueError):
    """A unit that does not exist here, or that does not fit the quantity."""


@cache
def _unit(name: str) -> pint.Unit:
    if name in ("", "dimensionless"):
        return ureg.dimensionless
    if not _SPELLING.fullmatch(name):
        raise UnitError(f"unknown unit {name!r}; accepted: {SPELLINGS}")
    return ureg.Unit(name)


def Q(value: Number | Quantity, unit: str = "") -> Quantity:
    """A number with its unit; a quantity is converted to the unit.

    Args:
        value: int and Fraction stay exact, float stays float.
        unit: one of the accepted spellings, such as "GiB", "TFLOP/s" or "" for a pure number.
    Raises:
        UnitError: an unknown unit, or a quantity of another kind.
        ValueError: a value that is not a number.
    """
    if isinstance(value, pint.Quantity):
        return ureg.Quantity(magnitude(value, unit), _unit(unit))
    if isinstance(value, bool) or not isinstance(value, int | Fraction | float):
        raise ValueError(f"value must be an int, a Fraction or a float, not {value!r}")
    return ureg.Quantity(value, _unit(unit))


def magnitude(q: Quantity | Number, unit: str) -> Number:
    """The number in front of the unit, converted exactly: `magnitude(Q(1, "GiB"), "MB")` is 134217728/125000.

    Args:
        q: a quantity; a plain number counts as a quantity without a unit.
        unit: the unit wanted.
    Returns:
        int if whole, else Fraction; float if the quantity holds a float.
    Raises:
        UnitError: an unknown unit, or one of another kind: bytes are not FLOPs, GB is not GB/s.
    """
    target = _unit(unit)
    quantity = q if isinstance(q, pint.Quantity) else ureg.Quantity(q, ureg.dimensionless)
    try:
        value = quantity.m_as(target)
    except pint.DimensionalityError:
        raise UnitError(f"{quantity:~} cannot be expressed in {unit or 'a pure number'!r}") from None
    if isinstance(value, Fraction) and value.denominator == 1:
        return int(value)
    return value
