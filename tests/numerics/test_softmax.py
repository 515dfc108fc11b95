"""Softmax and its relatives against torch and NumPy in double precision; exponentials enclosed by exact fractions."""

import itertools
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction
from functools import reduce

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from infra_ref.numerics import formats, softmax
from infra_ref.numerics.formats import FORMATS

LOGIT = st.one_of(st.floats(-30, 30), st.sampled_from([-math.inf, 0.0, 1000.0, -1000.0, 3.0]))
LOGITS = st.lists(LOGIT, min_size=1, max_size=7)
FINITE = st.lists(st.floats(-30, 30), min_size=1, max_size=7)
NARROW = {
    "fp16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "fp8_e4m3_ieee": ml_dtypes.float8_e4m3,
    "fp8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "fp8_e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "fp8_e4m3b11fnuz": ml_dtypes.float8_e4m3b11fnuz,
    "fp8_e5m2": ml_dtypes.float8_e5m2,
    "fp8_e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "fp8_e3m4": ml_dtypes.float8_e3m4,
    "fp6_e3m2fn": ml_dtypes.float6_e3m2fn,
    "fp6_e2m3fn": ml_dtypes.float6_e2m3fn,
    "fp4_e2m1fn": ml_dtypes.float4_e2m1fn,
    "e8m0fnu": ml_dtypes.float8_e8m0fnu,
}
FEW = settings(max_examples=30)


def close(ours, theirs):
    return ours == pytest.approx(theirs, rel=1e-12, abs=1e-14)


def exponential(x):
    """Fractions below and above e^x, for x > 0: a partial sum of the series, and the rest bounded geometrically."""
    numerator = denominator = power = 1
    a, b = x.numerator, x.denominator
    k = 0
    while k < 2 * x + 60:
        k += 1
        power *= a
        numerator, denominator = numerator * b * k + power, denominator * b * k
    rest = Fraction(power, denominator) / (1 - x / (k + 1))
    return Fraction(numerator, denominator), Fraction(numerator, denominator) + rest


def attention(logits, values):
    """One row of attention, by torch in double precision; some logit must be finite."""
    weights = torch.softmax(torch.tensor(logits, dtype=torch.float64), dim=0)
    return (weights @ torch.tensor(values, dtype=torch.float64)).tolist()


# --- softmax, log-softmax, log-sum-exp ---------------------------------------------------------------------------


@pytest.mark.oracle("softmax.softmax", "softmax.log_softmax")
@FEW
@given(LOGITS, st.sampled_from([0.01, 0.7, 1.0, 13.0]))
def test_softmax_against_torch(logits, temperature):
    assume(max(logits) > -math.inf)
    row = torch.tensor(logits, dtype=torch.float64) / temperature
    assert close(softmax.softmax(logits, temperature=temperature), torch.softmax(row, 0).tolist())
    assert close(softmax.log_softmax(logits, temperature=temperature), torch.log_softmax(row, 0).tolist())


@pytest.mark.oracle("softmax.softmax")
@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 1024, 262_144])
def test_rows_of_negative_numbers(n):
    """LeetCUDA#251, rvllm#1: sizes around a warp and beyond a block.

    All logits are far below 0: a maximum that starts at 0 underflows them all.
    """
    logits = np.random.default_rng(n).uniform(-2000, -1000, n)
    np.testing.assert_allclose(softmax.softmax(logits.tolist()), torch.softmax(torch.tensor(logits), 0), 1e-12, 1e-14)


@FEW
@given(FINITE, st.floats(-700, 700))
def test_a_shift_changes_nothing(logits, shift):
    moved = [x + shift for x in logits]
    assert softmax.softmax(moved) == pytest.approx(softmax.softmax(logits), rel=1e-11, abs=1e-14)
    assert math.fsum(softmax.softmax(logits)) == pytest.approx(1, abs=1e-15)


