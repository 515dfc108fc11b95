"""Checks that every ledger makes on its arguments, with messages that name the argument."""

import pint

from infra_ref.units import Number, Quantity, UnitError, magnitude


def require_sizes(minimum: int = 0, **sizes: int) -> None:
    """Raise ValueError unless every size is an int of at least `minimum`."""
    for name, value in sizes.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < minimum:
            raise ValueError(f"{name} must be an int of at least {minimum}, not {value!r}")


def in_base_units(name: str, value: Quantity | Number, unit: str, *, positive: bool = False) -> Number:
    """The magnitude of a quantity; a plain number is taken to be in base units already."""
    try:
        number = magnitude(value, unit) if isinstance(value, pint.Quantity) else value
    except UnitError as error:
        raise UnitError(f"{name}: {error}") from None
    if isinstance(number, bool) or not (number > 0 if positive else number >= 0):
        raise ValueError(f"{name} must be {'above' if positive else 'at least'} 0 {unit}, not {value}")
    return number
