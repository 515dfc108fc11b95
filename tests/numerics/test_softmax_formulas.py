"""The formulas printed on the page about softmax, each as printed and as evaluated on small cases."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from infra_ref.publish.formula import definitions, equates

GENERATOR = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(shape, generator=GENERATOR, dtype=torch.float64)


def test_shift(latex):
    assert latex == r"\frac{e^{z_i + c}}{\sum_j e^{z_j + c}} = \frac{e^{z_i}}{\sum_j e^{z_j}}"
    z = normal(7)
    expected = z.exp() / z.exp().sum()
    for c in (-300.0, 0.5, 300.0):
        assert torch.allclose((z + c).exp() / (z + c).exp().sum(), expected, rtol=1e-12)
    assert not torch.allclose((z * 2).exp() / (z * 2).exp().sum(), expected, rtol=0.01)


def test_overflow_threshold(latex):
    """fp16: every value tried; the half gap beyond the maximum is what rounding sends back to it."""
    assert latex == r"x^* = \max\left\{x : e^x < M + \tfrac12\,\text{ulp}\right\}"
    values = np.arange(2**15, dtype=np.uint16).view(np.float16)
    values = values[np.isfinite(values)]
    limit = 65504 + Fraction(32, 2)
    with np.errstate(over="ignore"):
        fits = [float(x) for x in values if np.isfinite(np.exp(x))]
    assert max(fits) == max(float(x) for x in values if float(x) < 700 and math.exp(float(x)) < limit) == 11.0859375


def test_log_sum_exp_with_the_maximum_taken_out(latex):
    assert latex == r"\text{LSE} = m + \ln \sum_i e^{z_i - m}"
    for z in (normal(2), 30 * normal(7), normal(11) - 600, normal(3) + 1e4):
        m = z.max()
        assert float(m + (z - m).exp().sum().log()) == pytest.approx(float(torch.logsumexp(z, 0)), rel=1e-13)
        assert m <= torch.logsumexp(z, 0) <= m + math.log(len(z)) + 1e-12  # as the page says of its range


def test_old_terms_shrink_together(latex):
    assert latex == r"\sum_i e^{z_i - m'} = e^{m - m'} \sum_i e^{z_i - m}"
    z = normal(11)
    m, higher = float(z.max()), float(z.max()) + 2.5
    new = float((z - higher).exp().sum())
    assert new == pytest.approx(math.exp(m - higher) * float((z - m).exp().sum()), rel=1e-13)


def test_merge(latex):
    """Both shares at once by torch, against the printed merge of their states."""
    for left, right in itertools.product((1, 2, 7), repeat=2):
        z, v = 5 * normal(left + right), normal(left + right)
        point = {}
        for name, part in (("a", slice(None, left)), ("b", slice(left, None))):
            m = z[part].max()
            weights = (z[part] - m).exp()
            point |= {f"m_{name}": float(m), f"l_{name}": float(weights.sum()), f"o_{name}": float(weights @ v[part])}
        found = definitions(latex, point)
        weights = (z - z.max()).exp()
        assert found["m"] == float(z.max())
        assert found["l"] == pytest.approx(float(weights.sum()), rel=1e-12)
        assert found["o"] == pytest.approx(float(weights @ v), rel=1e-12, abs=1e-14)
        assert found["o"] / found["l"] == pytest.approx(float(torch.softmax(z, 0) @ v), rel=1e-12, abs=1e-14)


def test_ratio_at_a_temperature(latex):
    for temperature in (0.1, 1.0, 3.5):
        z = normal(5)
        p = torch.softmax(z / temperature, 0)
        point = {"z_i": float(z[1]), "z_j": float(z[4]), "p_i": float(p[1]), "p_j": float(p[4]), "T": temperature}
        assert equates(latex, point)
        assert not equates(latex, point | {"T": 1.1 * temperature})


def test_cross_entropy_from_logits(latex):
    """Losses from 1/8 up: below, the difference cancels more digits than `equates` forgives."""
    compared = 0
    for z in (normal(7), 30 * normal(7)):
        for t in range(7):
            loss = float(torch.nn.functional.cross_entropy(z[None], torch.tensor([t])))
            point = {"L": loss, "LSE": float(torch.logsumexp(z, 0)), "z_t": float(z[t])}
            if loss > 0.125:
                compared += 1
                assert equates(latex, point)
                assert not equates(latex, point | {"L": loss + 1e-3})
    assert compared >= 10


def test_cross_entropy_is_entropy_plus_divergence(latex):
    assert latex == r"-\sum_i p_i \ln q_i = H(p) + D(p\,\|\,q)"
    p, q = torch.softmax(normal(7), 0), torch.softmax(normal(7), 0)
    entropy = torch.distributions.Categorical(probs=p).entropy()
    divergence = torch.distributions.kl_divergence(*(torch.distributions.Categorical(probs=x) for x in (p, q)))
    assert float(-(p * q.log()).sum()) == pytest.approx(float(entropy + divergence), rel=1e-12)


def test_variance_of_a_dot_product(latex):
    """Every outcome of D products of two independent values each, equally likely: mean 0, variance 1."""
    assert latex == r"\operatorname{Var}(q \cdot k) = \sum_{i=1}^{D} \operatorname{Var}(q_i k_i) = D"
    fair = (-1, 1)
    skewed = (-1, -1, -1, -1, 4)  # mean 0, variance 4: scaled to 1 below
    for size in (1, 2, 3):
        sums = [
            Fraction(sum(q * k for q, k in zip(qs, ks, strict=True)), 2)
            for qs in itertools.product(fair, repeat=size)
            for ks in itertools.product(skewed, repeat=size)
        ]
        assert sum(sums) == 0
        assert sum(s * s for s in sums) / len(sums) == size
