# --8<-- [start:split]
def traffic(m, n, k, tile, parts):
    """Bytes of a tiled product in bf16 whose K is cut into parts."""
    count = 0
    for _ in range(parts):
        for top in range(0, m, tile):
            for left in range(0, n, tile):
                rows, cols = min(tile, m - top), min(tile, n - left)
                count += 2 * (k // parts) * (rows + cols)  # strips
                if parts > 1:
                    count += (4 + 4) * rows * cols  # fp32 out and in
    return count + 2 * m * n                        # the result


plain, cut = (traffic(64, 4096, 16384, 128, p) for p in (1, 4))
print(f"4 parts: {cut / plain - 1:.1%} more bytes")
# --8<-- [end:split]
for shape in ((64, 4096, 16384, 128, 4), (37, 61, 24, 16, 3), (5, 7, 12, 8, 2)):
    m, n, k, tile, parts = shape
    tiles_m, tiles_n = -(-m // tile), -(-n // tile)
    assert traffic(*shape) == 2 * (m * k * tiles_n + k * n * tiles_m + m * n) + 8 * parts * m * n
results = {"extra": cut / plain - 1}
