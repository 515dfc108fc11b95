"""Clipping by global norm against torch, whatever the shards."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import clipping

FEW = settings(max_examples=40)
SHARDS = st.lists(st.lists(st.floats(-1e3, 1e3), max_size=5), min_size=1, max_size=4)


def clipped_by_torch(shards, max_norm):
    """One tensor per shard, as if all lived on one device."""
    parameters = [torch.zeros(len(s), dtype=torch.float64, requires_grad=True) for s in shards]
    for parameter, shard in zip(parameters, shards, strict=True):
        parameter.grad = torch.tensor(shard, dtype=torch.float64)
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return norm.item(), [p.grad.tolist() for p in parameters]


@pytest.mark.oracle("clipping.global_norm", "clipping.clip", "clipping.clip_coefficient")
@FEW
@given(SHARDS, st.sampled_from([0.5, 1.0, 37.0]))
def test_against_torch(shards, max_norm):
    norm, expected = clipped_by_torch(shards, max_norm)
    assert clipping.global_norm(shards) == pytest.approx(norm, rel=1e-12, abs=1e-150)
    ours = clipping.clip(shards, max_norm=max_norm, epsilon=1e-6)
    assert [x for s in ours for x in s] == pytest.approx([x for s in expected for x in s], rel=1e-12, abs=1e-150)


@pytest.mark.oracle("clipping.squared_norm", "clipping.global_norm")
@FEW
@given(st.lists(st.integers(-999, 999), max_size=12), st.data())
def test_any_sharding_gives_the_same_norm(gradients, data):
    ranks = [data.draw(st.integers(0, 2)) for _ in gradients]
    shards = [[g for g, r in zip(gradients, ranks, strict=True) if r == rank] for rank in range(3)]
    exact = sum(int(v) ** 2 for v in gradients)
    assert sum(map(clipping.squared_norm, shards)) == exact
    assert clipping.global_norm(shards) == pytest.approx(np.linalg.norm(gradients), rel=1e-15)


@pytest.mark.oracle("clipping.clip", "clipping.clip_coefficient")
def test_what_lies_within_the_limit_is_untouched():
    shards = [[Fraction(3, 10)], [Fraction(-4, 10), 0]]
    assert clipping.global_norm(shards) == 0.5
    assert clipping.clip(shards, max_norm=0.5) == shards
    assert clipping.clip([[0.0], []], max_norm=1) == [[0.0], []]
    assert clipping.clip([[3.0], [-4.0]], max_norm=1) == [[pytest.approx(0.6)], [pytest.approx(-0.8)]]
    assert clipping.clip_coefficient(norm=1, max_norm=1, epsilon=1e-6) == 1 / (1 + 1e-6)
    assert clipping.clip_coefficient(norm=2, max_norm=1) == 1 / 2
    assert clipping.clip_coefficient(norm=1, max_norm=1) == clipping.clip_coefficient(norm=0, max_norm=1) == 1


@pytest.mark.oracle("clipping.clip")
def test_clipping_each_rank_alone_turns_the_gradient():
    shards = [[3.0, 4.0], [0.0, 12.0]]
    together = [x for s in clipping.clip(shards, max_norm=1.0) for x in s]
    alone = [x for s in shards for x in clipping.clip([s], max_norm=1.0)[0]]
    assert math.hypot(*together) == pytest.approx(1)
    assert together == pytest.approx([x / 13 for x in (3, 4, 0, 12)])
    assert math.hypot(*alone) == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: clipping.clip([[1.0], [math.nan]], max_norm=1.0), "gradients must be finite, got nan: skip the step"),
        (lambda: clipping.squared_norm([-math.inf]), "gradients must be finite, got -inf"),
        (lambda: clipping.clip([[1.0]], max_norm=0.0), "max_norm must be above 0"),
        (lambda: clipping.clip_coefficient(norm=-1.0, max_norm=1.0), "norm must be finite and at least 0"),
        (lambda: clipping.clip_coefficient(norm=math.inf, max_norm=1.0), "norm must be finite and at least 0, got inf"),
        (lambda: clipping.clip_coefficient(norm=1.0, max_norm=1.0, epsilon=-1.0), "epsilon must be finite and at"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