@pytest.mark.oracle("softmax.softmax", "softmax.log_softmax")
def test_stable_near_a_thousand():
    """The naive quotient is NaN here: infinity over infinity."""
    with np.errstate(over="ignore", invalid="ignore"):
        naive = np.exp(np.array([1000.0, 1001.0])) / np.exp(np.array([1000.0, 1001.0])).sum()
    assert np.isnan(naive).all()
    low, high = exponential(Fraction(1))
    assert Fraction(1) / (1 + high) <= Fraction(softmax.softmax([1000, 1001])[0]) + Fraction(1, 10**15)
    assert Fraction(softmax.softmax([1000, 1001])[0]) <= Fraction(1) / (1 + low) + Fraction(1, 10**15)
    assert softmax.softmax([-1000, 0])[0] == 0
    assert softmax.log_softmax([-1000, 0])[0] == -1000


@pytest.mark.oracle("softmax.log_sum_exp")
@FEW
@given(LOGITS)
@example([-math.inf, -math.inf])
@example([1000.0, 1000.0])
def test_log_sum_exp_in_both_bases(logits):
    row = np.array(logits)
    assert close(softmax.log_sum_exp(logits, base=math.e), torch.logsumexp(torch.tensor(row), 0).item())
    in_base_2 = np.logaddexp2.reduce(row / math.log(2))
    assert close(softmax.log_sum_exp(logits, base=2), float(in_base_2))


@pytest.mark.oracle("softmax.log_sum_exp")
def test_log_sum_exp_of_equal_logits_counts_them():
    assert softmax.log_sum_exp([0] * 8, base=2) == 3
    assert softmax.log_sum_exp([], base=2) == -math.inf


# --- the overflow threshold --------------------------------------------------------------------------------------


@pytest.mark.oracle("softmax.exp_overflow_threshold", "formats.fp16", "formats.bf16")
@pytest.mark.parametrize("name", NARROW)
def test_threshold_by_trying_every_value(name):
    """All values as ml_dtypes decodes them; an exponential overflows from half a gap beyond the last value on."""
    dtype = NARROW[name]
    codes = np.arange(2 ** FORMATS[name].bits, dtype=np.uint16 if FORMATS[name].bits == 16 else np.uint8)
    with np.errstate(invalid="ignore"):
        table = codes.view(dtype).astype(np.float64)
    values = np.unique(table[np.isfinite(table)])
    beyond = 2 * values[-1] if name == "e8m0fnu" else 2 * values[-1] - values[-2]
    limit = (values[-1] + beyond) / 2
    fits = values[values < 700]
    fits = fits[np.exp(fits) < limit]
    fitting, after = (Fraction(float(x)) for x in values[len(fits) - 1 : len(fits) + 1])
    assert exponential(fitting)[1] < limit < exponential(after)[0]
    assert softmax.exp_overflow_threshold(FORMATS[name]) == fitting


@pytest.mark.oracle("softmax.exp_overflow_threshold", "formats.fp32")
@pytest.mark.parametrize(
    ("name", "after", "limit"),
    [
        ("fp32", Fraction(float(np.nextafter(np.float32(88.72283172607422), np.float32(89)))), 2**128 - 2**103),
        ("tf32", Fraction(1420, 16), 2**128 - 2**116),
        ("fp64", Fraction(math.nextafter(709.782712893384, 710)), 2**1024 - 2**970),
    ],
)
def test_threshold_of_the_wide_formats(name, after, limit):
    threshold = softmax.exp_overflow_threshold(FORMATS[name])
    assert FORMATS[name].encode(after) == FORMATS[name].encode(threshold) + 1
    assert exponential(threshold)[1] < limit < exponential(after)[0]


@pytest.mark.oracle("softmax.exp_overflow_threshold")
def test_threshold_in_the_libraries():
    """hw-native-sys/pypto#2353: exp(88) stays within fp32; ComputeLibrary#148: so does exp(48)."""
    fp32, fp16 = (softmax.exp_overflow_threshold(f) for f in (formats.fp32, formats.fp16))
    assert (float(fp32), float(fp16)) == (88.72283172607422, 11.0859375)
    with np.errstate(over="ignore"):
        for threshold, dtype in ((fp32, np.float32), (fp16, np.float16)):
            x = dtype(float(threshold))
            assert np.isfinite(np.exp(x))
            assert np.isinf(np.exp(np.nextafter(x, dtype(100))))
        assert np.isinf(np.exp(np.float32(math.log(float(formats.fp32.max)))))  # log(max) rounds up to the next float
    assert fp32 > 88
    assert float(np.exp(np.float32(88))) == pytest.approx(1.65e38, rel=0.01)
    assert float(np.exp(np.float32(48))) == pytest.approx(7.0e20, rel=0.03)


