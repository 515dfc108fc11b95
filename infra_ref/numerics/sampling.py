r"""Choosing the next token: greedy, top-k, top-p, and a draw; every function is a function of its arguments alone.

Ties are broken by the lower index. A tie is common, not exotic: logits computed in bf16 have 8 significant bits.
A token with probability 0 (a masked logit) is never kept and never drawn.
"""

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from infra_ref.numerics._arguments import require_distribution, require_logits
from infra_ref.numerics.formats import Number

Ties = Literal["first", "all"]


def _require_ties(ties: str) -> None:
    if ties not in ("first", "all"):
        raise ValueError(f"ties must be 'first' or 'all', got {ties!r}")


def _ranked(scores: Sequence[Number], least: float, name: str) -> list[int]:
    """Indices of the scores above `least`, largest first, equal ones by index."""
    order = sorted((i for i, x in enumerate(scores) if x > least), key=lambda i: (-scores[i], i))
    if not order:
        raise ValueError(f"{name} must leave at least one token possible")
    return order


def greedy(logits: Sequence[Number]) -> int:
    r"""Index of the largest logit, the first of equal ones: the limit of sampling at temperature 0.

    $$\arg\max_i x_i$$

    Raises:
        ValueError: no logit, only masked ones, or one that is NaN or +inf.
    """
    return top_k(logits, k=1)[0]


def top_k(logits: Sequence[Number], *, k: int, ties: Ties = "first") -> list[int]:
    r"""Indices of the k largest logits, largest first.

    An implementation that masks everything below the k-th largest logit keeps all that equal it: four of the tokens
    [1, 2, 2, 2, 3] with k = 3. That is `ties="all"`.

    Args:
        logits: finite, or -inf where masked.
        k: at least 1. If it exceeds the number of unmasked tokens, all of those are kept.
        ties: "first" keeps exactly k, the lower indices of those that tie; "all" keeps every token that ties with the
            k-th.
    Raises:
        ValueError: k below 1, an unknown ties, no token left, or a logit that is NaN or +inf.
    """
    _require_ties(ties)
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise ValueError(f"k must be an int of at least 1, not {k!r}")
    require_logits(logits)
    order = _ranked(logits, -math.inf, "logits")
    return _with_ties(order, min(k, len(order)), logits, ties)


def top_p(probabilities: Sequence[Number], *, p: Number, ties: Ties = "first") -> list[int]:
    r"""Indices of the smallest set of most likely tokens that together reach p (nucleus sampling), largest first.

    $$\min\Bigl\{k \ge 1 : \sum_{i \le k} p_{(i)} \ge p\Bigr\}$$

    $p_{(i)}$ is the i-th largest probability. p = 0 keeps the most likely token; p = 1 keeps every token with a
    probability above 0, whatever rounding makes of the sum.

    Args:
        probabilities: at least 0, with sum 1; fractions are added exactly, floats as floats from the largest down.
        p: from 0 to 1.
        ties: "first" keeps the lower indices of those that tie; "all" keeps every token that ties with the last.
    Raises:
        ValueError: p outside 0 to 1, an unknown ties, or probabilities that are not a distribution.
    """
    _require_ties(ties)
    if not 0 <= p <= 1:
        raise ValueError(f"p must be from 0 to 1, got {p!r}")
    require_distribution(probabilities, "probabilities")
    order = _ranked(probabilities, 0, "probabilities")
    if p == 1:
        return order
    sums = accumulate(probabilities[i] for i in order)
    count = next((k for k, total in enumerate(sums, 1) if total >= p), len(order))
    return _with_ties(order, count, probabilities, ties)


def _with_ties(order: list[int], count: int, scores: Sequence[Number], ties: Ties) -> list[int]:
    if ties == "all":
        while count < len(order) and scores[order[count]] == scores[order[count - 1]]:
            count += 1
    return order[:count]


def renormalise(probabilities: Sequence[Number], kept: Sequence[int]) -> list[Number]:
    r"""The distribution given that a kept token is drawn: the others become 0, the rest add up to 1 again.

    $$p'_i = \frac{p_i}{\sum_{j \in K} p_j}\ (i \in K),\qquad p'_i = 0\ (i \notin K)$$

    Args:
        kept: $K$, indices as `top_k` or `top_p` return them.
    Raises:
        ValueError: probabilities that are not a distribution, or kept ones with sum 0.
    """
    require_distribution(probabilities, "probabilities")
    total = sum(probabilities[i] for i in kept)
    if not total > 0:
        raise ValueError("kept must hold a token with a probability above 0")
    chosen = set(kept)
    return [x / total if i in chosen else 0 for i, x in enumerate(probabilities)]


def draw(probabilities: Sequence[Number], *, u: Number) -> int:
    r"""The token that a uniform random number selects, by inverting the cumulative distribution.

    $$\min\Bigl\{i : \sum_{j \le i} p_j > u\Bigr\}$$

    Args:
        probabilities: at least 0, with sum 1, in the order of the vocabulary.
        u: from 0 to below 1. If rounding leaves the sum of all at or below u, the last possible token is drawn.
    Raises:
        ValueError: u outside its range, or probabilities that are not a distribution.
    """
    if not 0 <= u < 1:
        raise ValueError(f"u must be at least 0 and below 1, got {u!r}")
    require_distribution(probabilities, "probabilities")
    last = max(i for i, x in enumerate(probabilities) if x)
    return next((i for i, total in enumerate(accumulate(probabilities)) if total > u), last)
