r"""Softmax and what is computed from it, in double precision: log-sum-exp, online state, cross-entropy, entropy, KL.

A logit is finite, or -inf where it is masked. Every function subtracts the largest logit first, so none overflows.

A row whose logits are all masked has no distribution. Here its softmax is all 0, its log-softmax all -inf, its
log-sum-exp -inf and its attention output 0: what merging no parts gives, and what PyTorch's
`scaled_dot_product_attention` returns. `torch.softmax` gives NaN instead, and a mask that adds the lowest finite number
gives a uniform distribution, hence the mean of the values. Compare the three only on rows that see something.
"""

import decimal
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from infra_ref.numerics._arguments import require_distribution, require_logits
from infra_ref.numerics.formats import FloatFormat, Number
from infra_ref.numerics.statistics import TokenSum

SmoothingOver = Literal["all", "others"]


def _log(x: float, base: float) -> float:
    return math.log2(x) if base == 2 else math.log(x) / math.log(base)


def _require_base(base: float) -> None:
    if not 1 < base < math.inf:
        raise ValueError(f"base must be above 1 (math.e for nats, 2 for bits), got {base!r}")


def _below_top(logits: Sequence[Number], temperature: float = 1.0) -> list[float]:
    """Each logit's distance to the largest one, over the temperature; -inf throughout for a row all masked."""
    require_logits(logits)
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be finite and above 0, got {temperature!r}; its limit 0 is sampling.greedy")
    top = float(max(logits, default=-math.inf))
    return [(float(x) - top) / temperature if x > -math.inf else -math.inf for x in logits]


def softmax(logits: Sequence[Number], *, temperature: float = 1.0) -> list[float]:
    r"""Probabilities proportional to the exponentials of the logits.

    $$p_i = \frac{e^{(x_i - m)/T}}{\sum_j e^{(x_j - m)/T}},\qquad m = \max_j x_j$$

    Adding a constant to every logit changes nothing, so the shift by $m$ is free, and no exponent is above 0.

    Args:
        logits: finite, or -inf where masked.
        temperature: $T$. Towards 0 the largest logit takes all, towards infinity the distribution is uniform.
    Returns:
        Probabilities that add up to 1; all 0 if every logit is masked.
    Raises:
        ValueError: a logit that is NaN or +inf, or a temperature that is not finite and above 0.
    """
    exponentials = [math.exp(d) for d in _below_top(logits, temperature)]
    total = math.fsum(exponentials)
    return [e / total for e in exponentials] if total else exponentials


def log_softmax(logits: Sequence[Number], *, temperature: float = 1.0) -> list[float]:
    r"""Logarithms of the softmax, exact far below where the probabilities themselves underflow to 0.

    $$\log p_i = \frac{x_i - m}{T} - \log \sum_j e^{(x_j - m)/T}$$

    Returns:
        Natural logarithms, at most 0; -inf where masked.
    Raises:
        ValueError: as for `softmax`.
    """
    below = _below_top(logits, temperature)
    total = math.fsum(map(math.exp, below))
    return [d - math.log(total) for d in below] if total else below


def log_sum_exp(logits: Sequence[Number], *, base: float) -> float:
    r"""Logarithm of the sum of exponentials, in the base asked for.

    $$\operatorname{LSE}_b(x) = \log_b \sum_i e^{x_i} = \frac{m}{\ln b} + \log_b \sum_i e^{x_i - m}$$

    The exponentials are natural ones in any base. Attention kernels keep it to merge partial results: in base e, or in
    base 2 where the hardware's exponential is 2^x. Mixing the two up is a factor of 1.44 that no shape check finds.

    Args:
        logits: finite, or -inf where masked; may be empty.
        base: $b$; `math.e` or 2.
    Returns:
        -inf for no logits, or only masked ones.
    Raises:
        ValueError: a logit that is NaN or +inf, or a base not above 1.
    Source:
        Base 2: flashinfer-ai/flashinfer, `include/flashinfer/attention/state.cuh`, `get_lse` (opened 2026-11-30).
    """
    _require_base(base)
    total = math.fsum(map(math.exp, _below_top(logits)))
    return float(max(logits)) / math.log(base) + _log(total, base) if total else -math.inf


def exp_overflow_threshold(format: FloatFormat) -> Fraction:
    r"""Largest value of the format whose exponential does not overflow in it.

    $$\max\{x : e^x < \text{max} + \tfrac12 \text{ulp}\}$$

    A result overflows when it rounds beyond `max`, which begins half a gap above it. $\log(\text{max})$ itself is not
    the answer: it is irrational, and rounding it to the format can land above the limit, as in fp32.

    Returns:
        Exact. The next larger value of the format, if there is one, overflows.
    """
    limit = format.max + format.spacing(format.max) / 2
    with decimal.localcontext(prec=60):
        logarithm = Fraction((decimal.Decimal(limit.numerator) / limit.denominator).ln())
    code = format.encode(logarithm)
    return next(x for c in (code, code - 1) if (x := Fraction(format.decode(c))) <= logarithm)


