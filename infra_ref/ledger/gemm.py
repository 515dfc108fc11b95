"""The ledger of one matrix product C[M, N] = A[M, K] B[K, N]: FLOPs, bytes, tiles and waves.

A fused multiply-add is 2 FLOPs. All three matrices have elements of `itemsize` bytes; partial sums stay on the chip.
`batch` repeats an independent product (its own A, B and C). A size of 0 gives an empty product, which costs nothing
but the zeros of C when only K is 0.
"""

import math
from fractions import Fraction

from infra_ref.ledger._arguments import in_base_units, require_sizes
from infra_ref.units import Number, Q, Quantity


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def _intensity(operations: int, nbytes: int) -> Quantity:
    if nbytes == 0:
        raise ValueError("m, n and batch must be at least 1: an empty product moves no byte, so it has no intensity")
    return Q(Fraction(operations, nbytes), "FLOP/B")


def _flops(m: int, n: int, k: int, batch: int) -> int:
    require_sizes(m=m, n=n, k=k, batch=batch)
    return batch * 2 * m * n * k


def _min_bytes(m: int, n: int, k: int, itemsize: int, batch: int) -> int:
    require_sizes(m=m, n=n, k=k, batch=batch)
    require_sizes(1, itemsize=itemsize)
    return batch * itemsize * (m * k + k * n + m * n) if m and n else 0


def _tiled_bytes(m: int, n: int, k: int, tile_m: int, tile_n: int, itemsize: int, batch: int) -> int:
    require_sizes(m=m, n=n, k=k, batch=batch)
    require_sizes(1, tile_m=tile_m, tile_n=tile_n, itemsize=itemsize)
    reads_a = m * k * _ceil_div(n, tile_n)
    reads_b = k * n * _ceil_div(m, tile_m)
    return batch * itemsize * (reads_a + reads_b + m * n)


def flops(*, m: int, n: int, k: int, batch: int = 1) -> Quantity:
    r"""FLOPs of a matrix product.

    $$F = 2MNK$$

    Each of the $MN$ results is a $K$-term dot product: $K$ multiply-adds.

    Shapes:
        A[batch, M, K], B[batch, K, N] -> C[batch, M, N].
    Returns:
        FLOPs, exact.
    Raises:
        ValueError: a size that is not an int of at least 0.
    """
    return Q(_flops(m, n, k, batch), "FLOP")


def min_bytes(*, m: int, n: int, k: int, itemsize: int, batch: int = 1) -> Quantity:
    r"""Least bytes across the memory interface: A and B read once, C written once.

    $$Q_{\min} = s\,(MK + KN + MN)$$

    Only a chip that keeps everything it will use again reaches this.

    Args:
        itemsize: $s$, bytes of one element.
    Returns:
        Bytes, exact.
    Raises:
        ValueError: a size below 0 or an itemsize below 1.
    """
    return Q(_min_bytes(m, n, k, itemsize, batch), "B")


def intensity(*, m: int, n: int, k: int, itemsize: int, batch: int = 1) -> Quantity:
    r"""Highest arithmetic intensity of a matrix product: its FLOPs over its least bytes.

    $$I = \frac{2MNK}{s\,(MK + KN + MN)}, \quad
    \frac{1}{I} = \frac{s}{2}\left(\frac{1}{M} + \frac{1}{N} + \frac{1}{K}\right)$$

    Returns:
        FLOP/B, an exact fraction; the same for any batch of independent products.
    Raises:
        ValueError: an empty product, which moves nothing.
    """
    return _intensity(_flops(m, n, k, batch), _min_bytes(m, n, k, itemsize, batch))


def naive_bytes(*, m: int, n: int, k: int, itemsize: int, batch: int = 1) -> Quantity:
    r"""Bytes of the untiled, uncached triple loop: two reads per multiply-add, one write per result.

    $$Q_{\text{naive}} = s\,(2MNK + MN)$$

    The running sum stays in a register, so C is written $MN$ times and never read.

    Returns:
        Bytes, exact.
    Raises:
        ValueError: a size below 0 or an itemsize below 1.
    """
    return Q(_tiled_bytes(m, n, k, 1, 1, itemsize, batch), "B")


def tiled_bytes(*, m: int, n: int, k: int, tile_m: int, tile_n: int, itemsize: int, batch: int = 1) -> Quantity:
    r"""Bytes when each output tile reads its own strips of A and B, with no cache beyond the tile.

    $$Q_T = s\left(MK\left\lceil\frac{N}{T_n}\right\rceil + KN\left\lceil\frac{M}{T_m}\right\rceil + MN\right)$$

    A is read once per column of tiles, B once per row of tiles, and each output tile is written once. A tail tile reads
    only the rows and columns it has.

    Args:
        tile_m: $T_m$, rows of an output tile.
        tile_n: $T_n$, columns of an output tile.
    Returns:
        Bytes, exact.
    Raises:
        ValueError: a size below 0, a tile or an itemsize below 1.
    """
    return Q(_tiled_bytes(m, n, k, tile_m, tile_n, itemsize, batch), "B")


def tiled_intensity(*, m: int, n: int, k: int, tile_m: int, tile_n: int, itemsize: int, batch: int = 1) -> Quantity:
    r"""FLOPs per byte of the tiled product with no cache beyond the tile.

    $$I_T = \frac{2MNK}{Q_T}$$

    Returns:
        FLOP/B, an exact fraction. For square tiles that divide M and N it approaches $T/s$ as K grows.
    Raises:
        ValueError: an empty product, a tile or an itemsize below 1.
    """
    return _intensity(_flops(m, n, k, batch), _tiled_bytes(m, n, k, tile_m, tile_n, itemsize, batch))


