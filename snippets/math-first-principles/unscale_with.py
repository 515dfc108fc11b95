# --8<-- [start:scales]
from infra_ref.numerics import loss_scaling
from infra_ref.numerics.formats import fp16

scale = loss_scaling.DynamicScale(scale=4, growth_interval=1)
for _ in range(3):
    left = loss_scaling.backward([1], scale=scale.scale, format=fp16)
    grown = scale.update(overflow=False)
    wrong = left.stored[0] / grown.scale       # updated too early
    right, scale = loss_scaling.step([left], scale)
    print(f"backward with {left.scale}: updated too early"
          f" {float(wrong)}, right {float(right[0][0])}")
# --8<-- [end:scales]
