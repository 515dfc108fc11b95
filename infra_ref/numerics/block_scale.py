r"""Block scaling: narrow elements that share a scale, as in the MX formats and NVFP4.

A block of $k$ values is stored as $k$ element codes and one scale code, so a value costs

$$b = b_{\text{elem}} + b_{\text{scale}} / k$$

bits. Quantising is exact arithmetic with one rounding per element (round to nearest even, saturating) and, for NVFP4,
one per scale; a library that multiplies by a reciprocal in fp32 may differ where the quotient lies next to a tie.

Source:
    The shared-exponent rule of OCP MX v1.0: microsoft/microxcaling, `mx/mx_ops.py` and `mx/formats.py`, and pytorch/ao,
    `torchao/prototype/mx_formats/mx_tensor.py`, which follows section 6.3 of the specification (both opened 2026-11-30;
    the specification itself could not be opened). NVFP4: NVIDIA/TransformerEngine,
    `docs/features/low_precision_training/nvfp4/nvfp4.rst` (opened 2026-11-30).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from infra_ref.numerics import formats
from infra_ref.numerics.formats import FloatFormat, Number, Value, floor_log2


@dataclass(frozen=True)
class Block:
    """One block as stored: the code of its scale and the codes of its elements."""

    scale_code: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class Quantized:
    """A quantised sequence: blocks, and the one fp32 scale of the whole tensor (1 for the MX formats)."""

    format: "BlockFormat"
    blocks: tuple[Block, ...]
    tensor_scale: Fraction

    def scales(self) -> list[Fraction]:
        """The number each block's elements are multiplied by, tensor scale included."""
        return [Fraction(self.format.scale.decode(block.scale_code)) * self.tensor_scale for block in self.blocks]

    def dequantize(self) -> list[Value]:
        """The values the codes stand for, exact: element times scale."""
        element = self.format.element
        return [
            element.decode(code) * scale
            for block, scale in zip(self.blocks, self.scales(), strict=True)
            for code in block.codes
        ]


@dataclass(frozen=True)
class BlockFormat:
    r"""An element format, a block length and a scale format.

    An MX format has a power-of-two scale from the largest magnitude $a$ of the block,

    $$X = 2^{\lfloor \log_2 a \rfloor - e_{\max}}$$

    with $e_{\max}$ the exponent of the element's largest value, kept within the range of e8m0. The division can give
    anything below $2^{e_{\max}+1}$, so what lies beyond the largest element saturates. (Transformer Engine rounds
    $a/448$ up to a power of two instead, and nothing saturates.)

    NVFP4 has two levels: $t = a_{\text{tensor}} / (6 \cdot 448)$ in fp32 for the tensor, then
    $a_{\text{block}} / (6\,t)$ in e4m3fn for each block. A block so small that its scale rounds to 0 becomes zeros.
    """

    id: str
    element: FloatFormat
    block: int
    scale: FloatFormat

    @property
    def bits_per_value(self) -> Fraction:
        """Stored bits per value with its share of the block scale; the one tensor scale of NVFP4 is not counted."""
        return self.element.bits + Fraction(self.scale.bits, self.block)

    def quantize(self, values: Sequence[Number]) -> Quantized:
        """Quantise a sequence block by block; the last block may be shorter.

        Raises:
            ValueError: no values, or one that is infinite or NaN.
        """
        if not values:
            raise ValueError("values must hold at least one number")
        for value in values:
            if not math.isfinite(value):
                raise ValueError(f"values must be finite, got {value!r}")
        exact = [Fraction(value) for value in values]
        chunks = [exact[i : i + self.block] for i in range(0, len(exact), self.block)]
        if self.scale.family == "scale":
            return Quantized(self, tuple(self._mx_block(chunk) for chunk in chunks), Fraction(1))
        largest = max(map(abs, exact)) / (self.element.max * self.scale.max)
        tensor_scale = Fraction(formats.fp32.round(largest))
        return Quantized(self, tuple(self._two_level_block(chunk, tensor_scale) for chunk in chunks), tensor_scale)

    def _mx_block(self, chunk: list[Fraction]) -> Block:
        largest = max(map(abs, chunk))
        lowest, highest = self.scale.emin, self.scale.emax
        exponent = floor_log2(largest) - self.element.emax if largest else lowest
        code = min(max(exponent, lowest), highest) + self.scale.bias
        return self._elements(chunk, code, Fraction(1))

    def _two_level_block(self, chunk: list[Fraction], tensor_scale: Fraction) -> Block:
        largest = max(map(abs, chunk)) / self.element.max
        code = self.scale.encode(largest / tensor_scale, overflow="saturate") if tensor_scale else 0
        return self._elements(chunk, code, tensor_scale)

    def _elements(self, chunk: list[Fraction], scale_code: int, tensor_scale: Fraction) -> Block:
        scale = Fraction(self.scale.decode(scale_code)) * tensor_scale
        codes = (self.element.encode(value / scale, overflow="saturate") if scale else 0 for value in chunk)
        return Block(scale_code, tuple(codes))


mxfp8_e4m3 = BlockFormat("mxfp8_e4m3", formats.fp8_e4m3fn, 32, formats.e8m0fnu)
mxfp8_e5m2 = BlockFormat("mxfp8_e5m2", formats.fp8_e5m2, 32, formats.e8m0fnu)
mxfp6_e3m2 = BlockFormat("mxfp6_e3m2", formats.fp6_e3m2fn, 32, formats.e8m0fnu)
mxfp6_e2m3 = BlockFormat("mxfp6_e2m3", formats.fp6_e2m3fn, 32, formats.e8m0fnu)
mxfp4 = BlockFormat("mxfp4", formats.fp4_e2m1fn, 32, formats.e8m0fnu)
nvfp4 = BlockFormat("nvfp4", formats.fp4_e2m1fn, 16, formats.fp8_e4m3fn)

BLOCK_FORMATS = {f.id: f for f in (mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2, mxfp6_e2m3, mxfp4, nvfp4)}
