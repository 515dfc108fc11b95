"""Sampling against stable sorts, subsets tried one by one, and every draw of a fine grid."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infra_ref.numerics import sampling

FEW = settings(max_examples=50)
TIED = st.lists(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 0.5, 2.0, 7.0]), min_size=1, max_size=8)


@st.composite
def distributions(draw):
    """Exact probabilities over a common denominator, with ties and zeros."""
    shares = draw(st.lists(st.integers(0, 4), min_size=1, max_size=6).filter(any))
    return [Fraction(s, sum(shares)) for s in shares]


@pytest.mark.oracle("sampling.greedy", "sampling.top_k")
@FEW
@given(TIED, st.integers(1, 10))
def test_top_k_by_a_stable_sort(logits, k):
    assume(max(logits) > -math.inf)
    order = np.argsort(-np.array(logits), kind="stable").tolist()
    visible = [i for i in order if logits[i] > -math.inf]
    assert sampling.top_k(logits, k=k) == visible[:k]
    assert sampling.greedy(logits) == np.argmax(logits)
    best = torch.topk(torch.tensor(logits), min(k, len(logits))).values.tolist()
    assert [logits[i] for i in sampling.top_k(logits, k=k)] == [x for x in best if x > -math.inf]


@pytest.mark.oracle("sampling.top_k")
@FEW
@given(TIED, st.integers(1, 8))
def test_all_ties_is_a_threshold(logits, k):
    assume(max(logits) > -math.inf)
    row = torch.tensor(logits)
    threshold = torch.topk(row, min(k, len(logits))).values[-1]
    kept = torch.nonzero((row >= threshold) & (row > -math.inf)).flatten().tolist()
    assert sorted(sampling.top_k(logits, k=k, ties="all")) == kept


@pytest.mark.oracle("sampling.top_k", "sampling.greedy")
def test_ties_at_the_last_place():
    """vllm#15478, tpu-inference#3590, FastDeploy#7395: a threshold at the third largest logit keeps four tokens."""
    logits = [1, 2, 2, 2, 3]
    assert sampling.top_k(logits, k=3) == [4, 1, 2]
    assert sampling.top_k(logits, k=3, ties="all") == [4, 1, 2, 3]
    assert sampling.top_k(logits, k=99) == [4, 1, 2, 3, 0]
    assert sampling.top_k([5.0, -math.inf, 5.0], k=3) == [0, 2]
    assert sampling.greedy([7.0, 21.375, 21.375]) == 1


@pytest.mark.oracle("sampling.top_p")
@FEW
@given(distributions(), st.integers(0, 12).map(lambda n: Fraction(n, 12)))
def test_top_p_by_trying_every_subset(probabilities, p):
    """The smallest sets that reach p; of those the most likely one; of equally likely ones the lowest indices."""
    possible = [i for i, x in enumerate(probabilities) if x]
    for size in range(1, len(possible) + 1):
        subsets = [s for s in itertools.combinations(possible, size) if sum(probabilities[i] for i in s) >= p]
        if subsets:
            break
    if p == 1:
        subsets = [tuple(possible)]
    best = max(subsets, key=lambda s: (sum(probabilities[i] for i in s), [-i for i in s]))
    kept = sampling.top_p(probabilities, p=p)
    assert sorted(kept) == list(best)
    assert [probabilities[i] for i in kept] == sorted((probabilities[i] for i in kept), reverse=True)
    least = min(probabilities[i] for i in best)
    everything_that_ties = [i for i, x in enumerate(probabilities) if x >= least]
    assert sorted(sampling.top_p(probabilities, p=p, ties="all")) == everything_that_ties


@pytest.mark.oracle("sampling.top_p")
def test_the_ends_of_top_p():
    probabilities = [0.1, 0.4, 0.0, 0.4, 0.1]
    assert sampling.top_p(probabilities, p=0) == [1]
    assert sampling.top_p(probabilities, p=0, ties="all") == [1, 3]
    assert sampling.top_p(probabilities, p=1) == [1, 3, 0, 4]
    assert sampling.top_p(probabilities, p=0.8) == [1, 3]
    assert sampling.top_p([0.1] * 10, p=1) == list(range(10))
    assert sampling.top_p([1.0, 1e-20], p=1) == [0, 1]  # the rounded sum is 1 before the second
    assert sum([0.1] * 10) < 1  # so a sum that is compared with 1 never gets there


