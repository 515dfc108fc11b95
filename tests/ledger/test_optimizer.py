"""Training state counted in tensors that torch allocates, and dealt out to ranks element by element."""

from dataclasses import FrozenInstanceError
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.ledger import optimizer
from infra_ref.ledger.optimizer import LAYOUTS
from infra_ref.units import Q, magnitude

SHAPES = [(7, 5), (11,), (3, 2, 13)]
FEW = settings(max_examples=40)


def train(dtype, gradient_dtype=None, master=False, gradient_copy=False):
    """One AdamW step: bytes of the tensors it needs, and those of the gradients among them.

    Adam's step counters, one number per tensor, are left out.
    """
    weights = [torch.ones(shape, dtype=dtype) for shape in SHAPES]
    stepped = [w.float() if master else w for w in weights]
    gradients = [torch.ones(shape, dtype=gradient_dtype or dtype) for shape in SHAPES]
    copies = [g.float() for g in gradients] if gradient_copy else []
    parameters = [torch.nn.Parameter(w) for w in stepped]
    adam = torch.optim.AdamW(parameters)
    for parameter, gradient in zip(parameters, copies or gradients, strict=True):
        parameter.grad = gradient.to(parameter.dtype)
    adam.step()
    moments = [s[k] for s in adam.state.values() for k in ("exp_avg", "exp_avg_sq")]
    tensors = weights + gradients + copies + moments + (stepped if master else [])
    return sum(t.nbytes for t in tensors), sum(t.nbytes for t in gradients)


@pytest.mark.oracle("optimizer.*.bytes_per_parameter", "optimizer.*.total", "optimizer.*.breakdown")
@pytest.mark.parametrize(
    ("name", "options", "stored"),
    [
        ("mixed_adam", {"dtype": torch.bfloat16, "master": True}, True),
        ("mixed_adam_fp32_gradients", {"dtype": torch.bfloat16, "gradient_dtype": torch.float32, "master": True}, True),
        ("mixed_adam_gradient_copy", {"dtype": torch.float16, "master": True, "gradient_copy": True}, True),
        ("fp32_adam", {"dtype": torch.float32}, True),
        ("fp32_adam_no_gradients", {"dtype": torch.float32}, False),
    ],
)
def test_layouts_against_what_torch_allocates(name, options, stored):
    """The last one differs from the one above by the gradients, which a fused step frees as it goes."""
    layout = LAYOUTS[name]
    nbytes, of_gradients = train(**options)
    parameters = sum(torch.Size(shape).numel() for shape in SHAPES)
    expected = nbytes if stored else nbytes - of_gradients
    assert magnitude(layout.total(parameters=parameters), "B") == expected
    assert Fraction(expected, parameters) == magnitude(layout.bytes_per_parameter, "B")
    parts = layout.breakdown(parameters=parameters)
    assert sum(magnitude(part, "B") for part in parts.values()) == expected


@pytest.mark.oracle("optimizer.*.bytes_per_parameter", "optimizer.*.total")
@pytest.mark.parametrize(
    ("name", "nbytes", "gigabytes"),
    [
        ("mixed_adam", 2 + 2 + 4 + 4 + 4, 112),
        ("mixed_adam_fp32_gradients", 2 + 4 + 4 + 8, 126),
        ("mixed_adam_gradient_copy", 2 + 2 + 4 + 4 + 8, 140),
        ("fp32_adam", 4 + 4 + 8, 112),
        ("fp32_adam_no_gradients", 4 + 8, 84),
    ],
)
def test_seven_billion_parameters(name, nbytes, gigabytes):
    """Megatron-LM#654, MS-AMP#173, cs336/lectures#3, maxtext#606, DeepSpeed#4076.

    There is no number of bytes without a layout that names its parts.
    """
    assert LAYOUTS[name].bytes_per_parameter == Q(nbytes, "B")
    assert LAYOUTS[name].total(parameters=7 * 10**9) == Q(gigabytes, "GB")


@pytest.mark.oracle("optimizer.*.breakdown")
@pytest.mark.parametrize("name", LAYOUTS)
def test_both_moments_are_counted(name):
    """cs249r_book#1681: 700 GB for the moments of 175e9 parameters, which is one of the two."""
    parts = LAYOUTS[name].breakdown(parameters=175 * 10**9)
    moments = [nbytes for part, nbytes in parts.items() if "moment" in part]
    assert moments == [Q(700, "GB")] * 2
    assert sum(moments, Q(0, "B")) == Q(1400, "GB")


