r"""The ledger of operators that reduce each row: normalisation layers, softmax and cross-entropy.

T rows of H features or V classes. Additions, multiplications, divisions, square roots, comparisons, exponentials and
logarithms are 1 FLOP each; a sum starts at 0, a maximum at -inf. Counts are those of the steps named below; a library
may arrange them otherwise, by a FLOP or two per element.
"""

from infra_ref.ledger._arguments import require_sizes
from infra_ref.units import Q, Quantity


def rms_norm_flops(*, rows: int, features: int) -> Quantity:
    r"""FLOPs of RMSNorm with a weight.

    $$F = T\,(4H + 4)$$

    Per element a square, its addition, the product with $1/\text{rms}$ and that with the weight; per row a division by
    H, the addition of epsilon, a square root and a reciprocal.

    Shapes:
        X[T, H], g[H] -> Y[T, H].
    Returns:
        FLOPs, exact.
    Raises:
        ValueError: rows below 0 or features below 1.
    """
    require_sizes(rows=rows)
    require_sizes(1, features=features)
    return Q(rows * (4 * features + 4), "FLOP")


def layer_norm_flops(*, rows: int, features: int) -> Quantity:
    r"""FLOPs of LayerNorm with a weight and a bias, mean first, then variance.

    $$F = T\,(7H + 5)$$

    RMSNorm's, plus per element the addition to the mean, the subtraction of it and the bias; per row one more division.

    Shapes:
        X[T, H], g[H], b[H] -> Y[T, H].
    Returns:
        FLOPs, exact.
    Raises:
        ValueError: rows below 0 or features below 1.
    """
    require_sizes(rows=rows)
    require_sizes(1, features=features)
    return Q(rows * (7 * features + 5), "FLOP")


def norm_min_bytes(*, rows: int, features: int, itemsize: int, vectors: int) -> Quantity:
    r"""Least bytes of a normalisation fused into one kernel: rows read and written once, parameters read once.

    $$Q = s\,(2TH + vH)$$

    Args:
        itemsize: $s$, bytes of one element of rows and parameters.
        vectors: $v$, parameter vectors: 1 for RMSNorm's weight, 2 for LayerNorm's weight and bias.
    Returns:
        Bytes, exact; nothing if there is no row.
    Raises:
        ValueError: rows or vectors below 0, features or itemsize below 1.
    """
    require_sizes(rows=rows, vectors=vectors)
    require_sizes(1, features=features, itemsize=itemsize)
    return Q(itemsize * features * (2 * rows + vectors) if rows else 0, "B")


def softmax_flops(*, rows: int, classes: int) -> Quantity:
    r"""FLOPs of a softmax over each row, the largest logit subtracted first.

    $$F = 5TV$$

    Per logit a comparison, the subtraction of the largest, an exponential, an addition and a division, 1 FLOP each.

    Shapes:
        Z[T, V] -> P[T, V].
    Args:
        rows: $T$.
        classes: $V$, elements of a row.
    Returns:
        FLOPs, exact. An online pass rescales its sum as well, which is not counted.
    Raises:
        ValueError: rows below 0 or classes below 1.
    """
    require_sizes(rows=rows)
    require_sizes(1, classes=classes)
    return Q(rows * 5 * classes, "FLOP")


def softmax_bytes(*, rows: int, classes: int, itemsize: int, reads: int, writes: int) -> Quantity:
    r"""Bytes of a softmax whose passes go to memory each time.

    $$Q = s\,(r + w)\,TV$$

    | arrangement | r | w |
    |---|---|---|
    | a kernel each for maximum, difference, exponential, sum, quotient | 5 | 3 |
    | one kernel, row too long to keep: maximum, sum, quotient | 3 | 1 |
    | the same with the maximum and the sum in one online pass | 2 | 1 |
    | one kernel that keeps the row | 1 | 1 |
    | only the log-sum-exp, or a weighted sum, is wanted | 1 | 0 |

    Args:
        itemsize: $s$, bytes of one element, read or written.
        reads: $r$, times that every element is read.
        writes: $w$, times that a value for every element is written.
    Returns:
        Bytes, exact. The one or two numbers per row between kernels are not counted.
    Raises:
        ValueError: rows, reads or writes below 0, classes or itemsize below 1.
    """
    require_sizes(rows=rows, reads=reads, writes=writes)
    require_sizes(1, classes=classes, itemsize=itemsize)
    return Q(itemsize * (reads + writes) * rows * classes, "B")


def cross_entropy_flops(*, rows: int, classes: int) -> Quantity:
    r"""FLOPs of cross-entropy over logits, the largest logit subtracted first.

    $$F = T\,(4V + 3)$$

    Per logit a comparison, the subtraction of the largest, an exponential and an addition, 1 FLOP each; per row a
    logarithm, the subtraction of the target's logit and an addition.

    Shapes:
        Z[T, V], target[T] -> loss[T].
    Args:
        rows: $T$, tokens.
        classes: $V$, vocabulary.
    Returns:
        FLOPs, exact. The sum over the rows is not counted.
    Raises:
        ValueError: rows below 0 or classes below 1.
    """
    require_sizes(rows=rows)
    require_sizes(1, classes=classes)
    return Q(rows * (4 * classes + 3), "FLOP")


def cross_entropy_min_bytes(*, rows: int, classes: int, itemsize: int) -> Quantity:
    r"""Least bytes of cross-entropy over logits in memory: read once, an int64 target and an fp32 loss per row.

    $$Q = T\,(sV + 12)$$

    Args:
        itemsize: $s$, bytes of one logit.
    Returns:
        Bytes, exact.
    Raises:
        ValueError: rows below 0, classes or itemsize below 1.
    """
    require_sizes(rows=rows)
    require_sizes(1, classes=classes, itemsize=itemsize)
    return Q(rows * (itemsize * classes + 12), "B")
