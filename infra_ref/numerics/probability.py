r"""Finite distributions: joint, marginal, conditional, Bayes, expectation, log-probability of a sequence.

Integers and fractions stay exact. A joint distribution of two variables is a table: one row for each value of the
first, one column for each value of the second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from infra_ref.numerics._arguments import require_distribution
from infra_ref.numerics.formats import Number, Value


@dataclass(frozen=True)
class Joint:
    """Joint distribution of two finite variables, $p_{ij}$ in row i and column j. Made by `joint`."""

    table: tuple[tuple[Fraction, ...], ...]

    def p(self, *, row: int | None = None, column: int | None = None) -> Fraction:
        r"""Probability of a row and a column together; the variable left out is summed over.

        $$p_i = \sum_j p_{ij},\qquad p_j = \sum_i p_{ij}$$

        Args:
            row, column: indices from 0. One of the two gives a marginal probability, none of them gives 1.
        Raises:
            ValueError: an index outside the table.
        """
        rows, columns = _chosen(row, len(self.table), "row"), _chosen(column, len(self.table[0]), "column")
        return sum((self.table[i][j] for i in rows for j in columns), Fraction(0))

    def conditional(self, *, row: int, column: int, given: str) -> Fraction:
        r"""Probability of one index once the other is known.

        $$p_{j \mid i} = \frac{p_{ij}}{p_i}\ \text{(given the row)},\qquad
        p_{i \mid j} = \frac{p_{ij}}{p_j}\ \text{(given the column)}$$

        Args:
            given: "row" or "column", the index that is known.
        Raises:
            ValueError: another `given`, an index outside the table, or a known value that never occurs.
        """
        if given not in ("row", "column"):
            raise ValueError(f"given must be 'row' or 'column', got {given!r}")
        joint = self.p(row=row, column=column)
        known = self.p(row=row) if given == "row" else self.p(column=column)
        if not known:
            raise ValueError(f"the given {given} must have a probability above 0")
        return joint / known

    def independent(self) -> bool:
        """Whether every cell is the product of its marginals: knowing one variable then says nothing of the other."""
        return all(
            x == self.p(row=i) * self.p(column=j) for i, cells in enumerate(self.table) for j, x in enumerate(cells)
        )


def joint(counts: Sequence[Sequence[int | Fraction]]) -> Joint:
    r"""Joint distribution with probabilities proportional to a table of counts, or of weights.

    $$p_{ij} = \frac{c_{ij}}{\sum_{kl} c_{kl}}$$

    Of all distributions it makes the counted data most probable: it is the maximum-likelihood estimate.

    Raises:
        ValueError: rows of different lengths, a count below 0, or no count above 0.
    """
    if len({len(row) for row in counts}) != 1:
        raise ValueError(f"counts must be rows of one length, got lengths {[len(row) for row in counts]}")
    for row in counts:
        for count in row:
            if count < 0:
                raise ValueError(f"counts must be at least 0, got {count}")
    total = sum(map(sum, counts))
    if not total:
        raise ValueError("counts must hold at least one count above 0")
    return Joint(tuple(tuple(Fraction(count) / total for count in row) for row in counts))


def posterior(*, prior: Sequence[Number], likelihood: Sequence[Number]) -> list[Value]:
    r"""Bayes: probabilities of the hypotheses after an observation.

    $$P(h \mid a) = \frac{P(a \mid h)\,P(h)}{\sum_k P(a \mid k)\,P(k)}$$

    For a second observation, independent of the first under each hypothesis, the result is the new prior.

    Args:
        prior: $P(h)$ of each hypothesis, adding up to 1.
        likelihood: $P(a \mid h)$ of the observation under each; they need not add up to anything.
    Raises:
        ValueError: lengths that differ, a prior that is no distribution, a likelihood outside [0, 1], or an
            observation that no hypothesis allows.
    """
    if len(prior) != len(likelihood):
        raise ValueError(f"prior and likelihood must have the same length, got {len(prior)} and {len(likelihood)}")
    require_distribution(prior, "prior")
    for value in likelihood:
        if not 0 <= value <= 1:
            raise ValueError(f"likelihood must be from 0 to 1, got {value!r}")
    weights = [_exact(p) * _exact(a) for p, a in zip(prior, likelihood, strict=True)]
    evidence = sum(weights, Fraction(0))
    if not evidence:
        raise ValueError("likelihood must be above 0 for a hypothesis with a prior above 0")
    return [weight / evidence for weight in weights]


def expectation(*, values: Sequence[Number], probabilities: Sequence[Number]) -> Value:
    r"""Mean of a variable, each value weighted by its probability.

    $$\mathbb{E}[X] = \sum_i p_i x_i$$

    Raises:
        ValueError: lengths that differ, or probabilities that are no distribution.
    """
    if len(values) != len(probabilities):
        raise ValueError(
            f"values and probabilities must have the same length, got {len(values)} and {len(probabilities)}"
        )
    require_distribution(probabilities, "probabilities")
    return sum((_exact(p) * _exact(x) for p, x in zip(probabilities, values, strict=True)), Fraction(0))


def log_probability(conditionals: Sequence[Number]) -> float:
    r"""Natural logarithm of the probability of a sequence, from that of each token after the ones before it.

    $$\ln p(x_{1:T}) = \sum_{t=1}^{T} \ln p(x_t \mid x_{<t})$$

    The sum stays in range where the product underflows: it grows with the number of tokens, not exponentially.

    Returns:
        At most 0; 0 for no tokens, -inf if some token is impossible.
    Raises:
        ValueError: a probability outside [0, 1].
    """
    for value in conditionals:
        if not 0 <= value <= 1:
            raise ValueError(f"conditionals must be from 0 to 1, got {value!r}")
    return -math.inf if 0 in conditionals else math.fsum(map(math.log, conditionals))


def _chosen(index: int | None, size: int, name: str) -> range:
    if index is None:
        return range(size)
    if not 0 <= index < size:
        raise ValueError(f"{name} must be from 0 to {size - 1}, got {index}")
    return range(index, index + 1)


def _exact(value: Number) -> Value:
    return Fraction(value) if isinstance(value, int) else value
