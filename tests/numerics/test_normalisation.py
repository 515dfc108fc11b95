"""RMSNorm against torch in double precision and NumPy step by step."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import normalisation
from infra_ref.numerics.formats import bf16, fp8_e4m3fn, fp16, fp32

FEW = settings(max_examples=40)


@pytest.mark.oracle("normalisation.rms_norm")
@FEW
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=11), st.sampled_from([1e-6, 0.5]))
def test_against_torch(values, epsilon):
    row = torch.tensor(values, dtype=torch.float64)
    expected = torch.nn.functional.rms_norm(row, (len(values),), eps=epsilon).tolist()
    assert normalisation.rms_norm(values, epsilon=epsilon) == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.oracle("normalisation.rms_norm")
@pytest.mark.parametrize("x", [5e-324, 1e-200, 1.0, 256.0, 1000.0, 8.15e17, 1e30, 1.7e308])
@pytest.mark.parametrize("width", [1, 7, 512])
def test_a_uniform_row_of_any_magnitude_gives_ones(x, width):
    """LeetCUDA#335, pytorch#133085, nntrainer#3935, tt-metal#55159."""
    assert normalisation.rms_norm([-x] * width) == pytest.approx([-1] * width, rel=1e-14)
    assert normalisation.rms_norm([0.0] * width) == [0.0] * width


@pytest.mark.oracle("normalisation.rounded_rms_norm")
@FEW
@given(st.lists(st.floats(-300, 300), min_size=1, max_size=9))
def test_rounded_steps_against_numpy(values):
    x = np.array(values, dtype=np.float16)
    with np.errstate(over="ignore"):
        squares = x * x
        total = np.float16(0)
        for square in squares:
            total = total + square
        root = np.sqrt(total / np.float16(len(values)) + np.float16(1e-2))
        expected = (x / root).astype(float).tolist()
    ours = normalisation.rounded_rms_norm(values, format=fp16, epsilon=1e-2)
    assert [float(y) for y in ours] == expected


@pytest.mark.oracle("normalisation.rounded_rms_norm")
def test_squares_that_leave_fp16():
    """LeetCUDA#335, tiny-llm#18: from 256 on a square is infinite, and the row becomes zeros instead of ones."""
    assert normalisation.rounded_rms_norm([255] * 4, format=fp16) == [0] * 4  # each fits, their sum does not
    assert normalisation.rounded_rms_norm([255], format=fp16) == [1]
    assert normalisation.rounded_rms_norm([256], format=fp16) == [0]
    assert normalisation.rounded_rms_norm([1000] * 2, format=fp16) == [0, 0]
    assert normalisation.rounded_rms_norm([1000] * 2, format=bf16) == pytest.approx([1, 1], abs=2**-7)
    with np.errstate(over="ignore"):
        assert np.isinf(np.float16(256.0) * np.float16(256.0))


@pytest.mark.oracle("normalisation.rounded_rms_norm")
def test_squares_whose_sum_leaves_fp32():
    """tt-metal#55159: width 512 overflows above 8.15e17, where the answer is still 1."""
    limit = math.sqrt(float(fp32.max) / 512)
    assert limit == pytest.approx(8.15e17, rel=1e-3)
    below, above = ([x * limit] * 512 for x in (0.999, 1.001))
    assert normalisation.rounded_rms_norm(below, format=fp32)[0] == pytest.approx(1, abs=1e-5)
    assert normalisation.rounded_rms_norm(above, format=fp32) == [0] * 512
    with np.errstate(over="ignore"):
        assert np.isinf(np.add.accumulate(np.float32(above) ** 2)[-1])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: normalisation.rms_norm([]), "values must hold at least one number"),
        (lambda: normalisation.rms_norm([1.0, math.inf]), "all finite"),
        (lambda: normalisation.rms_norm([1.0], epsilon=-1), "epsilon must be finite and at least 0"),
        (lambda: normalisation.rounded_rms_norm([], format=fp16), "values must hold at least one number"),
        (lambda: normalisation.rounded_rms_norm([1], format=fp16, epsilon=math.inf), "epsilon must be finite and at"),
        (lambda: normalisation.rms_norm([1.0], epsilon=math.inf), "epsilon must be finite and at least 0"),
        (lambda: normalisation.rounded_rms_norm([1], format=fp8_e4m3fn), "format must have an infinity"),
        (lambda: normalisation.rounded_rms_norm([Fraction(1, 10**6)], format=fp16), "the mean of squares is 0 in fp16"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
