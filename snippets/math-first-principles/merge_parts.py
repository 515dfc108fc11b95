# --8<-- [start:merge]
from infra_ref.numerics import statistics

row = [10_000 + i / 8 for i in range(64)]
ranks = [row[:5], [], row[5:40], row[40:]]       # one has nothing
states = [statistics.moments(part) for part in ranks]
for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
    merged = statistics.Moments()
    for rank in order:
        merged = merged.merge(states[rank])
    variance = float(merged.variance(unbiased=False))
    print("merged", order, f"{variance:.6f}")
inside = sum(float(s.m2) for s in states) / len(row)
print("mean of the variances", f"{inside:.6f}")
# --8<-- [end:merge]
from fractions import Fraction

assert Fraction(64**2 - 1, 12 * 64) == statistics.moments(map(Fraction, row)).variance(unbiased=False)