@dataclass(frozen=True)
class Online:
    r"""What a softmax-weighted sum must remember of the logits and values it has seen.

    $$m = \max_i x_i,\qquad \ell = \sum_i e^{x_i - m},\qquad o = \sum_i e^{x_i - m}\,v_i$$

    `lift` makes one from a tile, `merge` joins two, `empty` is the neutral element; order and cut do not matter.
    """

    m: float
    l: float  # noqa: E741 - the letter of the formula
    o: tuple[float, ...]

    def output(self) -> list[float]:
        r"""The weighted mean of the values, $o / \ell$; 0 if nothing was seen but masked logits."""
        return [x / self.l for x in self.o] if self.l else [0.0] * len(self.o)

    def log_sum_exp(self, *, base: float) -> float:
        r"""$\log_b \sum_i e^{x_i} = m / \ln b + \log_b \ell$; -inf if nothing was seen but masked logits."""
        _require_base(base)
        return self.m / math.log(base) + _log(self.l, base) if self.l else -math.inf


def empty(width: int) -> Online:
    """The state of no logits: merging it changes nothing.

    Args:
        width: elements of a value vector.
    """
    return Online(-math.inf, 0.0, (0.0,) * width)


def lift(logits: Sequence[Number], values: Sequence[Sequence[Number]]) -> Online:
    """The state of one tile.

    Shapes:
        logits[S], values[S, D] -> o[D].
    Args:
        logits: at least one; finite, or -inf where masked.
        values: a vector for each logit. That of a masked logit is not read, so it may be NaN (memory never written).
    Raises:
        ValueError: no logit, not one value per logit, widths that differ, or a logit that is NaN or +inf.
    """
    if not logits or len(logits) != len(values):
        raise ValueError(f"there must be as many values as logits, and at least 1; got {len(values)} and {len(logits)}")
    if len({len(value) for value in values}) > 1:
        raise ValueError(f"values must all have the same width, got {sorted({len(value) for value in values})}")
    weights = [math.exp(d) for d in _below_top(logits)]
    seen = [(w, value) for w, value in zip(weights, values, strict=True) if w]
    columns = (math.fsum(w * value[j] for w, value in seen) for j in range(len(values[0])))
    return Online(float(max(logits)), math.fsum(weights), tuple(columns))


def merge(left: Online, right: Online) -> Online:
    r"""The state of both sets of logits together.

    $$m = \max(m_a, m_b),\qquad \ell = \ell_a e^{m_a - m} + \ell_b e^{m_b - m},\qquad
    o = o_a e^{m_a - m} + o_b e^{m_b - m}$$

    Associative and commutative up to rounding, so tiles, splits and ranks may be merged in any order.

    Raises:
        ValueError: values of different widths.
    Source:
        Milakov and Gimelshein 2018, arXiv:1805.02867 (m and the sum); Dao et al. 2022, arXiv:2205.14135 (the values).
    """
    if len(left.o) != len(right.o):
        raise ValueError(f"left and right must hold values of the same width, got {len(left.o)} and {len(right.o)}")
    m = max(left.m, right.m)
    if m == -math.inf:  # nothing seen on either side: -inf - -inf would be NaN
        return left
    a, b = math.exp(left.m - m), math.exp(right.m - m)
    o = tuple(a * x + b * y for x, y in zip(left.o, right.o, strict=True))
    return Online(m, a * left.l + b * right.l, o)


def smoothed_target(
    target: int, *, classes: int, label_smoothing: float, smoothing_over: SmoothingOver = "all"
) -> list[float]:
    r"""The distribution that cross-entropy compares with: one-hot, or smoothed in one of two conventions.

    $$q_t = 1 - \varepsilon + \frac{\varepsilon}{V},\quad q_c = \frac{\varepsilon}{V}\quad\text{("all")},\qquad
    q_t = 1 - \varepsilon,\quad q_c = \frac{\varepsilon}{V - 1}\quad\text{("others")}$$

    Args:
        target: $t$, from 0 to classes - 1.
        label_smoothing: $\varepsilon$, from 0 to 1.
        smoothing_over: spread over "all" classes, as `torch.nn.functional.cross_entropy` does, or over the "others".
    Raises:
        ValueError: an argument outside its range, or "others" with a single class.
    Source:
        "all": PyTorch documentation of CrossEntropyLoss. "others": `virtex/modules/label_smoothing.py` in the space
        umichVision/virtex-redcaps on Hugging Face (both opened 2026-11-30).
    """
    if isinstance(target, bool) or not isinstance(target, int) or not 0 <= target < classes:
        raise ValueError(f"target must be an int from 0 to {classes - 1}, got {target!r}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing must be from 0 to 1, got {label_smoothing!r}")
    if smoothing_over not in ("all", "others"):
        raise ValueError(f"smoothing_over must be 'all' or 'others', got {smoothing_over!r}")
    sharers = classes if smoothing_over == "all" else classes - 1
    if not sharers:
        raise ValueError("classes must be at least 2 to smooth over the others")
    share = label_smoothing / sharers
    kept = 1 - label_smoothing + (share if smoothing_over == "all" else 0)
    return [kept if c == target else share for c in range(classes)]