# --- online state ------------------------------------------------------------------------------------------------


def tiles(logits, values, cuts):
    """The states of the pieces between the cuts; a piece may be empty."""
    edges = [0, *sorted(cuts), len(logits)]
    pieces = [(logits[a:b], values[a:b]) for a, b in itertools.pairwise(edges)]
    return [softmax.lift(x, v) if x else softmax.empty(len(values[0])) for x, v in pieces]


@pytest.mark.oracle("softmax.lift", "softmax.merge", "softmax.empty", "softmax.Online.*")
@pytest.mark.parametrize(
    "logits",
    [[0.5, -2.0, 7.0, 7.0, -700.0], [-math.inf, 3.0, -math.inf, -math.inf, 900.0], [-math.inf] * 4 + [-5.0]],
)
def test_every_partition_in_every_order(logits):
    """flash-attention#1930, flashinfer#1178, torch-mojo#319: a tile that sees only masked logits, or nothing.

    cuda-course#10: parts with maxima of their own, added up as they are.
    """
    values = [[2.0, -1.0], [3.0, 5.0], [7.0, 0.0], [-11.0, 13.0], [17.0, 19.0]]
    expected, lse = attention(logits, values), torch.logsumexp(torch.tensor(logits, dtype=torch.float64), 0).item()
    for count in range(6):
        for cuts in itertools.combinations_with_replacement(range(6), count):
            states = tiles(logits, values, cuts)
            orders = itertools.permutations(states) if len(states) <= 3 else [states, states[::-1]]
            for order in orders:
                merged = reduce(softmax.merge, order)
                assert merged.output() == pytest.approx(expected, rel=1e-13)
                assert merged.log_sum_exp(base=math.e) == pytest.approx(lse, rel=1e-14)


@pytest.mark.oracle("softmax.lift", "softmax.merge", "softmax.empty")
@FEW
@given(st.lists(LOGIT, min_size=1, max_size=9), st.data())
def test_any_tree_of_merges(logits, data):
    assume(max(logits) > -math.inf)
    values = data.draw(st.lists(st.tuples(*[st.floats(-100, 100)] * 2), min_size=len(logits), max_size=len(logits)))
    cuts = data.draw(st.lists(st.integers(0, len(logits)), max_size=4))
    states = tiles(logits, values, cuts)
    while len(states) > 1:
        i = data.draw(st.integers(1, len(states) - 1))
        other = states.pop(i)
        j = data.draw(st.integers(0, len(states) - 1))
        states[j] = softmax.merge(*data.draw(st.permutations([states[j], other])))
    assert states[0].output() == pytest.approx(attention(logits, values), rel=1e-10, abs=1e-10)


@pytest.mark.oracle("softmax.lift", "softmax.merge")
def test_syllabus_merge():
    """Logits [0, ln 2] with values [1, 3]: weights 1/3 and 2/3."""
    merged = softmax.merge(softmax.lift([0], [[1]]), softmax.lift([math.log(2)], [[3]]))
    assert merged.output() == pytest.approx([7 / 3], rel=1e-15)
    assert merged.output() == pytest.approx(softmax.lift([0, math.log(2)], [[1], [3]]).output(), rel=1e-15)


@pytest.mark.oracle("softmax.merge", "softmax.empty", "softmax.lift")
def test_nothing_merged_with_nothing():
    """vllm#39148, flashinfer#4401: -inf - -inf is NaN; the right output is 0 and the right log-sum-exp -inf."""
    masked = softmax.lift([-math.inf, -math.inf], [[5.0], [7.0]])
    for left, right in itertools.product([softmax.empty(1), masked], repeat=2):
        merged = softmax.merge(left, right)
        assert merged.output() == [0.0]
        assert merged.log_sum_exp(base=2) == -math.inf
    assert math.isnan(-math.inf - -math.inf)


