r"""Bytes of training state per parameter: weights, gradients and optimizer state, as sums of named parts.

Activations and workspace are not model state and are not counted. GB is 1e9 B.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from infra_ref.ledger._arguments import require_sizes
from infra_ref.units import Q, Quantity, magnitude

Kind = Literal["weights", "gradients", "optimizer"]

SHARDED: dict[int, tuple[Kind, ...]] = {
    0: (),
    1: ("optimizer",),
    2: ("optimizer", "gradients"),
    3: ("optimizer", "gradients", "weights"),
}
"""Kinds of state that each ZeRO stage divides among the ranks."""


class Part(NamedTuple):
    """One tensor per parameter tensor, of the same shape."""

    name: str
    kind: Kind
    """What decides the ZeRO stage that divides it: "weights", "gradients" or "optimizer"."""
    itemsize: int
    """Bytes of one element."""


@dataclass(frozen=True)
class StateLayout:
    r"""What a training step keeps for every parameter.

    $$b = \sum_k b_k$$

    Printing one shows its parts and their sum.
    """

    id: str
    parts: tuple[Part, ...]

    @property
    def bytes_per_parameter(self) -> Quantity:
        """Sum of the parts for one parameter."""
        return Q(sum(part.itemsize for part in self.parts), "B")

    def breakdown(self, *, parameters: int) -> dict[str, Quantity]:
        """Bytes of each part by name; their sum is `total`.

        Raises:
            ValueError: parameters below 0.
        """
        require_sizes(parameters=parameters)
        return {part.name: Q(part.itemsize * parameters, "B") for part in self.parts}

    def total(self, *, parameters: int) -> Quantity:
        r"""Bytes of the whole state on one device that holds all of it.

        $$M = N \sum_k b_k$$

        Args:
            parameters: $N$, trainable parameters.
        Raises:
            ValueError: parameters below 0.
        """
        return Q(sum(magnitude(nbytes, "B") for nbytes in self.breakdown(parameters=parameters).values()), "B")

    def per_rank(self, *, parameters: int, ranks: int, stage: int) -> Quantity:
        r"""Bytes on the fullest rank when a ZeRO stage divides part of the state among data-parallel ranks.

        $$M = N \sum_{k\ \text{whole}} b_k + \left\lceil\frac{N}{n}\right\rceil \sum_{k\ \text{divided}} b_k$$

        Stage 1 divides the optimizer state, stage 2 also the gradients, stage 3 also the weights; stage 0 nothing.
        Parameters are dealt out in blocks of $\lceil N/n \rceil$. Buffers for communication and the layer that stage 3
        has gathered come on top.

        Args:
            parameters: $N$.
            ranks: $n$, data-parallel ranks.
            stage: 0, 1, 2 or 3.
        Raises:
            ValueError: parameters below 0, ranks below 1, or an unknown stage.
        Source:
            Rajbhandari et al. 2020, "ZeRO", arXiv:1910.02054. The stage 1 sums 4 + 16/n, 6 + 12/n and 8 + 8/n: Megatron
            Core developer guide, Distributed Optimizer (opened 2026-11-30).
        """
        require_sizes(parameters=parameters)
        require_sizes(1, ranks=ranks)
        if isinstance(stage, bool) or stage not in SHARDED:
            raise ValueError(f"stage must be 0, 1, 2 or 3, not {stage!r}")
        share = -(-parameters // ranks)
        return Q(sum(p.itemsize * (share if p.kind in SHARDED[stage] else parameters) for p in self.parts), "B")

    def step_bytes(self, *, parameters: int) -> Quantity:
        r"""Least bytes of one optimizer step in one kernel: each part read at most once and written at most once.

        $$Q = N\,\Bigl(\sum_{k\ \text{read}} b_k + \sum_{k\ \text{written}} b_k\Bigr)$$

        Read: every part but weights that have a master copy, for they are only overwritten. Written: every part but the
        gradients that the backward pass left. A gradient copy is written by the cast before the step and read by the
        step.

        Args:
            parameters: $N$.
        Returns:
            Bytes, exact; the learning rate and other numbers per step are not counted.
        Raises:
            ValueError: parameters below 0.
        """
        require_sizes(parameters=parameters)
        overwritten = _MASTER in self.parts
        read = sum(part.itemsize for part in self.parts if not (overwritten and part.kind == "weights"))
        written = sum(part.itemsize for part in self.parts if part.kind != "gradients")
        return Q((read + written) * parameters, "B")

    def __str__(self) -> str:
        lines = [f"{part.itemsize:>3} B  {part.name}" for part in self.parts]
        return "\n".join([*lines, f"{magnitude(self.bytes_per_parameter, 'B'):>3} B  in all"])


_MOMENTS = (Part("first moment, fp32", "optimizer", 4), Part("second moment, fp32", "optimizer", 4))
_WEIGHTS_16 = Part("weights, 16-bit", "weights", 2)
_WEIGHTS_32 = Part("weights, fp32", "weights", 4)
_GRADIENTS_16 = Part("gradients, 16-bit", "gradients", 2)
_GRADIENTS_32 = Part("gradients, fp32", "gradients", 4)
_MASTER = Part("master weights, fp32", "optimizer", 4)

mixed_adam = StateLayout("mixed_adam", (_WEIGHTS_16, _GRADIENTS_16, _MASTER, *_MOMENTS))
mixed_adam_fp32_gradients = StateLayout("mixed_adam_fp32_gradients", (_WEIGHTS_16, _GRADIENTS_32, _MASTER, *_MOMENTS))
mixed_adam_gradient_copy = StateLayout(
    "mixed_adam_gradient_copy",
    (_WEIGHTS_16, _GRADIENTS_16, Part("gradient copy, fp32", "optimizer", 4), _MASTER, *_MOMENTS),
)
fp32_adam = StateLayout("fp32_adam", (_WEIGHTS_32, _GRADIENTS_32, *_MOMENTS))
fp32_adam_no_gradients = StateLayout("fp32_adam_no_gradients", (_WEIGHTS_32, *_MOMENTS))

LAYOUTS = {
    layout.id: layout
    for layout in (mixed_adam, mixed_adam_fp32_gradients, mixed_adam_gradient_copy, fp32_adam, fp32_adam_no_gradients)
}


def adam_step_flops(*, parameters: int) -> Quantity:
    r"""FLOPs of one Adam step.

    $$F = 14N$$

    First moment: 2 products and a sum. Second: the square, 2 products and a sum. Then 2 divisions correct both for
    their start at 0, and a root, the addition of epsilon, a quotient, the product with the learning rate and a
    subtraction move the parameter. A root or a division is 1 FLOP; casts are none. AdamW adds one product.

    Args:
        parameters: $N$.
    Returns:
        FLOPs, exact; what is computed once per step, such as $1-\beta^t$, is not counted.
    Raises:
        ValueError: parameters below 0.
    """
    require_sizes(parameters=parameters)
    return Q(14 * parameters, "FLOP")