def smallest_tile(*, k: int, itemsize: int, intensity: Quantity | Number) -> int:
    r"""Edge of the smallest square output tile whose strips and results reach an intensity, with no further cache.

    $$T \ge \frac{2K}{\frac{2K}{s I} - 1}$$

    One tile does $2T^2K$ FLOPs and moves $s(2TK + T^2)$ bytes; the bound solves for $T$. M and N are multiples of it.

    Args:
        intensity: the FLOP/B to reach, such as a ridge point; a plain number is in FLOP/B.
    Returns:
        The edge, in elements.
    Raises:
        ValueError: k or itemsize below 1, or an intensity that no tile reaches: storing the result alone costs
            $s/2K$ bytes a FLOP.
    """
    require_sizes(1, k=k, itemsize=itemsize)
    wanted = Fraction(in_base_units("intensity", intensity, "FLOP/B", positive=True))
    spare = Fraction(2 * k, itemsize) / wanted - 1
    if spare <= 0:
        raise ValueError(f"intensity must be below 2k/itemsize = {Fraction(2 * k, itemsize)} FLOP/B, not {wanted}")
    return math.ceil(2 * k / spare)


def smallest_m(*, n: int, k: int, itemsize: int, intensity: Quantity | Number) -> int:
    r"""Smallest number of rows M from which a product with a K by N matrix reaches an intensity.

    $$\frac{1}{M} \le \frac{2}{s I} - \frac{1}{N} - \frac{1}{K}$$

    With the ridge point as the intensity this is the batch at which a projection stops being bandwidth-bound, the
    traffic of its inputs and outputs included.

    Args:
        intensity: the FLOP/B to reach; a plain number is in FLOP/B.
    Returns:
        M, in rows.
    Raises:
        ValueError: n, k or itemsize below 1, or an intensity that no M reaches.
    """
    require_sizes(1, n=n, k=k, itemsize=itemsize)
    wanted = Fraction(in_base_units("intensity", intensity, "FLOP/B", positive=True))
    inverse = Fraction(2, itemsize) / wanted - Fraction(1, n) - Fraction(1, k)
    if inverse <= 0:
        limit = Fraction(2, itemsize) / (Fraction(1, n) + Fraction(1, k))
        raise ValueError(f"intensity must be below {limit} FLOP/B, the limit for large M, not {wanted}")
    return math.ceil(1 / inverse)


def tile_count(*, m: int, n: int, tile_m: int, tile_n: int, batch: int = 1) -> int:
    r"""Number of output tiles.

    $$\left\lceil\frac{M}{T_m}\right\rceil\left\lceil\frac{N}{T_n}\right\rceil$$

    Raises:
        ValueError: a size below 0 or a tile below 1.
    """
    require_sizes(m=m, n=n, batch=batch)
    require_sizes(1, tile_m=tile_m, tile_n=tile_n)
    return batch * _ceil_div(m, tile_m) * _ceil_div(n, tile_n)


def padded_flops(*, m: int, n: int, k: int, tile_m: int, tile_n: int, tile_k: int, batch: int = 1) -> Quantity:
    r"""FLOPs executed when every dimension is rounded up to whole tiles.

    $$F_T = 2\,T_m T_n T_k \lceil M / T_m\rceil\,\lceil N / T_n\rceil\,\lceil K / T_k\rceil$$

    Returns:
        FLOPs, exact; a tile of 1 leaves its dimension as it is.
    Raises:
        ValueError: a size below 0 or a tile below 1.
    """
    require_sizes(m=m, n=n, k=k, batch=batch)
    require_sizes(1, tile_m=tile_m, tile_n=tile_n, tile_k=tile_k)
    rows, columns, depth = (tile * _ceil_div(size, tile) for size, tile in ((m, tile_m), (n, tile_n), (k, tile_k)))
    return Q(_flops(rows, columns, depth, batch), "FLOP")


def waves(*, tiles: int, units: int) -> int:
    r"""Rounds in which equal tiles run when `units` of them run at a time.

    $$w = \left\lceil\frac{t}{u}\right\rceil$$

    Args:
        tiles: $t$, output tiles of equal cost.
        units: $u$, tiles that run at once: processors times the tiles resident on each.
    Raises:
        ValueError: tiles below 0 or units below 1.
    """
    require_sizes(tiles=tiles)
    require_sizes(1, units=units)
    return _ceil_div(tiles, units)


def wave_efficiency(*, tiles: int, units: int) -> Fraction:
    r"""Share of the places in all waves that hold a tile: 1 when the last wave is full.

    $$\eta = \frac{t}{u\,w}$$

    Returns:
        A fraction in (0, 1].
    Raises:
        ValueError: tiles or units below 1.
    """
    require_sizes(1, tiles=tiles, units=units)
    return Fraction(tiles, units * waves(tiles=tiles, units=units))


def accumulator_bytes(*, tile_m: int, tile_n: int, itemsize: int = 4) -> Quantity:
    r"""Bytes of the running sums of one output tile, which stay on the chip until K is exhausted.

    $$s\,T_m T_n$$

    Args:
        itemsize: $s$, bytes of one sum; 4 for fp32.
    Raises:
        ValueError: an argument below 1.
    """
    require_sizes(1, tile_m=tile_m, tile_n=tile_n, itemsize=itemsize)
    return Q(tile_m * tile_n * itemsize, "B")


def stage_bytes(*, tile_m: int, tile_n: int, tile_k: int, itemsize: int) -> Quantity:
    r"""Bytes of one step along K: a block of A and a block of B, waiting in shared memory.

    $$s\,T_k\,(T_m + T_n)$$

    Raises:
        ValueError: an argument below 1.
    """
    require_sizes(1, tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, itemsize=itemsize)
    return Q(tile_k * (tile_m + tile_n) * itemsize, "B")
