r"""Means and variances that can be computed in parts and merged: over samples, ranks and micro-batches.

Integers and fractions stay exact, floats stay floats, so the same functions show both the algebra and the rounding.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from infra_ref.numerics.formats import Number, Value

ZERO: Value = Fraction(0)


def _exact(value: Number) -> Value:
    return Fraction(value) if isinstance(value, int) else value


def _divide(total: Value, count: int, *, unbiased: bool) -> Value:
    least = 2 if unbiased else 1
    if count < least:
        kind = "unbiased" if unbiased else "biased"
        raise ValueError(f"values must hold at least {least} for the {kind} estimate, got {count}")
    return total / (count - 1 if unbiased else count)


@dataclass(frozen=True)
class Moments:
    r"""Count, mean and sum of squared deviations $M_2 = \sum_i (x_i - \bar x)^2$ of some values.

    Two of them merge into that of all values together, in any order; `Moments()` is the state of no values.
    """

    count: int = 0
    mean: Value = ZERO
    m2: Value = ZERO

    def add(self, value: Number) -> "Moments":
        r"""One step of Welford's recurrence.

        $$\delta = x - \bar x,\quad \bar x' = \bar x + \frac{\delta}{n + 1},\quad M_2' = M_2 + \delta\,(x - \bar x')$$
        """
        x = _exact(value)
        delta = x - self.mean
        mean = self.mean + delta / (self.count + 1)
        return Moments(self.count + 1, mean, self.m2 + delta * (x - mean))

    def merge(self, other: "Moments") -> "Moments":
        r"""Moments of both sets of values together.

        $$\bar x = \bar x_a + \delta\,\frac{n_b}{n_a + n_b},\qquad
        M_2 = M_{2,a} + M_{2,b} + \delta^2\,\frac{n_a n_b}{n_a + n_b},\qquad \delta = \bar x_b - \bar x_a$$

        Source:
            Chan, Golub and LeVeque 1979, "Updating formulae and a pairwise algorithm for computing sample variances".
        """
        if not self.count or not other.count:
            return self if self.count else other
        count = self.count + other.count
        delta = other.mean - self.mean
        mean = self.mean + delta * other.count / count
        return Moments(count, mean, self.m2 + other.m2 + delta * delta * self.count * other.count / count)

    def variance(self, *, unbiased: bool) -> Value:
        r"""Variance of the values.

        $$\frac{M_2}{n}\ \text{(biased: of this population)},\qquad
        \frac{M_2}{n - 1}\ \text{(unbiased: estimate from a sample)}$$

        Batch and layer normalisation divide by n; `torch.var` divides by n - 1 unless told otherwise.

        Raises:
            ValueError: no value, or fewer than two for the unbiased variance.
        """
        return _divide(self.m2, self.count, unbiased=unbiased)


def moments(values: Iterable[Number]) -> Moments:
    """Moments of a sequence, in one pass (Welford)."""
    state = Moments()
    for value in values:
        state = state.add(value)
    return state


def naive_variance(values: Sequence[Number], *, unbiased: bool) -> Value:
    r"""The textbook identity, which subtracts two nearly equal numbers when the mean is large.

    $$\overline{x^2} - \bar x^2$$

    In floats the error is of the order of $u\,\bar x^2$, whatever the variance: the result can be 0 or negative.
    With integers or fractions it is exact: the algebra is right, the rounding is not.

    Args:
        unbiased: multiply by $n/(n-1)$.
    Raises:
        ValueError: no value, or fewer than two for the unbiased variance.
    """
    total, squares = ZERO, ZERO
    for value in map(_exact, values):
        total += value
        squares += value * value
    count = len(values)
    mean = _divide(total, count, unbiased=False)
    difference = squares / count - mean * mean
    return _divide(difference * count, count, unbiased=unbiased)


def covariance(xs: Sequence[Number], ys: Sequence[Number], *, unbiased: bool) -> Value:
    r"""Covariance of two sequences, in one pass.

    $$\operatorname{cov}(x, y) = \frac{1}{n} \sum_i (x_i - \bar x)(y_i - \bar y)$$

    Args:
        unbiased: divide by $n - 1$ instead of $n$.
    Raises:
        ValueError: lengths that differ, no value, or fewer than two for the unbiased covariance.
    """
    if len(xs) != len(ys):
        raise ValueError(f"xs and ys must have the same length, got {len(xs)} and {len(ys)}")
    mean_x, mean_y, co_moment = ZERO, ZERO, ZERO
    for count, (x, y) in enumerate(zip(map(_exact, xs), map(_exact, ys), strict=True), 1):
        before = x - mean_x
        mean_x += before / count
        mean_y += (y - mean_y) / count
        co_moment += before * (y - mean_y)
    return _divide(co_moment, len(xs), unbiased=unbiased)


class TokenSum(NamedTuple):
    """A loss summed over tokens, with the number of tokens: what ranks and micro-batches may add up."""

    total: Value
    tokens: int

    @property
    def mean(self) -> Value:
        """Loss per token.

        Raises:
            ValueError: no token, where a mean is undefined (torch gives NaN).
        """
        if not self.tokens:
            raise ValueError("tokens must be at least 1 for a mean: add up the parts first, then divide once")
        return self.total / self.tokens


def token_weighted_mean(parts: Iterable[tuple[Number, int]]) -> Value:
    r"""Mean loss per token over ranks and micro-batches, each given as (summed loss, tokens).

    $$\bar\ell = \frac{\sum_r L_r}{\sum_r t_r}$$

    The same for every way to cut the same tokens into parts; a part of 0 tokens adds nothing.

    Args:
        parts: (summed loss, tokens) of each part; a mean loss must be multiplied by its tokens first.
    Raises:
        ValueError: tokens that are not an int of at least 0, a loss on 0 tokens, or no token at all.
    """
    total, tokens = ZERO, 0
    for loss, count in parts:
        _require_tokens(count)
        if not count and loss != 0:
            raise ValueError(f"the summed loss of a part of 0 tokens must be 0, got {loss!r}")
        total, tokens = total + _exact(loss), tokens + count
    return TokenSum(total, tokens).mean


def mean_of_means(parts: Iterable[tuple[Number, int]]) -> Value:
    r"""What averaging the parts' own means gives: right only if all parts have the same number of tokens.

    $$\frac{1}{n} \sum_r \frac{L_r}{t_r}$$

    Raises:
        ValueError: no part, or a part without tokens, which has no mean.
    """
    means = [TokenSum(_exact(loss), count).mean for loss, count in parts]
    if not means:
        raise ValueError("parts must hold at least one (summed loss, tokens)")
    return sum(means, ZERO) / len(means)


def rank_weights(tokens: Sequence[int]) -> list[Fraction]:
    r"""Factor of each rank's mean loss so that the plain average over ranks is the mean per token.

    $$w_r = \frac{n\,t_r}{\sum_k t_k}$$

    Data-parallel training averages gradients over the $n$ ranks; multiplying the loss by the factor before the backward
    pass makes that average right. A rank without tokens has the factor 0 and must still take part in the all-reduce.

    Raises:
        ValueError: a number of tokens that is not an int of at least 0, or no token at all.
    """
    for count in tokens:
        _require_tokens(count)
    if not sum(tokens):
        raise ValueError("tokens must hold at least 1 token on some rank")
    return [Fraction(len(tokens) * count, sum(tokens)) for count in tokens]


def _require_tokens(tokens: int) -> None:
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:
        raise ValueError(f"tokens must be an int of at least 0, not {tokens!r}")
