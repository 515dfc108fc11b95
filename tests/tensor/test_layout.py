"""Layouts compared with torch on random strides, and with a walk over every index that knows no rule about strides."""

from itertools import product
from math import prod

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infra_ref.tensor import layout
from infra_ref.units import Q

SIZES = st.sampled_from([0, 1, 1, 2, 3, 5, 7])
SHAPES = st.lists(SIZES, max_size=4).map(tuple)
STORAGE = torch.arange(20_000)


@st.composite
def any_layouts(draw):
    """Shape and strides without any relation, stride 0 and overlap included."""
    shape = draw(SHAPES)
    strides = draw(st.lists(st.integers(0, 60), min_size=len(shape), max_size=len(shape)))
    return shape, tuple(strides)


@st.composite
def derived_layouts(draw):
    """Layouts as programs make them: permuted, sliced, stepped and expanded from a contiguous tensor, by torch."""
    shape = draw(SHAPES.filter(lambda s: prod(s) <= 400))
    t = STORAGE[: prod(shape)].view(shape)
    for _ in range(draw(st.integers(0, 3))):
        if t.dim() == 0:
            break
        dim = draw(st.integers(0, t.dim() - 1))
        match draw(st.sampled_from(["permute", "slice", "step", "expand", "unsqueeze"])):
            case "permute":
                t = t.permute(draw(st.permutations(range(t.dim()))))
            case "slice":
                start = draw(st.integers(0, t.shape[dim]))
                t = t.narrow(dim, start, t.shape[dim] - start)
            case "step":
                t = t[(slice(None),) * dim + (slice(None, None, draw(st.integers(1, 3))),)]
            case "expand":
                t = t.unsqueeze(dim).expand(*t.shape[:dim], draw(st.integers(1, 3)), *t.shape[dim:])
            case "unsqueeze":
                t = t.unsqueeze(dim)
    return tuple(t.shape), t.stride()


LAYOUTS = any_layouts() | derived_layouts()


@st.composite
def regroupings(draw, elements):
    """A shape with the given number of elements: prime factors shared out over dimensions, ones strewn in."""
    if elements == 0:
        return draw(SHAPES.filter(lambda s: 0 in s))
    shape = [1] * draw(st.integers(1, 5)) if elements > 1 else [1] * draw(st.integers(0, 3))
    at, rest, factor = 0, elements, 2
    while rest > 1:
        if rest % factor:
            factor += 1
            continue
        at = min(at + draw(st.integers(0, 1)), len(shape) - 1)
        shape[at] *= factor
        rest //= factor
    return tuple(shape)


def strided(shape, strides, storage_offset=0):
    return torch.as_strided(STORAGE, shape, strides, storage_offset)


def walk(shape, strides):
    """Storage positions in row-major order of the index."""
    return [sum(i * s for i, s in zip(index, strides, strict=True)) for index in product(*map(range, shape))]


def where_it_matters(shape, strides):
    return [stride for size, stride in zip(shape, strides, strict=True) if size > 1]


@pytest.mark.oracle("layout.contiguous_strides")
@given(SHAPES)
def test_contiguous_strides(shape):
    assert layout.contiguous_strides(shape) == torch.empty(shape).stride()
    assert walk(shape, layout.contiguous_strides(shape)) == list(range(prod(shape)))


def test_product_of_the_later_sizes():
    r"""\text{stride}_k = \prod_{j>k} \text{size}_j"""
    shape = (2, 3, 5, 7)
    assert [prod(shape[k + 1 :]) for k in range(4)] == list(torch.empty(shape).stride()) == [105, 35, 7, 1]


def test_neighbours_flatten_exactly_if_strides_chain():
    r"""\text{stride}_k = \text{size}_{k+1}\cdot\text{stride}_{k+1}"""
    flattened = 0
    for rows, columns, down, across in product((2, 3), (2, 3, 5), range(16), range(4)):
        chains = down == columns * across
        assert (layout.view_strides((rows, columns), (down, across), (rows * columns,)) is not None) == chains
        try:
            strided((rows, columns), (down, across)).view(-1)
            flattened += 1
            assert chains
        except RuntimeError:
            assert not chains
    assert flattened == 24


