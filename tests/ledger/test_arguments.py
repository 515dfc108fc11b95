"""Every size and every quantity of every ledger: wrong ones are refused, and the message names the argument.

The functions are found by looking for them, so that a new one is held to the same.
"""

import importlib
import inspect
import math
import pkgutil
from fractions import Fraction

import pytest

from infra_ref import ledger
from infra_ref.ledger import gemm, optimizer
from infra_ref.units import Q

AT_LEAST_1 = {"itemsize", "tile_m", "tile_n", "tile_k", "rank", "ranks", "units", "features", "classes"} | {
    ("smallest_tile", "k"), ("smallest_m", "n"), ("smallest_m", "k"), ("wave_efficiency", "tiles"),
}  # fmt: skip
ABOVE_0 = {"peak", "bandwidth", ("smallest_tile", "intensity"), ("smallest_m", "intensity")}
SPECIAL = {("per_rank", "stage")}  # refused in words of its own, in test_optimizer.py


def functions():
    for found in pkgutil.iter_modules(ledger.__path__):
        if found.name.startswith("_"):
            continue
        module = importlib.import_module(f"infra_ref.ledger.{found.name}")
        for name, member in vars(module).items():
            if inspect.isfunction(member) and member.__module__ == module.__name__ and not name.startswith("_"):
                yield member
    for name, _ in inspect.getmembers(optimizer.StateLayout, inspect.isfunction):
        if not name.startswith("_"):
            yield getattr(optimizer.mixed_adam, name)


CALLS = list(functions())


def is_size(parameter):
    return parameter.annotation is int


def is_quantity(parameter):
    return "Quantity" in str(parameter.annotation)


def arguments(kind):
    return [
        pytest.param(call, name, id=f"{call.__name__}-{name}")
        for call in CALLS
        for name, parameter in inspect.signature(call).parameters.items()
        if kind(parameter) and (call.__name__, name) not in SPECIAL
    ]


def accepted(call):
    """Small arguments that the function takes."""
    made = {}
    for name, parameter in inspect.signature(call).parameters.items():
        if is_quantity(parameter):
            made[name] = Fraction(1, 2)
        else:
            made[name] = {int: 1, bool: True}[parameter.annotation]
    return made


def least(call, name):
    return 1 if {name, (call.__name__, name)} & AT_LEAST_1 else 0


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_everything_is_given_by_name(call):
    kinds = {parameter.kind for parameter in inspect.signature(call).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}
    call(**accepted(call))


@pytest.mark.parametrize(("call", "name"), arguments(is_size))
def test_a_size_is_a_whole_number_that_is_not_too_small(call, name):
    lowest = least(call, name)
    for wrong in (lowest - 1, -7, 2.0, Fraction(2), True, "2", None, Q(2, "B")):
        with pytest.raises(ValueError, match=f"^{name} must be an int of at least {lowest}, not "):
            call(**accepted(call) | {name: wrong})


@pytest.mark.parametrize(("call", "name"), arguments(is_size))
def test_the_smallest_size_is_taken(call, name):
    """triton#10427, triton-ascend#984, attention-gym#260: a size of 0 is an empty product, not an error.

    Only an intensity has no value where no byte moves.
    """
    call_it = accepted(call) | {name: least(call, name)}
    if call in (gemm.intensity, gemm.tiled_intensity) and name in ("m", "n", "batch"):
        with pytest.raises(ValueError, match="m, n and batch must be at least 1: an empty product moves no byte"):
            call(**call_it)
    else:
        call(**call_it)


@pytest.mark.parametrize(("call", "name"), arguments(is_quantity))
def test_a_quantity_has_the_right_unit_and_sign(call, name):
    positive = {name, (call.__name__, name)} & ABOVE_0
    for wrong in (-1, math.nan, True, *([0] if positive else [])):
        with pytest.raises(ValueError, match=f"^{name} must be {'above' if positive else 'at least'} 0 "):
            call(**accepted(call) | {name: wrong})
    with pytest.raises(ValueError, match=f"^{name}: 3 token cannot be expressed in "):
        call(**accepted(call) | {name: Q(3, "token")})
    if not positive:
        call(**accepted(call) | {name: 0})
