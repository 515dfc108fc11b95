"""GEMM ledger: loops walked element by element and counted, waves simulated, and the course's worked values."""

import math
from fractions import Fraction
from itertools import product

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from infra_ref.ledger import gemm, roofline
from infra_ref.units import Q, UnitError, magnitude

SIZE = st.integers(0, 13)
TILE = st.integers(1, 7)
ITEMSIZE = st.sampled_from([1, 2, 4, 8])


def count_fmas(m, n, k):
    return sum(1 for _ in product(range(m), range(n), range(k)))


def count_touched(m, n, k):
    """Elements of A, B and C that the triple loop touches at least once."""
    touched = {("C", i, j) for i, j in product(range(m), range(n))}
    for i, j, p in product(range(m), range(n), range(k)):
        touched |= {("A", i, p), ("B", p, j)}
    return len(touched)


def count_tile_traffic(m, n, k, tile_m, tile_n):
    """Walk the output tile by tile; each tile loads its strips element by element and stores its results."""
    loads = stores = 0
    for top in range(0, m, tile_m):
        for left in range(0, n, tile_n):
            rows = [i for i in range(top, top + tile_m) if i < m]
            columns = [j for j in range(left, left + tile_n) if j < n]
            for _ in range(k):
                for _ in rows:
                    loads += 1
                for _ in columns:
                    loads += 1
            for _ in product(rows, columns):
                stores += 1
    return loads, stores


def run_in_waves(tiles, units):
    """Hand tiles to units until none is left; a wave ends when every unit that got one is done."""
    waiting, history = list(range(tiles)), []
    while waiting:
        running, waiting = waiting[:units], waiting[units:]
        history.append(len(running))
    return history


@pytest.mark.oracle("gemm.flops")
@given(SIZE, SIZE, SIZE, st.integers(0, 3))
def test_flops_by_counting(m, n, k, batch):
    counted = sum(2 * count_fmas(m, n, k) for _ in range(batch))
    assert magnitude(gemm.flops(m=m, n=n, k=k, batch=batch), "FLOP") == counted


@pytest.mark.oracle("gemm.min_bytes", "gemm.intensity")
@given(SIZE, SIZE, SIZE, ITEMSIZE, st.integers(1, 3))
def test_least_bytes_by_touching(m, n, k, itemsize, batch):
    counted = batch * itemsize * count_touched(m, n, k)
    assert magnitude(gemm.min_bytes(m=m, n=n, k=k, itemsize=itemsize, batch=batch), "B") == counted
    if counted:
        expected = Fraction(2 * count_fmas(m, n, k) * batch, counted)
        assert magnitude(gemm.intensity(m=m, n=n, k=k, itemsize=itemsize, batch=batch), "FLOP/B") == expected


@pytest.mark.oracle("gemm.tiled_bytes", "gemm.tiled_intensity", "gemm.tile_count")
@given(SIZE, SIZE, SIZE, TILE, TILE, ITEMSIZE, st.integers(1, 3))
def test_tiled_bytes_by_counting(m, n, k, tile_m, tile_n, itemsize, batch):
    shape = {"m": m, "n": n, "tile_m": tile_m, "tile_n": tile_n, "batch": batch}
    loads, stores = count_tile_traffic(m, n, k, tile_m, tile_n)
    counted = batch * itemsize * (loads + stores)
    assert magnitude(gemm.tiled_bytes(k=k, itemsize=itemsize, **shape), "B") == counted
    if counted:
        expected = Fraction(2 * count_fmas(m, n, k) * batch, counted)
        assert magnitude(gemm.tiled_intensity(k=k, itemsize=itemsize, **shape), "FLOP/B") == expected
    assert gemm.tile_count(**shape) == batch * len(range(0, m, tile_m)) * len(range(0, n, tile_n))


@pytest.mark.oracle("gemm.naive_bytes")
@given(SIZE, SIZE, SIZE, ITEMSIZE)
def test_naive_bytes_by_counting(m, n, k, itemsize):
    reads = writes = 0
    for _ in product(range(m), range(n)):
        for _ in range(k):
            reads += 1  # one element of A
            reads += 1  # one element of B
        writes += 1
    assert magnitude(gemm.naive_bytes(m=m, n=n, k=k, itemsize=itemsize), "B") == itemsize * (reads + writes)