def test_merging_leaves_both_states_as_they_were():
    left, right = softmax.lift([2.0], [[3.0]]), softmax.lift([5.0], [[7.0]])
    softmax.merge(left, right)
    assert (left.m, right.o) == (2.0, (7.0,))
    with pytest.raises(FrozenInstanceError):
        left.m = 5.0


@pytest.mark.oracle("softmax.lift", "softmax.merge")
def test_values_behind_the_mask_are_not_read():
    poisoned = softmax.lift([-math.inf, 2.0], [[math.nan], [3.0]])
    assert poisoned.output() == [3.0]
    assert softmax.merge(poisoned, softmax.lift([-math.inf], [[math.inf]])).output() == [3.0]


@pytest.mark.oracle("softmax.softmax", "softmax.log_softmax", "softmax.lift")
def test_fully_masked_row():
    """pytorch#103963, pytorch#131060, iree#24175, mlx#2395: NaN, 0 or the mean of the values, depending on the path.

    Here it is 0.
    """
    query, key = torch.zeros(1, 1, 1, 2), torch.zeros(1, 1, 3, 2)
    value = torch.tensor([[2.0], [3.0], [7.0]]).reshape(1, 1, 3, 1)

    def attend(fill):
        mask = torch.full((1, 3), fill)
        return torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask).item()

    assert torch.softmax(torch.full((3,), -math.inf), 0).isnan().all()
    assert attend(-math.inf) == 0
    assert attend(torch.finfo(torch.float32).min) == pytest.approx(4)  # the mean
    masked = [-math.inf] * 3
    assert softmax.softmax(masked) == [0, 0, 0]
    assert softmax.log_softmax(masked) == masked
    assert softmax.lift(masked, [[2.0], [3.0], [7.0]]).output() == [attend(-math.inf)]
    lowest = softmax.lift([torch.finfo(torch.float32).min] * 3, [[2.0], [3.0], [7.0]])
    assert lowest.output() == pytest.approx([4])


# --- cross-entropy -----------------------------------------------------------------------------------------------


@st.composite
def batches(draw):
    classes = draw(st.sampled_from([2, 3, 5, 7]))
    rows = draw(st.lists(st.lists(st.floats(-20, 20), min_size=classes, max_size=classes), min_size=1, max_size=6))
    target = st.integers(0, classes - 1) | st.just(-100)
    return rows, draw(st.lists(target, min_size=len(rows), max_size=len(rows)))


@pytest.mark.oracle("softmax.cross_entropy", "softmax.smoothed_target")
@FEW
@given(batches(), st.sampled_from([0.0, 0.1, 1.0]))
def test_cross_entropy_against_torch(batch, smoothing):
    rows, targets = batch
    loss = softmax.cross_entropy(rows, targets, label_smoothing=smoothing)
    logits, labels = torch.tensor(rows, dtype=torch.float64), torch.tensor(targets)
    total = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=smoothing, reduction="sum")
    assert loss.total == pytest.approx(total.item(), rel=1e-12, abs=1e-12)
    assert loss.tokens == sum(t >= 0 for t in targets)
    if loss.tokens:
        mean = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=smoothing)
        assert loss.mean == pytest.approx(mean.item(), rel=1e-12, abs=1e-12)


@pytest.mark.oracle("softmax.cross_entropy", "softmax.smoothed_target")
@FEW
@given(batches(), st.sampled_from([0.0, 0.1, 1.0]))
def test_smoothing_over_the_other_classes(batch, smoothing):
    """torch takes any distribution as the target; this one is built with its scatter."""
    rows, targets = batch
    kept = [(row, t) for row, t in zip(rows, targets, strict=True) if t != -100]
    assume(kept)
    logits = torch.tensor([row for row, _ in kept], dtype=torch.float64)
    labels = torch.tensor([[t] for _, t in kept])
    wanted = torch.full_like(logits, smoothing / (logits.shape[1] - 1)).scatter(1, labels, 1 - smoothing)
    total = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum").item()
    loss = softmax.cross_entropy(rows, targets, label_smoothing=smoothing, smoothing_over="others")
    assert loss.total == pytest.approx(total, rel=1e-12, abs=1e-12)
    row = softmax.smoothed_target(
        kept[0][1], classes=logits.shape[1], label_smoothing=smoothing, smoothing_over="others"
    )
    assert row == pytest.approx(wanted[0].tolist())


