# --8<-- [start:dynamic]
from infra_ref.numerics import loss_scaling
from infra_ref.numerics.formats import fp16

scale = loss_scaling.DynamicScale(scale=32768, growth_interval=3)
for number in range(11):
    largest = 3.0 if number == 8 else 0.9        # of the gradients
    left = loss_scaling.backward([largest], scale=scale.scale,
                                 format=fp16)
    gradients, after = loss_scaling.step([left], scale)
    done = "skip" if gradients is None else "step"
    print(f"{number:>2} S = {scale.scale!s:>6} {done}"
          f" -> {after.scale!s:>6}, {after.clean_steps} clean")
    scale = after
# --8<-- [end:dynamic]