@pytest.mark.oracle("layout.offset")
@given(LAYOUTS, st.integers(0, 900), st.data())
def test_offset_is_where_torch_reads(made, start, data):
    shape, strides = made
    assume(0 not in shape)
    index = tuple(data.draw(st.integers(0, size - 1)) for size in shape)
    assert layout.offset(index, strides, storage_offset=start) == strided(shape, strides, start)[index].item()


@pytest.mark.oracle("layout.is_contiguous")
@given(LAYOUTS)
def test_is_contiguous(made):
    shape, strides = made
    assert layout.is_contiguous(shape, strides) == strided(shape, strides).is_contiguous()
    assert layout.is_contiguous(shape, strides) == (walk(shape, strides) == list(range(prod(shape))))


@pytest.mark.oracle("layout.view_strides")
@settings(max_examples=250)
@given(LAYOUTS, st.data())
def test_view_strides_against_torch(made, data):
    shape, strides = made
    assume(prod(shape) <= 5000)
    new_shape = data.draw(regroupings(prod(shape)))
    found = layout.view_strides(shape, strides, new_shape)
    try:
        viewed = strided(shape, strides).view(new_shape)
    except RuntimeError:
        assert found is None
    else:
        assert found is not None
        assert where_it_matters(new_shape, found) == where_it_matters(new_shape, viewed.stride())
        if 0 in shape:
            assert found == viewed.stride()


@pytest.mark.oracle("layout.view_strides")
@settings(max_examples=250)
@given(LAYOUTS, st.data())
def test_view_strides_against_the_walk(made, data):
    """A view must visit the same positions in the same order; its only possible strides can be read off the walk."""
    shape, strides = made
    assume(0 not in shape and prod(shape) <= 5000)
    new_shape = data.draw(regroupings(prod(shape)))
    visited = walk(shape, strides)
    one_step = []
    for k, size in enumerate(new_shape):
        unit = [int(j == k) for j in range(len(new_shape))]
        one_step.append(visited[np.ravel_multi_index(unit, new_shape)] - visited[0] if size > 1 else 0)
    possible = walk(new_shape, one_step) == visited
    found = layout.view_strides(shape, strides, new_shape)
    assert (found is not None) == possible
    if found is not None:
        assert walk(new_shape, found) == visited


@given(SHAPES, st.data())
def test_a_contiguous_tensor_has_every_view(shape, data):
    new_shape = data.draw(regroupings(prod(shape)))
    strides = layout.contiguous_strides(shape)
    assert layout.view_strides(shape, strides, new_shape) == layout.contiguous_strides(new_shape)


@pytest.mark.parametrize(
    ("shape", "strides", "new_shape", "expected"),
    [
        ((2, 3, 5), (15, 1, 3), (2, 15), None),
        ((3, 5), (10, 2), (15,), (2,)),
        ((3, 5), (10, 2), (5, -1), (6, 2)),
        ((3, 4), (7, 1), (3, 2, 2), (7, 2, 1)),
        ((3, 4), (7, 1), (2, 6), None),
        ((3, 2), (0, 0), (6,), (0,)),
        ((), (), (1, -1), (1, 1)),
        ((0, 3), (3, 1), (-1, 3), (3, 1)),
        ((5, 0), (99, 7), (5, 0), (99, 7)),
    ],
)
def test_view_cases(shape, strides, new_shape, expected):
    assert layout.view_strides(shape, strides, new_shape) == expected


@pytest.mark.oracle("layout.transpose", "layout.permute")
@given(LAYOUTS, st.data())
def test_transpose_and_permute(made, data):
    shape, strides = made
    rank, t = len(shape), strided(shape, strides)
    order = data.draw(st.permutations(range(-rank, 0)))
    permuted = t.permute(order)
    assert layout.permute(shape, strides, order) == (tuple(permuted.shape), permuted.stride())
    if rank:
        a, b = data.draw(st.integers(-rank, rank - 1)), data.draw(st.integers(-rank, rank - 1))
        swapped = t.transpose(a, b)
        assert layout.transpose(shape, strides, a, b) == (tuple(swapped.shape), swapped.stride())