@pytest.mark.oracle("sampling.renormalise")
@FEW
@given(distributions(), st.data())
def test_renormalised_is_conditional(probabilities, data):
    kept = data.draw(st.permutations(range(len(probabilities))))[: data.draw(st.integers(1, len(probabilities)))]
    assume(any(probabilities[i] for i in kept))
    out = sampling.renormalise(probabilities, kept)
    assert sum(out) == 1
    assert all(out[i] == 0 for i in range(len(out)) if i not in kept)
    for i, j in itertools.combinations(kept, 2):
        assert out[i] * probabilities[j] == out[j] * probabilities[i]


@pytest.mark.oracle("sampling.draw")
@FEW
@given(distributions())
def test_draws_of_a_grid_come_in_proportion(probabilities):
    grid = math.lcm(*(x.denominator for x in probabilities))
    drawn = [sampling.draw(probabilities, u=Fraction(n, grid)) for n in range(grid)]
    assert [drawn.count(i) for i in range(len(probabilities))] == [x * grid for x in probabilities]
    assert drawn == sorted(drawn)


@pytest.mark.oracle("sampling.draw")
@FEW
@given(distributions(), st.floats(0, 1, exclude_max=True))
def test_draw_against_numpy(probabilities, u):
    row = [float(x) for x in probabilities]
    expected = int(np.searchsorted(np.cumsum(row), u, side="right"))
    assert sampling.draw(row, u=u) == min(expected, max(i for i, x in enumerate(row) if x))


@pytest.mark.oracle("sampling.draw")
def test_a_draw_past_the_rounded_sum():
    """Ten tenths add up to 1 - 2^-53: a random number there still draws the last possible token."""
    assert sampling.draw([0.1] * 10 + [0.0], u=math.nextafter(1, 0)) == 9


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: sampling.greedy([]), "logits must leave at least one token possible"),
        (lambda: sampling.greedy([-math.inf]), "logits must leave at least one token possible"),
        (lambda: sampling.greedy([math.nan, 1.0]), "logits must be finite, or -inf where masked"),
        (lambda: sampling.top_k([1.0], k=0), "k must be an int of at least 1, not 0"),
        (lambda: sampling.top_k([1.0], k=True), "k must be an int of at least 1, not True"),
        (lambda: sampling.top_k([1.0, 2.0], k=2.0), "k must be an int of at least 1, not 2.0"),
        (lambda: sampling.top_k([1.0], k=1, ties="last"), "ties must be 'first' or 'all'"),
        (lambda: sampling.top_p([1.0], p=1.0, ties="last"), "ties must be 'first' or 'all'"),
        (lambda: sampling.top_p([1.0], p=-0.5), "p must be from 0 to 1, got -0.5"),
        (lambda: sampling.top_p([1.0], p=1.5), "p must be from 0 to 1, got 1.5"),
        (lambda: sampling.top_p([0.5, 0.4], p=0.5), "probabilities must add up to 1, got 0.9"),
        (lambda: sampling.top_p([], p=0.5), "probabilities must add up to 1, got 0.0"),
        (lambda: sampling.renormalise([1.0, 0.0], [1]), "kept must hold a token with a probability above 0"),
        (lambda: sampling.renormalise([0.5, 0.4], [0]), "probabilities must add up to 1, got 0.9"),
        (lambda: sampling.draw([1.0], u=1.0), "u must be at least 0 and below 1"),
        (lambda: sampling.draw([1.0], u=-0.5), "u must be at least 0 and below 1, got -0.5"),
        (lambda: sampling.draw([0.5, 0.4], u=0.5), "probabilities must add up to 1, got 0.9"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