def cross_entropy(
    logits: Sequence[Sequence[Number]],
    targets: Sequence[int],
    *,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    smoothing_over: SmoothingOver = "all",
) -> TokenSum:
    r"""Summed loss and number of tokens that count; ignored targets are left out of both.

    $$L = -\sum_{s:\ t_s \ne \text{ignore}}\ \sum_c q_{s,c} \log p_{s,c}$$

    The same as if the ignored rows had been removed first, smoothing included. The sum and the count, not the mean, are
    what may be added over micro-batches and ranks; `.mean` divides, and refuses to when every target was ignored.
    A class with $q = 0$ adds nothing even where $p = 0$; one with $q > 0$ and $p = 0$ makes the loss infinite.

    Shapes:
        logits[S, V], targets[S] -> one sum.
    Args:
        logits: finite, or -inf where masked.
        targets: class of each row, or ignore_index.
        label_smoothing: $\varepsilon$; see `smoothed_target` for the two conventions.
    Raises:
        ValueError: lengths that differ, a target that is neither a class nor ignore_index, or a bad logit or smoothing.
    """
    if len(logits) != len(targets):
        raise ValueError(f"there must be a target for each row of logits, got {len(targets)} for {len(logits)}")
    terms, tokens = [], 0
    for row, target in zip(logits, targets, strict=True):
        if target == ignore_index:
            continue
        tokens += 1
        wanted = smoothed_target(
            target, classes=len(row), label_smoothing=label_smoothing, smoothing_over=smoothing_over
        )
        terms += [-q * log_p for q, log_p in zip(wanted, log_softmax(row), strict=True) if q]
    return TokenSum(math.fsum(terms), tokens)


def entropy(probabilities: Sequence[Number], *, base: float) -> float:
    r"""Entropy of a distribution.

    $$H(p) = -\sum_i p_i \log_b p_i$$

    A probability of 0 adds 0, the limit of $p \log p$.

    Args:
        base: $b$; `math.e` for nats, 2 for bits.
    Raises:
        ValueError: probabilities below 0 or that do not add up to 1, or a base not above 1.
    """
    _require_base(base)
    require_distribution(probabilities, "probabilities")
    return math.fsum(-float(p) * _log(float(p), base) for p in probabilities if p)


def kl_divergence(p: Sequence[Number], q: Sequence[Number], *, base: float) -> float:
    r"""Kullback-Leibler divergence of q from p: cross-entropy minus entropy.

    $$D(p\,\|\,q) = \sum_i p_i \log_b \frac{p_i}{q_i}$$

    Not symmetric, at least 0 up to rounding, and infinite where q excludes what p allows.

    Args:
        base: $b$; `math.e` for nats, 2 for bits.
    Raises:
        ValueError: lengths that differ, not a distribution, or a base not above 1.
    """
    _require_base(base)
    require_distribution(p, "p")
    require_distribution(q, "q")
    if len(p) != len(q):
        raise ValueError(f"p and q must have the same length, got {len(p)} and {len(q)}")
    pairs = [(float(a), float(b)) for a, b in zip(p, q, strict=True) if a]
    if any(not b for _, b in pairs):
        return math.inf
    return math.fsum(a * (_log(a, base) - _log(b, base)) for a, b in pairs)


def perplexity(loss: Number, *, base: float) -> float:
    r"""Number of equally likely choices that would give the same mean loss.

    $$\text{PPL} = b^{\,\bar\ell}$$

    Args:
        loss: mean negative log-likelihood per token; a mean over all tokens, never an average of perplexities.
        base: $b$, the base of the logarithm in the loss; `math.e` for nats.
    Returns:
        At least 1; inf where it exceeds the largest double.
    Raises:
        ValueError: a loss that is negative or NaN, or a base not above 1.
    """
    _require_base(base)
    if not loss >= 0:
        raise ValueError(f"loss must be at least 0, got {loss!r}")
    try:
        return math.exp(float(loss)) if base == math.e else math.pow(base, float(loss))
    except OverflowError:
        return math.inf
