"""Costs counted by numbers that count what is done to them; errors and tolerances compared with torch and NumPy."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from infra_ref.tensor import algebra
from infra_ref.units import Q

SMALL = st.integers(0, 6)
FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 1 + 1e-9])
TOLERANCES = st.sampled_from([0.0, 1e-9, 1e-5, 0.25, 1.0])


class Counted:
    """An exact number that counts the operations on it."""

    operations = 0

    def __init__(self, value):
        self.value = Fraction(value)

    def _count(self, value):
        Counted.operations += 1
        return Counted(value)

    def __add__(self, other):
        return self._count(self.value + other.value)

    def __sub__(self, other):
        return self._count(self.value - other.value)

    def __mul__(self, other):
        return self._count(self.value * other.value)

    def __truediv__(self, other):
        return self._count(self.value / other.value)


def counted(run):
    Counted.operations = 0
    result = run()
    return result, Counted.operations


def matmul(a, b, inner):
    """Product by multiply-adds into a zero, as a matrix unit does it."""
    out = [[Counted(0) for _ in b[0]] for _ in a] if b else []
    for i, row in enumerate(out):
        for j in range(len(row)):
            for p in range(inner):
                row[j] = row[j] + a[i][p] * b[p][j]
    return out


def ones(rows, cols):
    return [[Counted(1) for _ in range(cols)] for _ in range(rows)]


def factor(a):
    """Gaussian elimination in place: U on and above the diagonal, the multipliers of L below."""
    n = len(a)
    for k in range(n):
        for i in range(k + 1, n):
            a[i][k] = a[i][k] / a[k][k]
            for j in range(k + 1, n):
                a[i][j] = a[i][j] - a[i][k] * a[k][j]
    return a


def substitute(lu, b, first=0):
    """Solve L U x = b; b is known to be 0 before row `first`."""
    n, x = len(lu), list(b)
    for k in range(first, n):
        for i in range(k + 1, n):
            x[i] = x[i] - lu[i][k] * x[k]
    for k in reversed(range(n)):
        x[k] = x[k] / lu[k][k]
        for i in range(k):
            x[i] = x[i] - lu[i][k] * x[k]
    return x


def dominant(n, seed):
    """A random integer matrix that needs no pivoting."""
    entries = np.random.default_rng(seed).integers(1, 9, (n, n)) + 100 * np.eye(n, dtype=int)
    return [[Counted(int(v)) for v in row] for row in entries]


@pytest.mark.oracle("algebra.association_flops", "algebra.association_flops.*")
@settings(max_examples=40)
@given(*[st.integers(1, 5)] * 4)
def test_association_by_counting(m, k, n, p):
    a, b, c = ones(m, k), ones(k, n), ones(n, p)
    _, left = counted(lambda: matmul(matmul(a, b, k), c, n))
    _, right = counted(lambda: matmul(a, matmul(b, c, n), k))
    assert algebra.association_flops(m=m, k=k, n=n, p=p) == (Q(left, "FLOP"), Q(right, "FLOP"))


@st.composite
def product_shapes(draw):
    """Two batched matrix shapes, mostly compatible."""
    m, k, n = draw(SMALL), draw(SMALL), draw(SMALL)
    batches = [draw(st.lists(st.sampled_from([1, 1, 2, 3]), max_size=2)) for _ in range(2)]
    return (*batches[0], m, k), (*batches[1], draw(st.sampled_from([k, k, k, 4])), n)


@pytest.mark.oracle("algebra.matmul_shape")
@given(product_shapes())
def test_matmul_shape(shapes):
    left, right = shapes
    try:
        expected = torch.matmul(torch.ones(left), torch.ones(right)).shape
    except RuntimeError:
        with pytest.raises(ValueError, match="must be equal"):
            algebra.matmul_shape(left, right)
    else:
        assert algebra.matmul_shape(left, right) == tuple(expected)


@pytest.mark.oracle("algebra.bmm_flops")
@settings(max_examples=60)
@given(product_shapes())
def test_bmm_flops_by_counting(shapes):
    left, right = shapes
    assume(left[-1] == right[-2])
    try:
        batch = np.broadcast_shapes(left[:-2], right[:-2])
    except ValueError:
        assume(False)
    _, operations = counted(
        lambda: [matmul(ones(*left[-2:]), ones(*right[-2:]), left[-1]) for _ in product(*map(range, batch))]
    )
    assert algebra.bmm_flops(left, right) == Q(operations, "FLOP")


@pytest.mark.oracle("algebra.bmm_flops")
@pytest.mark.parametrize(
    ("left", "right"),
    [((7, 11), (11, 13)), ((3, 7, 11), (3, 11, 13)), ((3, 5, 7, 11), (5, 11, 13)), ((5, 7, 11), (11, 13))],
)
def test_bmm_flops_as_torch_counts_them(left, right):
    with FlopCounterMode(display=False) as counter:
        torch.ones(left) @ torch.ones(right)
    assert algebra.bmm_flops(left, right) == Q(counter.get_total_flops(), "FLOP")


@pytest.mark.oracle("algebra.bmm_min_bytes")
@pytest.mark.parametrize(
    ("left", "right"),
    [((7, 11), (11, 13)), ((3, 7, 11), (3, 11, 13)), ((3, 5, 7, 11), (5, 11, 13)), ((5, 7, 11), (11, 13))],
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_bmm_min_bytes_are_those_of_the_storages(left, right, dtype):
    a, b = torch.ones(left, dtype=dtype), torch.ones(right, dtype=dtype)
    stored = sum(t.untyped_storage().nbytes() for t in (a, b, a @ b))
    assert algebra.bmm_min_bytes(left, right, itemsize=a.itemsize) == Q(stored, "B")


@pytest.mark.oracle("algebra.bmm_flops", "algebra.bmm_min_bytes")
@pytest.mark.parametrize(
    ("left", "right", "moved"),
    [((7, 0), (0, 5), 70), ((0, 3), (3, 5), 0), ((7, 3), (3, 0), 0), ((0, 7, 3), (3, 5), 0), ((2, 7, 0), (0, 5), 140)],
)
def test_zero_sizes(left, right, moved):
    """triton#10427, triton-ascend#984, attention-gym#260: K = 0 leaves zeros to write, an empty result nothing."""
    out = torch.zeros(left) @ torch.zeros(right)
    assert (out == 0).all()
    assert algebra.matmul_shape(left, right) == tuple(out.shape)
    assert algebra.bmm_flops(left, right) == Q(0, "FLOP")
    assert algebra.bmm_min_bytes(left, right, itemsize=2) == Q(moved, "B") == Q(2 * out.numel(), "B")


