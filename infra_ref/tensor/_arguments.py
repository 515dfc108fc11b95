"""Checks on shapes and strides, with messages that name the argument."""

from collections.abc import Sequence

Ints = tuple[int, ...]


def naturals(argument: str, values: Sequence[int]) -> Ints:
    """The values as a tuple; raise ValueError unless each is an int of at least 0."""
    if any(isinstance(value, bool) or not isinstance(value, int) or value < 0 for value in values):
        raise ValueError(f"{argument} must hold integers of at least 0, got {tuple(values)}")
    return tuple(values)
