"""Row by row, on numbers that count what is done to them and memory that counts its reads and writes."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from infra_ref.ledger import rowwise
from infra_ref.units import magnitude

ROWS, FEATURES = st.integers(0, 5), st.integers(1, 9)
FEW = settings(max_examples=40)


class Counted:
    """A float that counts the operations on it."""

    operations = 0

    def __init__(self, value):
        self.value = value

    def _done(self, value):
        Counted.operations += 1
        return Counted(value)

    def __add__(self, other):
        return self._done(self.value + other.value)

    def __sub__(self, other):
        return self._done(self.value - other.value)

    def __mul__(self, other):
        return self._done(self.value * other.value)

    def __truediv__(self, other):
        return self._done(self.value / other.value)

    def sqrt(self):
        return self._done(math.sqrt(self.value))

    def exp(self):
        return self._done(math.exp(self.value))

    def log(self):
        return self._done(math.log(self.value))

    def larger(self, other):
        return self._done(max(self.value, other.value))


class Memory(list):
    """A list that knows which places were read or written."""

    def __init__(self, values):
        super().__init__(values)
        self.touched = []

    def read(self):
        self.touched += [("read", i) for i in range(len(self))]
        return list(self)

    def write(self, values):
        self.touched += [("write", i) for i in range(len(values))]
        self[:] = values


def normalise(row, weight, bias, epsilon):
    """LayerNorm if there is a bias, else RMSNorm; reciprocal of the root once, products per element."""
    count, centred = Counted(float(len(row))), row
    if bias:
        total = Counted(0.0)
        for x in row:
            total = total + x
        mean = total / count
        centred = [x - mean for x in row]
    squares = Counted(0.0)
    for x in centred:
        squares = squares + x * x
    scale = Counted(1.0) / (squares / count + Counted(epsilon)).sqrt()
    scaled = [x * scale * w for x, w in zip(centred, weight, strict=True)]
    return [x + b for x, b in zip(scaled, bias, strict=True)] if bias else scaled


def layer(rows, features, with_bias):
    generator = torch.Generator().manual_seed(rows * 11 + features)
    x = torch.randn(rows, features, generator=generator, dtype=torch.float64)
    weight, bias = torch.randn(2, features, generator=generator, dtype=torch.float64)
    data = [Memory(map(Counted, row)) for row in x.tolist()]
    vectors = [Memory(map(Counted, v.tolist())) for v in ([weight, bias] if with_bias else [weight])]
    Counted.operations = 0
    loaded = [v.read() for v in vectors] if rows else []
    for row in data:
        row.write(normalise(row.read(), loaded[0], loaded[1] if with_bias else None, 1e-5))
    if with_bias:
        expected = torch.nn.functional.layer_norm(x, (features,), weight, bias, 1e-5)
    else:
        expected = torch.nn.functional.rms_norm(x, (features,), weight, 1e-5)
    for row, theirs in zip(data, expected.tolist(), strict=True):
        assert [y.value for y in row] == pytest.approx(theirs, rel=1e-10, abs=1e-12)
    return Counted.operations, sum(len(m.touched) for m in data + vectors)


@pytest.mark.oracle("rowwise.rms_norm_flops", "rowwise.norm_min_bytes")
@FEW
@given(ROWS, FEATURES, st.sampled_from([2, 4]))
def test_rms_norm_by_counting(rows, features, itemsize):
    """What is counted is a real RMSNorm: its result is torch's."""
    operations, accesses = layer(rows, features, with_bias=False)
    assert magnitude(rowwise.rms_norm_flops(rows=rows, features=features), "FLOP") == operations
    moved = rowwise.norm_min_bytes(rows=rows, features=features, itemsize=itemsize, vectors=1)
    assert magnitude(moved, "B") == itemsize * accesses


@pytest.mark.oracle("rowwise.layer_norm_flops", "rowwise.norm_min_bytes")
@FEW
@given(ROWS, FEATURES, st.sampled_from([2, 4]))
def test_layer_norm_by_counting(rows, features, itemsize):
    operations, accesses = layer(rows, features, with_bias=True)
    assert magnitude(rowwise.layer_norm_flops(rows=rows, features=features), "FLOP") == operations
    moved = rowwise.norm_min_bytes(rows=rows, features=features, itemsize=itemsize, vectors=2)
    assert magnitude(moved, "B") == itemsize * accesses


def loss(row, target):
    """Cross-entropy of one row of counted numbers."""
    top, total = Counted(-math.inf), Counted(0.0)
    for z in row:
        top = top.larger(z)
    for z in row:
        total = total + (z - top).exp()
    return (top - row[target]) + total.log()


