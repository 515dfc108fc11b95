# --8<-- [start:cut]
from fractions import Fraction as F

from infra_ref.numerics import updates

outside = inside = updates.MomentumState(F(0))
mu, g, lr = F(9, 10), F(1), F(1, 10)
for t in range(1, 104):
    if t == 101:
        lr = lr / 10                     # the schedule cuts
    a = updates.momentum(outside, gradient=g, lr=lr, mu=mu)
    b = updates.classical_momentum(inside, gradient=g, lr=lr, mu=mu)
    if t in (1, 2, 100, 101, 102):
        steps = (float(a.parameter - outside.parameter),
                 float(b.parameter - inside.parameter))
        print("step {:>3}: {:.4f} outside, {:.4f} inside".format(
            t, *steps))
    outside, inside = a, b
# --8<-- [end:cut]
assert outside.velocity == (1 - mu**103) / (1 - mu)
