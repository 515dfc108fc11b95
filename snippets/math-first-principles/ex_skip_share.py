# --8<-- [start:share]
from infra_ref.numerics.loss_scaling import DynamicScale

for interval in (2000, 100):
    scale = DynamicScale(scale=2**20, growth_interval=interval)
    skipped, steps = 0, 4 * (interval + 1)
    for _ in range(steps):
        overflow = scale.scale > 2**20           # the largest that fits
        skipped += overflow
        scale = scale.update(overflow=overflow)
    print(f"N = {interval}: skipped {skipped} of {steps}")
# --8<-- [end:share]
results = {"share_100": skipped / steps}
assert (scale.scale, scale.clean_steps) == (2**20, 0)
