"""The formulas printed on the page of worked cases, evaluated as printed against PyTorch."""

import math
import random

import pytest
import torch

from infra_ref.publish.formula import equates, holds

GENERATOR = torch.Generator().manual_seed(0)


def normal(*shape):
    return torch.randn(shape, generator=GENERATOR, dtype=torch.float64)


def test_merging_two_outputs(latex):
    """Attention over all keys, against the formula on its two shares; sizes differ, so an average would fail."""
    for first, second in ((1, 1), (2, 5), (7, 3), (11, 1)):
        scores, values = 3 * normal(first + second), normal(first + second)
        whole = torch.softmax(scores, 0) @ values
        point = {"o": float(whole)}
        for i, part in ((1, slice(None, first)), (2, slice(first, None))):
            point[f"o_{i}"] = float(torch.softmax(scores[part], 0) @ values[part])
            point[f"ell_{i}"] = float(torch.logsumexp(scores[part], 0))
        assert equates(latex, point)
        assert not equates(latex, point | {"o": (point["o_1"] + point["o_2"]) / 2})


def test_scaled_sums_average_to_the_token_mean(latex):
    """The mean over all tokens at once; the formula's series is written out, as one cannot be fed its terms."""
    assert latex == r"\bar{\ell} = \frac1n \sum_{r=1}^{n} \frac{n}{t}\, L_r"
    for tokens in ((7, 5), (2, 8, 1), (3, 0)):
        losses = [normal(count).square() for count in tokens]
        n, t = len(tokens), sum(tokens)
        average = sum(n / t * float(loss.sum()) for loss in losses) / n
        assert average == pytest.approx(float(torch.cat(losses).mean()), rel=1e-12)


def test_log_sum_exp_is_no_steeper_than_its_inputs(latex):
    """Random logits and errors; both errors equal reach the bound, so no smaller factor would do."""
    generator = random.Random(0)
    for scale in (1e-3, 1.0, 30.0):
        for _ in range(50):
            z, delta = ([generator.uniform(-scale, scale) for _ in range(2)] for _ in range(2))
            before = float(torch.logsumexp(torch.tensor(z, dtype=torch.float64), 0))
            after = float(
                torch.logsumexp(torch.tensor([a + d for a, d in zip(z, delta, strict=True)], dtype=torch.float64), 0)
            )
            point = {"LSE_prime": after, "LSE": before, "delta_1": delta[0], "delta_2": delta[1]}
            assert holds(latex, point)
    shifted = {"LSE_prime": math.log(2) + 0.75, "LSE": math.log(2), "delta_1": 0.75, "delta_2": 0.75}
    assert holds(latex, shifted)
    assert not holds(latex, shifted | {"LSE_prime": math.log(2) + 0.7500001})


def test_intensity_of_unfused_attention(latex):
    """Operations under torch's counter, bytes of the real tensors each operator reads and writes."""
    from torch.utils.flop_counter import FlopCounterMode

    for s, d in ((7, 3), (5, 11), (13, 13)):
        q, k, v = (normal(2, 3, s, d).half() for _ in range(3))
        with FlopCounterMode(display=False) as counter:
            scores = q @ k.transpose(-1, -2)
            weights = scores.softmax(-1)
            out = weights @ v
        moved = sum(t.nbytes for t in (q, k, scores, scores, weights, weights, v, out))
        assert equates(latex, {"I": counter.get_total_flops() / moved, "s": q.itemsize, "D_h": d, "S": s})
