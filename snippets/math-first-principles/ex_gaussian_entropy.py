# --8<-- [start:entropy]
from math import e, log
from statistics import NormalDist

from infra_ref.numerics.softmax import entropy, softmax

n = 4096
normal = [NormalDist().inv_cdf((i + 0.5) / n) for i in range(n)]
for sigma in 0.5, 1, 2, 4, 8:
    h = entropy(softmax([sigma * x for x in normal]), base=e)
    formula = log(n) - sigma**2 / 2
    print(f"sigma {sigma}: H {h:.2f}, formula {formula:.2f}")
# --8<-- [end:entropy]
