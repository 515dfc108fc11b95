"""Moments against NumPy and exact fractions; token-weighted means against single tokens and torch gradients."""

import itertools
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import statistics

EXACT = st.integers(-997, 997).map(lambda n: Fraction(n, 13))
ROWS = st.lists(EXACT, min_size=2, max_size=9)
FEW = settings(max_examples=30)


def pairs_variance(values, unbiased):
    """Half the mean squared difference of two draws: with replacement (biased) or of two different ones (unbiased)."""
    n = len(values)
    squares = [(a - b) ** 2 for a, b in itertools.product(values, repeat=2)]
    return Fraction(sum(squares), 2 * (n * (n - 1) if unbiased else n * n))


@pytest.mark.oracle("statistics.moments", "statistics.Moments.*", "statistics.naive_variance")
@FEW
@given(ROWS, st.booleans())
def test_variance_by_pairs(values, unbiased):
    """In exact arithmetic all formulas agree."""
    expected = pairs_variance(values, unbiased)
    assert statistics.moments(values).variance(unbiased=unbiased) == expected
    assert statistics.naive_variance(values, unbiased=unbiased) == expected


@pytest.mark.oracle("statistics.moments", "statistics.Moments.*", "statistics.covariance")
@FEW
@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 2), min_size=2, max_size=11), st.booleans())
def test_floats_against_numpy(points, unbiased):
    xs, ys = map(list, zip(*points, strict=True))
    state = statistics.moments(xs)
    assert state.count == len(xs)
    assert state.mean == pytest.approx(np.mean(xs), rel=1e-12, abs=1e-9)
    assert state.variance(unbiased=unbiased) == pytest.approx(np.var(xs, ddof=int(unbiased)), rel=1e-9, abs=1e-9)
    expected = np.cov(xs, ys, ddof=int(unbiased))[0, 1]
    assert statistics.covariance(xs, ys, unbiased=unbiased) == pytest.approx(expected, rel=1e-9, abs=1e-3)


@pytest.mark.oracle("statistics.covariance")
@FEW
@given(ROWS, st.data())
def test_covariance_by_pairs(xs, data):
    ys = data.draw(st.lists(EXACT, min_size=len(xs), max_size=len(xs)))
    n = len(xs)
    products = [(xs[i] - xs[j]) * (ys[i] - ys[j]) for i, j in itertools.product(range(n), repeat=2)]
    assert statistics.covariance(xs, ys, unbiased=False) == Fraction(sum(products), 2 * n * n)
    assert statistics.covariance(xs, ys, unbiased=True) == Fraction(sum(products), 2 * n * (n - 1))


@pytest.mark.oracle("statistics.Moments.*")
@FEW
@given(st.lists(EXACT, max_size=9), st.data())
def test_every_cut_and_order_merges_to_the_same(values, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=4)))
    parts = [statistics.moments(values[a:b]) for a, b in itertools.pairwise([0, *cuts, len(values)])]
    state = statistics.Moments()
    for part in data.draw(st.permutations(parts)):
        state = state.merge(part) if data.draw(st.booleans()) else part.merge(state)
    if values:
        assert state.count == len(values)
        assert state.mean == Fraction(sum(values), len(values))
        assert state.variance(unbiased=False) == pairs_variance(values, False)
    else:
        assert state == statistics.Moments()


def test_adding_and_merging_leave_the_state_as_it_was():
    state = statistics.moments([2, 3, 7])
    assert (state.add(5).count, state.merge(state).count, state.count) == (4, 6, 3)
    with pytest.raises(FrozenInstanceError):
        state.count = 5


@pytest.mark.oracle("statistics.moments", "statistics.naive_variance")
def test_large_mean_and_small_variance():
    """1e9 + (4, 7, 13, 16): the variance is that of (4, 7, 13, 16), 30; the difference of squares loses all of it."""
    values = [1e9 + x for x in (4.0, 7.0, 13.0, 16.0)]
    assert statistics.moments(values).variance(unbiased=True) == 30
    assert abs(statistics.naive_variance(values, unbiased=True) - 30) > 10
    assert statistics.naive_variance([10**9 + x for x in (4, 7, 13, 16)], unbiased=True) == 30
    shifted = [1e9 + 1e-3 * x for x in range(7)]
    exact = pairs_variance([Fraction(x) for x in shifted], False)
    assert abs(statistics.moments(shifted).variance(unbiased=False) - exact) < exact / 1000
    assert statistics.naive_variance(shifted, unbiased=False) == 0


# --- token-weighted means ----------------------------------------------------------------------------------------


