"""Where the elements of a strided tensor live: offsets, contiguity, views, broadcasting, bytes.

A layout is a shape, one stride per dimension and a storage offset, all counted in elements; the rules are those of
PyTorch. The stride of a dimension of size 1 is only ever multiplied by 0, so it decides nothing.
"""

from collections.abc import Sequence
from itertools import zip_longest
from math import prod

from infra_ref.tensor._arguments import Ints, naturals
from infra_ref.units import Q, Quantity


def contiguous_strides(shape: Sequence[int]) -> Ints:
    r"""Strides of a tensor whose elements fill the storage in row-major order without gaps.

    $$\text{stride}_k = \prod_{j>k} \max(\text{size}_j, 1)$$

    One step along $k$ passes over everything that the later dimensions hold. The maximum keeps strides positive
    when a size is 0, as PyTorch does.

    Returns:
        Strides in elements, one per dimension; () for a scalar.
    Raises:
        ValueError: a negative size.
    """
    sizes = naturals("shape", shape)
    return tuple(prod(max(size, 1) for size in sizes[k + 1 :]) for k in range(len(sizes)))


def offset(index: Sequence[int], strides: Sequence[int], *, storage_offset: int = 0) -> int:
    r"""Position in the storage of the element at `index`.

    $$\text{offset} = \text{offset}_0 + \sum_k i_k \cdot \text{stride}_k$$

    Args:
        index: one coordinate of at least 0 per dimension; bounds need the shape and are not checked.
        storage_offset: position of the element at (0, …, 0).
    Returns:
        An offset in elements; times the element size it is the offset in bytes.
    Raises:
        ValueError: a negative value, or index and strides of different lengths.
    """
    coordinates, steps = naturals("index", index), naturals("strides", strides)
    _same_length("index", coordinates, "strides", steps)
    (start,) = naturals("storage_offset", (storage_offset,))
    return start + sum(i * step for i, step in zip(coordinates, steps, strict=True))


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether walking the index in row-major order walks the storage element by element.

    An empty tensor is contiguous; dimensions of size 1 may have any stride.

    Raises:
        ValueError: a negative value, or shape and strides of different lengths.
    """
    sizes, steps = _layout(shape, strides)
    return 0 in sizes or all(
        size == 1 or step == expected
        for size, step, expected in zip(sizes, steps, contiguous_strides(sizes), strict=True)
    )


def view_strides(shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]) -> Ints | None:
    r"""Strides under which the same storage reads as `new_shape`, or None if only a copy can.

    Two steps. *Merge*: neighbouring dimensions are one run if their strides chain,

    $$\text{stride}_k = \text{size}_{k+1} \cdot \text{stride}_{k+1}$$

    so that together they step through the storage evenly. *Cut*: taken from the right, the new dimensions must fill one
    run after the other, none of them straddling two. A contiguous tensor is a single run with stride 1.

    Args:
        new_shape: sizes, of which one may be -1 and is then inferred.
    Returns:
        Strides in elements, one per new dimension, or None if a new dimension would straddle two runs.
    Raises:
        ValueError: a negative size other than one -1, or a different number of elements.
    """
    sizes, steps = _layout(shape, strides)
    target = _resolve(sizes, new_shape)
    if target == sizes:
        return steps
    if 0 in sizes:
        return contiguous_strides(target)

    runs: list[tuple[int, int]] = []  # (elements, stride), rightmost first
    for size, step in reversed(tuple(zip(sizes, steps, strict=True))):
        if size == 1:
            continue
        length, base = runs[-1] if runs else (1, step)
        if runs and step == length * base:
            runs[-1] = (length * size, base)
        else:
            runs.append((size, step))

    rest, step = 1, 1  # elements of the current run not yet given to a new dimension; its next stride
    cut: list[int] = []
    for size in reversed(target):
        if size != 1 and rest == 1:
            rest, step = runs.pop(0)
        if rest % size:
            return None
        cut.append(step)
        rest, step = rest // size, step * size
    return tuple(reversed(cut))


def transpose(shape: Sequence[int], strides: Sequence[int], dim0: int, dim1: int) -> tuple[Ints, Ints]:
    """Shape and strides after swapping two dimensions; no element moves.

    Args:
        dim0, dim1: dimensions; negative ones count from the end.
    Raises:
        ValueError: a dimension out of range, or shape and strides of different lengths.
    """
    sizes, _ = _layout(shape, strides)
    dims = list(range(len(sizes)))
    first, second = _dimension("dim0", dim0, len(dims)), _dimension("dim1", dim1, len(dims))
    dims[first], dims[second] = dims[second], dims[first]
    return permute(shape, strides, dims)


def permute(shape: Sequence[int], strides: Sequence[int], dims: Sequence[int]) -> tuple[Ints, Ints]:
    """Shape and strides with the dimensions in the order `dims`; no element moves.

    Raises:
        ValueError: dims is not a permutation of the dimensions, or shape and strides differ in length.
    """
    sizes, steps = _layout(shape, strides)
    order = [_dimension("dims", dim, len(sizes)) for dim in dims]
    if sorted(order) != list(range(len(sizes))):
        raise ValueError(f"dims must name each of the {len(sizes)} dimensions once, got {tuple(dims)}")
    return tuple(sizes[d] for d in order), tuple(steps[d] for d in order)


def broadcast_shape(*shapes: Sequence[int]) -> Ints:
    """Common shape of tensors combined element by element.

    Shapes are aligned at the last dimension; missing dimensions count as 1, and a size of 1 adapts to the others.

    Raises:
        ValueError: two sizes other than 1 differ; the message names the dimension, counted from the end.
    """
    result: list[int] = []
    aligned = zip_longest(*(reversed(naturals("shapes", shape)) for shape in shapes), fillvalue=1)
    for distance, sizes in enumerate(aligned, start=1):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            raise ValueError(
                f"shapes {', '.join(str(tuple(shape)) for shape in shapes)} do not broadcast: "
                f"dimension -{distance} has sizes {sorted(others)}, which must be equal or 1"
            )
        result.append(others.pop() if others else 1)
    return tuple(reversed(result))


def expand_strides(shape: Sequence[int], strides: Sequence[int], target: Sequence[int]) -> Ints:
    """Strides under which the same storage reads as the broadcast shape `target`.

    A dimension that is added or repeated gets stride 0: every index along it reads the same element. Nothing is copied.

    Raises:
        ValueError: shape does not broadcast to target, or shape and strides differ in length.
    """
    sizes, steps = _layout(shape, strides)
    wanted = naturals("target", target)
    if broadcast_shape(sizes, wanted) != wanted:
        raise ValueError(f"shape {sizes} does not expand to target {wanted}")
    added = len(wanted) - len(sizes)
    kept = tuple(step if size == new else 0 for size, step, new in zip(sizes, steps, wanted[added:], strict=True))
    return (0,) * added + kept


def storage_span(shape: Sequence[int], strides: Sequence[int]) -> int:
    r"""Elements of storage from the first to the last one reached, both included.

    $$1 + \sum_k (\text{size}_k - 1)\,\text{stride}_k$$

    More than the number of elements means gaps, fewer means that indices share elements.

    Returns:
        A count of elements; 0 for an empty tensor.
    Raises:
        ValueError: a negative value, or shape and strides of different lengths.
    """
    sizes, steps = _layout(shape, strides)
    return 0 if 0 in sizes else 1 + sum((size - 1) * step for size, step in zip(sizes, steps, strict=True))


def nbytes(*, shape: Sequence[int], itemsize: int) -> Quantity:
    r"""Bytes of a tensor that holds each element once.

    $$\text{bytes} = s \prod_k \text{size}_k$$

    Args:
        itemsize: bytes per element, at least 1.
    Returns:
        Bytes, exact. An expanded view owns less, a slice keeps its whole storage alive.
    Raises:
        ValueError: a negative size, or an itemsize below 1.
    """
    if isinstance(itemsize, bool) or not isinstance(itemsize, int) or itemsize < 1:
        raise ValueError(f"itemsize must be an int of at least 1, not {itemsize!r}")
    return Q(itemsize * prod(naturals("shape", shape)), "B")


def _same_length(first: str, a: Ints, second: str, b: Ints) -> None:
    if len(a) != len(b):
        raise ValueError(f"{first} and {second} must have one entry per dimension, got {len(a)} and {len(b)}")


def _layout(shape: Sequence[int], strides: Sequence[int]) -> tuple[Ints, Ints]:
    sizes, steps = naturals("shape", shape), naturals("strides", strides)
    _same_length("shape", sizes, "strides", steps)
    return sizes, steps


def _dimension(argument: str, dim: int, rank: int) -> int:
    if not -rank <= dim < rank:
        raise ValueError(f"{argument} must name a dimension from {-rank} to {rank - 1}, got {dim}")
    return dim % rank


def _resolve(sizes: Ints, new_shape: Sequence[int]) -> Ints:
    """The new shape with -1 replaced, checked to hold as many elements as `sizes`."""
    elements = prod(sizes)
    unknown = [k for k, size in enumerate(new_shape) if size == -1]
    known = naturals("new_shape (apart from one -1)", [size for size in new_shape if size != -1])
    if len(unknown) > 1:
        raise ValueError(f"new_shape may hold one -1, got {tuple(new_shape)}")
    target = list(new_shape)
    if unknown:
        if 0 in known:
            raise ValueError(f"new_shape {tuple(new_shape)} leaves -1 undecided: any size gives 0 elements")
        target[unknown[0]] = elements // prod(known)
    if prod(target) != elements:
        raise ValueError(f"new_shape {tuple(new_shape)} must hold {elements} elements, as shape {sizes} does")
    return tuple(target)
