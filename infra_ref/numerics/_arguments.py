"""Checks on rows of logits and probabilities, with messages that name the argument."""

import math
from collections.abc import Sequence

from infra_ref.numerics.formats import Number

SUM_TOLERANCE = 1e-6
"""How far the sum of a distribution may be from 1: enough for probabilities that were rounded to fp32."""


def require_logits(logits: Sequence[Number], name: str = "logits") -> None:
    """Raise ValueError unless every logit is finite, or -inf for a masked one."""
    for logit in logits:
        if not logit < math.inf:
            raise ValueError(f"{name} must be finite, or -inf where masked, got {logit!r}")


def require_distribution(probabilities: Sequence[Number], name: str) -> None:
    """Raise ValueError unless the numbers are at least 0 and add up to 1."""
    for probability in probabilities:
        if not probability >= 0:
            raise ValueError(f"{name} must be at least 0, got {probability!r}")
    total = math.fsum(probabilities)
    if not abs(total - 1) <= SUM_TOLERANCE:
        raise ValueError(f"{name} must add up to 1, got {total!r}")
