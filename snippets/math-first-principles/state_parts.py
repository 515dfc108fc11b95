# --8<-- [start:parts]
from infra_ref.ledger import optimizer
from infra_ref.units import magnitude

for name in ("mixed_adam", "mixed_adam_fp32_gradients"):
    layout = optimizer.LAYOUTS[name]
    print(name)
    for part, size in layout.breakdown(parameters=7 * 10**9).items():
        print(f"  {part:<22}{float(magnitude(size, 'GB')):>5.0f} GB")
    total = layout.total(parameters=7 * 10**9)
    print(f"  {'in all':<22}{float(magnitude(total, 'GB')):>5.0f} GB")
# --8<-- [end:parts]
assert magnitude(total, "GB") == 126
