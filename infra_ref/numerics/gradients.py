r"""Backward passes written by hand, on lists in double precision, and finite differences to check them.

$dY$ stands for the gradient of one scalar, the loss, with respect to $Y$, and has the shape of $Y$. Every function here
is a vector-Jacobian product: it takes $dY$ and what the forward pass kept, and builds no Jacobian, except for
`softmax_jacobian`, which shows what is not built.
"""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from infra_ref.numerics._arguments import require_distribution
from infra_ref.numerics.formats import Number
from infra_ref.numerics.softmax import SmoothingOver, smoothed_target, softmax

Row = Sequence[Number]
Matrix = Sequence[Row]


class LinearGradients(NamedTuple):
    """Gradients of a linear layer; None where nobody asked."""

    input: list[list[float]] | None
    weight: list[list[float]] | None
    bias: list[float] | None


class RmsNormGradients(NamedTuple):
    """Gradients of RMSNorm."""

    input: list[list[float]]
    weight: list[float]


class LayerNormGradients(NamedTuple):
    """Gradients of LayerNorm."""

    input: list[list[float]]
    weight: list[float]
    bias: list[float]


def _dot(left: Row, right: Row) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))


def _columns(matrix: Matrix) -> list[Row]:
    return [list(column) for column in zip(*matrix, strict=True)]


def _require_shape(matrix: Matrix, rows: int, columns: int, name: str) -> None:
    found = (len(matrix), sorted({len(row) for row in matrix}))
    if found != (rows, [columns]):
        raise ValueError(f"{name} must have {rows} rows of {columns}, got {found[0]} of {found[1]}")


def _require_positive(**arguments: Number) -> None:
    for name, value in arguments.items():
        if not 0 < value < math.inf:
            raise ValueError(f"{name} must be finite and above 0, got {value!r}")


def _require_rows(matrix: Matrix, name: str) -> tuple[int, int]:
    if not matrix or not matrix[0]:
        raise ValueError(f"{name} must have at least one row and one column")
    _require_shape(matrix, len(matrix), len(matrix[0]), name)
    return len(matrix), len(matrix[0])


def linear_backward(
    output_gradient: Matrix,
    *,
    inputs: Matrix | None,
    weight: Matrix | None,
    input_requires_grad: bool,
    weight_requires_grad: bool,
    bias_requires_grad: bool,
) -> LinearGradients:
    r"""Backward pass of a linear layer: two products and a sum over the rows, less what nobody asks for.

    $$dX = dY\,W^\top,\qquad dW = X^\top dY,\qquad db = \sum_t dY_t$$

    Each product needs the other's operand, so a layer keeps $X$ for $dW$ and $W$ for $dX$; $db$ needs neither.

    Shapes:
        dY[M, N], X[M, K], W[K, N] -> dX[M, K], dW[K, N], db[N].
    Args:
        output_gradient: $dY$; leading dimensions (batch, sequence) flattened into M rows.
        inputs: $X$; may be None (not kept) if the weight needs no gradient.
        weight: $W$, the transpose of what `torch.nn.Linear` stores; may be None if the input needs no gradient.
    Returns:
        The three gradients in double precision, None for one that was not asked for.
    Raises:
        ValueError: shapes that do not fit, or an operand that is missing.
    """
    rows, out_features = _require_rows(output_gradient, "output_gradient")
    input_gradient = weight_gradient = bias_gradient = None
    if input_requires_grad:
        if not weight:
            raise ValueError("weight must be given: the gradient of the input is a product with it")
        _require_shape(weight, len(weight), out_features, "weight")
        input_gradient = [[_dot(gradient, row) for row in weight] for gradient in output_gradient]
    if weight_requires_grad:
        if not inputs:
            raise ValueError("inputs must be given: the gradient of the weight is a product with them")
        _require_shape(inputs, rows, len(inputs[0]), "inputs")
        gradients = _columns(output_gradient)
        weight_gradient = [[_dot(feature, gradient) for gradient in gradients] for feature in _columns(inputs)]
    if bias_requires_grad:
        bias_gradient = [math.fsum(column) for column in _columns(output_gradient)]
    return LinearGradients(input_gradient, weight_gradient, bias_gradient)


def _require_probabilities(probabilities: Row) -> None:
    if any(probabilities):
        require_distribution(probabilities, "probabilities")


