r"""Update rules of optimizers for one parameter: each rule is element-wise, so one parameter stands for all.

A state holds the parameter and what the rule remembers about it; a step returns a new state. The learning rate is an
argument of every step, because schedules change it. Integers and fractions stay exact until Adam takes a root.
"""

import math
from dataclasses import dataclass, replace

from infra_ref.numerics.formats import Number


def _require(**values: Number) -> None:
    for name, value in values.items():
        if not 0 <= value < math.inf:
            raise ValueError(f"{name} must be finite and at least 0, got {value!r}")


def _require_share(**values: Number) -> None:
    for name, value in values.items():
        if not 0 <= value < 1:
            raise ValueError(f"{name} must be at least 0 and below 1, got {value!r}")


def sgd(*, parameter: Number, gradient: Number, lr: Number) -> Number:
    r"""One step of gradient descent; with the gradient of a random batch, stochastic gradient descent.

    $$w' = w - \eta g$$

    Args:
        parameter: $w$.
        gradient: $g$, of the loss at $w$.
        lr: $\eta$, the learning rate, at least 0.
    Returns:
        The parameter after the step.
    Raises:
        ValueError: a learning rate out of range.
    """
    _require(lr=lr)
    return parameter - lr * gradient


@dataclass(frozen=True)
class MomentumState:
    """A parameter with its velocity; what the velocity is made of depends on the convention."""

    parameter: Number
    velocity: Number = 0


def momentum(state: MomentumState, *, gradient: Number, lr: Number, mu: Number) -> MomentumState:
    r"""Momentum with the learning rate outside: the velocity sums gradients, as in PyTorch.

    $$v' = \mu v + g,\quad w' = w - \eta v'$$

    A new learning rate scales the whole velocity at once. For a constant gradient the velocity tends to $g/(1-\mu)$.

    Args:
        gradient: $g$, of the loss at the state's parameter.
        lr: $\eta$, at least 0.
        mu: $\mu$, the share of the velocity that stays, from 0 to below 1.
    Raises:
        ValueError: lr or mu out of range.
    Source:
        torch 2.13, `torch/optim/sgd.py`, with dampening 0 and without Nesterov (opened 2026-12-01).
    """
    _require(lr=lr)
    _require_share(mu=mu)
    velocity = mu * state.velocity + gradient
    return MomentumState(state.parameter - lr * velocity, velocity)


def classical_momentum(state: MomentumState, *, gradient: Number, lr: Number, mu: Number) -> MomentumState:
    r"""Momentum with the learning rate inside: the velocity sums steps, as in Sutskever et al.

    $$u' = \mu u - \eta g,\quad w' = w + u'$$

    While the learning rate stays, $u = -\eta v$ with the velocity $v$ of `momentum`, and the parameters agree. After a
    change, old gradients keep the learning rate of their own step.

    Args:
        gradient, lr, mu: as for `momentum`.
    Raises:
        ValueError: lr or mu out of range.
    Source:
        Sutskever et al. 2013, "On the importance of initialization and momentum in deep learning", as the documentation
        of torch.optim.SGD contrasts it with its own (opened 2026-12-01).
    """
    _require(lr=lr)
    _require_share(mu=mu)
    velocity = mu * state.velocity - lr * gradient
    return MomentumState(state.parameter + velocity, velocity)


@dataclass(frozen=True)
class AdamState:
    """A parameter with the running means of its gradient and of its gradient's square, both from 0.

    Raises:
        ValueError: a second moment or a number of steps below 0.
    """

    parameter: Number
    first: Number = 0
    second: Number = 0
    steps: int = 0
    """Steps taken; the bias correction needs it."""

    def __post_init__(self) -> None:
        _require(second=self.second, steps=self.steps)


def adam(
    state: AdamState,
    *,
    gradient: Number,
    lr: Number,
    beta1: Number = 0.9,
    beta2: Number = 0.999,
    epsilon: Number = 1e-8,
    l2: Number = 0,
) -> AdamState:
    r"""Adam: the mean gradient over the root of the mean square, both corrected for their start at 0.

    $$m' = \beta_1 m + (1-\beta_1)\,g,\quad v' = \beta_2 v + (1-\beta_2)\,g^2$$

    $$w' = w - \eta\,\frac{m' / (1-\beta_1^t)}{\sqrt{v' / (1-\beta_2^t)} + \epsilon}$$

    The first step moves by $-\eta\operatorname{sign}(g)$, whatever the size of $g$, if $\epsilon$ is small beside it.

    Args:
        gradient: $g$, of the loss at the state's parameter.
        lr: $\eta$, at least 0.
        beta1, beta2: shares of the moments that stay, from 0 to below 1.
        epsilon: $\epsilon$, at least 0, and above 0 as long as every gradient has been 0.
        l2: $\lambda$; $g + \lambda w$ then takes the place of $g$, as `weight_decay` of torch.optim.Adam does.
    Returns:
        The state after step $t$, one more than the state's steps.
    Raises:
        ValueError: an argument out of range.
    Source:
        Kingma & Ba 2015, arXiv:1412.6980, as torch 2.13 has it in `torch/optim/adam.py` (opened 2026-12-01).
    """
    _require(lr=lr, epsilon=epsilon, l2=l2)
    _require_share(beta1=beta1, beta2=beta2)
    g = gradient + l2 * state.parameter
    first = beta1 * state.first + (1 - beta1) * g
    second = beta2 * state.second + (1 - beta2) * g * g
    steps = state.steps + 1
    root = math.sqrt(second / (1 - beta2**steps)) + epsilon
    if not root:
        raise ValueError("epsilon must be above 0 as long as every gradient has been 0")
    step = lr * first / (1 - beta1**steps) / root
    return AdamState(state.parameter - step, first, second, steps)


def adamw(
    state: AdamState,
    *,
    gradient: Number,
    lr: Number,
    beta1: Number = 0.9,
    beta2: Number = 0.999,
    epsilon: Number = 1e-8,
    decay: Number = 0.01,
) -> AdamState:
    r"""AdamW: the parameter shrinks by itself, and Adam's moments see the gradient of the loss alone.

    $$w' = (1 - \eta\lambda)\,w - \eta\,\frac{\hat m}{\sqrt{\hat v} + \epsilon}$$

    $\hat m$ and $\hat v$ are the corrected moments of `adam`.

    Args:
        gradient, lr, beta1, beta2, epsilon: as for `adam`.
        decay: $\lambda$, at least 0: the same share for every parameter, whatever its gradients.
    Raises:
        ValueError: an argument out of range.
    Source:
        Loshchilov & Hutter 2019, arXiv:1711.05101, as torch 2.13 has it in `torch/optim/adam.py`, there called
        decoupled_weight_decay (opened 2026-12-01).
    """
    _require(decay=decay)
    shrunk = replace(state, parameter=state.parameter * (1 - lr * decay))
    return adam(shrunk, gradient=gradient, lr=lr, beta1=beta1, beta2=beta2, epsilon=epsilon)
