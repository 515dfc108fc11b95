r"""Summation in any floating-point format: one rounding after each addition, in an order that the name says.

The numbers are rounded to the format first, as they would be when stored. To sum narrow numbers in a wide accumulator,
pass numbers that already are values of the narrow format and name the wide one.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Literal

from infra_ref.numerics.formats import FloatFormat, Number, Value

Order = Literal["sequential", "pairwise"]


def _stored(values: Sequence[Number], format: FloatFormat) -> list[Value]:
    if format.family == "scale":
        raise ValueError(f"format must have a sign and a zero, which {format.id} has not")
    return [format.round(value) for value in values]


def sequential(values: Sequence[Number], *, format: FloatFormat) -> Value:
    r"""Sum from left to right, starting at 0.

    $$s_i = \operatorname{fl}(s_{i-1} + x_i)$$

    Once $x_i$ is at most half the spacing of $s$, further numbers vanish: in fp16 a sum of ones stops at 2048.

    Args:
        values: in the order in which they are added.
        format: of the numbers and of the running sum.
    Returns:
        Exact value of the rounded sum; 0 for no numbers. Beyond the format's largest value it is what `format.overflow`
        says.
    Raises:
        ValueError: a format without sign and zero, or a value it cannot hold.
    """
    zero: Value = Fraction(0)
    return reduce(lambda total, x: format.round(total + x), _stored(values, format), zero)


def pairwise(values: Sequence[Number], *, format: FloatFormat) -> Value:
    r"""Sum as a balanced tree: the first half, the second half, then the two together.

    $$S(x_1 \dots x_n) = \operatorname{fl}\bigl(S(x_1 \dots x_h) + S(x_{h+1} \dots x_n)\bigr),\quad
    h = \lfloor n/2 \rfloor$$

    No number takes part in more than $\lceil \log_2 n \rceil$ additions, and both sides of an addition sum as many.

    Returns:
        As for `sequential`.
    Raises:
        ValueError: as for `sequential`.
    """
    return _tree(_stored(values, format), format)


def _tree(values: list[Value], format: FloatFormat) -> Value:
    if len(values) < 2:
        return values[0] if values else Fraction(0)
    half = len(values) // 2
    return format.round(_tree(values[:half], format) + _tree(values[half:], format))


def kahan(values: Sequence[Number], *, format: FloatFormat) -> Value:
    r"""Compensated sum: what an addition loses is measured and subtracted from the next number.

    $$y = \operatorname{fl}(x_i - c),\quad t = \operatorname{fl}(s + y),\quad
    c = \operatorname{fl}(\operatorname{fl}(t - s) - y),\quad s = t$$

    Four additions a number instead of one. To first order the error no longer grows with the count. A compiler that may
    reassociate (`-ffast-math`) simplifies $c$ to 0 and takes it all away.

    Returns:
        As for `sequential`, except that NaN follows an overflow: the compensation becomes infinity minus infinity.
    Raises:
        ValueError: as for `sequential`.
    """
    total: Value = Fraction(0)
    lost: Value = Fraction(0)
    for x in _stored(values, format):
        y = format.round(x - lost)
        new = format.round(total + y)
        lost = format.round(format.round(new - total) - y)
        total = new
    return total


def exact(values: Sequence[Number], *, format: FloatFormat) -> Fraction:
    """The sum of the stored numbers without any further rounding: what the other functions approximate.

    Raises:
        ValueError: as for `sequential`, or a number that is infinite or NaN in the format.
    """
    return sum(_finite(values, format), Fraction(0))


def _finite(values: Sequence[Number], format: FloatFormat) -> list[Fraction]:
    try:
        return [Fraction(x) for x in _stored(values, format)]
    except (OverflowError, ValueError):
        raise ValueError(f"values must be finite in {format.id}") from None


def gamma(*, additions: int, unit_roundoff: Value) -> Value:
    r"""Bound of the relative error that a chain of roundings can add up to.

    $$\gamma_k = \frac{k u}{1 - k u}$$

    Args:
        additions: $k$, roundings in a row.
        unit_roundoff: $u$, of the format.
    Returns:
        A ratio, exact for an exact u.
    Raises:
        ValueError: additions below 0, or $ku \ge 1$, where this bound says nothing.
    """
    if isinstance(additions, bool) or not isinstance(additions, int) or additions < 0:
        raise ValueError(f"additions must be an int of at least 0, not {additions!r}")
    growth = additions * unit_roundoff
    if not growth < 1:
        raise ValueError(f"additions times unit_roundoff must be below 1, got {float(growth)}")
    return growth / (1 - growth)


def error_bound(values: Sequence[Number], *, format: FloatFormat, order: Order) -> Fraction:
    r"""Largest distance between the rounded sum and the exact one, from the numbers' magnitudes alone.

    $$|\hat s - s| \le \gamma_k \sum_i |x_i|,\qquad
    k = n - 1\ \text{(sequential)},\quad \lceil \log_2 n \rceil\ \text{(pairwise)}$$

    With positive numbers it bounds the relative error by $\gamma_k$; with cancellation $\sum |x_i|$ may be far above
    $|s|$, and no order helps. It holds if no partial sum overflows; sums that fall into the subnormals are exact.

    Args:
        order: "sequential" or "pairwise".
    Returns:
        In the unit of the numbers, exact.
    Raises:
        ValueError: an unknown order, or as for `exact` and `gamma`.
    Source:
        Higham 1993, "The accuracy of floating point summation", SIAM J. Sci. Comput. 14 (abstract opened 2026-11-30).
    """
    if order not in ("sequential", "pairwise"):
        raise ValueError(f"order must be 'sequential' or 'pairwise', got {order!r}")
    n = max(len(values), 1)
    additions = n - 1 if order == "sequential" else (n - 1).bit_length()
    magnitudes = sum(map(abs, _finite(values, format)), Fraction(0))
    return Fraction(gamma(additions=additions, unit_roundoff=format.unit_roundoff)) * magnitudes
