r"""Clipping gradients by their global norm, over shards that live on different ranks.

A shard is the flat list of gradients that one rank holds. Shards are disjoint: a parameter of which several ranks hold
a copy must be counted on one of them only, or the norm grows with the number of copies.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from infra_ref.numerics.formats import Number, Value


def squared_norm(gradients: Sequence[Number]) -> Value:
    r"""What one rank contributes to the all-reduce: the sum of its squares, not its norm.

    $$\sum_i g_i^2$$

    Squares leave fp16 from $|g| = 256$ on, so they are summed in a wider format; here integers and fractions are exact.

    Raises:
        ValueError: a gradient that is infinite or NaN.
    """
    for g in gradients:
        if not math.isfinite(g):
            raise ValueError(f"gradients must be finite, got {g!r}: skip the step instead of clipping")
    zero: Value = Fraction(0)
    return sum((g * g for g in gradients), zero)


def global_norm(shards: Sequence[Sequence[Number]]) -> float:
    r"""Euclidean norm of all gradients together.

    $$\|g\| = \sqrt{\sum_r \sum_i g_{r,i}^2}$$

    The inner sums are local, the outer one is an all-reduce of one number, the root comes last.

    Args:
        shards: gradients of each rank; a rank may hold none.
    Raises:
        ValueError: a gradient that is infinite or NaN.
    """
    return math.sqrt(sum(map(squared_norm, shards)))


def clip_coefficient(*, norm: Number, max_norm: Number, epsilon: Number = 0) -> Number:
    r"""Factor for every gradient on every rank.

    $$\min\left(1, \frac{\text{max}}{\|g\| + \epsilon}\right)$$

    Args:
        norm: global norm, before clipping.
        max_norm: largest norm to let through; above 0.
        epsilon: added to the norm; `torch.nn.utils.clip_grad_norm_` adds 1e-6, so it shrinks a gradient of exactly
            max_norm a little.
    Raises:
        ValueError: a negative or infinite norm or epsilon, or a max_norm not above 0.
    Source:
        torch 2.13, `torch/nn/utils/clip_grad.py` (opened 2026-11-30).
    """
    for name, value in (("norm", norm), ("epsilon", epsilon)):
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be finite and at least 0, got {value!r}")
    if not max_norm > 0:
        raise ValueError(f"max_norm must be above 0, got {max_norm!r}")
    return 1 if norm + epsilon <= max_norm else max_norm / (norm + epsilon)


def clip(shards: Sequence[Sequence[Number]], *, max_norm: Number, epsilon: Number = 0) -> list[list[Number]]:
    r"""Gradients of every rank, scaled down together if their global norm exceeds the limit.

    $$g' = g\,\min\left(1, \frac{\text{max}}{\|g\| + \epsilon}\right)$$

    The direction stays. Clipping each shard by its own norm would change it, and on n ranks let a global norm of
    $\sqrt{n}$ times the limit through.

    Args:
        shards: true gradients: divided by the loss scale (`loss_scaling`) and averaged before they come here.
    Raises:
        ValueError: a gradient that is infinite or NaN, or a limit out of range.
    """
    coefficient = clip_coefficient(norm=global_norm(shards), max_norm=max_norm, epsilon=epsilon)
    return [[g * coefficient for g in shard] for shard in shards]
