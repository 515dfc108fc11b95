# --8<-- [start:tiles]
from functools import reduce
from itertools import combinations_with_replacement, permutations
from math import inf, log, nan

from infra_ref.numerics.softmax import empty, lift, merge

z = [-inf, -inf, 0.0, log(2), -inf]
v = [[nan], [nan], [1.0], [3.0], [nan]]     # masked: never read
count, worst = 0, 0.0
for a, b, c in combinations_with_replacement(range(6), 3):
    tiles = [(0, a), (a, b), (b, c), (c, 5)]
    states = [lift(z[i:j], v[i:j]) if i < j else empty(1)
              for i, j in tiles]
    for order in permutations(states):
        count += 1
        (out,) = reduce(merge, order).output()
        worst = max(worst, abs(out - 7 / 3))
print(count, "ways, all within 1e-15 of 7/3:", worst < 1e-15)
# --8<-- [end:tiles]
assert worst < 1e-15
nothing = reduce(merge, [empty(1), lift(z[:2], v[:2]), empty(1)])
assert nothing.output() == [0.0]
assert nothing.m == -inf
results = {"ways": count}