def softmax_jacobian(probabilities: Row) -> list[list[float]]:
    r"""All partial derivatives of a softmax; to look at, as training never builds them.

    $$\frac{\partial p_i}{\partial z_j} = p_i\,(\delta_{ij} - p_j),\qquad J = \operatorname{diag}(p) - p\,p^\top$$

    Symmetric, and every row adds up to 0: a constant added to all logits changes nothing.

    Shapes:
        p[V] -> J[V, V].
    Args:
        probabilities: $p$, what the softmax gave; all 0 for a row all masked, whose Jacobian is 0.
    Raises:
        ValueError: probabilities below 0 or that do not add up to 1.
    """
    _require_probabilities(probabilities)
    p = [float(x) for x in probabilities]
    return [[a * ((i == j) - b) for j, b in enumerate(p)] for i, a in enumerate(p)]


def softmax_backward(output_gradient: Row, probabilities: Row) -> list[float]:
    r"""Gradient through a softmax without its Jacobian: one dot product and one pass.

    $$dz_i = p_i\,\bigl(dp_i - \textstyle\sum_j p_j\,dp_j\bigr)$$

    Only the output is needed, not the logits. A masked logit has $p_i = 0$ and gets no gradient.

    Shapes:
        dp[V], p[V] -> dz[V].
    Args:
        output_gradient: $dp$.
        probabilities: $p$, what the softmax gave.
    Raises:
        ValueError: lengths that differ, probabilities below 0 or that do not add up to 1.
    """
    if len(output_gradient) != len(probabilities):
        raise ValueError(
            f"output_gradient must have one number for each probability, got {len(output_gradient)} for "
            f"{len(probabilities)}"
        )
    _require_probabilities(probabilities)
    mean = _dot(output_gradient, probabilities)
    return [p * (g - mean) for g, p in zip(output_gradient, probabilities, strict=True)]


def cross_entropy_backward(
    logits: Matrix,
    targets: Sequence[int],
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    smoothing_over: SmoothingOver = "all",
    tokens: int | None = None,
) -> list[list[float]]:
    r"""Gradient of the mean cross-entropy per token with respect to the logits, softmax included.

    $$dz_s = \frac{p_s - q_s}{n},\qquad dz_s = 0\ \text{if}\ t_s = \text{ignore}$$

    $q$ is the target as a distribution: one-hot, or smoothed. Nothing is divided by a probability, so a target whose
    probability underflows to 0 still gets its full gradient of $-1/n$.

    Shapes:
        logits[S, V], targets[S] -> dz[S, V].
    Args:
        logits: finite, or -inf where masked; a masked logit gets no gradient.
        targets: class of each row, or ignore_index.
        tokens: $n$; by default the rows of this call that count. For a mean over micro-batches or ranks, all of them.
    Raises:
        ValueError: lengths that differ, no token that counts, a bad target, logit or smoothing, or a target with a
            share on a masked logit: its loss is infinite.
    """
    if len(logits) != len(targets):
        raise ValueError(f"there must be a target for each row of logits, got {len(targets)} for {len(logits)}")
    count = sum(target != ignore_index for target in targets) if tokens is None else tokens
    if count < 1:
        raise ValueError("tokens must be at least 1: a mean over no token has no gradient")
    gradients = []
    for row, target in zip(logits, targets, strict=True):
        if target == ignore_index:
            gradients.append([0.0] * len(row))
            continue
        wanted = smoothed_target(
            target, classes=len(row), label_smoothing=label_smoothing, smoothing_over=smoothing_over
        )
        if any(q and z == -math.inf for q, z in zip(wanted, row, strict=True)):
            raise ValueError(f"target {target} must not have a share on a masked logit: its loss is infinite")
        gradients.append([(p - q) / count for p, q in zip(softmax(row), wanted, strict=True)])
    return gradients


def gelu_derivative(x: Number, *, approximate: Literal["none", "tanh"]) -> float:
    r"""Derivative of GELU, $x\,\Phi(x)$, or of its approximation by a hyperbolic tangent.

    $$\Phi(x) + x\,\varphi(x),\qquad
    \tfrac12(1 + \tanh w) + \tfrac x2\,(1 - \tanh^2 w)\,w',\quad
    w = \sqrt{2/\pi}\,(x + 0.044715\,x^3)$$

    It depends on the input, which the output does not determine: GELU is not monotonic, so $x$ itself must be kept.

    Args:
        approximate: "none" or "tanh", as for `torch.nn.functional.gelu`.
    Raises:
        ValueError: x not finite, or another approximation.
    Source:
        Formulas and constant: PyTorch documentation of GELU (opened 2026-12-01).
    """
    x = float(x)
    if not math.isfinite(x):
        raise ValueError(f"x must be finite, got {x!r}")
    if approximate == "none":
        density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return math.erfc(-x / math.sqrt(2)) / 2 + x * density
    if approximate != "tanh":
        raise ValueError(f"approximate must be 'none' or 'tanh', got {approximate!r}")
    scale, cubic = math.sqrt(2 / math.pi), 0.044715
    bent = math.tanh(scale * (x + cubic * x * x * x))
    slope = 1 - bent * bent
    return (1 + bent) / 2 + (x / 2 * slope * scale * (1 + 3 * cubic * x * x) if slope else 0.0)


