"""Backward passes written by hand against torch autograd in double precision and against differences of forward passes
written here; finite differences against derivatives known in closed form."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.numerics import gradients
from infra_ref.numerics.formats import fp32

FEW = settings(max_examples=25)
NUMBER = st.floats(-30, 30)
FLAGS = st.tuples(*[st.booleans()] * 3)


def normal(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def leaf(values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def numeric(forward, point, output_gradient):
    """Gradient of sum(dY * forward(point)) by a five-point rule in NumPy, whose truncation error is of order h^4."""
    point, h = np.array(point, dtype=float), 2.0**-10
    found = np.zeros_like(point)
    for index in np.ndindex(*point.shape):
        values = []
        for shift in (-2, -1, 1, 2):
            moved = point.copy()
            moved[index] += shift * h
            values.append(float((np.array(output_gradient) * forward(moved)).sum()))
        found[index] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
    return found.tolist()


def close(ours, theirs, *, rel=1e-12, abs=1e-13):
    return np.array(ours).shape == np.array(theirs).shape and np.allclose(ours, theirs, rtol=rel, atol=abs)


def near(ours, differences):
    return close(ours, differences, rel=1e-8, abs=1e-9)


# --- linear layer ------------------------------------------------------------------------------------------------


def linear(dy, x, w, *flags):
    names = ("input_requires_grad", "weight_requires_grad", "bias_requires_grad")
    return gradients.linear_backward(dy, inputs=x, weight=w, **dict(zip(names, flags, strict=True)))


@pytest.mark.oracle("gradients.linear_backward")
@FEW
@given(FLAGS, st.integers(0, 99))
def test_linear_against_autograd(flags, seed):
    """Small whole numbers, so both are exact; what needs no gradient gets none, as torch decides it."""
    rng = np.random.default_rng(seed)
    x, w, b, dy = (rng.integers(-9, 10, shape).astype(float) for shape in ((7, 5), (5, 3), (3,), (7, 3)))
    tensors = [torch.tensor(t, requires_grad=flag) for t, flag in zip((x, w, b), flags, strict=True)]
    if any(flags):
        (tensors[0] @ tensors[1] + tensors[2]).backward(torch.tensor(dy))
    expected = tuple(None if t.grad is None else t.grad.tolist() for t in tensors)
    assert linear(dy.tolist(), x.tolist(), w.tolist(), *flags) == expected


@pytest.mark.oracle("gradients.linear_backward")
def test_linear_against_differences():
    x, w, b, dy = normal(0, 11, 2), normal(1, 2, 13), normal(2, 13), normal(3, 11, 13)
    ours = linear(dy.tolist(), x.tolist(), w.tolist(), True, True, True)
    assert near(ours.input, numeric(lambda t: t @ w + b, x, dy))
    assert near(ours.weight, numeric(lambda t: x @ t + b, w, dy))
    assert near(ours.bias, numeric(lambda t: x @ w + t, b, dy))


def test_each_product_needs_the_other_operand_alone():
    dy, x, w = [[1, 2, 3]], [[5, 7]], [[1, 0, 2], [0, 4, 1]]
    assert linear(dy, None, w, True, False, False) == ([[7, 11]], None, None)
    assert linear(dy, x, None, False, True, False) == (None, [[5, 10, 15], [7, 14, 21]], None)
    assert linear(dy, None, None, False, False, True) == (None, None, [1, 2, 3])
    with pytest.raises(ValueError, match="weight must be given"):
        linear(dy, x, None, True, False, False)
    with pytest.raises(ValueError, match="inputs must be given"):
        linear(dy, None, w, False, True, False)


@pytest.mark.parametrize(
    ("dy", "x", "w", "named"),
    [
        ([], [[1.0]], [[1.0]], "output_gradient"),
        ([[1.0], [1.0, 2.0]], [[1.0], [1.0]], [[1.0]], "output_gradient"),
        ([[1.0]], [[1.0]], [[1.0, 2.0]], "weight"),
        ([[1.0]], [[1.0], [2.0]], [[1.0]], "inputs"),
        ([[1.0], [1.0]], [[1.0], [2.0, 3.0]], [[1.0]], "inputs"),
    ],
)
def test_linear_refuses_shapes_that_do_not_fit(dy, x, w, named):
    with pytest.raises(ValueError, match=named):
        linear(dy, x, w, True, True, True)


# --- softmax and cross-entropy -----------------------------------------------------------------------------------


@pytest.mark.oracle("gradients.softmax_jacobian", "gradients.softmax_backward")
@FEW
@given(st.lists(NUMBER, min_size=1, max_size=7), st.integers(0, 99))
def test_softmax_against_autograd(logits, seed):
    row, dp = leaf(logits), torch.tensor(normal(seed, len(logits)))
    p = torch.softmax(row, 0)
    jacobian = torch.autograd.functional.jacobian(lambda z: torch.softmax(z, 0), row).tolist()
    assert close(gradients.softmax_jacobian(p.tolist()), jacobian)
    p.backward(dp)
    assert close(gradients.softmax_backward(dp.tolist(), p.tolist()), row.grad.tolist())


@pytest.mark.oracle("gradients.softmax_jacobian", "gradients.softmax_backward")
def test_softmax_against_differences():
    def forward(z):
        return np.exp(z) / np.exp(z).sum()

    z, dp = normal(4, 7), normal(5, 7)
    p = forward(z)
    assert near(gradients.softmax_backward(dp.tolist(), p.tolist()), numeric(forward, z, dp))
    for i, row in enumerate(gradients.softmax_jacobian(p.tolist())):
        assert near(row, numeric(forward, z, np.eye(7)[i]))


def test_rows_of_the_jacobian_add_up_to_zero():
    assert gradients.softmax_jacobian([0.5, 0.25, 0.25]) == [
        [0.25, -0.125, -0.125],
        [-0.125, 0.1875, -0.0625],
        [-0.125, -0.0625, 0.1875],
    ]
    assert gradients.softmax_jacobian([0, 0]) == [[0, 0], [0, 0]]  # all masked
    assert gradients.softmax_backward([3, 5], [0, 0]) == [0, 0]
    with pytest.raises(ValueError, match="probabilities must add up to 1"):
        gradients.softmax_jacobian([0.5, 0.25])
    with pytest.raises(ValueError, match="probabilities must add up to 1"):
        gradients.softmax_backward([1, 1], [0.5, 0.25])
    with pytest.raises(ValueError, match="output_gradient"):
        gradients.softmax_backward([1], [0.5, 0.5])


TARGET = st.sampled_from([-100, 0, 1, 2, 3, 4])


@pytest.mark.oracle("gradients.cross_entropy_backward")
@FEW
@given(st.lists(TARGET, min_size=1, max_size=5).filter(lambda t: set(t) != {-100}), st.sampled_from([0.0, 0.1, 1.0]))
def test_cross_entropy_against_autograd(targets, smoothing):
    logits = leaf(3 * normal(len(targets), len(targets), 5))
    torch.nn.functional.cross_entropy(logits, torch.tensor(targets), label_smoothing=smoothing).backward()
    ours = gradients.cross_entropy_backward(logits.tolist(), targets, label_smoothing=smoothing)
    assert close(ours, logits.grad.tolist())


@pytest.mark.oracle("gradients.cross_entropy_backward")
@pytest.mark.parametrize("smoothing_over", ["all", "others"])
def test_cross_entropy_against_differences(smoothing_over):
    """The loss written out class by class, in both conventions of smoothing; one row is ignored."""
    targets, epsilon = [1, 7, 0], 0.25
    on_target, elsewhere = {"all": (0.75 + 0.25 / 3, 0.25 / 3), "others": (0.75, 0.125)}[smoothing_over]

    def loss(z):
        total = 0.0
        for row, target in zip(z, targets, strict=True):
            for c in range(3) if target != 7 else ():
                weight = on_target if c == target else elsewhere
                total -= weight * (row[c] - math.log(sum(math.exp(x) for x in row)))
        return np.array(total / 2)

    z = normal(6, 3, 3)
    ours = gradients.cross_entropy_backward(
        z.tolist(), targets, ignore_index=7, label_smoothing=epsilon, smoothing_over=smoothing_over
    )
    assert near(ours, numeric(loss, z, 1.0))
    assert ours[1] == [0, 0, 0]


@pytest.mark.oracle("gradients.cross_entropy_backward")
def test_tokens_of_all_micro_batches_give_the_gradient_of_the_whole_batch():
    logits, targets = leaf(normal(7, 5, 3)), [2, -100, 0, 1, -100]
    torch.nn.functional.cross_entropy(logits, torch.tensor(targets)).backward()
    rows = logits.tolist()
    parts = [gradients.cross_entropy_backward(rows[a:b], targets[a:b], tokens=3) for a, b in ((0, 2), (2, 5))]
    assert close(parts[0] + parts[1], logits.grad.tolist())


def test_a_target_that_underflows_keeps_its_gradient():
    """Through log and softmax one after the other torch divides by 0 in fp32; the joint form does not."""
    ours = gradients.cross_entropy_backward([[0.0, 800.0]], [0])
    assert ours == [[-1, 1]]
    logits = torch.tensor([0.0, 200.0], requires_grad=True)
    (-torch.softmax(logits, 0)[0].log()).backward()
    assert logits.grad.isnan().all()


def test_masked_logits_get_no_gradient():
    (row,) = gradients.cross_entropy_backward([[1.0, -math.inf, 1.0]], [0])
    assert row == [-0.5, 0, 0.5]
    for smoothing, target in ((0.0, 1), (0.1, 0)):
        with pytest.raises(ValueError, match="masked"):
            gradients.cross_entropy_backward([[1.0, -math.inf, 1.0]], [target], label_smoothing=smoothing)


def test_cross_entropy_refuses_a_mean_over_nothing():
    with pytest.raises(ValueError, match="tokens"):
        gradients.cross_entropy_backward([[1.0, 2.0]], [-100])
    with pytest.raises(ValueError, match="tokens"):
        gradients.cross_entropy_backward([[1.0, 2.0]], [0], tokens=0)
    with pytest.raises(ValueError, match="target for each row"):
        gradients.cross_entropy_backward([[1.0, 2.0]], [0, 1])


# --- GELU and the norms ------------------------------------------------------------------------------------------


@pytest.mark.oracle("gradients.gelu_derivative")
@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_against_autograd_and_differences(approximate):
    def forward(x):
        if approximate == "tanh":
            return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        return x * np.vectorize(lambda t: 0.5 + 0.5 * math.erf(t / math.sqrt(2)))(x)

    points = [-37.0, -5.0, -1.3, -0.75179, -0.0, 1e-9, 0.5, 1.0, 2.0, 7.0, 41.0]
    x = leaf(points)
    torch.nn.functional.gelu(x, approximate=approximate).sum().backward()
    ours = [gradients.gelu_derivative(value, approximate=approximate) for value in points]
    assert close(ours, x.grad.tolist())
    assert near(ours, numeric(forward, points, 1.0))


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu_far_out_is_a_step(approximate):
    assert gradients.gelu_derivative(1e200, approximate=approximate) == 1
    assert gradients.gelu_derivative(-1e200, approximate=approximate) == 0
    with pytest.raises(ValueError, match="x must be finite"):
        gradients.gelu_derivative(math.inf, approximate=approximate)


def test_gelu_refuses_another_approximation():
    with pytest.raises(ValueError, match="approximate"):
        gradients.gelu_derivative(1.0, approximate="sigmoid")


def rms_forward(x, g, epsilon):
    return g * x / np.sqrt((x * x).mean(1, keepdims=True) + epsilon)


def layer_forward(x, g, epsilon):
    return rms_forward(x - x.mean(1, keepdims=True), g, epsilon)


@FEW
@given(
    st.lists(st.lists(NUMBER, min_size=5, max_size=5), min_size=1, max_size=3),
    st.sampled_from([1e-5, 0.5]),
    st.integers(0, 99),
)
@pytest.mark.oracle("gradients.rms_norm_backward", "gradients.layer_norm_backward")
def test_norms_against_autograd(rows, epsilon, seed):
    dy, weight = normal(seed, len(rows), 5), normal(seed + 1, 5)
    for ours, theirs, bias in (
        (gradients.rms_norm_backward, torch.nn.functional.rms_norm, ()),
        (gradients.layer_norm_backward, torch.nn.functional.layer_norm, (leaf([0.0] * 5),)),
    ):
        x, g = leaf(rows), leaf(weight.tolist())
        theirs(x, (5,), g, *bias, eps=epsilon).backward(torch.tensor(dy))
        found = ours(dy.tolist(), inputs=rows, weight=weight.tolist(), epsilon=epsilon)
        scale = 1e-12 * float(x.grad.abs().max())
        for mine, yours in zip(found, (x, g, *bias), strict=True):
            assert close(mine, yours.grad.tolist(), rel=1e-10, abs=1e-11 + scale)


@pytest.mark.oracle("gradients.rms_norm_backward", "gradients.layer_norm_backward")
def test_norms_against_differences():
    x, g, dy, epsilon = normal(8, 3, 7), normal(9, 7), normal(10, 3, 7), 0.125
    for ours, forward in (
        (gradients.rms_norm_backward, rms_forward),
        (gradients.layer_norm_backward, layer_forward),
    ):
        found = ours(dy.tolist(), inputs=x.tolist(), weight=g.tolist(), epsilon=epsilon)
        assert near(found.input, numeric(lambda t, f=forward: f(t, g, epsilon), x, dy))
        assert near(found.weight, numeric(lambda t, f=forward: f(x, t, epsilon), g, dy))
    assert near(found.bias, numeric(lambda t: layer_forward(x, g, epsilon) + t, np.zeros(7), dy))


@FEW
@given(st.integers(0, 99))
def test_the_gradient_stands_on_what_a_norm_ignores(seed):
    """A longer row, and for LayerNorm a shifted one, gives the same output: no gradient along either."""
    x, g, dy = normal(seed, 1, 11), normal(seed + 1, 11), normal(seed + 2, 1, 11)
    arguments = dict(inputs=x.tolist(), weight=g.tolist(), epsilon=0)
    for backward in (gradients.rms_norm_backward, gradients.layer_norm_backward):
        (gradient,) = backward(dy.tolist(), **arguments).input
        along = np.array(gradient) @ x[0]
        assert abs(along) < 1e-12
    assert abs(sum(gradient)) < 1e-12


def test_norms_refuse_what_has_no_gradient():
    for backward in (gradients.rms_norm_backward, gradients.layer_norm_backward):
        with pytest.raises(ValueError, match="epsilon must be above 0"):
            backward([[1.0, 2.0]], inputs=[[0.0, 0.0]], weight=[1.0, 1.0], epsilon=0)
        with pytest.raises(ValueError, match="epsilon must be finite"):
            backward([[1.0]], inputs=[[1.0]], weight=[1.0], epsilon=-1)
        with pytest.raises(ValueError, match="weight"):
            backward([[1.0]], inputs=[[1.0]], weight=[1.0, 1.0], epsilon=0.1)
        with pytest.raises(ValueError, match="output_gradient"):
            backward([[1.0, 1.0]], inputs=[[1.0]], weight=[1.0], epsilon=0.1)
        with pytest.raises(ValueError, match="inputs"):
            backward([], inputs=[], weight=[1.0], epsilon=0.1)


# --- finite differences ------------------------------------------------------------------------------------------


@pytest.mark.oracle("gradients.forward_difference", "gradients.central_difference")
@pytest.mark.parametrize("h", [2.0**-3, 2.0**-10])
def test_differences_of_powers(h):
    """With steps that are powers of two everything is exact: 2x + h and 2x of a square, 3x^2 + h^2 of a cube."""
    x = 1.75
    assert gradients.forward_difference(lambda t: t * t, x, step=h) == 2 * x + h
    assert gradients.central_difference(lambda t: t * t, x, step=h) == 2 * x
    assert gradients.central_difference(lambda t: t**3, x, step=h) == 3 * x * x + h * h


@pytest.mark.oracle("gradients.forward_difference", "gradients.central_difference")
@FEW
@given(st.floats(0.5, 1000), st.sampled_from([1e-3, 1e-6, 1e-9]))
def test_the_step_that_was_taken_divides(x, h):
    """A line of slope 1 evaluated without rounding has slope 1 at any step, although x + h is rounded."""
    assert gradients.forward_difference(lambda t: t, x, step=h) == 1
    assert gradients.central_difference(lambda t: t, x, step=h) == 1


def test_differences_stay_in_the_precision_of_x():
    x = np.float32(0.75)
    for difference in (gradients.forward_difference, gradients.central_difference):
        assert type(difference(lambda t: t * t, x, step=2.0**-8)) is np.float32
        with pytest.raises(ValueError, match="lost"):
            difference(lambda t: t, x, step=1e-9)
        for bad in (0.0, -1.0, math.nan, math.inf):
            with pytest.raises(ValueError, match="step"):
                difference(lambda t: t, x, step=bad)
    with pytest.raises(ValueError, match="step"):
        gradients.complex_step(lambda t: t, 1.0, step=0.0)


@pytest.mark.oracle("gradients.complex_step")
@FEW
@given(st.floats(-3, 3))
def test_complex_step_against_closed_form(x):
    assert gradients.complex_step(lambda t: t**3 / (1 + t * t), x) == pytest.approx(
        (x**4 + 3 * x * x) / (1 + x * x) ** 2, rel=1e-13, abs=1e-15
    )


def ratio(t):
    """x over the length of (x, 1): 0.6 at 0.75, with derivative 0.512, second -0.73728 and third 0.786432."""
    return t / np.sqrt(1 + t * t)


TRUTH = {"value": 0.6, "second": 0.73728, "third": 0.786432}


def decimal_ratio(t):
    with localcontext(prec=60):
        return t / (1 + t * t).sqrt()


@pytest.mark.oracle("gradients.forward_difference_error", "gradients.central_difference_error")
def test_truncation_terms_against_sixty_digits():
    """Without rounding, the error over its bound tends to 1 with the step."""
    with localcontext(prec=60):
        x, exact = Decimal("0.75"), Decimal("0.512")
        for h, tolerance in ((Decimal("1e-4"), 1e-3), (Decimal("1e-8"), 1e-7)):
            low, mid, high = (decimal_ratio(x + s * h) for s in (-1, 0, 1))
            forward, central = abs((high - mid) / h - exact), abs((high - low) / (2 * h) - exact)
            tiny = {"step": float(h), "roundoff": 1e-60, "value": TRUTH["value"]}
            bound = gradients.forward_difference_error(**tiny, second=TRUTH["second"])
            assert float(forward) / bound == pytest.approx(1, abs=tolerance)
            bound = gradients.central_difference_error(**tiny, third=TRUTH["third"])
            assert float(central) / bound == pytest.approx(1, abs=tolerance)


@pytest.mark.oracle("gradients.forward_difference_error", "gradients.central_difference_error")
def test_rounding_terms_against_exact_fractions():
    """Two values off by their worst, in opposite directions, and a function whose curvature is negligible."""
    u, h, f = Fraction(1, 2**24), Fraction(1, 1000), Fraction(3, 5)
    worst = f * (1 + u) - f * (1 - u)
    arguments = {"step": h, "roundoff": u, "value": f}
    flat = Fraction(1, 10**40)
    assert gradients.forward_difference_error(**arguments, second=flat) == pytest.approx(float(worst / h), rel=1e-12)
    assert gradients.central_difference_error(**arguments, third=flat) == pytest.approx(
        float(worst / (2 * h)), rel=1e-12
    )


@pytest.mark.oracle("gradients.best_forward_step", "gradients.best_central_step")
@FEW
@given(st.floats(1e-17, 1e-3), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3))
def test_no_step_does_better_than_the_best(roundoff, value, slope):
    for step, error, name in (
        (gradients.best_forward_step, gradients.forward_difference_error, "second"),
        (gradients.best_central_step, gradients.central_difference_error, "third"),
    ):
        arguments = {"roundoff": roundoff, "value": value, name: slope}
        best = step(**arguments)
        least = error(step=best, **arguments)
        for factor in (0.5, 0.9, 1.1, 2.0):
            assert error(step=best * factor, **arguments) > least


@pytest.mark.oracle("gradients.best_forward_step", "gradients.best_central_step")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_best_steps_against_a_scan(dtype):
    """Steps on a grid of two per octave: the smallest error that arithmetic gives lies near the best step."""
    x, u = dtype(0.75), float(np.finfo(dtype).eps) / 2
    steps = [2.0 ** (-k / 2) for k in range(4, 2 * int(-math.log2(u)) - 4)]
    for difference, step, name in (
        (gradients.forward_difference, gradients.best_forward_step, "second"),
        (gradients.central_difference, gradients.best_central_step, "third"),
    ):
        best = step(roundoff=u, value=TRUTH["value"], **{name: TRUTH[name]})
        errors = [abs(float(difference(ratio, x, step=h)) - 0.512) for h in steps]
        smoothed = [max(errors[max(0, i - 2) : i + 3]) for i in range(len(errors))]
        found = steps[smoothed.index(min(smoothed))]
        assert best / 8 < found < best * 8


def test_steps_and_errors_refuse_what_is_not_positive():
    good = {"step": 1e-3, "roundoff": 1e-8, "value": 1.0}
    for bad in good:
        with pytest.raises(ValueError, match=bad):
            gradients.forward_difference_error(**good | {bad: 0}, second=1)
        with pytest.raises(ValueError, match=bad):
            gradients.central_difference_error(**good | {bad: -1}, third=1)
    with pytest.raises(ValueError, match="second"):
        gradients.best_forward_step(roundoff=1e-8, value=1, second=0)
    with pytest.raises(ValueError, match="third"):
        gradients.best_central_step(roundoff=1e-8, value=1, third=math.inf)


def test_a_reported_mismatch_is_rounding():
    """pytorch#5351: gradcheck of a linear layer in fp32 at eps 1e-6 gave -0.3576 and 0.2682 for -0.3512 and 0.2667.

    Outputs between 0.5 and 1 are 2^-24 apart, so the difference quotient has no values but multiples of 0.0298."""
    quantum = Fraction(fp32.spacing(Fraction(3, 4))) / (2 * Fraction(1, 10**6))
    for reported, analytic, multiple in ((-0.3576, -0.3512, -12), (0.2682, 0.2667, 9)):
        assert abs(float(multiple * quantum) - reported) < 1e-4
        assert min(range(-20, 20), key=lambda k: abs(float(k * quantum) - analytic)) == multiple


def test_a_linear_layer_passes_in_double_and_fails_in_single():
    """pytorch#5351, paddle#4283."""
    for dtype, step, off in ((np.float64, 1e-6, 1e-9), (np.float32, 1e-2, 1e-5)):
        slope = gradients.central_difference(lambda t: t * type(t)(0.3512) + type(t)(0.6), dtype(0.75), step=step)
        assert abs(float(slope) - 0.3512) < off
    slope = gradients.central_difference(
        lambda t: t * np.float32(0.3512) + np.float32(0.6), np.float32(0.75), step=1e-6
    )
    assert abs(float(slope) - 0.3512) > 1e-3
