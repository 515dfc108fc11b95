"""Loss scaling against NumPy's fp16, torch's update rule and torch's GradScaler."""

import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import loss_scaling
from infra_ref.numerics.formats import fp16, fp32
from infra_ref.numerics.loss_scaling import DynamicScale

FEW = settings(max_examples=40)


@pytest.mark.oracle("loss_scaling.backward", "loss_scaling.ScaledGradients.*")
@FEW
@given(st.lists(st.floats(-1e-3, 1e-3), max_size=7), st.sampled_from([1, 128, 1024, 65536, 1000.0]))
def test_stored_gradients_against_numpy(gradients, scale):
    scaled = loss_scaling.backward(gradients, scale=scale, format=fp16)
    exact = [Fraction(g) * Fraction(scale) for g in gradients]
    theirs = [np.float16(float(x)) for x in exact]
    assert [float(g) for g in scaled.stored] == [float(x) for x in theirs]
    assert not scaled.overflow
    assert [float(g) for g in scaled.unscale()] == pytest.approx([float(x) / scale for x in theirs], rel=1e-15)


@pytest.mark.oracle("loss_scaling.backward", "loss_scaling.ScaledGradients.*")
def test_what_fp16_loses_and_a_scale_saves():
    """1e-8 is below half of fp16's smallest number, 1e-6 is not."""
    lost, kept = loss_scaling.backward([1e-8, 1e-6], scale=1, format=fp16).stored
    assert (lost, float(kept)) == (0, float(np.float16(1e-6)))
    assert float(kept) == pytest.approx(1.0133e-6, rel=1e-4)
    (saved,) = loss_scaling.backward([1e-8], scale=1024, format=fp16).unscale()
    assert float(saved) == float(np.float16(1024 * 1e-8)) / 1024 == pytest.approx(1e-8, rel=2e-3)


@pytest.mark.oracle("loss_scaling.DynamicScale.*")
@FEW
@given(st.lists(st.booleans(), max_size=40), st.integers(1, 5), st.sampled_from([1.0, 65536.0, 2.0**125]))
def test_updates_against_torch(history, interval, start):
    """torch's own kernel, including its refusal to grow past fp32."""
    scale, tracker = torch.tensor(start), torch.tensor(0, dtype=torch.int32)
    state = DynamicScale(scale=start, growth_interval=interval)
    for overflow in history:
        torch._amp_update_scale_(scale, tracker, torch.tensor(float(overflow)), 2.0, 0.5, interval)
        state = state.update(overflow=overflow)
        assert (state.scale, state.clean_steps) == (scale.item(), tracker.item())


@pytest.mark.oracle("loss_scaling.DynamicScale.*")
@pytest.mark.parametrize("start", [2.0**126, 2.0**127, float(fp32.max) / 2, float(fp32.max)])
def test_growth_ends_at_the_largest_single(start):
    scale, tracker = torch.tensor(start), torch.tensor(0, dtype=torch.int32)
    torch._amp_update_scale_(scale, tracker, torch.tensor(0.0), 2.0, 0.5, 1)
    ours = DynamicScale(scale=start, growth_interval=1).update(overflow=False)
    assert (ours.scale, ours.clean_steps) == (scale.item(), tracker.item())


@pytest.mark.oracle("loss_scaling.DynamicScale.*")
def test_defaults_are_those_of_torch():
    theirs, ours = torch.amp.GradScaler("cpu"), DynamicScale()
    assert ours.growth_factor == theirs.get_growth_factor()
    assert ours.backoff_factor == theirs.get_backoff_factor()
    assert ours.growth_interval == theirs.get_growth_interval()
    assert (ours.scale, ours.clean_steps) == (theirs.get_scale(), 0)


