r"""The ledger of a linear layer Y = X W^T + b, forward and backward, with a LoRA adapter or without; score matrices.

T rows (batch times sequence), I input and O output features. A multiply-add is 2 FLOPs, a lone multiplication or
addition is 1; a sum starts at 0, so adding up n numbers is n additions. Products of matrices and the rest are separate
parts: the products run on matrix units, and are all that `torch.utils.flop_counter` counts.
"""

from typing import NamedTuple

from infra_ref.ledger import gemm
from infra_ref.ledger._arguments import require_sizes
from infra_ref.units import Q, Quantity, magnitude

_NOTHING = Q(0, "FLOP")


def _sum(*parts: Quantity) -> Quantity:
    return Q(sum(magnitude(part, "FLOP") for part in parts), "FLOP")


class LinearForward(NamedTuple):
    """FLOPs of a linear layer's forward pass by part."""

    product: Quantity
    """X W^T"""
    bias: Quantity
    """adding b to every row"""

    @property
    def total(self) -> Quantity:
        return _sum(self.product, self.bias)


class LinearBackward(NamedTuple):
    """FLOPs of a linear layer's backward pass by part; a gradient that nobody asked for costs 0."""

    input_gradient: Quantity
    """dY W, for the layer before"""
    weight_gradient: Quantity
    """dY^T X"""
    bias_gradient: Quantity
    """sum of dY over the rows"""

    @property
    def products(self) -> Quantity:
        return _sum(self.input_gradient, self.weight_gradient)

    @property
    def total(self) -> Quantity:
        return _sum(self.products, self.bias_gradient)


def forward_flops(*, rows: int, in_features: int, out_features: int, bias: bool) -> LinearForward:
    r"""FLOPs of the forward pass of a linear layer.

    $$F = 2\,T I O + T O$$

    The second term is the bias; it is often fused into the product's epilogue, but is computed all the same.

    Shapes:
        X[T, I], W[O, I], b[O] -> Y[T, O].
    Args:
        rows: $T$, batch times sequence.
    Returns:
        Both parts and their total, exact.
    Raises:
        ValueError: a size that is not an int of at least 0.
    """
    require_sizes(rows=rows, in_features=in_features, out_features=out_features)
    product = gemm.flops(m=rows, n=out_features, k=in_features)
    return LinearForward(product, Q(rows * out_features, "FLOP") if bias else _NOTHING)


def backward_flops(
    *,
    rows: int,
    in_features: int,
    out_features: int,
    input_requires_grad: bool,
    weight_requires_grad: bool,
    bias_requires_grad: bool,
) -> LinearBackward:
    r"""FLOPs of the backward pass of a linear layer: two products and a reduction, less what needs no gradient.

    $$F = \underbrace{2\,T I O}_{dX = dY\,W} + \underbrace{2\,T I O}_{dW = dY^T X} +
    \underbrace{T O}_{db = \sum_t dY_t}$$

    Twice the forward pass, with two exceptions: the first layer needs no gradient of its input, a frozen weight none of
    itself. Either saves one product; a frozen layer still pays for the gradient that passes through it.

    Shapes:
        dY[T, O], W[O, I], X[T, I] -> dX[T, I], dW[O, I], db[O].
    Returns:
        The three parts and their total, exact.
    Raises:
        ValueError: a size that is not an int of at least 0.
    """
    require_sizes(rows=rows, in_features=in_features, out_features=out_features)
    one = gemm.flops(m=rows, n=out_features, k=in_features)
    return LinearBackward(
        input_gradient=one if input_requires_grad else _NOTHING,
        weight_gradient=one if weight_requires_grad else _NOTHING,
        bias_gradient=Q(rows * out_features, "FLOP") if bias_requires_grad else _NOTHING,
    )


class LoraForward(NamedTuple):
    """FLOPs of the forward pass of a linear layer with a LoRA adapter by part."""

    base: Quantity
    """X W^T, with the frozen weight"""
    down: Quantity
    """H = X A^T"""
    up: Quantity
    """H B^T"""
    elementwise: Quantity
    """scaling the adapter's result and adding it"""

    @property
    def products(self) -> Quantity:
        return _sum(self.base, self.down, self.up)

    @property
    def total(self) -> Quantity:
        return _sum(self.products, self.elementwise)