@pytest.mark.oracle("softmax.cross_entropy")
@FEW
@given(batches(), st.sampled_from([0.0, 0.1]), st.sampled_from(["all", "others"]))
def test_ignored_rows_are_filtered_rows(batch, smoothing, over):
    """pytorch#73205, pytorch#69339: smoothing once counted ignored rows; FlagGems#73: -100 is ignored by default."""
    rows, targets = batch
    kept = [i for i, t in enumerate(targets) if t != -100]
    options = {"label_smoothing": smoothing, "smoothing_over": over}
    filtered = softmax.cross_entropy([rows[i] for i in kept], [targets[i] for i in kept], **options)
    assert softmax.cross_entropy(rows, targets, **options) == filtered
    renamed = [1009 if t == -100 else t for t in targets]
    assert softmax.cross_entropy(rows, renamed, ignore_index=1009, **options) == filtered


@pytest.mark.oracle("softmax.cross_entropy")
def test_all_targets_ignored():
    """pytorch#116349: the sum is 0 and the mean NaN; here the mean is refused."""
    rows = [[0.0, 1.0], [2.0, 3.0]]
    assert torch.nn.functional.cross_entropy(torch.tensor(rows), torch.tensor([-100, -100])).isnan()
    loss = softmax.cross_entropy(rows, [-100, -100])
    assert loss == (0, 0)
    with pytest.raises(ValueError, match="tokens must be at least 1"):
        _ = loss.mean


@pytest.mark.oracle("softmax.cross_entropy")
def test_one_finite_logit_among_masked_ones():
    """flash-attention#1930: the loss is 0, not NaN."""
    row = [-math.inf] * 100_000
    row[77_777] = 3.0
    assert softmax.cross_entropy([row], [77_777]).total == 0
    assert softmax.cross_entropy([row], [0]).total == math.inf


@pytest.mark.oracle("softmax.cross_entropy")
def test_smoothing_with_a_masked_class_is_infinite():
    """Smoothing asks for a class that has probability 0 (beside pytorch#73205)."""
    rows = [[0.0, -math.inf, 1.0]]
    theirs = torch.nn.functional.cross_entropy(torch.tensor(rows), torch.tensor([2]), label_smoothing=0.1)
    assert softmax.cross_entropy(rows, [2], label_smoothing=0.1).total == theirs.item() == math.inf
    assert math.isfinite(softmax.cross_entropy(rows, [2]).total)


# --- entropy, divergence, perplexity -----------------------------------------------------------------------------


@pytest.mark.oracle("softmax.entropy", "softmax.kl_divergence")
@FEW
@given(LOGITS, st.data())
def test_entropy_and_divergence_against_torch(logits, data):
    others = data.draw(st.lists(st.floats(-30, 30), min_size=len(logits), max_size=len(logits)))
    assume(max(logits) > -math.inf)
    p, log_q = (torch.tensor(x, dtype=torch.float64) for x in (logits, others))
    p, log_q = torch.softmax(p, 0), torch.log_softmax(log_q, 0)
    entropy = torch.special.entr(p).sum().item()
    divergence = torch.nn.functional.kl_div(log_q, p, reduction="sum").item()
    ours, theirs = p.tolist(), log_q.exp().tolist()
    assert softmax.entropy(ours, base=math.e) == pytest.approx(entropy, rel=1e-12, abs=1e-13)
    assert softmax.entropy(ours, base=2) == pytest.approx(entropy / math.log(2), rel=1e-12, abs=1e-13)
    assert softmax.kl_divergence(ours, theirs, base=math.e) == pytest.approx(divergence, rel=1e-10, abs=1e-12)
    assert softmax.kl_divergence(ours, theirs, base=2) == pytest.approx(divergence / math.log(2), rel=1e-10, abs=1e-12)


