# --8<-- [start:repeat]
from fractions import Fraction

odds = Fraction(10, 10_000)                # faulty : healthy
ratio = Fraction(9, 10) / Fraction(1, 100)      # of the alarms
for alarms in range(4):
    print(f"after {alarms} alarms: {float(odds):9.3f} to 1, "
          f"faulty with probability {float(odds / (1 + odds)):.1%}")
    odds *= ratio
# --8<-- [end:repeat]
from infra_ref.numerics import probability

prior = [Fraction(10, 10_010), Fraction(10_000, 10_010)]
for _ in range(4):
    prior = probability.posterior(prior=prior, likelihood=[Fraction(9, 10), Fraction(1, 100)])
assert odds == prior[0] / prior[1]
