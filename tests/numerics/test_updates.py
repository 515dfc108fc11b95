"""Update rules against torch.optim in double precision, and against steps added up by hand."""

import itertools
import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import updates
from infra_ref.numerics.updates import AdamState, MomentumState

FEW = settings(max_examples=30)
GRADIENTS = st.lists(st.floats(-1e3, 1e3).filter(lambda g: g == 0 or abs(g) > 1e-6), min_size=1, max_size=11)
RATES = (0.03, 0.03, 0.007, 0.11, 0.0)


def trained_by_torch(kind, gradients, start, **options):
    """The parameter after each step of a torch optimizer that is fed these gradients, the learning rate changing."""
    parameter = torch.tensor([start], dtype=torch.float64, requires_grad=True)
    optimizer = kind([parameter], lr=RATES[0], foreach=False, **options)
    seen = []
    for gradient, lr in zip(gradients, itertools.cycle(RATES)):
        optimizer.param_groups[0]["lr"] = lr
        parameter.grad = torch.tensor([gradient], dtype=torch.float64)
        optimizer.step()
        seen.append(parameter.item())
    return seen


def trained(step, state, gradients, **options):
    """The same with one of our rules."""
    seen = []
    for gradient, lr in zip(gradients, itertools.cycle(RATES)):
        state = step(state, gradient=gradient, lr=lr, **options)
        seen.append(state.parameter)
    return seen


@pytest.mark.oracle("updates.sgd")
@FEW
@given(GRADIENTS, st.floats(-50, 50))
def test_sgd_against_torch(gradients, start):
    parameter, seen = start, []
    for gradient, lr in zip(gradients, itertools.cycle(RATES)):
        parameter = updates.sgd(parameter=parameter, gradient=gradient, lr=lr)
        seen.append(parameter)
    assert seen == pytest.approx(trained_by_torch(torch.optim.SGD, gradients, start), rel=1e-12, abs=1e-12)


@pytest.mark.oracle("updates.momentum", "updates.MomentumState")
@FEW
@given(GRADIENTS, st.floats(-50, 50), st.sampled_from([0.0, 0.5, 0.9]))
def test_momentum_against_torch(gradients, start, mu):
    ours = trained(updates.momentum, MomentumState(start), gradients, mu=mu)
    expected = trained_by_torch(torch.optim.SGD, gradients, start, momentum=mu)
    assert ours == pytest.approx(expected, rel=1e-12, abs=1e-10)


@pytest.mark.oracle("updates.classical_momentum", "updates.MomentumState")
@FEW
@given(st.lists(st.integers(-99, 99), min_size=1, max_size=9))
def test_classical_momentum_adds_up_old_steps(gradients):
    """The step of time s moves the parameter by its own -lr g at s, by mu times that at s + 1, and so on."""
    mu, start = Fraction(3, 4), 13
    rates = [Fraction(1, 7), Fraction(1, 7), Fraction(2, 11), Fraction(0), Fraction(5)]
    state, last = MomentumState(start), len(gradients) - 1
    for t, gradient in enumerate(gradients):
        state = updates.classical_momentum(state, gradient=gradient, lr=rates[t % 5], mu=mu)
    moved = [
        -rates[s % 5] * gradient * sum(mu**age for age in range(last - s + 1)) for s, gradient in enumerate(gradients)
    ]
    assert state.parameter == start + sum(moved)
    assert state.velocity == sum(-rates[s % 5] * g * mu ** (last - s) for s, g in enumerate(gradients))


@pytest.mark.oracle("updates.momentum", "updates.classical_momentum")
def test_the_conventions_agree_until_the_learning_rate_changes():
    """A step of each, worked by hand: mu = 1/2, gradient 4, learning rate 1/2, then 1/4."""
    outside, inside = MomentumState(10), MomentumState(10)
    seen = []
    for lr in (Fraction(1, 2), Fraction(1, 2), Fraction(1, 4)):
        outside = updates.momentum(outside, gradient=4, lr=lr, mu=Fraction(1, 2))
        inside = updates.classical_momentum(inside, gradient=4, lr=lr, mu=Fraction(1, 2))
        seen.append((outside.parameter, inside.parameter))
    assert seen == [(8, 8), (5, 5), (Fraction(13, 4), Fraction(5, 2))]


@pytest.mark.oracle("updates.adam", "updates.AdamState")
@FEW
@given(GRADIENTS, st.floats(-50, 50), st.sampled_from([0.0, 0.3]), st.sampled_from([(0.9, 0.999), (0.0, 0.5)]))
def test_adam_against_torch(gradients, start, l2, betas):
    ours = trained(updates.adam, AdamState(start), gradients, l2=l2, beta1=betas[0], beta2=betas[1], epsilon=1e-6)
    expected = trained_by_torch(torch.optim.Adam, gradients, start, weight_decay=l2, betas=betas, eps=1e-6)
    assert ours == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.oracle("updates.adamw")
@FEW
@given(GRADIENTS, st.floats(-50, 50), st.sampled_from([0.0, 0.01, 0.5]))
def test_adamw_against_torch(gradients, start, decay):
    ours = trained(updates.adamw, AdamState(start), gradients, decay=decay)
    expected = trained_by_torch(torch.optim.AdamW, gradients, start, weight_decay=decay)
    assert ours == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.oracle("updates.adam")
def test_defaults_are_those_of_torch():
    gradients = [1e-7, -3.0, 0.5]
    assert trained(updates.adam, AdamState(2.0), gradients) == pytest.approx(
        trained_by_torch(torch.optim.Adam, gradients, 2.0), rel=1e-12
    )
    assert trained(updates.adamw, AdamState(2.0), gradients) == pytest.approx(
        trained_by_torch(torch.optim.AdamW, gradients, 2.0), rel=1e-12
    )


@pytest.mark.oracle("updates.adam")
@pytest.mark.parametrize("gradient", [1e-150, -1e-4, 3.0, -1e150])
def test_the_first_step_has_the_length_of_the_learning_rate(gradient):
    state = updates.adam(AdamState(0.0), gradient=Fraction(gradient), lr=0.125, epsilon=0)
    assert state.parameter == pytest.approx(-math.copysign(0.125, gradient), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: updates.sgd(parameter=1, gradient=1, lr=-1), "lr must be finite and at least 0, got -1"),
        (lambda: updates.momentum(MomentumState(1), gradient=1, lr=1, mu=1), "mu must be at least 0 and below 1"),
        (lambda: updates.classical_momentum(MomentumState(1), gradient=1, lr=1, mu=-0.1), "mu must be at least 0"),
        (lambda: updates.adam(AdamState(1), gradient=1, lr=1, beta2=1), "beta2 must be at least 0 and below 1"),
        (lambda: updates.adam(AdamState(1), gradient=1, lr=1, l2=math.inf), "l2 must be finite"),
        (lambda: updates.adamw(AdamState(1), gradient=1, lr=1, decay=-1), "decay must be finite and at least 0"),
        (lambda: updates.adam(AdamState(1), gradient=0, lr=1, epsilon=0), "epsilon must be above 0"),
        (lambda: AdamState(1, second=-1), "second must be finite and at least 0"),
        (lambda: AdamState(1, steps=-1), "steps must be finite and at least 0"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