@pytest.mark.oracle("softmax.entropy", "softmax.kl_divergence", "softmax.perplexity")
def test_information_by_hand():
    eighth = [Fraction(1, 8)] * 8
    assert softmax.entropy(eighth, base=2) == 3
    assert softmax.entropy([1, 0], base=2) == 0
    assert softmax.kl_divergence([1, 0], [Fraction(1, 4), Fraction(3, 4)], base=2) == 2
    assert softmax.kl_divergence([Fraction(1, 2)] * 2, [1, 0], base=2) == math.inf
    assert softmax.kl_divergence([1, 0], [1, 0], base=math.e) == 0
    assert softmax.perplexity(3, base=2) == 8
    assert softmax.perplexity(0, base=math.e) == 1


@pytest.mark.oracle("softmax.perplexity", "softmax.cross_entropy")
@pytest.mark.parametrize("vocabulary", [2, 101, 32_003])
def test_a_model_that_knows_nothing(vocabulary):
    """Equal logits: the perplexity is the size of the vocabulary, in either base."""
    loss = softmax.cross_entropy([[0.25] * vocabulary] * 2, [0, 1]).mean
    assert softmax.perplexity(loss, base=math.e) == pytest.approx(vocabulary, rel=1e-12)
    assert softmax.perplexity(loss / math.log(2), base=2) == pytest.approx(vocabulary, rel=1e-12)
    assert softmax.perplexity(1e4, base=2) == math.inf


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: softmax.softmax([0.0, math.nan]), "logits must be finite, or -inf where masked, got nan"),
        (lambda: softmax.log_softmax([math.inf]), "logits must be finite, or -inf where masked, got inf"),
        (
            lambda: softmax.softmax([1.0], temperature=0.0),
            "temperature must be finite and above 0, got 0.0; its limit 0",
        ),
        (lambda: softmax.log_sum_exp([1.0], base=1), "base must be above 1"),
        (lambda: softmax.lift([], []), "as many values as logits, and at least 1; got 0 and 0"),
        (lambda: softmax.lift([1.0, 2.0], [[1.0], [1.0, 2.0]]), "values must all have the same width"),
        (lambda: softmax.merge(softmax.empty(1), softmax.empty(2)), "values of the same width, got 1 and 2"),
        (lambda: softmax.empty(1).log_sum_exp(base=1), "base must be above 1"),
        (lambda: softmax.entropy([1.0], base=1), "base must be above 1"),
        (lambda: softmax.perplexity(1.0, base=math.inf), "base must be above 1"),
        (lambda: softmax.softmax([1.0], temperature=math.inf), "temperature must be finite and above 0, got inf"),
        (lambda: softmax.cross_entropy([[1.0, 2.0]], [2]), "target must be an int from 0 to 1, got 2"),
        (lambda: softmax.cross_entropy([[1.0, 2.0]], [1.0]), "target must be an int from 0 to 1, got 1.0"),
        (lambda: softmax.cross_entropy([[1.0, 2.0]], [True]), "target must be an int from 0 to 1, got True"),
        (lambda: softmax.cross_entropy([[1.0, 2.0]], [-1]), "target must be an int from 0 to 1, got -1"),
        (lambda: softmax.cross_entropy([[1.0, 2.0]], []), "a target for each row of logits, got 0 for 1"),
        (lambda: softmax.cross_entropy([[1.0]], [0], label_smoothing=1.5), "label_smoothing must be from 0 to 1"),
        (lambda: softmax.cross_entropy([[1.0]], [0], label_smoothing=-0.5), "label_smoothing must be from 0 to 1"),
        (lambda: softmax.cross_entropy([[1.0]], [0], smoothing_over="others"), "classes must be at least 2"),
        (
            lambda: softmax.cross_entropy([[1.0]], [0], smoothing_over="none"),
            "smoothing_over must be 'all' or 'others'",
        ),
        (lambda: softmax.entropy([0.5, 0.6], base=2), "probabilities must add up to 1"),
        (lambda: softmax.kl_divergence([1.5, -0.5], [0.5, 0.5], base=2), "p must be at least 0"),
        (lambda: softmax.kl_divergence([1.0], [0.5, 0.5], base=2), "p and q must have the same length"),
        (lambda: softmax.kl_divergence([0.5, 0.5], [0.5, 0.6], base=2), "q must add up to 1"),
        (lambda: softmax.kl_divergence([1.0], [1.0], base=1), "base must be above 1"),
        (lambda: softmax.perplexity(-0.1, base=math.e), "loss must be at least 0"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
