# --8<-- [start:order]
def dot(a, b, parts):
    """Dot product whose terms are summed in equal parts first."""
    size, total = len(a) // parts, 0.0
    for part in range(parts):
        partial = 0.0
        for i in range(part * size, (part + 1) * size):
            partial += a[i] * b[i]
        total += partial
    return total


tenths, ones = [0.1] * 10, [1.0] * 10
for parts in (1, 2, 10):
    print(f"K in {parts:>2} parts: {dot(tenths, ones, parts)!r}")
# --8<-- [end:order]
assert dot(tenths, ones, 1) != dot(tenths, ones, 2) == 1.0
assert dot(tenths, ones, 10) == dot(tenths, ones, 1)