@given(SIZE, SIZE, SIZE, TILE, TILE)
def test_tiles_lie_between_the_least_and_the_naive_traffic(m, n, k, tile_m, tile_n):
    shape = {"m": m, "n": n, "k": k, "itemsize": 2}
    least = gemm.min_bytes(**shape)
    assert least <= gemm.tiled_bytes(tile_m=tile_m, tile_n=tile_n, **shape) <= gemm.naive_bytes(**shape)
    assert gemm.tiled_bytes(tile_m=max(m, 1), tile_n=max(n, 1), **shape) == least


@pytest.mark.oracle("gemm.padded_flops")
@given(SIZE, SIZE, SIZE, TILE, TILE, TILE)
def test_padded_flops_by_counting(m, n, k, tile_m, tile_n, tile_k):
    """Whole tiles do all their multiply-adds, inside the matrix or not."""
    counted = 0
    for _ in product(range(0, m, tile_m), range(0, n, tile_n), range(0, k, tile_k)):
        counted += sum(2 for _ in product(range(tile_m), range(tile_n), range(tile_k)))
    assert magnitude(gemm.padded_flops(m=m, n=n, k=k, tile_m=tile_m, tile_n=tile_n, tile_k=tile_k), "FLOP") == counted


@pytest.mark.oracle("gemm.waves", "gemm.wave_efficiency")
@given(st.integers(0, 400), st.integers(1, 60))
def test_waves_by_simulation(tiles, units):
    history = run_in_waves(tiles, units)
    assert gemm.waves(tiles=tiles, units=units) == len(history)
    if tiles:
        busy = sum(history)
        assert gemm.wave_efficiency(tiles=tiles, units=units) == Fraction(busy, units * len(history))


@pytest.mark.oracle("gemm.accumulator_bytes", "gemm.stage_bytes")
@given(TILE, TILE, TILE, ITEMSIZE)
def test_on_chip_bytes_by_counting(tile_m, tile_n, tile_k, itemsize):
    sums = [itemsize for _ in product(range(tile_m), range(tile_n))]
    assert magnitude(gemm.accumulator_bytes(tile_m=tile_m, tile_n=tile_n, itemsize=itemsize), "B") == sum(sums)
    assert gemm.accumulator_bytes(tile_m=tile_m, tile_n=tile_n) == Q(4 * len(sums), "B")  # fp32 unless told otherwise
    block_a = [itemsize for _ in product(range(tile_m), range(tile_k))]
    block_b = [itemsize for _ in product(range(tile_k), range(tile_n))]
    stage = gemm.stage_bytes(tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, itemsize=itemsize)
    assert magnitude(stage, "B") == sum(block_a) + sum(block_b)


@pytest.mark.oracle("gemm.smallest_tile")
@settings(deadline=None)
@given(st.integers(1, 12), ITEMSIZE, st.fractions(min_value=Fraction(1, 8), max_value=3))
def test_smallest_tile_by_search(k, itemsize, wanted):
    """Enlarge a single tile, count what it loads and stores, stop at the first one that is dense enough."""
    assume(2 * k * 30 >= wanted * itemsize * (2 * k + 30))
    for edge in range(1, 31):
        loads, stores = count_tile_traffic(edge, edge, k, edge, edge)
        if 2 * count_fmas(edge, edge, k) >= wanted * itemsize * (loads + stores):
            break
    assert gemm.smallest_tile(k=k, itemsize=itemsize, intensity=wanted) == edge


@pytest.mark.oracle("gemm.smallest_m")
@settings(deadline=None)
@given(st.integers(1, 8), st.integers(1, 8), ITEMSIZE, st.fractions(min_value=Fraction(1, 8), max_value=4))
def test_smallest_m_by_search(n, k, itemsize, wanted):
    reached = (m for m in range(1, 25) if 2 * count_fmas(m, n, k) >= wanted * itemsize * count_touched(m, n, k))
    first = next(reached, None)
    assume(first)
    assert gemm.smallest_m(n=n, k=k, itemsize=itemsize, intensity=wanted) == first


