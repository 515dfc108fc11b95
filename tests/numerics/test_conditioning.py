"""Condition numbers against perturbed inputs, torch.linalg.cond and determinants."""

import itertools
import math
from fractions import Fraction

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infra_ref.numerics import conditioning

FEW = settings(max_examples=30)
EXACT = st.integers(-997, 997).map(lambda n: Fraction(n, 13))
TERMS = st.lists(EXACT, min_size=1, max_size=7).filter(any)
MATRICES = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=n, max_size=n)
)


@pytest.mark.oracle("conditioning.of_function")
@pytest.mark.parametrize(
    ("function", "x"),
    [(math.exp, 7.0), (math.expm1, 1e-3), (math.log, 1.01), (math.tan, 1.5), (lambda x: 1 - math.cos(x), 0.03)],
)
def test_a_perturbed_input(function, x):
    """Both derivative and condition number from the function's own values at nearby places."""
    step = 1e-4 * x
    slope = (function(x + step) - function(x - step)) / (2 * step)
    found = conditioning.of_function(x=x, value=function(x), slope=slope)
    change = 1e-5
    moved = abs(function(x * (1 + change)) / function(x) - 1) / change
    assert float(found) == pytest.approx(moved, rel=2e-3)


@pytest.mark.oracle("conditioning.of_function")
def test_known_condition_numbers():
    """A power multiplies relative errors by its exponent, a logarithm by the inverse of its value."""
    x = Fraction(3, 7)
    for power in (-2, 1, 5):
        assert conditioning.of_function(x=x, value=x**power, slope=power * x ** (power - 1)) == abs(power)
    assert conditioning.of_function(x=-3, value=5, slope=7) == Fraction(21, 5)
    near = 1 + 2**-10
    assert conditioning.of_function(x=near, value=math.log(near), slope=1 / near) == pytest.approx(1 / math.log(near))


@pytest.mark.oracle("conditioning.of_sum")
@FEW
@given(TERMS)
def test_the_worst_of_all_perturbed_sums(terms):
    """Every term a thousandth up or down, in all combinations: the largest relative change, times a thousand."""
    total = sum(terms)
    assume(total)
    worst = max(
        abs(sum(x * (1 + Fraction(sign, 1000)) for x, sign in zip(terms, signs, strict=True)) / total - 1)
        for signs in itertools.product((-1, 1), repeat=len(terms))
    )
    assert conditioning.of_sum(terms) == 1000 * worst >= 1


@pytest.mark.oracle("conditioning.of_sum")
def test_sums_that_cancel():
    assert conditioning.of_sum([3, 5, 7]) == 1
    assert conditioning.of_sum([-3, -5]) == 1
    assert conditioning.of_sum([1001, -1000]) == 2001
    assert conditioning.of_sum([0.5, -0.5]) == math.inf


@pytest.mark.oracle("conditioning.of_variance")
@FEW
@given(st.lists(st.integers(-97, 97), min_size=2, max_size=7).filter(lambda row: len(set(row)) > 1), st.data())
def test_variance_of_a_perturbed_row(row, data):
    """torch's gradient is the worst direction; moving that way changes the variance by kappa, any other way by less."""
    x = torch.tensor(row, dtype=torch.float64, requires_grad=True)
    variance = x.var(correction=0)
    variance.backward()
    worst = float(x.grad.norm() * x.detach().norm() / variance.detach())
    assert conditioning.of_variance(row) == pytest.approx(worst, rel=1e-9)
    direction = torch.tensor([data.draw(st.floats(-1, 1)) for _ in row], dtype=torch.float64)
    assume(direction.norm() > 1e-3)
    size = 1e-6 * x.detach().norm()
    moved = (x.detach() + size * direction / direction.norm()).var(correction=0)
    change = abs(float(moved / variance.detach()) - 1) / 1e-6
    assert change <= conditioning.of_variance(row) * (1 + 1e-6 * conditioning.of_variance(row)) + 1e-6


@pytest.mark.oracle("conditioning.of_variance")
def test_variance_far_from_zero():
    """Mean 1000, deviation 1: the relative error of the values comes out two thousand times larger."""
    assert conditioning.of_variance([999, 1001]) == pytest.approx(2 * math.sqrt(1_000_001))
    assert conditioning.of_variance([-1, 1]) == 2
    assert conditioning.of_variance([5, 5]) == math.inf


@pytest.mark.oracle("conditioning.inverse")
@FEW
@given(MATRICES)
def test_inverse_undoes_the_product(rows):
    n = len(rows)
    if round(float(torch.linalg.det(torch.tensor(rows, dtype=torch.float64)))) == 0:
        with pytest.raises(ValueError, match="singular"):
            conditioning.inverse(rows)
        return
    found = conditioning.inverse(rows)
    for i, j in itertools.product(range(n), repeat=2):
        assert sum(rows[i][k] * found[k][j] for k in range(n)) == (i == j)


@pytest.mark.oracle("conditioning.of_matrix", "conditioning.norm")
@FEW
@given(MATRICES)
def test_matrices_against_torch(rows):
    a = torch.tensor(rows, dtype=torch.float64)
    assert float(conditioning.norm(rows)) == float(torch.linalg.matrix_norm(a, ord=math.inf))
    assume(round(float(torch.linalg.det(a))) != 0)
    assert float(conditioning.of_matrix(rows)) == pytest.approx(float(torch.linalg.cond(a, p=math.inf)), rel=1e-7)


@pytest.mark.oracle("conditioning.of_matrix")
def test_nearly_parallel_rows():
    """Two equations that differ by d in one coefficient: (2 + d)^2 / d; a change of d on the right moves x by 1."""
    d = Fraction(1, 1024)
    assert conditioning.of_matrix([[1, 1], [1, 1 + d]]) == (2 + d) ** 2 / d
    (_, first), (_, second) = conditioning.inverse([[1, 1], [1, 1 + d]])
    assert (first * d, second * d) == (-1, 1)


@pytest.mark.oracle("conditioning.backward_error_of_sum")
@FEW
@given(TERMS, EXACT)
def test_a_change_of_every_term_reaches_the_result(terms, computed):
    """Moving each term by eta, all upwards or all downwards, gives the computed sum; half of eta never does."""
    eta = conditioning.backward_error_of_sum(terms, computed=computed)
    direction = 1 if computed >= sum(terms) else -1
    assert sum(x + direction * eta * abs(x) for x in terms) == computed
    reach = [sum(x * (1 + s * eta / 2) for x, s in zip(terms, signs, strict=True)) for signs in
             itertools.product((-1, 1), repeat=len(terms))]  # fmt: skip
    assert not eta or not min(reach) <= computed <= max(reach)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: conditioning.of_function(x=1, value=0, slope=1), "value must not be 0"),
        (lambda: conditioning.of_function(x=1, value=math.inf, slope=1), "x, value and slope must be finite"),
        (lambda: conditioning.of_sum([0, 0]), "values must hold a number other than 0"),
        (lambda: conditioning.of_sum([1, math.nan]), "values must be finite"),
        (lambda: conditioning.of_variance([]), "values must hold at least 1"),
        (lambda: conditioning.inverse([[1, 2]]), "matrix must be square"),
        (lambda: conditioning.inverse([]), "matrix must be square"),
        (lambda: conditioning.of_matrix([[1, 2], [2, 4]]), "matrix must have an inverse"),
        (lambda: conditioning.backward_error_of_sum([0], computed=0), "values must hold a number other than 0"),
        (lambda: conditioning.backward_error_of_sum([1], computed=math.inf), "computed must be finite"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
