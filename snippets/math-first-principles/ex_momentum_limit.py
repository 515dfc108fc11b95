# --8<-- [start:limit]
from infra_ref.numerics import updates

mu, c = 0.9, 1.0                        # the claim: lr c < 2 (1 + mu)
for lr in (3.7, 3.79, 3.81, 3.9):
    state = updates.MomentumState(1.0)
    for _ in range(1000):
        state = updates.momentum(
            state, gradient=c * state.parameter, lr=lr, mu=mu)
    fate = "converges" if abs(state.parameter) < 1 else "diverges"
    print(f"lr c = {lr}: {fate}")
# --8<-- [end:limit]
