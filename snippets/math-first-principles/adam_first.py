# --8<-- [start:first]
from infra_ref.numerics import updates

for g in (1e-4, 1.0, 100.0, -100.0, 1e-8):
    after = updates.adam(updates.AdamState(0), gradient=g, lr=0.001)
    step = 0.001 * after.first / (after.second**0.5 + 1e-8)
    print(f"g = {g:<7g} Adam {after.parameter:+.6f}"
          f"   uncorrected {-step:+.6f}")
# --8<-- [end:first]
