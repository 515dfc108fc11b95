"""The formulas printed on the page about calculus, each as printed and as evaluated on small cases."""

import math
import random

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad

from infra_ref.publish.formula import equates


def normal(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def network(x):
    """From 5 numbers to 3; its Jacobian is not constant."""
    return torch.tanh(normal(0, 3, 5) @ x) * x[0]


def test_best_linear_map():
    r"""f(x + td) = f(x) + t\,J d + O(t^2)"""
    x, d = normal(1, 5), normal(2, 5)
    step = torch.autograd.functional.jacobian(network, x) @ d
    errors = [float((network(x + t * d) - network(x) - t * step).norm()) for t in (1e-3, 1e-4)]
    assert errors[0] / errors[1] == pytest.approx(100, rel=0.02)
    wrong = [float((network(x + t * d) - network(x) - 1.01 * t * step).norm()) for t in (1e-4, 1e-5)]
    assert wrong[0] / wrong[1] == pytest.approx(10, rel=0.1)  # any other map leaves an error of order t


def test_chain_rule():
    r"""J_{g \circ f}(x) = J_g(f(x))\,J_f(x)"""
    jacobian = torch.autograd.functional.jacobian
    x = normal(3, 5)

    def second(y):
        return torch.softmax(normal(4, 7, 3) @ y, 0)

    # Central differences of the composition: no chain rule in them.
    h = 1e-5
    columns = [(second(network(x + h * e)) - second(network(x - h * e))) / (2 * h) for e in torch.eye(5).double()]
    product = jacobian(second, network(x)) @ jacobian(network, x)
    assert torch.allclose(product, torch.stack(columns, 1), rtol=1e-7, atol=1e-9)


def test_the_two_products_are_adjoint():
    r"""v \cdot (J t) = (J^\top v) \cdot t"""
    x, t, v = normal(5, 5), normal(6, 5), normal(7, 3)
    with forward_ad.dual_level():
        forward = forward_ad.unpack_dual(network(forward_ad.make_dual(x, t))).tangent
    point = x.clone().requires_grad_()
    (backward,) = torch.autograd.grad(network(point), point, v)
    assert float(v @ forward) == pytest.approx(float(backward @ t), rel=1e-12)


def test_linear_backward():
    r"""\begin{aligned}
    dX &= dY\,W^\top\\
    dW &= X^\top dY\\
    db &= \textstyle\sum_{t=1}^{M} dY_t
    \end{aligned}"""
    x, w, b, dy = (normal(seed, *shape) for seed, shape in ((8, (7, 5)), (9, (5, 3)), (10, (3,)), (11, (7, 3))))
    for tensor in (x, w, b):
        tensor.requires_grad_()
    (x @ w + b).backward(dy)
    for formula, tensor in ((dy @ w.T, x), (x.T @ dy, w), (sum(dy), b)):
        assert torch.allclose(formula, tensor.grad, rtol=1e-12)


def test_softmax_jacobian(latex):
    """Every entry of torch's Jacobian, on and off the diagonal."""
    left, right = latex.split(" = ", 1)
    assert left == r"\frac{\partial p_i}{\partial z_j}"
    z = normal(12, 5)
    p = torch.softmax(z, 0).tolist()
    jacobian = torch.autograd.functional.jacobian(lambda t: torch.softmax(t, 0), z).tolist()
    for i in range(5):
        for j in range(5):
            point = {"J": jacobian[i][j], "p_i": p[i], "p_j": p[j], "delta_ij": int(i == j)}
            assert equates(f"J = {right}", point)


def test_softmax_backward():
    r"""dz = p \odot (dp - p \cdot dp)"""
    z, dp = normal(13, 7).requires_grad_(), normal(14, 7)
    p = torch.softmax(z, 0)
    p.backward(dp)
    assert torch.allclose(p * (dp - p @ dp), z.grad, rtol=1e-12)


def test_p_minus_y(latex):
    """The mean over the tokens of a batch, one of them ignored, element by element."""
    left, right = latex.split(" = ", 1)
    assert left == r"\frac{\partial L}{\partial z}"
    z, targets = normal(15, 4, 5).requires_grad_(), [2, 0, -100, 4]
    torch.nn.functional.cross_entropy(z, torch.tensor(targets)).backward()
    for row, target, gradient in zip(z.tolist(), targets, z.grad.tolist(), strict=True):
        if target == -100:
            assert gradient == [0] * 5
            continue
        total = sum(map(math.exp, row))
        for c, found in enumerate(gradient):
            point = {"g": found, "p": math.exp(row[c]) / total, "y": int(c == target), "n": 3}
            assert equates(f"g = {right}", point)


def test_rms_norm_backward():
    r"""dx = r\left(h - \hat{x}\,\frac{h \cdot \hat{x}}{H}\right)"""
    rng = random.Random(0)
    for epsilon in (0.0, 0.5):
        x, g, dy = (normal(rng.randrange(1000), 11) for _ in range(3))
        x.requires_grad_()
        torch.nn.functional.rms_norm(x, (11,), g, eps=epsilon).backward(dy)
        row, h = np.array(x.tolist()), (g * dy).numpy()
        r = 1 / math.sqrt(sum(v * v for v in row) / 11 + epsilon)
        dx = r * (h - r * row * (h @ (r * row)) / 11)
        assert np.allclose(dx, x.grad.numpy(), rtol=1e-10, atol=1e-12)
        assert (abs(dx @ row) < 1e-12) == (epsilon == 0)
