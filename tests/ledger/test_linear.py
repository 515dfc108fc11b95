"""Linear layers: numbers that count what is done to them, torch's autograd under its FLOP counter, real tensors."""

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from infra_ref.ledger import gemm, linear
from infra_ref.units import Q, magnitude

SIZE = st.integers(0, 5)
FEW = settings(max_examples=40)


class Counted:
    """A number that only counts the operations on it."""

    operations = 0

    def __add__(self, other):
        Counted.operations += 1
        return self

    __mul__ = __add__


def matrix(rows, columns):
    return [[Counted() for _ in range(columns)] for _ in range(rows)]


def transpose(a, rows, columns):
    return [[a[i][j] for i in range(rows)] for j in range(columns)]


def multiply(a, b, inner, columns):
    """a[rows, inner] b[inner, columns] by multiply-adds into zeros."""
    out = matrix(len(a), columns)
    for i, j, k in product(range(len(a)), range(columns), range(inner)):
        out[i][j] = out[i][j] + a[i][k] * b[k][j]
    return out


def count(run):
    Counted.operations = 0
    run()
    return Q(Counted.operations, "FLOP")


@pytest.mark.oracle("linear.forward_flops")
@FEW
@given(SIZE, SIZE, SIZE, st.booleans())
def test_forward_by_counting(t, i, o, bias):
    def run():
        y = multiply(matrix(t, i), matrix(i, o), i, o)
        if bias:
            b = matrix(1, o)[0]
            for row, j in product(y, range(o)):
                row[j] = row[j] + b[j]

    ours = linear.forward_flops(rows=t, in_features=i, out_features=o, bias=bias)
    assert ours.total == count(run)
    assert ours.product == count(lambda: multiply(matrix(t, i), matrix(i, o), i, o))


@pytest.mark.oracle("linear.backward_flops")
@FEW
@given(SIZE, SIZE, SIZE, *[st.booleans()] * 3)
def test_backward_by_counting(t, i, o, of_input, of_weight, of_bias):
    def run():
        gradient = matrix(t, o)
        if of_input:
            multiply(gradient, matrix(o, i), o, i)
        if of_weight:
            multiply(transpose(gradient, t, o), matrix(t, i), t, i)
        if of_bias:
            sums = matrix(1, o)[0]
            for row, j in product(gradient, range(o)):
                sums[j] = sums[j] + row[j]

    ours = linear.backward_flops(
        rows=t,
        in_features=i,
        out_features=o,
        input_requires_grad=of_input,
        weight_requires_grad=of_weight,
        bias_requires_grad=of_bias,
    )
    assert ours.total == count(run)


@pytest.mark.oracle("linear.forward_flops", "linear.backward_flops")
@pytest.mark.parametrize(("of_input", "of_weight", "of_bias"), list(product([False, True], repeat=3)))
def test_products_against_the_flop_counter_of_torch(of_input, of_weight, of_bias):
    """Its autograd skips just the products that no gradient needs; it counts neither bias nor reduction."""
    t, i, o = 13, 7, 5
    x = torch.randn(t, i, requires_grad=of_input)
    layer = torch.nn.Linear(i, o)
    layer.weight.requires_grad_(of_weight)
    layer.bias.requires_grad_(of_bias)
    with FlopCounterMode(display=False) as forward:
        y = layer(x)
    sizes = {"rows": t, "in_features": i, "out_features": o}
    assert linear.forward_flops(**sizes, bias=True).product == Q(forward.get_total_flops(), "FLOP")
    ours = linear.backward_flops(
        **sizes, input_requires_grad=of_input, weight_requires_grad=of_weight, bias_requires_grad=of_bias
    )
    if not (of_input or of_weight or of_bias):
        assert ours.total == Q(0, "FLOP")
        return
    with FlopCounterMode(display=False) as backward:
        y.backward(torch.ones_like(y))
    assert ours.products == Q(backward.get_total_flops(), "FLOP")


@pytest.mark.oracle("linear.forward_flops", "linear.backward_flops")
def test_syllabus_linear_layer():
    """B 8, S 2048, 4096 to 16384: forward 2.199e12, backward twice that; frozen or first, once."""
    sizes = {"rows": 8 * 2048, "in_features": 4096, "out_features": 16384}
    forward = linear.forward_flops(**sizes, bias=False).total
    assert magnitude(forward, "FLOP") == 2_199_023_255_552

    def backward(of_input, of_weight):
        return linear.backward_flops(
            **sizes, input_requires_grad=of_input, weight_requires_grad=of_weight, bias_requires_grad=False
        ).total

    assert backward(True, True) == Q(4_398_046_511_104, "FLOP")
    assert backward(True, False) == backward(False, True) == forward


