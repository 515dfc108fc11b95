"""The roofline: the least time, and the highest rate, that compute and memory bandwidth allow together."""

from fractions import Fraction

from infra_ref.ledger._arguments import in_base_units
from infra_ref.units import Number, Q, Quantity


def _ratio(numerator: Number, denominator: Number) -> Number:
    exact = isinstance(numerator, int | Fraction) and isinstance(denominator, int | Fraction)
    return Fraction(numerator) / Fraction(denominator) if exact else numerator / denominator


def ridge(*, peak: Quantity | Number, bandwidth: Quantity | Number) -> Quantity:
    r"""Arithmetic intensity at which computing and moving take the same time.

    $$I^* = \frac{P}{W}$$

    Args:
        peak: FLOP/s of one dtype, dense unless the caller says otherwise; a plain number is in FLOP/s.
        bandwidth: memory bandwidth; a plain number is in B/s.
    Returns:
        FLOP/B, exact for exact arguments.
    Raises:
        ValueError: an argument that is not above 0, or of another unit.
    Source:
        Williams, Waterman and Patterson 2009, "Roofline" (the ridge point).
    """
    rate = in_base_units("peak", peak, "FLOP/s", positive=True)
    return Q(_ratio(rate, in_base_units("bandwidth", bandwidth, "B/s", positive=True)), "FLOP/B")


def bound_time(
    *, flops: Quantity | Number, nbytes: Quantity | Number, peak: Quantity | Number, bandwidth: Quantity | Number
) -> Quantity:
    r"""Least time in which the operations can be done and the bytes moved, with perfect overlap.

    $$t = \max\left(\frac{F}{P}, \frac{Q}{W}\right)$$

    A lower bound, not a prediction: launch, tails, clocks and imperfect overlap come on top.

    Args:
        flops: operations; a plain number is in FLOP.
        nbytes: bytes that cross the memory interface; a plain number is in B.
        peak: FLOP/s. A plain number is in FLOP/s.
        bandwidth: memory bandwidth. A plain number is in B/s.
    Returns:
        Seconds, exact for exact arguments.
    Raises:
        ValueError: peak or bandwidth not above 0, flops or nbytes below 0, or another unit.
    Source:
        Williams, Waterman and Patterson 2009, "Roofline", turned from rates into times.
    """
    compute = _ratio(
        in_base_units("flops", flops, "FLOP"),
        in_base_units("peak", peak, "FLOP/s", positive=True),
    )
    memory = _ratio(
        in_base_units("nbytes", nbytes, "B"),
        in_base_units("bandwidth", bandwidth, "B/s", positive=True),
    )
    return Q(max(compute, memory), "s")


def attainable(*, intensity: Quantity | Number, peak: Quantity | Number, bandwidth: Quantity | Number) -> Quantity:
    r"""Highest rate that a computation of this arithmetic intensity can reach: the roof above it.

    $$R = \min(P, I\,W)$$

    Args:
        intensity: FLOPs per byte moved; a plain number is in FLOP/B.
        peak: FLOP/s. A plain number is in FLOP/s.
        bandwidth: memory bandwidth. A plain number is in B/s.
    Returns:
        FLOP/s, exact for exact arguments.
    Raises:
        ValueError: peak or bandwidth not above 0, intensity below 0, or another unit.
    Source:
        Williams, Waterman and Patterson 2009, "Roofline".
    """
    density = in_base_units("intensity", intensity, "FLOP/B")
    rate = in_base_units("peak", peak, "FLOP/s", positive=True)
    return Q(min(rate, density * in_base_units("bandwidth", bandwidth, "B/s", positive=True)), "FLOP/s")
