"""The formulas printed on the page about stability, evaluated as printed against NumPy's and torch's arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from infra_ref.numerics.loss_scaling import DynamicScale
from infra_ref.numerics.statistics import Moments
from infra_ref.publish.formula import equates, holds

HALF = Fraction(1, 2**11)  # unit roundoff of fp16


def rows(n, generator):
    """Numbers of fp16: mixed signs, one sign, one large number, nearly cancelling."""
    x = generator.uniform(-1, 1, n)
    for row in (x, np.abs(x), np.concatenate([[64.0], x[1:]]), np.concatenate([x, -x])[:n]):
        yield row.astype(np.float16)


def exactly(row):
    return [Fraction(float(v)) for v in row]


def left_to_right(row):
    total = np.float16(0)
    for value in row:
        total = total + value
    return total


def in_pairs(row):
    if len(row) == 1:
        return row[0]
    return in_pairs(row[: len(row) // 2]) + in_pairs(row[len(row) // 2 :])


def compensated(row):
    total = lost = np.float16(0)
    for value in row:
        y = value - lost
        new = total + y
        lost = (new - total) - y
        total = new
    return total


def point(row, found, **more):
    terms = exactly(row)
    return {"s_hat": Fraction(float(found)), "s": sum(terms), "A": sum(map(abs, terms)), "u": HALF, **more}


def test_error_after_a_chain_of_roundings(latex):
    """It holds for both orders with the count the page gives; ones that stall come near it, so it says something."""
    generator = np.random.default_rng(0)
    for n in (1, 2, 3, 13, 101):
        for row in rows(n, generator):
            assert holds(latex, point(row, left_to_right(row), k=n - 1))
            assert holds(latex, point(row, in_pairs(row), k=math.ceil(math.log2(n))))
    ones = np.ones(2048 + 1500, dtype=np.float16)
    wide = point(ones, left_to_right(ones), k=1000)
    assert holds(latex, wide)
    assert not holds(latex, wide | {"k": 500})


def test_error_of_a_compensated_sum(latex):
    """It holds where the plain sum would break it; half of its first term is exceeded."""
    generator = np.random.default_rng(1)
    for n in (1, 2, 3, 13, 101):
        for row in rows(n, generator):
            assert holds(latex, point(row, compensated(row), n=n))
    stuck = np.concatenate([[64.0], np.full(100, 2.0**-6)]).astype(np.float16)
    assert not holds(latex, point(stuck, left_to_right(stuck), n=len(stuck)))
    assert holds(latex, point(stuck, compensated(stuck), n=len(stuck)))
    worst = Fraction(0)
    for _ in range(300):
        row = generator.uniform(-1, 1, 3).astype(np.float16)
        at = point(row, compensated(row))
        worst = max(worst, abs(at["s_hat"] - at["s"]) / at["A"])
    assert worst > HALF / 2


def test_forward_error_against_backward_error(latex):
    """A sum whose terms each moved by at most eta; both directions are reached, so no smaller kappa would do."""
    generator = np.random.default_rng(2)
    for n in (1, 2, 7, 31):
        terms = exactly(generator.uniform(-1, 1, n))
        y = sum(terms)
        kappa = sum(map(abs, terms)) / abs(y)
        for eta in (Fraction(1, 10**6), Fraction(1, 8)):
            moves = [Fraction(float(m)) * eta for m in generator.uniform(-1, 1, n)]
            moved = sum(x * (1 + m) for x, m in zip(terms, moves, strict=True))
            assert holds(latex, {"y_hat": moved, "y": y, "kappa": kappa, "eta": eta})
            worst = y + eta * sum(map(abs, terms))
            assert holds(latex, {"y_hat": worst, "y": y, "kappa": kappa, "eta": eta})
            assert not holds(latex, {"y_hat": worst, "y": y, "kappa": kappa, "eta": eta * Fraction(999, 1000)})


def test_condition_number_of_a_variance(latex):
    """torch's gradient: moving the row against it changes the variance most."""
    generator = torch.Generator().manual_seed(3)
    for mean in (0.0, 1.0, 37.0):
        x = (mean + torch.randn(13, generator=generator, dtype=torch.float64)).requires_grad_()
        variance = x.var(correction=0)
        variance.backward()
        values = x.detach()
        found = float(x.grad.norm() * values.norm() / variance.detach())
        sizes = {"x_bar": float(values.mean()), "sigma": float(variance.detach().sqrt())}
        assert equates(latex, {"kappa": found, **sizes})
        assert not equates(latex, {"kappa": found * 1.001, **sizes})


