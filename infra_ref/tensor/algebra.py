"""Costs and errors of linear algebra: products and their order, low rank, solving, tolerances.

A multiply-add is 2 FLOPs; a lone multiplication, division or addition is 1.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from infra_ref.tensor._arguments import naturals
from infra_ref.tensor.layout import broadcast_shape
from infra_ref.units import Q, Quantity


class AssociationFlops(NamedTuple):
    """FLOPs of A B C in its two orders."""

    left: Quantity
    """(A B) C"""
    right: Quantity
    """A (B C)"""


def association_flops(*, m: int, k: int, n: int, p: int) -> AssociationFlops:
    r"""FLOPs of a product of three matrices, computed from the left and from the right.

    $$F_{\text{left}} = 2MKN + 2MNP,\qquad F_{\text{right}} = 2KNP + 2MKP$$

    Shapes:
        A[M, K], B[K, N], C[N, P] -> [M, P].
    Returns:
        Both counts, exact; the results agree up to rounding, the costs need not.
    Raises:
        ValueError: a size below 0.
    """
    _at_least(0, m=m, k=k, n=n, p=p)
    return AssociationFlops(left=Q(2 * m * n * (k + p), "FLOP"), right=Q(2 * k * p * (n + m), "FLOP"))


def matmul_shape(left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
    """Shape of a (batched) matrix product: the last two dimensions multiply, those before them broadcast.

    Shapes:
        [..., M, K], [..., K, N] -> [broadcast of ..., M, N].
    Raises:
        ValueError: a size below 0, fewer than two dimensions, inner sizes that differ, or batch dimensions that do not
            broadcast.
    """
    left, right = naturals("left", left), naturals("right", right)
    if len(left) < 2 or len(right) < 2:
        raise ValueError(f"left and right must have at least 2 dimensions, got {left} and {right}")
    if left[-1] != right[-2]:
        raise ValueError(f"the last size of left and the last but one of right must be equal, got {left} and {right}")
    return (*broadcast_shape(left[:-2], right[:-2]), left[-2], right[-1])


def bmm_flops(left: Sequence[int], right: Sequence[int]) -> Quantity:
    r"""FLOPs of a (batched) matrix product of two shapes.

    $$F = 2\,B\,M\,N\,K$$

    $B$ is the number of matrices in the result: one that is broadcast is stored once and multiplied each time.

    Shapes:
        [..., M, K], [..., K, N] -> [broadcast of ..., M, N].
    Returns:
        FLOPs, exact.
    Raises:
        ValueError: shapes that cannot be multiplied.
    """
    return Q(2 * math.prod(matmul_shape(left, right)) * left[-1], "FLOP")


def bmm_min_bytes(left: Sequence[int], right: Sequence[int], *, itemsize: int) -> Quantity:
    r"""Least bytes of a (batched) matrix product: each stored matrix read once, each result written once.

    $$Q = s\,(n_{\text{left}} + n_{\text{right}} + n_{\text{out}})$$

    A matrix that is broadcast is stored, and read, once; it is the result that has one matrix per batch. An empty
    result needs nothing.

    Shapes:
        [..., M, K], [..., K, N] -> [broadcast of ..., M, N].
    Args:
        itemsize: $s$, bytes of one element.
    Returns:
        Bytes, exact.
    Raises:
        ValueError: shapes that cannot be multiplied, or an itemsize below 1.
    """
    _at_least(1, itemsize=itemsize)
    results = math.prod(matmul_shape(left, right))
    return Q(itemsize * (math.prod(left) + math.prod(right) + results) if results else 0, "B")


def within_tolerance(actual: float, expected: float, *, atol: float, rtol: float) -> bool:
    r"""Whether a result is close enough to the expected value.

    $$|\hat y - y| \le \text{atol} + \text{rtol}\,|y|$$

    The rule is not symmetric: only the expected value scales the tolerance. An infinity is close to itself alone,
    NaN to nothing. These are the rules of `torch.isclose` and `numpy.isclose`.

    Args:
        actual: $\hat y$, the value under test.
        expected: $y$, the reference.
        atol: what is forgiven near 0, in the unit of y; finite, at least 0.
        rtol: what is forgiven per unit of $|y|$; finite, at least 0.
    Raises:
        ValueError: a tolerance that is negative, infinite or NaN.
    """
    for name, value in (("atol", atol), ("rtol", rtol)):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be finite and at least 0, got {value}")
    if actual == expected:
        return True
    error = abs(actual - expected)
    return math.isfinite(error) and error <= atol + rtol * abs(expected)


def low_rank_parameters(*, rows: int, cols: int, rank: int) -> int:
    r"""Parameters of a matrix written as a product of two thin ones.

    $$r\,(M + N)$$

    Shapes:
        B[M, r] A[r, N] -> [M, N].
    Raises:
        ValueError: a size below 1.
    """
    _at_least(1, rows=rows, cols=cols, rank=rank)
    return rank * (rows + cols)


def lora_share(*, rows: int, cols: int, rank: int) -> Fraction:
    r"""Trainable parameters of a LoRA update as a share of those of the frozen matrix.

    $$\frac{r\,(M + N)}{MN}$$

    Returns:
        A ratio, exact. It reaches 1 at $r = MN/(M+N)$; beyond, the two factors are larger than the matrix.
    Raises:
        ValueError: a size below 1.
    Source:
        Hu et al. 2022, arXiv:2106.09685, section 4.1: W0 + BA with B[d, r], A[r, k].
    """
    return Fraction(low_rank_parameters(rows=rows, cols=cols, rank=rank), rows * cols)


def lu_flops(*, n: int) -> Quantity:
    r"""FLOPs of factoring a square matrix into L U by Gaussian elimination.

    $$\tfrac{n(n-1)}{2} + \tfrac{n(n-1)(2n-1)}{3} \approx \tfrac23 n^3$$

    One division per element below the diagonal, one multiply-add per element of each remaining block.
    Comparisons and row exchanges of pivoting are not counted.

    Returns:
        FLOPs, exact.
    Raises:
        ValueError: n below 1.
    """
    return Q(_lu(n), "FLOP")


def solve_flops(*, n: int, rhs: int = 1) -> Quantity:
    r"""FLOPs of solving A X = B by elimination and two triangular substitutions.

    $$F_{\text{LU}} + (2n^2 - n)\,R \approx \tfrac23 n^3 + 2n^2 R$$

    Shapes:
        A[n, n], B[n, rhs] -> X[n, rhs].
    Returns:
        FLOPs, exact.
    Raises:
        ValueError: a size below 1.
    """
    _at_least(1, rhs=rhs)
    return Q(_lu(n) + rhs * (2 * n * n - n), "FLOP")


def inverse_flops(*, n: int) -> Quantity:
    r"""FLOPs of a full inverse: elimination, then one solve per column of the identity.

    $$F_{\text{LU}} + \tfrac{n(n^2-1)}{3} + n^3 \approx 2n^3$$

    The forward substitution of column j starts at row j, because everything above is 0.
    Applying the inverse to a vector costs another 2 n² - n.

    Returns:
        FLOPs, exact.
    Raises:
        ValueError: n below 1.
    """
    return Q(_lu(n) + n * (n * n - 1) // 3 + n**3, "FLOP")


def eckart_young_error(
    singular_values: Sequence[float], *, rank: int, norm: Literal["fro", "spectral"] = "fro"
) -> float:
    r"""Smallest error with which any matrix of at most the given rank approximates another.

    $$\|A - A_r\|_F = \sqrt{\sum_{i>r} \sigma_i^2},\qquad \|A - A_r\|_2 = \sigma_{r+1}$$

    Cutting the singular value decomposition after r terms attains it in both norms.

    Args:
        singular_values: all of them, in any order.
        rank: r, at least 0.
        norm: "fro" (Frobenius) or "spectral" (largest singular value).
    Returns:
        The error, in the unit of the matrix; 0 from full rank on.
    Raises:
        ValueError: a negative singular value or rank, or an unknown norm.
    """
    _at_least(0, rank=rank)
    if any(not value >= 0 for value in singular_values):
        raise ValueError("singular_values must be at least 0")
    left_out = sorted(singular_values, reverse=True)[rank:]
    if norm == "fro":
        return math.hypot(*left_out)
    if norm == "spectral":
        return float(max(left_out, default=0.0))
    raise ValueError(f"norm must be 'fro' or 'spectral', got {norm!r}")


def _lu(n: int) -> int:
    _at_least(1, n=n)
    return n * (n - 1) // 2 + n * (n - 1) * (2 * n - 1) // 3


def _at_least(least: int, **sizes: int) -> None:
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < least:
            raise ValueError(f"{name} must be an int of at least {least}, not {size!r}")