@pytest.mark.oracle("algebra.within_tolerance")
@settings(max_examples=200)
@given(FLOATS, FLOATS, TOLERANCES, TOLERANCES)
def test_within_tolerance_is_isclose(actual, expected, atol, rtol):
    found = algebra.within_tolerance(actual, expected, atol=atol, rtol=rtol)
    a, b = (torch.tensor(v, dtype=torch.float64) for v in (actual, expected))
    assert found == torch.isclose(a, b, atol=atol, rtol=rtol).item()
    assert found == np.isclose(actual, expected, atol=atol, rtol=rtol)


@pytest.mark.oracle("algebra.within_tolerance")
def test_only_the_expected_value_scales_the_tolerance():
    assert algebra.within_tolerance(8.0, 10.0, atol=0.0, rtol=0.2)
    assert not algebra.within_tolerance(10.0, 8.0, atol=0.0, rtol=0.2)


@pytest.mark.oracle("algebra.low_rank_parameters", "algebra.lora_share")
@given(*[st.integers(1, 60)] * 3)
def test_low_rank_parameters_are_those_of_two_factors(rows, cols, rank):
    down = torch.nn.Linear(cols, rank, bias=False)
    up = torch.nn.Linear(rank, rows, bias=False)
    trained = sum(p.numel() for layer in (down, up) for p in layer.parameters())
    assert algebra.low_rank_parameters(rows=rows, cols=cols, rank=rank) == trained
    assert algebra.lora_share(rows=rows, cols=cols, rank=rank) == Fraction(trained, len(np.zeros((rows, cols)).flat))


@pytest.mark.oracle("algebra.low_rank_parameters", "algebra.lora_share")
@pytest.mark.parametrize(
    ("rank", "parameters", "percent"), [(8, 65_536, "0.390625"), (16, 131_072, "0.78125"), (64, 524_288, "3.125")]
)
def test_lora_of_the_course(rank, parameters, percent):
    assert algebra.low_rank_parameters(rows=4096, cols=4096, rank=rank) == parameters
    assert 100 * algebra.lora_share(rows=4096, cols=4096, rank=rank) == Fraction(percent)