@pytest.mark.oracle("rowwise.cross_entropy_flops", "rowwise.cross_entropy_min_bytes")
@FEW
@given(ROWS, FEATURES, st.sampled_from([torch.float16, torch.float32]))
def test_cross_entropy_by_counting(rows, classes, dtype):
    """What is counted is torch's loss; what is moved are tensors with a size of their own."""
    generator = torch.Generator().manual_seed(rows * 13 + classes)
    logits = torch.randn(rows, classes, generator=generator, dtype=torch.float64)
    targets = torch.randint(classes, (rows,), generator=generator)
    Counted.operations = 0
    ours = [loss(list(map(Counted, row)), t) for row, t in zip(logits.tolist(), targets.tolist(), strict=True)]
    assert magnitude(rowwise.cross_entropy_flops(rows=rows, classes=classes), "FLOP") == Counted.operations
    theirs = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
    assert [x.value for x in ours] == pytest.approx(theirs.tolist(), rel=1e-10, abs=1e-12)
    touched = (logits.to(dtype), targets, theirs.float())
    moved = rowwise.cross_entropy_min_bytes(rows=rows, classes=classes, itemsize=dtype.itemsize)
    assert magnitude(moved, "B") == sum(t.nbytes for t in touched)


def eager(z):
    """Five kernels; the row goes to memory between them."""
    row = z.read()
    top = Counted(-math.inf)
    for x in row:
        top = top.larger(x)
    z.write([x - top for x in z.read()])
    z.write([x.exp() for x in z.read()])
    total = Counted(0.0)
    for x in z.read():
        total = total + x
    z.write([x / total for x in z.read()])


def three_pass(z):
    """One kernel that keeps no element."""
    top, total = Counted(-math.inf), Counted(0.0)
    for x in z.read():
        top = top.larger(x)
    for x in z.read():
        total = total + (x - top).exp()
    z.write([(x - top).exp() / total for x in z.read()])


def online(z):
    """Maximum and sum in one pass, on plain floats: what it rescales is not in the ledger."""
    top, total = -math.inf, 0.0
    for x in z.read():
        new = max(top, x.value)
        total, top = total * math.exp(top - new) + math.exp(x.value - new), new
    z.write([Counted(math.exp(x.value - top) / total) for x in z.read()])


def kept(z):
    """The row is read once and stays on the chip."""
    row = z.read()
    top, total = Counted(-math.inf), Counted(0.0)
    for x in row:
        top = top.larger(x)
    exponentials = [(x - top).exp() for x in row]
    for e in exponentials:
        total = total + e
    z.write([e / total for e in exponentials])


@pytest.mark.oracle("rowwise.softmax_flops", "rowwise.softmax_bytes")
@pytest.mark.parametrize(
    ("arrangement", "reads", "writes"), [(eager, 5, 3), (three_pass, 3, 1), (online, 2, 1), (kept, 1, 1)]
)
@FEW
@given(ROWS, FEATURES, st.sampled_from([2, 4]))
def test_softmax_by_counting(arrangement, reads, writes, rows, classes, itemsize):
    """What is counted is torch's softmax, whichever way it is arranged."""
    generator = torch.Generator().manual_seed(rows * 17 + classes)
    logits = torch.randn(rows, classes, generator=generator, dtype=torch.float64)
    data = [Memory(map(Counted, row)) for row in logits.tolist()]
    Counted.operations = 0
    for row in data:
        arrangement(row)
    for row, theirs in zip(data, torch.softmax(logits, 1).tolist(), strict=True):
        assert [x.value for x in row] == pytest.approx(theirs, rel=1e-10)
    moved = rowwise.softmax_bytes(rows=rows, classes=classes, itemsize=itemsize, reads=reads, writes=writes)
    assert magnitude(moved, "B") == itemsize * sum(len(row.touched) for row in data)
    if arrangement in (eager, kept):  # the others take exponentials twice, or rescale
        assert magnitude(rowwise.softmax_flops(rows=rows, classes=classes), "FLOP") == Counted.operations


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: rowwise.rms_norm_flops(rows=-1, features=3), "rows must be an int of at least 0"),
        (lambda: rowwise.layer_norm_flops(rows=1, features=0), "features must be an int of at least 1"),
        (lambda: rowwise.norm_min_bytes(rows=1, features=3, itemsize=0, vectors=1), "itemsize must be an int of at"),
        (lambda: rowwise.softmax_flops(rows=1, classes=0), "classes must be an int of at least 1"),
        (
            lambda: rowwise.softmax_bytes(rows=1, classes=3, itemsize=2, reads=-1, writes=1),
            "reads must be an int of at least 0",
        ),
        (lambda: rowwise.cross_entropy_flops(rows=1, classes=0), "classes must be an int of at least 1"),
        (lambda: rowwise.cross_entropy_min_bytes(rows=-1, classes=3, itemsize=2), "rows must be an int of at least 0"),
    ],
)
def test_wrong_arguments_are_named(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
