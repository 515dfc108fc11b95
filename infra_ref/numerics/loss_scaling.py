r"""Loss scaling: gradients too small for fp16 are multiplied up before the backward pass and divided down after it.

By the chain rule, scaling the loss scales every gradient. What the backward pass leaves behind is a `ScaledGradients`,
which carries the scale it was made with: it cannot be unscaled by another one, nor clipped before it is unscaled.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from infra_ref.numerics import clipping
from infra_ref.numerics.formats import FloatFormat, Number, Value, fp32


@dataclass(frozen=True)
class ScaledGradients:
    """Gradients of a scaled loss as one rank stores them, and the scale that was in force."""

    stored: tuple[Value, ...]
    scale: Number

    @property
    def overflow(self) -> bool:
        """Whether a gradient left the format's range: infinite, or NaN."""
        return not all(math.isfinite(g) for g in self.stored)

    def unscale(self) -> list[Value]:
        r"""The gradients of the loss itself, $g = \hat g / S$, with the scale of their own backward pass.

        A power of two as the scale makes this exact but for what the format lost in storing.
        """
        return [g / Fraction(self.scale) if math.isfinite(g) else g for g in self.stored]


def backward(gradients: Sequence[Number], *, scale: Number, format: FloatFormat) -> ScaledGradients:
    r"""What a backward pass from the scaled loss stores for these gradients.

    $$\hat g = \operatorname{fl}(S\,g)$$

    Args:
        gradients: of the unscaled loss, before they are stored; one that is infinite or NaN stays so.
        scale: $S$, above 0 and finite.
        format: of the stored gradients, such as fp16.
    Raises:
        ValueError: a scale out of range.
    """
    if not 0 < scale < math.inf:
        raise ValueError(f"scale must be finite and above 0, got {scale!r}")
    scaled = (Fraction(g) * Fraction(scale) if math.isfinite(g) else g for g in gradients)
    return ScaledGradients(tuple(format.round(g) for g in scaled), scale)


@dataclass(frozen=True)
class DynamicScale:
    """A loss scale that halves after an overflow and doubles after enough steps without one.

    Defaults are those of `torch.amp.GradScaler`.

    Source:
        torch 2.13, `torch/amp/grad_scaler.py` (opened 2026-11-30).
    """

    scale: Number = 65536
    growth_factor: Number = 2
    backoff_factor: Number = Fraction(1, 2)
    growth_interval: int = 2000
    clean_steps: int = 0
    """Steps since the scale last changed."""

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf:
            raise ValueError(f"scale must be finite and above 0, got {self.scale!r}")
        if not self.growth_factor > 1:
            raise ValueError(f"growth_factor must be above 1, got {self.growth_factor!r}")
        if not 0 < self.backoff_factor < 1:
            raise ValueError(f"backoff_factor must be between 0 and 1, got {self.backoff_factor!r}")
        if self.growth_interval < 1:
            raise ValueError(f"growth_interval must be at least 1, got {self.growth_interval!r}")

    def update(self, *, overflow: bool) -> "DynamicScale":
        """The scale for the next step; this one stays as it is.

        Args:
            overflow: whether a gradient of this step was infinite or NaN on any rank. The step was then skipped.
        Returns:
            The same factors with the new scale; it does not grow past the largest fp32 number.
        """
        if overflow:
            return replace(self, scale=self.scale * self.backoff_factor, clean_steps=0)
        if self.clean_steps + 1 < self.growth_interval:
            return replace(self, clean_steps=self.clean_steps + 1)
        grown = self.scale * self.growth_factor
        return replace(self, scale=grown if grown <= fp32.max else self.scale, clean_steps=0)


class Step(NamedTuple):
    """What the optimizer gets, and the scale for the next step."""

    gradients: list[list[Number]] | None
    """Per rank; None if the step must be skipped."""
    scale: DynamicScale


def step(ranks: Sequence[ScaledGradients], scale: DynamicScale, *, max_norm: Number | None = None) -> Step:
    """Everything between the backward pass and the optimizer, in the only right order.

    First all ranks agree whether any of them overflowed: if so, all skip. Otherwise each unscales with the scale of its
    backward pass, then the global norm is clipped, then the scale is updated. Clipping before unscaling would compare
    the limit with a norm that is 65,536 times too large.

    Args:
        ranks: scaled gradients of each rank's shard.
        scale: the scale in force, to be updated; it plays no part in unscaling.
        max_norm: limit for the global norm of the true gradients; None does not clip.
    Raises:
        ValueError: a max_norm not above 0.
    """
    if any(rank.overflow for rank in ranks):
        return Step(None, scale.update(overflow=True))
    gradients: list[list[Number]] = [[*rank.unscale()] for rank in ranks]
    if max_norm is not None:
        gradients = clipping.clip(gradients, max_norm=max_norm)
    return Step(gradients, scale.update(overflow=False))