@pytest.mark.oracle("gemm.flops", "gemm.min_bytes", "gemm.intensity")
@pytest.mark.parametrize(
    ("m", "n", "k", "operations", "nbytes", "density"),
    [
        (4096, 4096, 4096, 137_438_953_472, 100_663_296, "1365.33"),
        (4096, 16384, 4096, 549_755_813_888, 301_989_888, "1820.44"),
        (1, 4096, 4096, 33_554_432, 33_570_816, "0.9995"),
    ],
)
def test_syllabus_products(m, n, k, operations, nbytes, density):
    assert magnitude(gemm.flops(m=m, n=n, k=k), "FLOP") == operations
    assert magnitude(gemm.min_bytes(m=m, n=n, k=k, itemsize=2), "B") == nbytes
    digits = len(density.split(".")[1])
    assert f"{float(magnitude(gemm.intensity(m=m, n=n, k=k, itemsize=2), 'FLOP/B')):.{digits}f}" == density


@pytest.mark.oracle("gemm.tiled_bytes")
@pytest.mark.parametrize(("tile", "mebibytes"), [(32, 6168), (64, 3096), (128, 1560)])
def test_syllabus_tiles(tile, mebibytes):
    moved = gemm.tiled_bytes(m=1024, n=12288, k=4096, tile_m=tile, tile_n=tile, itemsize=2)
    assert magnitude(moved, "MiB") == mebibytes


@pytest.mark.oracle("gemm.flops")
def test_syllabus_linear_layer():
    """B 8, S 2048, 4096 to 16384: 2.199e12 forward; backward is two products of the same size."""
    forward = gemm.flops(m=8 * 2048, n=16384, k=4096)
    assert magnitude(forward, "FLOP") == 2_199_023_255_552
    assert gemm.flops(m=8 * 2048, n=4096, k=16384) + gemm.flops(m=4096, n=16384, k=8 * 2048) == Q(
        4_398_046_511_104, "FLOP"
    )


def products_of_resnet_50():
    """(pixels, output channels, input channels times window) of each convolution and of the classifier, 224 x 224.

    Version 1.5: the 3 x 3 convolution has the stride, so the 1 x 1 before it still sees the larger picture.
    """
    yield 112 * 112, 64, 3 * 7 * 7
    channels, edge = 64, 56
    for blocks, width, after in ((3, 64, 56), (4, 128, 28), (6, 256, 14), (3, 512, 7)):
        for block in range(blocks):
            yield edge * edge, width, channels
            edge = after
            yield edge * edge, width, width * 3 * 3
            yield edge * edge, 4 * width, width
            if block == 0:
                yield edge * edge, 4 * width, channels
            channels = 4 * width
    yield 1, 1000, channels


@pytest.mark.oracle("gemm.flops")
def test_a_multiply_add_is_two_flops():
    """fvcore#69, fvcore#133, mmpose#1190, mmpose#2119, Model-Optimizer#387, thop#184: half of it, called FLOPs.

    ResNet-50 has 4,089,184,256 multiply-adds. No function counts those, and no unit names them.
    """
    counts = [gemm.flops(m=m, n=n, k=k) for m, n, k in products_of_resnet_50()]
    assert len(counts) == 54
    assert sum(counts, Q(0, "FLOP")) == Q(2 * 4_089_184_256, "FLOP")
    with pytest.raises(UnitError, match="unknown unit 'MAC'"):
        magnitude(counts[0], "MAC")


@pytest.mark.oracle("gemm.tiled_bytes", "gemm.naive_bytes")
@pytest.mark.parametrize(("bm", "bn", "bk"), [(7, 11, 13), (128, 64, 4096)])
def test_a_tile_is_written_once(bm, bn, bk):
    """scaling-book#113: the results of a tile were counted as written twice."""
    one = {"m": bm, "n": bn, "k": bk, "itemsize": 2}
    assert gemm.tiled_bytes(**one, tile_m=bm, tile_n=bn) == Q(2 * (bm * bk + bk * bn + bm * bn), "B")
    assert gemm.naive_bytes(**one) == Q(2 * (2 * bm * bn * bk + bm * bn), "B")


@pytest.mark.oracle("gemm.tiled_bytes", "gemm.tile_count", "gemm.padded_flops")
@pytest.mark.parametrize("size", [1, 31, 32, 33, 500, 511])
def test_tails(size):
    """triton#187, triton#630, triton#5990: products whose sizes are no multiple of the tile, at sizes around one."""
    edges = [min(32, size - start) for start in range(0, size, 32)]
    shape = {"m": size, "n": size, "tile_m": 32, "tile_n": 32}
    assert gemm.tile_count(**shape) == len(edges) ** 2
    moved = sum(size * (rows + columns) + rows * columns for rows in edges for columns in edges)
    assert gemm.tiled_bytes(**shape, k=size, itemsize=2) == Q(2 * moved, "B")
    padded = 32 * len(edges)
    assert gemm.padded_flops(**shape, k=size, tile_k=32) == Q(2 * padded * padded * padded, "FLOP")
    assert gemm.padded_flops(**shape, k=size, tile_k=1) == Q(2 * padded * padded * size, "FLOP")


