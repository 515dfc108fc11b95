# --8<-- [start:count]
def loads(m, n, k, tile):
    """Elements of A and B that all tiles of C fetch together."""
    count = 0
    for top in range(0, m, tile):
        for left in range(0, n, tile):
            for _ in range(k):
                count += min(tile, m - top)      # a column of A
                count += min(tile, n - left)     # a row of B
    return count


m, n, k = 256, 384, 64
for tile in (1, 8, 32, 64, 100):
    count = loads(m, n, k, tile)
    print(f"tile {tile:>3}: {count:>10,} elements,",
          f"each used {2 * m * n * k / count:>5.1f} times")
# --8<-- [end:count]
from infra_ref.ledger import gemm

for tile in (8, 32, 64, 100):
    tiled = gemm.tiled_bytes(m=m, n=n, k=k, tile_m=tile, tile_n=tile, itemsize=1)
    assert loads(m, n, k, tile) + m * n == tiled.m
