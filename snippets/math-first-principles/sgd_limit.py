# --8<-- [start:limit]
from infra_ref.numerics import updates

c = 10                                  # curvature: f(w) = c w² / 2
for lr in (0.1, 0.15, 0.19, 0.2, 0.21):
    w, seen = 1.0, []
    for _ in range(50):
        w = updates.sgd(parameter=w, gradient=c * w, lr=lr)
        seen.append(w)
    first = ", ".join(f"{x:+.2f}" for x in seen[:3])
    print(f"lr {lr:<4} w: {first} ... after 50: {abs(w):.1e}")
# --8<-- [end:limit]
results = {}
for name, lr in (("below", 0.19), ("above", 0.21)):
    w = 1.0
    for _ in range(50):
        w -= lr * c * w
    results[name] = abs(w)
assert abs(results["below"] - 0.9**50) < 1e-12
assert abs(results["above"] / 1.1**50 - 1) < 1e-12
