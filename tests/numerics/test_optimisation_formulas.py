r"""The formulas printed on the page about optimisation, evaluated against torch or held as printed."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from infra_ref.numerics import clipping, normalisation
from infra_ref.publish.formula import equates


def test_steps_on_a_quadratic(latex):
    """Steps of torch's SGD down c w²/2."""
    for c, lr, start, steps in ((10, 0.0625, 3.0, 7), (2, 1.25, -1.0, 5), (0.5, 0.25, 8.0, 11)):
        w = torch.tensor([start], dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=lr)
        for _ in range(steps):
            optimizer.zero_grad()
            (c * w * w / 2).sum().backward()
            optimizer.step()
        point = {"c": Fraction(c), "eta": Fraction(lr), "w_0": Fraction(start), "t": steps}
        assert equates(latex, point | {"w_t": w.item()})


def test_bias_of_a_mean_that_starts_at_zero(latex):
    for beta, g, steps in ((0.9, 3.0, 1), (0.9, -7.0, 5), (0.999, 0.5, 11)):
        mean = torch.zeros((), dtype=torch.float64)
        for _ in range(steps):
            mean.lerp_(torch.tensor(g, dtype=torch.float64), 1 - beta)
        assert equates(latex, {"m_t": mean.item(), "beta": beta, "g": g, "t": steps})


def test_decoupled_decay(latex):
    """AdamW of torch, its corrected moments taken from its own state."""
    lr, decay, epsilon = 0.03, 0.2, 1e-3
    w = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.AdamW([w], lr=lr, betas=(0.7, 0.9), eps=epsilon, weight_decay=decay, foreach=False)
    for t, gradient in enumerate((3.0, -0.5, 0.25), 1):
        before = w.item()
        w.grad = torch.tensor([gradient], dtype=torch.float64)
        optimizer.step()
        state = optimizer.state[w]
        m_hat, v_hat = state["exp_avg"].item() / (1 - 0.7**t), state["exp_avg_sq"].item() / (1 - 0.9**t)
        point = {"w": before, "m_hat": m_hat, "v_hat": v_hat, "eta": lr, "lambda_": decay, "epsilon": epsilon}
        assert equates(latex, point | {"w_prime": w.item()})


def test_chain_of_jacobians():
    r"""\frac{\partial h_L}{\partial h_0} = J_L J_{L-1} \cdots J_1"""
    torch.manual_seed(0)
    matrices = torch.randn(5, 3, 3, dtype=torch.float64)

    def layer(w, h):
        return torch.tanh(w @ h)

    def stack(h):
        for w in matrices:
            h = layer(w, h)
        return h

    h = start = torch.randn(3, dtype=torch.float64)
    product = torch.eye(3, dtype=torch.float64)
    for w in matrices:
        slope = 1 - layer(w, h) ** 2
        product, h = slope[:, None] * w @ product, layer(w, h)
    assert torch.allclose(torch.autograd.functional.jacobian(stack, start), product, atol=1e-14)


def test_jacobian_of_a_residual_block():
    r"""\frac{\partial\,(h + f(h))}{\partial h} = I + J"""
    w, h = np.array([[2.0, -1.0], [0.5, 3.0]]), np.array([0.3, -0.2])
    slope = 1 - np.tanh(w @ h) ** 2
    by_hand = np.eye(2) + slope[:, None] * w
    matrix = torch.tensor(w)
    found = torch.autograd.functional.jacobian(lambda x: x + torch.tanh(matrix @ x), torch.tensor(h))
    assert np.allclose(found.numpy(), by_hand, atol=1e-14)


def test_variance_of_a_layer():
    r"""\text{Var}\,y = n\,\text{Var}\,w\;\mathbb{E}[x^2]"""
    weights, inputs, n = (-3, 1, 2), (0, 1, 5), 2  # equally likely; weights of mean 0, inputs not
    outcomes = [
        sum(w * x for w, x in zip(ws, xs, strict=True))
        for ws in itertools.product(weights, repeat=n)
        for xs in itertools.product(inputs, repeat=n)
    ]
    mean = Fraction(sum(outcomes), len(outcomes))
    variance = sum((y - mean) ** 2 for y in outcomes) / len(outcomes)
    assert variance == n * Fraction(9 + 1 + 4, 3) * Fraction(0 + 1 + 25, 3)


def test_layer_norm():
    r"""y_i = g_i\,\frac{x_i - \bar x}{\sqrt{\sigma^2 + \epsilon}} + b_i"""
    x, g, b, epsilon = [1.0, -2.0, 5.0, 0.5, 7.0], [1.0, 2.0, 3.0, 5.0, 7.0], [0.1, 0.2, 0.3, 0.5, 0.7], 0.25
    mean = math.fsum(x) / 5
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in x) / 5 + epsilon)
    by_hand = [gain * (v - mean) / deviation + shift for v, gain, shift in zip(x, g, b, strict=True)]
    row, gains, shifts = (torch.tensor(values, dtype=torch.float64) for values in (x, g, b))
    assert torch.nn.functional.layer_norm(row, (5,), gains, shifts, epsilon).tolist() == pytest.approx(by_hand)


def test_rms_norm():
    r"""y_i = g_i\,\frac{x_i}{\sqrt{\frac1H \sum_j x_j^2 + \epsilon}}"""
    x, g, epsilon = [1.0, -2.0, 5.0, 0.5, 7.0], [1.0, 2.0, 3.0, 5.0, 7.0], 0.25
    root = math.sqrt(math.fsum(v * v for v in x) / 5 + epsilon)
    by_hand = [gain * v / root for v, gain in zip(x, g, strict=True)]
    row, gains = torch.tensor(x, dtype=torch.float64), torch.tensor(g, dtype=torch.float64)
    assert torch.nn.functional.rms_norm(row, (5,), gains, epsilon).tolist() == pytest.approx(by_hand)
    ours = [gain * v for gain, v in zip(g, normalisation.rms_norm(x, epsilon=epsilon), strict=True)]
    assert ours == pytest.approx(by_hand)


def test_norm_across_ranks():
    r"""G = \sqrt{\sum_{r}\sum_{i} g_{r,i}^2}"""
    shards = [[3, 4], [], [0, 12], [84]]
    squares = sum(sum(g * g for g in shard) for shard in shards)
    whole = torch.tensor([float(g) for shard in shards for g in shard], dtype=torch.float64)
    assert math.sqrt(squares) == torch.linalg.vector_norm(whole).item() == clipping.global_norm(shards) == 85
