"""The formulas printed on the page about linear algebra, each as printed and as evaluated on small cases."""

import math
import random
from fractions import Fraction

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from infra_ref.numerics.formats import fp16
from infra_ref.tensor import algebra

EIGHTHS = st.integers(-400, 400).map(lambda n: n / 8)  # exact in binary, and so are their sums
TOLERANCES = st.sampled_from([0.0, 0.125, 0.5, 2.0])


def integers(rng, *shape):
    """Small whole numbers: every product and sum of them is exact."""
    return rng.integers(-9, 10, shape)


def test_cosine():
    r"""\cos\theta = \frac{x \cdot y}{\|x\|_2\,\|y\|_2}"""
    for a, b, scale in ((0.3, 1.1, 1.0), (2.0, -0.7, 1000.0), (0.0, math.pi, 0.01)):
        x = scale * np.array([math.cos(a), math.sin(a)])
        y = 7 * np.array([math.cos(b), math.sin(b)])
        cosine = (x @ y) / (math.hypot(*x) * math.hypot(*y))
        assert math.isclose(cosine, math.cos(a - b), abs_tol=1e-14)


@given(st.lists(EIGHTHS, min_size=1, max_size=7))
def test_norms_in_order(x):
    r"""\|x\|_\infty \le \|x\|_2 \le \|x\|_1"""
    largest, squares, total = max(map(abs, x)), sum(Fraction(v) ** 2 for v in x), sum(map(abs, x))
    assert Fraction(largest) ** 2 <= squares <= Fraction(total) ** 2
    assert Fraction(total) ** 2 <= len(x) * squares <= (len(x) * Fraction(largest)) ** 2


@given(EIGHTHS, EIGHTHS, TOLERANCES, TOLERANCES)
def test_mixed_tolerance(actual, expected, atol, rtol):
    r"""|\hat y - y| \le \text{atol} + \text{rtol}\,|y|"""
    inside = Fraction(expected) - Fraction(actual)
    room = Fraction(atol) + Fraction(rtol) * abs(Fraction(expected))
    found = algebra.within_tolerance(actual, expected, atol=atol, rtol=rtol)
    assert found == (-room <= inside <= room)


def test_error_bound_of_a_dot_product():
    r"""|\hat y - y| \le \frac{Ku}{1 - Ku} \sum_{k=1}^{K} |a_k b_k|"""
    rng, u = random.Random(0), Fraction(1, 2**11)
    shares = []
    for terms in (1, 2, 5, 37, 150):
        for sign in (0.0, 1.0):  # mixed signs, then all positive
            a, b = ([Fraction(fp16.round(rng.uniform(sign - 1, 2))) for _ in range(terms)] for _ in range(2))
            rounded = Fraction(0)
            for left, right in zip(a, b, strict=True):
                rounded = Fraction(fp16.round(rounded + Fraction(fp16.round(left * right))))
            exact = sum(left * right for left, right in zip(a, b, strict=True))
            bound = terms * u / (1 - terms * u) * sum(abs(left * right) for left, right in zip(a, b, strict=True))
            shares.append(abs(rounded - exact) / bound)
    assert max(shares) <= 1
    assert max(shares) > Fraction(1, 10)


def test_product_as_outer_products():
    r"""AB = \sum_{k=1}^{K} A_{:,k}\,B_{k,:}"""
    a, b = integers(np.random.default_rng(1), 3, 5), integers(np.random.default_rng(2), 5, 7)
    outer = sum(np.multiply.outer(a[:, k], b[k, :]) for k in range(5))
    dots = [[sum(int(a[i, k]) * int(b[k, j]) for k in range(5)) for j in range(7)] for i in range(3)]
    assert outer.tolist() == dots


def test_gemm_with_its_two_factors():
    r"""C \leftarrow \alpha A B + \beta C"""
    rng = np.random.default_rng(3)
    a, b, c = (integers(rng, *shape) for shape in ((3, 5), (5, 7), (3, 7)))
    expected = [
        [2 * sum(int(a[i, k] * b[k, j]) for k in range(5)) - 3 * int(c[i, j]) for j in range(7)] for i in range(3)
    ]
    found = torch.addmm(*(torch.tensor(x) for x in (c, a, b)), alpha=2, beta=-3)
    assert found.tolist() == expected


def test_two_affine_layers_are_one():
    r"""\begin{aligned}
    W_2 (W_1 x &+ b_1) + b_2\\
    &= W_2 W_1 x + (W_2 b_1 + b_2)
    \end{aligned}"""
    rng = np.random.default_rng(4)
    w1, b1, w2, b2, x = (integers(rng, *shape) for shape in ((11, 5), (11,), (3, 11), (3,), (5,)))
    layers = torch.nn.Linear(5, 11, dtype=torch.float64), torch.nn.Linear(11, 3, dtype=torch.float64)
    with torch.no_grad():
        for layer, weight, bias in zip(layers, (w1, w2), (b1, b2), strict=True):
            layer.weight.copy_(torch.tensor(weight))
            layer.bias.copy_(torch.tensor(bias))
        found = torch.nn.Sequential(*layers)(torch.tensor(x, dtype=torch.float64))
    assert found.tolist() == (w2 @ w1 @ x + (w2 @ b1 + b2)).tolist()


def test_powers_of_an_eigenvector():
    r"""A^t v = \lambda^t v"""
    for matrix, vector, value in (
        ([[2, 1], [1, 2]], [1, 1], 3),
        ([[2, 1], [1, 2]], [1, -1], 1),
        ([[0, -2], [2, 0]], [1, -1j], 2j),
    ):
        x = np.array(vector)
        for t in range(1, 12):
            x = np.array(matrix) @ x
            assert x.tolist() == [value**t * entry for entry in vector]


def test_error_of_cutting_the_decomposition():
    r"""\|A - A_r\|_F^2 = \sum_{i>r} \sigma_i^2"""
    q, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(7, 5)))
    p, _ = np.linalg.qr(np.random.default_rng(6).normal(size=(5, 5)))
    sigma = [16.0, 8.0, 4.0, 2.0, 1.0]
    terms = [s * np.multiply.outer(q[:, i], p[:, i]) for i, s in enumerate(sigma)]
    for r, dropped in enumerate((341, 85, 21, 5, 1)):
        rest = sum(terms) - sum(terms[:r], start=np.zeros((7, 5)))
        assert math.isclose((rest**2).sum(), dropped, rel_tol=1e-13)
        assert math.isclose(algebra.eckart_young_error(sigma, rank=r) ** 2, dropped, rel_tol=1e-13)


def test_merged_low_rank_update():
    r"""W' = W + \frac{\alpha}{r} B A"""
    rng, r, alpha = np.random.default_rng(7), 2, 6
    w, b, a, x = (integers(rng, *shape) for shape in ((5, 7), (5, r), (r, 7), (7,)))
    merged = w + alpha // r * (b @ a)
    assert (merged @ x).tolist() == (w @ x + alpha // r * (b @ (a @ x))).tolist()
    assert np.linalg.matrix_rank(merged - w) <= r