@pytest.mark.oracle("algebra.lu_flops", "algebra.solve_flops")
@pytest.mark.parametrize(("n", "rhs"), [(1, 1), (2, 3), (3, 1), (5, 2), (7, 5), (11, 1)])
def test_solve_by_counting(n, rhs):
    a = dominant(n, seed=n)
    b = [[Counted(i * j + 1) for i in range(n)] for j in range(rhs)]
    lu, factoring = counted(lambda: factor([list(row) for row in a]))
    columns, substituting = counted(lambda: [substitute(lu, column) for column in b])
    for x, column in zip(columns, b, strict=True):
        assert [sum(v.value * u.value for v, u in zip(row, x, strict=True)) for row in a] == [v.value for v in column]
    assert algebra.lu_flops(n=n) == Q(factoring, "FLOP")
    assert algebra.solve_flops(n=n, rhs=rhs) == Q(factoring + substituting, "FLOP")


@pytest.mark.oracle("algebra.inverse_flops")
@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 11])
def test_inverse_by_counting(n):
    a = dominant(n, seed=n)
    identity = [[Counted(i == j) for i in range(n)] for j in range(n)]

    def invert():
        lu = factor([list(row) for row in a])
        return [substitute(lu, column, first=j) for j, column in enumerate(identity)]

    columns, operations = counted(invert)
    for j, x in enumerate(columns):
        assert [sum(v.value * u.value for v, u in zip(row, x, strict=True)) for row in a] == [i == j for i in range(n)]
    assert algebra.inverse_flops(n=n) == Q(operations, "FLOP")


def test_leading_terms():
    n = 10**6
    assert float(algebra.solve_flops(n=n).magnitude / n**3) == pytest.approx(2 / 3, rel=1e-5)
    assert float(algebra.inverse_flops(n=n).magnitude / n**3) == pytest.approx(2, rel=1e-5)


@pytest.mark.oracle("algebra.eckart_young_error")
@pytest.mark.parametrize(("rows", "cols"), [(7, 5), (5, 7), (11, 11)])
def test_eckart_young_against_numpy(rows, cols):
    a = np.random.default_rng(rows * cols).normal(size=(rows, cols))
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    for rank in range(min(rows, cols) + 2):
        rest = a - (u[:, :rank] * s[:rank]) @ vt[:rank]
        for norm, order in (("fro", "fro"), ("spectral", 2)):
            found = algebra.eckart_young_error(s.tolist(), rank=rank, norm=norm)
            assert found == pytest.approx(np.linalg.norm(rest, order), abs=1e-13)


@pytest.mark.oracle("algebra.eckart_young_error")
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_no_matrix_of_that_rank_is_closer(seed, rank):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(7, 5))
    other = a.copy() + rng.normal(scale=0.1, size=a.shape)
    u, s, vt = np.linalg.svd(other)
    rival = a - (u[:, :rank] * s[:rank]) @ vt[:rank]
    values = np.linalg.svd(a, compute_uv=False).tolist()
    assert algebra.eckart_young_error(values, rank=rank) <= np.linalg.norm(rival) + 1e-12
    assert algebra.eckart_young_error(values, rank=rank, norm="spectral") <= np.linalg.norm(rival, 2) + 1e-12


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: algebra.association_flops(m=1, k=-1, n=1, p=1), "k must be an int of at least 0"),
        (lambda: algebra.matmul_shape((3,), (3, 5)), "at least 2 dimensions"),
        (lambda: algebra.matmul_shape((2, 3), (5, 7)), "must be equal"),
        (lambda: algebra.matmul_shape((2, 7, 3), (3, 3, 5)), "do not broadcast"),
        (lambda: algebra.bmm_flops((-2, 3), (3, 5)), "left must hold integers of at least 0"),
        (lambda: algebra.matmul_shape((2, 3), (3, 5.0)), "right must hold integers of at least 0"),
        (lambda: algebra.bmm_min_bytes((2, 3), (3, 5), itemsize=0), "itemsize must be an int of at least 1"),
        (lambda: algebra.within_tolerance(1.0, 1.0, atol=-1.0, rtol=0.0), "atol must be finite"),
        (lambda: algebra.within_tolerance(1.0, 1.0, atol=0.0, rtol=math.nan), "rtol must be finite"),
        (lambda: algebra.lora_share(rows=0, cols=1, rank=1), "rows must be an int of at least 1"),
        (lambda: algebra.low_rank_parameters(rows=3, cols=5, rank=1.5), "rank must be an int"),
        (lambda: algebra.solve_flops(n=3, rhs=0), "rhs must be an int of at least 1"),
        (lambda: algebra.inverse_flops(n=0), "n must be an int of at least 1"),
        (lambda: algebra.eckart_young_error([1.0, -1.0], rank=1), "singular_values must be at least 0"),
        (lambda: algebra.eckart_young_error([1.0], rank=-1), "rank must be an int of at least 0"),
        (lambda: algebra.eckart_young_error([1.0], rank=1, norm="max"), "norm must be"),
    ],
)
def test_wrong_arguments_get_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