@pytest.mark.oracle("loss_scaling.step")
def test_clipping_comes_after_unscaling():
    """pytorch/examples#1196, Pytorch-UNet#468: scale 65536, true norm 0.5, limit 1: nothing is clipped."""
    gradients = [Fraction(3, 10), Fraction(-4, 10)]
    scaled = loss_scaling.backward(gradients, scale=65536, format=fp32)
    ours, _ = loss_scaling.step([scaled], DynamicScale(), max_norm=1)
    assert [float(g) for g in ours[0]] == pytest.approx([0.3, -0.4], rel=1e-7)
    assert loss_scaling.step([scaled], DynamicScale())[0] == ours

    parameter = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.SGD([parameter], lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
    scaler.scale((parameter * torch.tensor([0.3, -0.4])).sum()).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_([parameter], 1.0)
    assert [float(g) for g in ours[0]] == pytest.approx(parameter.grad.tolist(), rel=1e-6)
    wrong = torch.tensor([0.3, -0.4]) * 65536
    wrong = wrong / wrong.norm() / 65536
    assert wrong.norm().item() == pytest.approx(1 / 65536)


@pytest.mark.oracle("loss_scaling.step", "loss_scaling.ScaledGradients.*")
def test_unscaling_uses_the_scale_of_the_backward_pass():
    """DeepSpeed#8588: the scale doubled in between would halve the gradient."""
    scaled = loss_scaling.backward([1], scale=65536, format=fp32)
    grown = DynamicScale(scale=65536, growth_interval=1).update(overflow=False)
    assert grown.scale == 131_072
    assert loss_scaling.step([scaled], grown).gradients == [[1]]
    assert scaled.stored[0] / grown.scale == Fraction(1, 2)
    for state in (scaled, grown):
        with pytest.raises(FrozenInstanceError):
            state.scale = 2


@pytest.mark.oracle("loss_scaling.step", "loss_scaling.ScaledGradients.*", "loss_scaling.DynamicScale.*")
def test_an_overflow_on_one_rank_skips_the_step_on_all():
    fine = loss_scaling.backward([0.25], scale=65536, format=fp16)
    over = loss_scaling.backward([0.5, 1.0], scale=65536, format=fp16)
    with np.errstate(over="ignore"):
        assert np.isinf(np.float32(65536.0).astype(np.float16))
    assert (fine.overflow, over.overflow) == (False, True)
    skipped = loss_scaling.step([fine, over], DynamicScale(clean_steps=1999), max_norm=1.0)
    assert skipped.gradients is None
    assert (skipped.scale.scale, skipped.scale.clean_steps) == (32768, 0)
    again = loss_scaling.backward([0.5, 1.0], scale=skipped.scale.scale, format=fp16)
    assert again.unscale() == [0.5, 1.0]
    assert loss_scaling.backward([math.nan], scale=2, format=fp16).overflow


@pytest.mark.oracle("loss_scaling.step")
def test_the_norm_is_that_of_all_ranks():
    ranks = [loss_scaling.backward([g], scale=scale, format=fp32) for g, scale in ((3, 8), (4, 1024))]
    ours, scale = loss_scaling.step(ranks, DynamicScale(), max_norm=1)
    assert [g for shard in ours for g in shard] == pytest.approx([3 / 5, 4 / 5])
    assert (scale.scale, scale.clean_steps) == (65536, 1)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: loss_scaling.backward([1.0], scale=0, format=fp16), "scale must be finite and above 0, got 0"),
        (
            lambda: loss_scaling.backward([1.0], scale=math.inf, format=fp16),
            "scale must be finite and above 0, got inf",
        ),
        (lambda: DynamicScale(scale=0), "scale must be finite and above 0, got 0"),
        (lambda: DynamicScale(scale=math.inf), "scale must be finite and above 0, got inf"),
        (lambda: DynamicScale(growth_factor=1), "growth_factor must be above 1"),
        (lambda: DynamicScale(backoff_factor=0), "backoff_factor must be between 0 and 1"),
        (lambda: DynamicScale(backoff_factor=1), "backoff_factor must be between 0 and 1"),
        (lambda: DynamicScale(growth_interval=0), "growth_interval must be at least 1"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
