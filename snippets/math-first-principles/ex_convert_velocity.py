# --8<-- [start:convert]
from fractions import Fraction as F

from infra_ref.numerics import updates

rates, gradients = [F(1, 10), F(1, 10), F(1, 20), F(1, 5)], [3, -1, 4, 2]
inside = outside = updates.MomentumState(F(0))
last = rates[0]
for g, lr in zip(gradients, rates, strict=True):
    a = {"gradient": g, "lr": lr, "mu": F(9, 10)}
    inside = updates.classical_momentum(inside, **a)
    outside = updates.MomentumState(       # the rescaled velocity
        outside.parameter, outside.velocity * last / lr)
    outside = updates.momentum(outside, **a)
    print("lr", lr, "equal:", inside.parameter == outside.parameter)
    last = lr
# --8<-- [end:convert]
assert inside.velocity == -lr * outside.velocity
