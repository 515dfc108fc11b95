r"""Root-mean-square normalisation: the function, and what rounding each step to a format makes of it."""

import math
from collections.abc import Sequence

from infra_ref.numerics import summation
from infra_ref.numerics.formats import FloatFormat, Number, Value


def _require(values: Sequence[Number], epsilon: Number) -> None:
    if not values or not all(map(math.isfinite, values)):
        raise ValueError("values must hold at least one number, all finite")
    if not 0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and at least 0, got {epsilon!r}")


def rms_norm(values: Sequence[Number], *, epsilon: Number = 0) -> list[float]:
    r"""A row divided by its root mean square, for rows of any magnitude.

    $$y_i = \frac{x_i}{\sqrt{\frac1H \sum_j x_j^2 + \epsilon}}$$

    The row is divided by its largest magnitude first, so no square overflows and their mean does not underflow: a row
    of equal numbers gives ones, whatever the number, as long as epsilon is small beside its square.

    Args:
        values: one row, finite; the learned weight is not applied.
        epsilon: $\epsilon$, at least 0.
    Returns:
        The row in double precision; zeros for a row of zeros.
    Raises:
        ValueError: an empty row, or an argument out of range.
    """
    _require(values, epsilon)
    largest = max(abs(float(x)) for x in values)
    if not largest:
        return [0.0] * len(values)
    scaled = [float(x) / largest for x in values]
    root_mean_square = math.hypot(*scaled) / math.sqrt(len(values))
    return [x / math.hypot(root_mean_square, math.sqrt(epsilon) / largest) for x in scaled]


def rounded_rms_norm(values: Sequence[Number], *, format: FloatFormat, epsilon: Number = 0) -> list[Value]:
    r"""The same formula with every intermediate result rounded to one format: what goes wrong without fp32 inside.

    $$q_j = \operatorname{fl}(x_j^2),\quad y_i = \operatorname{fl}\left(
    \frac{x_i}{\operatorname{fl}\sqrt{\operatorname{fl}(\operatorname{fl}(\sum_j q_j / H) + \epsilon)}}\right)$$

    If a square or their sum overflows to infinity the row becomes zeros: in fp16 from $|x| = 256$ on. If all squares
    underflow, $\epsilon$ alone is under the root.

    Args:
        format: of the numbers, the squares, their sum (from left to right) and the root; one with infinity.
        epsilon: at least 0; it must not round to 0 if the squares may.
    Returns:
        Exact values of the format.
    Raises:
        ValueError: an empty row, an argument out of range, a format without infinity, or a root of 0.
    """
    _require(values, epsilon)
    if format.family != "ieee":
        raise ValueError(f"format must have an infinity, which {format.id} has not")
    row = [format.round(x) for x in values]
    mean = format.round(summation.sequential([x * x for x in row], format=format) / len(row))
    under_root = format.round(mean + format.round(epsilon))
    if not under_root:
        raise ValueError(f"epsilon must be large enough: the mean of squares is 0 in {format.id}")
    root = format.round(math.sqrt(under_root))
    return [format.round(x / root) for x in row]
