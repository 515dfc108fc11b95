"""Distributions against counting single outcomes, torch and decimal arithmetic."""

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import probability

FEW = settings(max_examples=40)
TABLES = st.tuples(st.integers(1, 5), st.integers(1, 7)).flatmap(
    lambda shape: st.lists(st.lists(st.integers(0, 13), min_size=shape[1], max_size=shape[1]), min_size=shape[0],
                           max_size=shape[0])
).filter(lambda table: sum(map(sum, table)))  # fmt: skip


def outcomes(counts):
    """Every single counted pair, as (row, column)."""
    return [(i, j) for i, row in enumerate(counts) for j, count in enumerate(row) for _ in range(count)]


def share(selected, among):
    return Fraction(sum(map(selected, among)), len(among))


@pytest.mark.oracle("probability.joint", "probability.Joint.*")
@FEW
@given(TABLES)
def test_probabilities_are_shares_of_the_counted_pairs(counts):
    table, pairs = probability.joint(counts), outcomes(counts)
    assert table.p() == 1
    for i, j in itertools.product(range(len(counts)), range(len(counts[0]))):
        assert table.p(row=i, column=j) == share(lambda pair, both=(i, j): pair == both, pairs)
        assert table.p(row=i) == share(lambda pair, i=i: pair[0] == i, pairs)
        assert table.p(column=j) == share(lambda pair, j=j: pair[1] == j, pairs)
        if in_row := [pair for pair in pairs if pair[0] == i]:
            of_row = share(lambda pair, j=j: pair[1] == j, in_row)
            assert table.conditional(row=i, column=j, given="row") == of_row
        if in_column := [pair for pair in pairs if pair[1] == j]:
            of_column = share(lambda pair, i=i: pair[0] == i, in_column)
            assert table.conditional(row=i, column=j, given="column") == of_column


@pytest.mark.oracle("probability.joint", "probability.Joint.*")
def test_independent_means_rank_one():
    """An outer product has rank 1; changing one cell raises the rank."""
    rows, columns = [2, 3, 5], [7, 11]
    product = [[r * c for c in columns] for r in rows]
    assert probability.joint(product).independent()
    assert torch.linalg.matrix_rank(torch.tensor(product, dtype=torch.float64)) == 1
    product[1][1] += 1
    assert not probability.joint(product).independent()
    assert probability.joint([[13]]).independent()


@pytest.mark.oracle("probability.posterior")
@FEW
@given(st.lists(st.tuples(st.integers(1, 19), st.integers(0, 23)), min_size=1, max_size=5).filter(any), st.data())
def test_posterior_counts_a_population(groups, data):
    """Members of each group who show the sign, among all who show it."""
    shown = [data.draw(st.integers(0, size)) for size, _ in groups]
    if not any(shown):
        shown[0] = 1
    sizes = [size for size, _ in groups]
    prior = [Fraction(size, sum(sizes)) for size in sizes]
    likelihood = [Fraction(sign, size) for sign, size in zip(shown, sizes, strict=True)]
    expected = [Fraction(sign, sum(shown)) for sign in shown]
    assert probability.posterior(prior=prior, likelihood=likelihood) == expected


@pytest.mark.oracle("probability.posterior")
def test_two_alarms_in_sequence_are_one_joint_observation():
    """Counted: of 100 faulty devices 90 raise an alarm, 81 of them a second one; of 100,000 healthy 1000 and 10."""
    prior = [Fraction(100, 100_100), Fraction(100_000, 100_100)]
    likelihood = [Fraction(9, 10), Fraction(1, 100)]
    once = probability.posterior(prior=prior, likelihood=likelihood)
    assert once == [Fraction(90, 90 + 1000), Fraction(1000, 90 + 1000)]
    assert probability.posterior(prior=once, likelihood=likelihood)[0] == Fraction(81, 81 + 10)
    in_floats = probability.posterior(prior=[float(p) for p in prior], likelihood=[0.9, 0.01])
    assert in_floats == pytest.approx([90 / 1090, 1000 / 1090], rel=1e-14)


@pytest.mark.oracle("probability.expectation")
@FEW
@given(st.lists(st.tuples(st.integers(0, 11), st.integers(-97, 97)), min_size=1, max_size=7).filter(
    lambda pairs: sum(count for count, _ in pairs)
))  # fmt: skip
def test_expectation_is_the_mean_of_a_population(pairs):
    everyone = [value for count, value in pairs for _ in range(count)]
    probabilities = [Fraction(count, len(everyone)) for count, _ in pairs]
    mean = probability.expectation(values=[value for _, value in pairs], probabilities=probabilities)
    assert mean == Fraction(sum(everyone), len(everyone))


@pytest.mark.oracle("probability.log_probability")
@settings(max_examples=15)
@given(st.lists(st.fractions(Fraction(1, 97), 1, max_denominator=101), max_size=29))
def test_log_probability_is_the_logarithm_of_the_exact_product(conditionals):
    product = math.prod(conditionals, start=Fraction(1))
    with localcontext() as context:
        context.prec = 50
        expected = float((Decimal(product.numerator) / Decimal(product.denominator)).ln())
    assert probability.log_probability(conditionals) == pytest.approx(expected, rel=1e-13, abs=1e-13)


@pytest.mark.oracle("probability.log_probability")
def test_log_probability_of_a_long_sequence():
    """2048 tokens of probability 1/8 are 2 to the power -6144; the product is 0 in double precision."""
    conditionals = [Fraction(1, 8)] * 2048
    assert math.prod(map(float, conditionals)) == 0
    assert probability.log_probability(conditionals) == pytest.approx(-6144 * 0.6931471805599453, rel=1e-15)
    assert probability.log_probability([0.5, 0, 1]) == -math.inf
    assert probability.log_probability([]) == 0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: probability.joint([[1, 2], [3]]), r"rows of one length, got lengths \[2, 1\]"),
        (lambda: probability.joint([]), r"rows of one length, got lengths \[\]"),
        (lambda: probability.joint([[1, -2]]), "counts must be at least 0, got -2"),
        (lambda: probability.joint([[0, 0]]), "at least one count above 0"),
        (lambda: probability.joint([[1, 2]]).p(row=1), "row must be from 0 to 0, got 1"),
        (lambda: probability.joint([[1, 2]]).p(column=-1), "column must be from 0 to 1, got -1"),
        (lambda: probability.joint([[1, 2]]).conditional(row=0, column=0, given="x"), "'row' or 'column', got 'x'"),
        (lambda: probability.joint([[1, 0]]).conditional(row=0, column=1, given="column"), "the given column must"),
        (lambda: probability.posterior(prior=[1], likelihood=[1, 1]), "the same length, got 1 and 2"),
        (lambda: probability.posterior(prior=[0.5, 0.4], likelihood=[1, 1]), "prior must add up to 1"),
        (lambda: probability.posterior(prior=[1], likelihood=[1.5]), "likelihood must be from 0 to 1, got 1.5"),
        (lambda: probability.posterior(prior=[0, 1], likelihood=[1, 0]), "for a hypothesis with a prior above 0"),
        (lambda: probability.expectation(values=[1], probabilities=[]), "the same length, got 1 and 0"),
        (lambda: probability.expectation(values=[1, 2], probabilities=[1, 1]), "probabilities must add up to 1"),
        (lambda: probability.log_probability([1.1]), "conditionals must be from 0 to 1, got 1.1"),
        (lambda: probability.log_probability([math.nan]), "conditionals must be from 0 to 1, got nan"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