def _normalised(row: Row, epsilon: Number) -> tuple[list[float], float]:
    """A row over its root mean square, and the reciprocal of that."""
    root = math.hypot(math.hypot(*map(float, row)) / math.sqrt(len(row)), math.sqrt(epsilon))
    if not root:
        raise ValueError("epsilon must be above 0 where a row has no spread: its root is 0")
    return [float(x) / root for x in row], 1 / root


def _require_norm(output_gradient: Matrix, inputs: Matrix, weight: Row, epsilon: Number) -> None:
    rows, features = _require_rows(inputs, "inputs")
    _require_shape(output_gradient, rows, features, "output_gradient")
    _require_shape([weight], 1, features, "weight")
    if not 0 <= epsilon < math.inf:
        raise ValueError(f"epsilon must be finite and at least 0, got {epsilon!r}")


def rms_norm_backward(output_gradient: Matrix, *, inputs: Matrix, weight: Row, epsilon: Number) -> RmsNormGradients:
    r"""Backward pass of RMSNorm with a weight.

    $$dx = r\,\Bigl(h - \hat x\,\frac1H \sum_i h_i \hat x_i\Bigr),\qquad dg = \sum_t dY_t \odot \hat x_t,\qquad
    h = g \odot dy,\ \hat x = r x,\ r = \bigl(\tfrac1H \textstyle\sum_i x_i^2 + \epsilon\bigr)^{-1/2}$$

    The part of $h$ along the row is taken out: making a row longer does not change its normalised form. Kept are the
    input and one number per row, $r$; here it is computed again.

    Shapes:
        dY[T, H], X[T, H], g[H] -> dX[T, H], dg[H].
    Args:
        epsilon: $\epsilon$, at least 0.
    Raises:
        ValueError: shapes that do not fit, an epsilon out of range, or a row of zeros with an epsilon of 0.
    """
    _require_norm(output_gradient, inputs, weight, epsilon)
    features, input_gradient, terms = len(weight), [], []
    for gradient, row in zip(output_gradient, inputs, strict=True):
        hat, r = _normalised(row, epsilon)
        h = [g * w for g, w in zip(gradient, weight, strict=True)]
        along = _dot(h, hat) / features
        input_gradient.append([r * (a - x * along) for a, x in zip(h, hat, strict=True)])
        terms.append([g * x for g, x in zip(gradient, hat, strict=True)])
    return RmsNormGradients(input_gradient, [math.fsum(column) for column in _columns(terms)])


def layer_norm_backward(output_gradient: Matrix, *, inputs: Matrix, weight: Row, epsilon: Number) -> LayerNormGradients:
    r"""Backward pass of LayerNorm with a weight and a bias.

    $$dx = r\,\Bigl(h - \frac1H \sum_i h_i - \hat x\,\frac1H \sum_i h_i \hat x_i\Bigr),\qquad
    h = g \odot dy,\ \hat x = r\,(x - \bar x)$$

    RMSNorm's of the row less its mean, less the mean of h as well: adding a constant to a row changes nothing either.

    Shapes:
        dY[T, H], X[T, H], g[H] -> dX[T, H], dg[H], db[H].
    Args:
        epsilon: $\epsilon$, at least 0, added to the variance (over H, not H - 1).
    Raises:
        ValueError: shapes that do not fit, an epsilon out of range, or a constant row with an epsilon of 0.
    """
    _require_norm(output_gradient, inputs, weight, epsilon)
    means = [math.fsum(row) / len(weight) for row in inputs]
    centred = [[x - mean for x in row] for row, mean in zip(inputs, means, strict=True)]
    rms = rms_norm_backward(output_gradient, inputs=centred, weight=weight, epsilon=epsilon)
    input_gradient = []
    for row in rms.input:
        mean = math.fsum(row) / len(row)
        input_gradient.append([x - mean for x in row])
    return LayerNormGradients(input_gradient, rms.weight, [math.fsum(column) for column in _columns(output_gradient)])