def lora_run(t, i, o, r, of_input):
    """Forward, then backward, of Y = X W^T + s (X A^T) B^T with the weight frozen."""

    def elementwise(a, b=None):
        for row, k in product(range(len(a)), range(len(a[0]) if a else 0)):
            a[row][k] = a[row][k] * Counted() if b is None else a[row][k] + b[row][k]
        return a

    def forward():
        base = multiply(matrix(t, i), matrix(i, o), i, o)
        hidden = multiply(matrix(t, i), matrix(i, r), i, r)
        elementwise(base, elementwise(multiply(hidden, matrix(r, o), r, o)))

    def backward():
        gradient = matrix(t, o)
        scaled = elementwise(matrix(t, o))
        multiply(transpose(scaled, t, o), matrix(t, r), t, r)
        of_hidden = multiply(scaled, matrix(o, r), o, r)
        multiply(transpose(of_hidden, t, r), matrix(t, i), t, i)
        if of_input:
            elementwise(multiply(gradient, matrix(o, i), o, i), multiply(of_hidden, matrix(r, i), r, i))

    return forward, backward


@pytest.mark.oracle("linear.lora_forward_flops", "linear.lora_backward_flops")
@FEW
@given(SIZE, SIZE, SIZE, st.integers(1, 3), st.booleans())
def test_lora_by_counting(t, i, o, r, of_input):
    forward, backward = lora_run(t, i, o, r, of_input)
    sizes = {"rows": t, "in_features": i, "out_features": o, "rank": r}
    assert linear.lora_forward_flops(**sizes).total == count(forward)
    assert linear.lora_backward_flops(**sizes, input_requires_grad=of_input).total == count(backward)


@pytest.mark.oracle("linear.lora_forward_flops", "linear.lora_backward_flops")
@pytest.mark.parametrize("of_input", [False, True])
def test_lora_products_against_the_flop_counter_of_torch(of_input):
    t, i, o, r = 13, 11, 7, 3
    x = torch.randn(t, i, requires_grad=of_input)
    weight = torch.randn(o, i)
    a, b = torch.randn(r, i, requires_grad=True), torch.randn(o, r, requires_grad=True)
    with FlopCounterMode(display=False) as forward:
        y = x @ weight.T + 0.5 * ((x @ a.T) @ b.T)
    with FlopCounterMode(display=False) as backward:
        y.backward(torch.ones_like(y))
    sizes = {"rows": t, "in_features": i, "out_features": o, "rank": r}
    assert linear.lora_forward_flops(**sizes).products == Q(forward.get_total_flops(), "FLOP")
    ours = linear.lora_backward_flops(**sizes, input_requires_grad=of_input)
    assert ours.products == Q(backward.get_total_flops(), "FLOP")


def test_lora_saves_a_third_of_a_step_at_most():
    sizes = {"rows": 4096, "in_features": 4096, "out_features": 4096}
    one = magnitude(gemm.flops(m=4096, n=4096, k=4096), "FLOP")
    forward = linear.lora_forward_flops(**sizes, rank=16)
    backward = linear.lora_backward_flops(**sizes, rank=16, input_requires_grad=True)
    adapted = magnitude(forward.products, "FLOP") + magnitude(backward.products, "FLOP")
    assert 2 / 3 < adapted / (3 * one) < 0.68


@pytest.mark.oracle("linear.attention_score_bytes")
@pytest.mark.parametrize(("batch", "heads", "length", "gibibytes"), [(1, 32, 32768, 64), (2, 32, 8192, 8)])
def test_syllabus_scores(batch, heads, length, gibibytes):
    """Storage of a tensor that is described but not allocated."""
    scores = linear.attention_score_bytes(batch=batch, heads=heads, q_len=length, kv_len=length, itemsize=2)
    tensor = torch.empty(batch, heads, length, length, dtype=torch.float16, device="meta")
    assert magnitude(scores, "B") == tensor.nbytes
    assert magnitude(scores, "GiB") == gibibytes


@pytest.mark.oracle("linear.attention_score_bytes")
@FEW
@given(*[st.integers(0, 5)] * 4, st.sampled_from([torch.float16, torch.float32]))
def test_scores_of_a_real_product(batch, heads, q_len, kv_len, dtype):
    scores = torch.zeros(batch, heads, q_len, 3, dtype=dtype) @ torch.zeros(batch, heads, 3, kv_len, dtype=dtype)
    ours = linear.attention_score_bytes(batch=batch, heads=heads, q_len=q_len, kv_len=kv_len, itemsize=dtype.itemsize)
    assert magnitude(ours, "B") == scores.nbytes


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: linear.forward_flops(rows=-1, in_features=2, out_features=3, bias=False),
            "^rows must be an int of at least 0, not -1",
        ),
        (
            lambda: linear.lora_forward_flops(rows=1, in_features=2, out_features=3, rank=0),
            "rank must be an int of at least 1",
        ),
        (
            lambda: linear.attention_score_bytes(batch=1, heads=1, q_len=1.5, kv_len=1, itemsize=2),
            "q_len must be an int of at least 0, not 1.5",
        ),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