@pytest.mark.oracle("gemm.flops", "gemm.min_bytes", "gemm.tiled_bytes", "gemm.tile_count")
@pytest.mark.parametrize(("m", "n", "k", "moved"), [(7, 5, 0, 70), (0, 5, 3, 0), (7, 0, 3, 0), (0, 0, 0, 0)])
def test_zero_sizes(m, n, k, moved):
    """triton#10427, triton-ascend#984, attention-gym#260: K = 0 leaves zeros to write, M or N = 0 leaves nothing."""
    shape = {"m": m, "n": n, "k": k}
    written = torch.zeros(m, k) @ torch.zeros(k, n)
    assert (written == 0).all()
    assert gemm.flops(**shape) == gemm.padded_flops(**shape, tile_m=2, tile_n=2, tile_k=2) == Q(0, "FLOP")
    assert 2 * written.numel() == moved
    for count in (gemm.min_bytes, gemm.naive_bytes, lambda **kw: gemm.tiled_bytes(**kw, tile_m=2, tile_n=3)):
        assert count(**shape, itemsize=2) == Q(moved, "B")
    tiles = gemm.tile_count(m=m, n=n, tile_m=2, tile_n=2)
    assert (tiles, gemm.waves(tiles=tiles, units=5)) == ((12, 3) if moved else (0, 0))
    if moved:
        assert gemm.intensity(**shape, itemsize=2) == Q(0, "FLOP/B")


@pytest.mark.oracle("gemm.smallest_m")
@pytest.mark.parametrize(("bandwidth", "rows"), [(3350, 345), (4800, 229)])
def test_critical_batch_of_a_square_projection(bandwidth, rows):
    """345 on H100 and 229 on H200 are the rounded solutions of the equation; a whole row more may be needed."""
    balance = roofline.ridge(peak=Q(Fraction("989.4"), "TFLOP/s"), bandwidth=Q(bandwidth, "GB/s"))
    ridge = float(magnitude(balance, "FLOP/B"))
    solution = ridge / (1 - ridge * (1 / 4096 + 1 / 4096))
    assert round(solution) == rows
    assert gemm.smallest_m(n=4096, k=4096, itemsize=2, intensity=balance) == math.ceil(solution)


@pytest.mark.oracle("gemm.smallest_tile", "gemm.smallest_m")
def test_an_intensity_out_of_reach_is_refused():
    with pytest.raises(ValueError, match="intensity must be below 2k/itemsize = 7 FLOP/B"):
        gemm.smallest_tile(k=7, itemsize=2, intensity=7)
    with pytest.raises(ValueError, match="intensity must be below 6 FLOP/B"):
        gemm.smallest_m(n=12, k=12, itemsize=2, intensity=6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gemm.flops(m=-1, n=2, k=3), "m must be an int of at least 0, not -1"),
        (lambda: gemm.flops(m=1, n=2.0, k=3), "n must be an int of at least 0, not 2.0"),
        (lambda: gemm.flops(m=1, n=2, k=True), "k must be an int of at least 0, not True"),
        (lambda: gemm.min_bytes(m=1, n=2, k=3, itemsize=0), "itemsize must be an int of at least 1, not 0"),
        (
            lambda: gemm.tiled_bytes(m=1, n=2, k=3, tile_m=0, tile_n=1, itemsize=2),
            "tile_m must be an int of at least 1",
        ),
        (lambda: gemm.intensity(m=0, n=2, k=3, itemsize=2), "m, n and batch must be at least 1"),
        (lambda: gemm.waves(tiles=3, units=0), "units must be an int of at least 1"),
        (lambda: gemm.wave_efficiency(tiles=0, units=5), "tiles must be an int of at least 1"),
        (lambda: gemm.smallest_tile(k=4, itemsize=2, intensity=0), "intensity must be above 0 FLOP/B"),
        (lambda: gemm.smallest_m(n=4, k=4, itemsize=2, intensity=Q(1, "B")), "cannot be expressed in 'FLOP/B'"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