@pytest.mark.oracle("statistics.token_weighted_mean", "statistics.mean_of_means")
def test_syllabus_means():
    """mlx-lm#1544, torchtune#1875, torchtitan#2206, transformers#34373, OpenNMT-py#2209.

    The mean of means weighs every part alike.
    """
    parts = [(7 * 2, 7), (5 * 3, 5)]
    assert statistics.token_weighted_mean(parts) == Fraction(29, 12)
    assert statistics.mean_of_means(parts) == Fraction(5, 2)
    assert statistics.token_weighted_mean([(10, 2), (4, 8)]) == Fraction(14, 10)
    assert statistics.mean_of_means([(10, 2), (4, 8)]) == Fraction(11, 4)


@pytest.mark.oracle("statistics.token_weighted_mean", "statistics.TokenSum.*")
@FEW
@given(st.lists(EXACT, min_size=1, max_size=12), st.integers(1, 4), st.data())
def test_any_split_over_ranks_and_micro_batches(losses, ranks, data):
    """Each token goes to a rank and a micro-batch of its own choice; some get none."""
    cells = {cell: [] for cell in itertools.product(range(ranks), range(3))}
    for loss in losses:
        cells[data.draw(st.sampled_from(sorted(cells)))].append(loss)
    parts = [(sum(cell), len(cell)) for cell in cells.values()]
    expected = Fraction(sum(losses), len(losses))
    assert statistics.token_weighted_mean(parts) == expected
    totals = [[x for (r, _), cell in cells.items() if r == rank for x in cell] for rank in range(ranks)]
    assert statistics.token_weighted_mean([(sum(t), len(t)) for t in totals]) == expected
    assert statistics.TokenSum(Fraction(sum(losses)), len(losses)).mean == expected


@pytest.mark.oracle("statistics.rank_weights")
@FEW
@given(st.lists(st.integers(0, 13), min_size=1, max_size=7).filter(any), st.data())
def test_rank_weights_make_the_average_over_ranks_right(tokens, data):
    losses = [data.draw(st.lists(EXACT, min_size=t, max_size=t)) for t in tokens]
    means = [Fraction(sum(x), len(x)) if x else Fraction(0) for x in losses]
    weighted = [w * m for w, m in zip(statistics.rank_weights(tokens), means, strict=True)]
    everything = [x for row in losses for x in row]
    assert sum(weighted) / len(tokens) == Fraction(sum(everything), len(everything))


@pytest.mark.oracle("statistics.rank_weights")
def test_gradients_of_three_ranks_of_which_one_has_no_token():
    """torchtune#1917: averaging gradients over ranks, with the weights, gives the gradient of the whole batch."""
    generator = torch.Generator().manual_seed(7)
    logits = torch.randn(13, 5, generator=generator, dtype=torch.float64)
    targets = torch.randint(0, 5, (13,), generator=generator)
    weight = torch.randn(5, 5, generator=generator, dtype=torch.float64)
    shares = [slice(0, 2), slice(2, 2), slice(2, 13)]

    def gradient(rows, factor, reduction):
        w = weight.clone().requires_grad_()
        loss = torch.nn.functional.cross_entropy(logits[rows] @ w, targets[rows], reduction=reduction)
        (factor * loss).backward()
        return w.grad

    whole = gradient(slice(None), 1.0, "mean")
    weights = statistics.rank_weights([2, 0, 11])
    assert weights == [Fraction(6, 13), 0, Fraction(33, 13)]
    averaged = sum(gradient(rows, float(w), "mean" if w else "sum") for rows, w in zip(shares, weights, strict=True))
    torch.testing.assert_close(averaged / 3, whole, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: statistics.moments([]).variance(unbiased=False), "at least 1 for the biased estimate, got 0"),
        (lambda: statistics.moments([3]).variance(unbiased=True), "at least 2 for the unbiased estimate, got 1"),
        (lambda: statistics.naive_variance([], unbiased=False), "values must hold at least 1"),
        (
            lambda: statistics.covariance([1, 2], [3], unbiased=False),
            "xs and ys must have the same length, got 2 and 1",
        ),
        (lambda: statistics.token_weighted_mean([]), "tokens must be at least 1 for a mean"),
        (lambda: statistics.token_weighted_mean([(0, 0), (0.0, 0)]), "tokens must be at least 1 for a mean"),
        (lambda: statistics.token_weighted_mean([(math.nan, 0)]), "a part of 0 tokens must be 0, got nan"),
        (lambda: statistics.token_weighted_mean([(1, 2.0)]), "tokens must be an int of at least 0, not 2.0"),
        (lambda: statistics.mean_of_means([(1, 2), (0, 0)]), "tokens must be at least 1 for a mean"),
        (lambda: statistics.mean_of_means([]), "parts must hold at least one"),
        (lambda: statistics.rank_weights([0, 0]), "tokens must hold at least 1 token on some rank"),
        (lambda: statistics.rank_weights([3, -1]), "tokens must be an int of at least 0, not -1"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
