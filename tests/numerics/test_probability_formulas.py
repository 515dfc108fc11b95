"""The formulas printed on the page about probability, evaluated as printed against enumeration, NumPy and PyTorch."""

import itertools
import math
import random

import numpy as np
import pytest
import torch

from infra_ref.publish.formula import equates

GENERATOR = np.random.default_rng(0)


def distribution(*shape):
    weights = GENERATOR.random(shape) + 0.01
    return weights / weights.sum()


def test_chain_rule(latex):
    """Three tokens over 5 words: conditionals by summing the joint over what comes later."""
    assert latex == r"\ln p(x_{1:T}) = \sum_{t=1}^{T} \ln p(x_t \mid x_{<t})"
    joint = distribution(5, 5, 5)
    for x in itertools.product(range(5), repeat=3):
        prefixes = [joint[x[:t]].sum() for t in range(4)]  # joint[()] is everything
        logs = [math.log(after / before) for before, after in itertools.pairwise(prefixes)]
        assert math.fsum(logs) == pytest.approx(math.log(joint[x]), rel=1e-12)


def test_linearity(latex):
    """Over every cell of a dependent joint distribution; the product of means, by contrast, differs."""
    assert latex == r"\mathbb{E}[aX + bY] = a\,\mathbb{E}[X] + b\,\mathbb{E}[Y]"
    joint, x, y = distribution(3, 7), GENERATOR.normal(size=(3, 1)), GENERATOR.normal(size=(1, 7))
    mean_x, mean_y = (joint.sum(1) * x[:, 0]).sum(), (joint.sum(0) * y[0]).sum()
    for a, b in ((2.0, -3.0), (0.0, 5.0), (-7.0, 11.0)):
        assert (joint * (a * x + b * y)).sum() == pytest.approx(a * mean_x + b * mean_y, rel=1e-12)
    assert (joint * x * y).sum() != pytest.approx(mean_x * mean_y, rel=1e-3)


def test_sample_variance(latex):
    for n in (2, 3, 7, 101):
        values = GENERATOR.normal(size=n)
        own, sample = float(np.var(values)), float(np.std(values, ddof=1))
        assert equates(latex, {"s": sample, "n": n, "v": own})
        assert not equates(latex, {"s": math.sqrt(own), "n": n, "v": own})


def test_total_variance(latex):
    for first, second in ((2, 2), (3, 11), (1, 7)):
        parts = GENERATOR.normal(1, 2, first), GENERATOR.normal(5, 1, second)
        point = {"v": float(np.var(np.concatenate(parts)))}
        for i, part in enumerate(parts, 1):
            point |= {
                f"p_{i}": len(part) / (first + second),
                f"mu_{i}": float(part.mean()),
                f"v_{i}": float(part.var()),
            }
        assert equates(latex, point)
        assert not equates(latex, point | {"mu_2": point["mu_1"]})


def test_bias_of_the_mean_of_means(latex):
    """Losses of single tokens; the covariance over ranks by NumPy."""
    generator = random.Random(0)
    for ranks in (2, 3, 7):
        losses = [[generator.uniform(0, 5) for _ in range(generator.randint(1, 13))] for _ in range(ranks)]
        tokens, means = [len(x) for x in losses], [float(np.mean(x)) for x in losses]
        point = {
            "ell_bar": float(np.mean(list(itertools.chain(*losses)))),
            "m_bar": float(np.mean(means)),
            "t_bar": float(np.mean(tokens)),
            "c_tm": float(np.cov(tokens, means, ddof=0)[0, 1]),
        }
        assert equates(latex, point)
        assert not equates(latex, point | {"c_tm": float(np.cov(tokens, means, ddof=1)[0, 1])})


def test_variance_along_an_axis(latex):
    """The variance of the data projected on each right singular vector."""
    x = GENERATOR.normal(size=(53, 5)) @ GENERATOR.normal(size=(5, 5)) + 7
    _, singular, axes = np.linalg.svd(x - x.mean(0), full_matrices=False)
    for sigma, axis in zip(singular, axes, strict=True):
        variance = float(np.var(x @ axis, ddof=1))
        assert equates(latex, {"lambda_k": variance, "sigma_k": float(sigma), "n": 53})


def test_likelihood_splits(latex):
    """Cross-entropy of single tokens against torch's entropy and divergence; no model beats counting."""
    assert latex == r"-\frac{1}{n} \sum_k c_k \ln q_k = H(\hat p) + D(\hat p\,\|\,q)"
    counts = torch.tensor([9, 3, 6, 1])
    targets = torch.repeat_interleave(torch.arange(4), counts)
    counted = counts.double() / 19
    entropy = torch.special.entr(counted).sum()
    for _ in range(20):
        logits = torch.from_numpy(GENERATOR.normal(size=4))
        loss = torch.nn.functional.cross_entropy(logits.expand(19, 4), targets)
        divergence = torch.nn.functional.kl_div(logits.log_softmax(0), counted, reduction="sum")
        torch.testing.assert_close(loss, entropy + divergence, rtol=1e-12, atol=1e-14)
        assert loss > entropy