def test_window_of_stored_gradients(latex):
    """The inequality holds exactly for what NumPy's fp16 keeps: neither zero nor infinite."""
    near = [2.0**-25, 2.0**-25 * (1 + 2**-20), 65519.99, 65520.0, 65504.0]
    magnitudes = [*near, *np.random.default_rng(4).uniform(-30, 18, 13).tolist()]
    sizes = [m if i < len(near) else 2.0**m for i, m in enumerate(magnitudes)]
    for scale in (1, 1024):
        for size in sizes:
            with np.errstate(over="ignore", under="ignore"):
                stored = float(np.float64(size).astype(np.float16))
            kept = 0 < stored < math.inf
            assert holds_strictly(latex, S=Fraction(scale), g=-Fraction(size) / scale) == kept


def holds_strictly(latex, **values):
    r"""The page's two strict signs: \le as printed with \le, and neither side equal."""
    assert latex.count("<") == 2
    at_most = latex.replace("<", r"\le ")
    return holds(at_most, values) and not any(
        equates(f"{side} = |Sg|", values) for side in (latex.split("<")[0], latex.split("<")[2])
    )


@pytest.mark.parametrize("interval", [1, 7, 99])
def test_share_of_skipped_steps(latex, interval):
    """Counted over whole cycles of the state machine, which torch's own update rule vouches for."""
    scale = DynamicScale(scale=2**20, growth_interval=interval)
    skipped = []
    for _ in range(5 * (interval + 1)):
        skipped.append(scale.scale > 2**20)
        scale = scale.update(overflow=skipped[-1])
    assert equates(latex, {"p": Fraction(sum(skipped), len(skipped)), "N": interval})
    assert not equates(latex, {"p": Fraction(sum(skipped), len(skipped)), "N": interval + 1})


@pytest.mark.oracle("loss_scaling.DynamicScale")
def test_defaults_are_those_of_the_grad_scaler():
    theirs, ours = torch.amp.GradScaler("cpu"), DynamicScale()
    assert ours.scale == theirs.get_scale()
    assert ours.growth_interval == theirs.get_growth_interval()
    assert ours.growth_factor == theirs.get_growth_factor()
    assert ours.backoff_factor == theirs.get_backoff_factor()


@pytest.mark.oracle("statistics.Moments")
def test_a_state_put_together_by_hand():
    """Count, mean and squared deviations taken from NumPy, then one more value and another group."""
    first, second = np.array([2.0, 3.0, 7.0]), np.array([11.0, 13.0, 19.0, 23.0, 29.0])
    left, right = (
        Moments(len(x), Fraction(x.mean()), Fraction(float(np.sum((x - x.mean()) ** 2)))) for x in (first, second)
    )
    for state, whole in ((left.add(31), [*first, 31.0]), (left.merge(right), [*first, *second])):
        assert state.count == len(whole)
        assert float(state.mean) == pytest.approx(np.mean(whole), rel=1e-12)
        assert float(state.m2) == pytest.approx(np.var(whole) * len(whole), rel=1e-12)


def test_close_numbers_subtract_exactly():
    """All pairs of positive fp16 numbers in a stretch of three binades, where b/2 <= a <= 2b; beyond, some round."""
    values = np.arange(0x3BF0, 0x4810, 37, dtype=np.uint16).view(np.float16)
    a, b = (grid.astype(np.float64) for grid in np.meshgrid(values, values))
    rounded = (a.astype(np.float16) - b.astype(np.float16)).astype(np.float64) != a - b
    close = (b / 2 <= a) & (a <= 2 * b)
    assert close.sum() > 1000
    assert not rounded[close].any()
    assert rounded[~close].any()