class LoraBackward(NamedTuple):
    """FLOPs of the backward pass of a linear layer with a LoRA adapter by part."""

    base_input_gradient: Quantity
    """dY W; 0 if the input needs no gradient"""
    up_gradient: Quantity
    """dB = s dY^T H"""
    hidden_gradient: Quantity
    """dH = s dY B"""
    down_gradient: Quantity
    """dA = dH^T X"""
    adapter_input_gradient: Quantity
    """dH A; 0 if the input needs no gradient"""
    elementwise: Quantity
    """scaling dY, and adding the two gradients of the input"""

    @property
    def products(self) -> Quantity:
        return _sum(*self[:5])

    @property
    def total(self) -> Quantity:
        return _sum(self.products, self.elementwise)


def lora_forward_flops(*, rows: int, in_features: int, out_features: int, rank: int) -> LoraForward:
    r"""FLOPs of the forward pass with an adapter that is not merged into the weight.

    $$F = 2\,T I O + 2\,T r\,(I + O) + 2\,T O$$

    The adapter adds the share $r(I+O)/IO$ of the layer's product, little for small r. It saves memory for gradients and
    optimizer state, not FLOPs of the forward pass; merged into the weight it costs nothing.

    Shapes:
        X[T, I], W[O, I], A[r, I], B[O, r] -> Y[T, O] = X W^T + s (X A^T) B^T.
    Args:
        rank: $r$.
    Returns:
        The parts and their total, exact. Dropout is not counted.
    Raises:
        ValueError: a size below 0, or a rank below 1.
    Source:
        Hu et al. 2022, arXiv:2106.09685, section 4.1: h = W0 x + BA x, scaled by alpha / r.
    """
    require_sizes(rows=rows, in_features=in_features, out_features=out_features)
    require_sizes(1, rank=rank)
    return LoraForward(
        base=gemm.flops(m=rows, n=out_features, k=in_features),
        down=gemm.flops(m=rows, n=rank, k=in_features),
        up=gemm.flops(m=rows, n=out_features, k=rank),
        elementwise=Q(2 * rows * out_features, "FLOP"),
    )


def lora_backward_flops(
    *, rows: int, in_features: int, out_features: int, rank: int, input_requires_grad: bool
) -> LoraBackward:
    r"""FLOPs of the backward pass with a frozen weight and a trained adapter.

    $$F = 2\,T I O + 2\,T r\,(2I + 2O) + T\,(O + I)$$

    The gradient of the weight, one product of $2TIO$, is what LoRA saves: about a third of a training step, not more.
    Without a gradient of the input (the first adapted layer) $2TIO + 2TrI + TI$ fall away as well.

    Shapes:
        dY[T, O], X[T, I], H[T, r], W[O, I], A[r, I], B[O, r] -> dX[T, I], dA[r, I], dB[O, r].
    Returns:
        The parts and their total, exact.
    Raises:
        ValueError: a size below 0, or a rank below 1.
    """
    require_sizes(rows=rows, in_features=in_features, out_features=out_features)
    require_sizes(1, rank=rank)
    up = gemm.flops(m=rows, n=out_features, k=rank)
    down = gemm.flops(m=rows, n=in_features, k=rank)
    base = gemm.flops(m=rows, n=in_features, k=out_features)
    scaling = rows * out_features
    adding = rows * in_features if input_requires_grad else 0
    return LoraBackward(
        base_input_gradient=base if input_requires_grad else _NOTHING,
        up_gradient=up,
        hidden_gradient=up,
        down_gradient=down,
        adapter_input_gradient=down if input_requires_grad else _NOTHING,
        elementwise=Q(scaling + adding, "FLOP"),
    )


def attention_score_bytes(*, batch: int, heads: int, q_len: int, kv_len: int, itemsize: int) -> Quantity:
    r"""Bytes of the score matrices of one attention layer, if they are written to memory at all.

    $$Q = s\,B\,N_h\,S_q S_k$$

    They grow with the square of the sequence; a fused kernel keeps one tile of them on the chip instead.

    Shapes:
        [B, N_h, S_q, S_k].
    Args:
        heads: $N_h$, query heads; sharing key/value heads does not shrink the scores.
        itemsize: $s$, bytes of one score.
    Returns:
        Bytes, exact. A stored softmax takes as much again.
    Raises:
        ValueError: a size below 0, or an itemsize below 1.
    """
    require_sizes(batch=batch, heads=heads, q_len=q_len, kv_len=kv_len)
    require_sizes(1, itemsize=itemsize)
    return Q(itemsize * batch * heads * q_len * kv_len, "B")
