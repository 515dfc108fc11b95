r"""Condition numbers: how much a problem magnifies a relative error in its input, whatever algorithm solves it.

$$\frac{|\hat y - y|}{|y|} \lesssim \kappa\,\eta$$

$\kappa$ belongs to the problem, the backward error $\eta$ to the algorithm: it is the relative change of the input that
would give its result exactly. A stable algorithm has an $\eta$ of the order of the unit roundoff.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from infra_ref.numerics import statistics
from infra_ref.numerics.formats import Number, Value

Matrix = Sequence[Sequence[Number]]


def _exact(values: Sequence[Number], name: str) -> list[Fraction]:
    if not all(map(math.isfinite, values)):
        raise ValueError(f"{name} must be finite, got {list(values)!r}")
    return [Fraction(x) for x in values]


def of_function(*, x: Number, value: Number, slope: Number) -> Fraction:
    r"""Relative condition number of a function of one number.

    $$\kappa = \left|\frac{x\,f'(x)}{f(x)}\right|$$

    Args:
        value: $f(x)$.
        slope: $f'(x)$.
    Returns:
        A ratio: an input off by 1% gives a result off by about $\kappa$%.
    Raises:
        ValueError: a value of 0, where a relative error means nothing, or an argument that is not finite.
    """
    at, result, change = _exact([x, value, slope], "x, value and slope")
    if not result:
        raise ValueError("value must not be 0: there a relative error means nothing")
    return abs(at * change / result)


def of_sum(values: Sequence[Number]) -> Value:
    r"""Condition number of a sum, when each term may be off by the same relative amount.

    $$\kappa = \frac{\sum_i |x_i|}{\left|\sum_i x_i\right|}$$

    1 if all terms have the same sign; a difference of close numbers has a large one.

    Returns:
        A ratio of at least 1, exact; inf if the terms cancel to 0.
    Raises:
        ValueError: no term but zeros, or one that is not finite.
    """
    terms = _exact(values, "values")
    magnitudes = sum(map(abs, terms), Fraction(0))
    if not magnitudes:
        raise ValueError("values must hold a number other than 0")
    total = abs(sum(terms, Fraction(0)))
    return Fraction(magnitudes, total) if total else math.inf


def of_variance(values: Sequence[Number]) -> float:
    r"""Condition number of a variance, when the row of values may be off by a relative amount in Euclidean norm.

    $$\kappa = 2\sqrt{1 + \frac{\bar x^2}{\sigma^2}}$$

    From the gradient $2(x_i - \bar x)/n$, whose norm is $2\sigma/\sqrt n$, and $\|x\| = \sqrt{n(\sigma^2 + \bar x^2)}$.

    Returns:
        A ratio of at least 2; inf if all values are equal.
    Raises:
        ValueError: no value, or one that is not finite.
    """
    state = statistics.moments(_exact(values, "values"))
    variance = state.variance(unbiased=False)
    return 2 * math.sqrt(1 + state.mean**2 / variance) if variance else math.inf


def norm(matrix: Matrix) -> Fraction:
    r"""Largest row sum of magnitudes, the norm that the largest component of a vector induces.

    $$\|A\|_\infty = \max_i \sum_j |a_{ij}|$$

    Raises:
        ValueError: an element that is not finite.
    """
    return max(sum(map(abs, _exact(row, "matrix")), Fraction(0)) for row in matrix)


def inverse(matrix: Matrix) -> list[list[Fraction]]:
    r"""Inverse of a square matrix, by elimination in exact arithmetic.

    Shapes:
        A[N, N] -> A^-1[N, N].
    Raises:
        ValueError: a matrix that is not square or has no inverse, or an element that is not finite.
    """
    n = len(matrix)
    if not n or any(len(row) != n for row in matrix):
        raise ValueError("matrix must be square, of at least one row")
    rows = [_exact(row, "matrix") + [Fraction(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for column in range(n):
        pivot = next((i for i in range(column, n) if rows[i][column]), None)
        if pivot is None:
            raise ValueError("matrix must have an inverse, got a singular one")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [x / rows[column][column] for x in rows[column]]
        for i in range(n):
            if i != column and rows[i][column]:
                rows[i] = [x - rows[i][column] * y for x, y in zip(rows[i], rows[column], strict=True)]
    return [row[n:] for row in rows]


def of_matrix(matrix: Matrix) -> Fraction:
    r"""Condition number of a square matrix: of solving with it, and of inverting it.

    $$\kappa = \|A\|_\infty \, \|A^{-1}\|_\infty$$

    Other norms give other numbers, apart by at most a factor of N.

    Returns:
        A ratio of at least 1, exact.
    Raises:
        ValueError: as for `inverse`.
    """
    return norm(matrix) * norm(inverse(matrix))


def backward_error_of_sum(values: Sequence[Number], *, computed: Number) -> Fraction:
    r"""Smallest relative change of every term that turns the exact sum into the computed one.

    $$\eta = \frac{|\hat s - s|}{\sum_i |x_i|}$$

    Changing each term by $\eta$ in the same direction reaches $\hat s$, and no smaller change can.

    Args:
        computed: $\hat s$, finite.
    Raises:
        ValueError: as for `of_sum`, or a computed sum that is not finite.
    """
    terms = _exact(values, "values")
    (result,) = _exact([computed], "computed")
    magnitudes = sum(map(abs, terms), Fraction(0))
    if not magnitudes:
        raise ValueError("values must hold a number other than 0")
    return abs(result - sum(terms)) / magnitudes