def test_mixed_precision_does_not_shrink_the_model_state():
    """DeepSpeed#3442 expected 16-bit training to need less than fp32 training; it saves activations, not this."""
    sizes = {name: LAYOUTS[name].bytes_per_parameter for name in LAYOUTS}
    assert sizes["mixed_adam"] == sizes["fp32_adam"] < sizes["mixed_adam_gradient_copy"]


def test_a_layout_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        optimizer.mixed_adam.parts = ()


def test_printing_shows_the_parts_and_their_sum():
    lines = str(optimizer.mixed_adam).splitlines()
    assert lines[0].split() == ["2", "B", "weights,", "16-bit"]
    assert sum(int(line.split()[0]) for line in lines[:-1]) == int(lines[-1].split()[0]) == 16


def fullest_rank(layout, parameters, ranks, stage):
    """Deal every element of every part to its owner, or to all ranks."""
    held = [0] * ranks
    block = next(b for b in range(parameters + 1) if b * ranks >= parameters)
    for part in layout.parts:
        divided = stage >= {"optimizer": 1, "gradients": 2, "weights": 3}[part.kind]
        for element in range(parameters):
            for rank in [element // block] if divided else range(ranks):
                held[rank] += part.itemsize
    return max(held)


@pytest.mark.oracle("optimizer.*.per_rank")
@FEW
@given(st.sampled_from(sorted(LAYOUTS)), st.integers(0, 40), st.integers(1, 7), st.integers(0, 3))
def test_stages_by_dealing_out_elements(name, parameters, ranks, stage):
    ours = LAYOUTS[name].per_rank(parameters=parameters, ranks=ranks, stage=stage)
    assert magnitude(ours, "B") == fullest_rank(LAYOUTS[name], parameters, ranks, stage)


@FEW
@given(st.sampled_from(sorted(LAYOUTS)), st.integers(0, 10**12), st.integers(1, 2000))
def test_stages_only_ever_save(name, parameters, ranks):
    stages = [LAYOUTS[name].per_rank(parameters=parameters, ranks=ranks, stage=stage) for stage in range(4)]
    assert stages == sorted(stages, reverse=True)
    assert stages[0] == LAYOUTS[name].total(parameters=parameters)
    if ranks == 1:
        assert len(set(stages)) == 1


@pytest.mark.oracle("optimizer.*.per_rank")
@pytest.mark.parametrize("n", [1, 3, 8, 61])
def test_the_table_of_the_megatron_guide(n):
    """Bytes per parameter of its distributed optimizer: 4 + 16/d, 6 + 12/d, 8 + 8/d."""
    for name, whole, divided in (
        ("mixed_adam_gradient_copy", 4, 16),
        ("mixed_adam_fp32_gradients", 6, 12),
        ("fp32_adam", 8, 8),
    ):
        parameters = 1009 * n
        ours = LAYOUTS[name].per_rank(parameters=parameters, ranks=n, stage=1)
        assert Fraction(magnitude(ours, "B"), parameters) == whole + Fraction(divided, n)


@pytest.mark.oracle("optimizer.*.per_rank")
def test_published_estimates():
    """DeepSpeed#5102, #5099: 2.851e9 parameters on 8 ranks; then 7e9 on 8 and 7.5e9 on 64 (ZeRO, figure 1)."""

    def per_rank(layout, parameters, ranks, stage, unit):
        return float(magnitude(layout.per_rank(parameters=parameters, ranks=ranks, stage=stage), unit))

    small = 2_851_000_000
    assert f"{per_rank(optimizer.mixed_adam_gradient_copy, small, 8, 1, 'GiB'):.2f}" == "15.93"
    assert f"{per_rank(optimizer.mixed_adam, small, 8, 2, 'GiB'):.2f}" == "9.96"
    assert f"{per_rank(optimizer.mixed_adam_gradient_copy, small, 8, 2, 'GiB'):.2f}" == "11.28"
    seven = [per_rank(optimizer.mixed_adam, 7 * 10**9, 8, stage, "GB") for stage in range(4)]
    assert seven == [112, 38.5, 26.25, 14]
    zero = [per_rank(optimizer.mixed_adam, 7_500_000_000, 64, stage, "GB") for stage in range(4)]
    assert [f"{x:.1f}" for x in zero] == ["120.0", "31.4", "16.6", "1.9"]


class Memory:
    """Tensors by name; counts the bytes that a kernel loads and stores."""

    def __init__(self, **tensors):
        self.tensors, self.moved = tensors, 0

    def load(self, name):
        self.moved += self.tensors[name].nbytes
        return self.tensors[name].float()

    def store(self, name, value):
        self.tensors[name] = value.to(self.tensors[name].dtype)
        self.moved += self.tensors[name].nbytes


@pytest.mark.oracle("optimizer.*.step_bytes")
@pytest.mark.parametrize(
    ("name", "weights", "gradients"),
    [
        ("mixed_adam", torch.bfloat16, torch.bfloat16),
        ("mixed_adam_fp32_gradients", torch.bfloat16, torch.float32),
        ("mixed_adam_gradient_copy", torch.float16, torch.float16),
        ("fp32_adam", torch.float32, torch.float32),
        ("fp32_adam_no_gradients", torch.float32, None),
    ],
)
def test_a_step_that_touches_only_what_it_must(name, weights, gradients):
    """A first step written with counted loads and stores moves the weights as torch's AdamW without decay does."""
    n, lr = 37, 0.125
    start = torch.linspace(-2, 2, n).to(weights)
    gradient = torch.linspace(-1, 3, n).to(gradients or torch.float32)
    memory = Memory(w=start, g=gradient, copy=torch.empty(n), master=start.float(), m=torch.zeros(n), v=torch.zeros(n))
    if name == "mixed_adam_gradient_copy":
        memory.store("copy", memory.load("g"))
        g = memory.load("copy")
    else:
        g = memory.load("g") if gradients else gradient
    source = "w" if weights is torch.float32 else "master"
    w, m, v = memory.load(source), memory.load("m"), memory.load("v")
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    w = w - lr * (m / (1 - 0.9)) / ((v / (1 - 0.999)).sqrt() + 1e-8)
    for key, value in {source: w, "w": w, "m": m, "v": v}.items():
        memory.store(key, value)
    parameter = torch.nn.Parameter(start.float())
    parameter.grad = gradient.float()
    torch.optim.AdamW([parameter], lr=lr, weight_decay=0).step()
    assert torch.allclose(memory.tensors["w"].float(), parameter.detach().to(weights).float(), rtol=1e-2)
    assert memory.moved == magnitude(LAYOUTS[name].step_bytes(parameters=n), "B")


class Counted(float):
    """A number whose arithmetic is counted."""

    done = 0

    def _counted(name):
        def operation(self, *others):
            Counted.done += 1
            return Counted(getattr(float, name)(self, *map(float, others)))

        return operation

    __add__, __radd__, __sub__ = map(_counted, ("__add__", "__radd__", "__sub__"))
    __mul__, __rmul__, __truediv__ = map(_counted, ("__mul__", "__rmul__", "__truediv__"))
    __pow__ = _counted("__pow__")


@pytest.mark.oracle("optimizer.adam_step_flops")
def test_operations_of_a_step_on_counted_numbers():
    """Written with coefficients prepared once, as a kernel has them; the result is torch's."""
    w, g, m, v = map(Counted, (0.7, -0.3, 0.02, 0.01))
    keep1, new1, keep2, new2, correct1, correct2 = 0.9, 1 - 0.9, 0.999, 1 - 0.999, 1 - 0.9**5, 1 - 0.999**5
    m = keep1 * m + new1 * g
    v = keep2 * v + new2 * (g * g)
    w = w - 0.125 * ((m / correct1) / ((v / correct2) ** 0.5 + 1e-8))
    parameter = torch.tensor([0.7], dtype=torch.float64, requires_grad=True)
    parameter.grad = torch.tensor([-0.3], dtype=torch.float64)
    adam = torch.optim.Adam([parameter], lr=0.125)
    moments = {"exp_avg": torch.tensor([0.02]).double(), "exp_avg_sq": torch.tensor([0.01]).double()}
    adam.state[parameter] = moments | {"step": torch.tensor(4.0)}
    adam.step()
    assert float(w) == pytest.approx(parameter.item(), rel=1e-7)
    assert optimizer.adam_step_flops(parameters=31) == Q(31 * Counted.done, "FLOP")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: optimizer.fp32_adam.step_bytes(parameters=-1), "parameters must be an int of at least 0, not -1"),
        (lambda: optimizer.adam_step_flops(parameters=-1), "parameters must be an int of at least 0, not -1"),
        (lambda: optimizer.fp32_adam.total(parameters=-1), "parameters must be an int of at least 0, not -1"),
        (lambda: optimizer.fp32_adam.per_rank(parameters=7, ranks=0, stage=1), "ranks must be an int of at least 1"),
        (lambda: optimizer.fp32_adam.per_rank(parameters=7, ranks=2, stage=4), "stage must be 0, 1, 2 or 3, not 4"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