def forward_difference(function: Callable[[float], float], x: float, *, step: float) -> float:
    r"""Derivative from two values, one of them at x.

    $$f'(x) \approx \frac{f(x + h) - f(x)}{h}$$

    What is divided by is the step that was taken, $\text{fl}(x + h) - x$, so rounding $x + h$ costs nothing.

    Args:
        function: of one number; in the precision of x, so `numpy.float32` in gives a difference in fp32.
        step: $h$.
    Raises:
        ValueError: a step that is not finite and above 0, or is lost beside x.
    """
    _require_positive(step=step)
    high = x + step
    if high == x:
        raise ValueError(f"step must change x, but {step!r} is lost beside {x!r}")
    return (function(high) - function(x)) / (high - x)


def central_difference(function: Callable[[float], float], x: float, *, step: float) -> float:
    r"""Derivative from two values on either side of x.

    $$f'(x) \approx \frac{f(x + h) - f(x - h)}{2h}$$

    Args:
        function: of one number; in the precision of x, so `numpy.float32` in gives a difference in fp32.
        step: $h$; what is divided by is the distance that was taken.
    Raises:
        ValueError: a step that is not finite and above 0, or is lost beside x.
    """
    _require_positive(step=step)
    low, high = x - step, x + step
    if low == x or high == x:
        raise ValueError(f"step must change x, but {step!r} is lost beside {x!r}")
    return (function(high) - function(low)) / (high - low)


def complex_step(function: Callable[[complex], complex], x: float, *, step: float = 1e-20) -> float:
    r"""Derivative from one value beside the real axis.

    $$f'(x) \approx \frac{\operatorname{Im} f(x + ih)}{h}$$

    Nothing is subtracted, so nothing cancels, and the step may be so small that its truncation error vanishes. The
    function must be analytic and written for complex numbers: no `abs`, no comparison, no rounding.

    Args:
        step: $h$.
    Raises:
        ValueError: a step that is not finite and above 0.
    """
    _require_positive(step=step)
    return function(complex(x, step)).imag / step


def forward_difference_error(*, step: Number, roundoff: Number, value: Number, second: Number) -> float:
    r"""Bound on the error of a forward difference: truncation plus rounding.

    $$E(h) = \frac{h}{2}\,C_2 + \frac{2u}{h}\,C_0$$

    Args:
        step: $h$.
        roundoff: $u$, relative error of one value of the function; at best the unit roundoff of the format.
        value: $C_0$, bound on $|f|$ near x.
        second: $C_2$, bound on $|f''|$ near x.
    Raises:
        ValueError: an argument that is not finite and above 0.
    """
    _require_positive(step=step, roundoff=roundoff, value=value, second=second)
    return float(step * second / 2 + 2 * roundoff * value / step)


def central_difference_error(*, step: Number, roundoff: Number, value: Number, third: Number) -> float:
    r"""Bound on the error of a central difference: truncation plus rounding.

    $$E(h) = \frac{h^2}{6}\,C_3 + \frac{u}{h}\,C_0$$

    Args:
        step: $h$.
        roundoff: $u$, relative error of one value of the function; at best the unit roundoff of the format.
        value: $C_0$, bound on $|f|$ near x.
        third: $C_3$, bound on $|f'''|$ near x.
    Raises:
        ValueError: an argument that is not finite and above 0.
    """
    _require_positive(step=step, roundoff=roundoff, value=value, third=third)
    return float(step * step * third / 6 + roundoff * value / step)


def best_forward_step(*, roundoff: Number, value: Number, second: Number) -> float:
    r"""Step at which the bound of `forward_difference_error` is least.

    $$h^* = 2\sqrt{\frac{u C_0}{C_2}}$$

    Raises:
        ValueError: an argument that is not finite and above 0.
    """
    _require_positive(roundoff=roundoff, value=value, second=second)
    return 2 * math.sqrt(roundoff * value / second)


def best_central_step(*, roundoff: Number, value: Number, third: Number) -> float:
    r"""Step at which the bound of `central_difference_error` is least.

    $$h^* = \sqrt[3]{\frac{3 u C_0}{C_3}}$$

    Raises:
        ValueError: an argument that is not finite and above 0.
    """
    _require_positive(roundoff=roundoff, value=value, third=third)
    return math.cbrt(3 * roundoff * value / third)
