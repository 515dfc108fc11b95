# --8<-- [start:association]
from infra_ref.tensor.algebra import association_flops

chains = {"A B x, all 4096": (4096, 4096, 4096, 1),
          "B A, rank 16, X": (4096, 16, 4096, 64),
          "Q K^T V, S 4096": (4096, 128, 4096, 128)}
for name, (m, k, n, p) in chains.items():
    left, right = association_flops(m=m, k=k, n=n, p=p)
    print(f"{name}: {left.m:>15,} or {right.m:>13,} FLOP, "
          f"ratio {left.m / right.m:,.1f}")
# --8<-- [end:association]
left, right = association_flops(m=1, k=9, n=100, p=9)
assert left < right  # although (A B) holds 100 elements and (B C) only 81