@pytest.mark.oracle("layout.broadcast_shape")
@given(st.lists(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple), max_size=3))
def test_broadcast_shape(shapes):
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(ValueError, match="must be equal or 1"):
            layout.broadcast_shape(*shapes)
    else:
        assert layout.broadcast_shape(*shapes) == expected


@pytest.mark.oracle("layout.expand_strides")
@given(LAYOUTS, st.data())
def test_expand_strides(made, data):
    shape, strides = made
    target = tuple(data.draw(SIZES) for _ in range(data.draw(st.integers(0, 2))))
    target += tuple(size if size != 1 else data.draw(SIZES) for size in shape)
    expanded = strided(shape, strides).expand(target)
    found = layout.expand_strides(shape, strides, target)
    assert where_it_matters(target, found) == where_it_matters(target, expanded.stride())
    assert walk(target, found) == expanded.flatten().tolist()


@pytest.mark.oracle("layout.storage_span")
@given(LAYOUTS)
def test_storage_span(made):
    shape, strides = made
    visited, span = walk(shape, strides), layout.storage_span(shape, strides)
    assert span == (max(visited) - min(visited) + 1 if visited else 0)
    torch.as_strided(torch.empty(span), shape, strides)
    if span:
        with pytest.raises(RuntimeError, match="out of bounds"):
            torch.as_strided(torch.empty(span - 1), shape, strides)


@pytest.mark.oracle("layout.nbytes")
@given(SHAPES, st.sampled_from([torch.int8, torch.bfloat16, torch.float32, torch.float64]))
def test_nbytes(shape, dtype):
    t = torch.empty(shape, dtype=dtype)
    assert layout.nbytes(shape=shape, itemsize=t.element_size()) == Q(len(bytes(t.untyped_storage())), "B")


@pytest.mark.oracle("layout.nbytes")
@pytest.mark.parametrize(
    ("shape", "itemsize", "gibibytes"),
    [((8, 4096, 8192), 2, 0.5), ((1, 32, 32768, 32768), 2, 64), ((2, 32, 8192, 8192), 2, 8)],
)
def test_nbytes_of_the_course(shape, itemsize, gibibytes):
    assert layout.nbytes(shape=shape, itemsize=itemsize) == Q(gibibytes, "GiB")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: layout.contiguous_strides((3, -1)), "shape must hold integers of at least 0"),
        (lambda: layout.contiguous_strides((3.0,)), "shape must hold integers of at least 0"),
        (lambda: layout.offset((1, 2), (1,)), "index and strides must have one entry per dimension"),
        (lambda: layout.offset((-1,), (1,)), "index must hold"),
        (lambda: layout.offset((1,), (1,), storage_offset=-2), "storage_offset must hold"),
        (lambda: layout.is_contiguous((3, 5), (1,)), "shape and strides must have one entry"),
        (lambda: layout.view_strides((6,), (1,), (-1, -1)), "may hold one -1"),
        (lambda: layout.view_strides((6,), (1,), (-2, -3)), "new_shape"),
        (lambda: layout.view_strides((6,), (1,), (4, -1)), "must hold 6 elements"),
        (lambda: layout.view_strides((6,), (1,), (5,)), "must hold 6 elements"),
        (lambda: layout.view_strides((0,), (1,), (0, -1)), "leaves -1 undecided"),
        (lambda: layout.transpose((3, 5), (5, 1), 0, 2), "dim1 must name a dimension from -2 to 1"),
        (lambda: layout.permute((3, 5), (5, 1), (0, 0)), "each of the 2 dimensions once"),
        (lambda: layout.permute((3, 5), (5, 1), (0,)), "each of the 2 dimensions once"),
        (lambda: layout.broadcast_shape((2, 3), (5, 1, 4)), r"dimension -1 has sizes \[3, 4\]"),
        (lambda: layout.expand_strides((3,), (1,), (5,)), "must be equal or 1"),
        (lambda: layout.expand_strides((3,), (1,), (1,)), "does not expand"),
        (lambda: layout.expand_strides((1, 3), (3, 1), (3,)), "does not expand"),
        (lambda: layout.nbytes(shape=(3,), itemsize=0), "itemsize must be an int of at least 1"),
    ],
)
def test_wrong_arguments_get_a_sentence(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
