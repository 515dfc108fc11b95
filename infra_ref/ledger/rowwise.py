r"""The ledger of normalisation layers: a reduction over each row, then an elementwise pass.

T rows of H features. Additions, multiplications, divisions and square roots are 1 FLOP each; a sum starts at 0. Counts
are those of the steps named below; a library may arrange them otherwise, by a FLOP or two per element.
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
