# --8<-- [start:samples]
from fractions import Fraction
from itertools import product

population = [1, 2, 6]
samples = list(product(population, repeat=2))      # all 9 of size 2
for divisor, name in ((2, "n"), (1, "n - 1")):
    variances = []
    for sample in samples:
        mean = Fraction(sum(sample), 2)
        squares = sum((x - mean) ** 2 for x in sample)
        variances.append(squares / divisor)
    print(f"divided by {name}: on average",
          sum(variances) / len(samples))
mean = Fraction(sum(population), 3)
print("population:", sum((x - mean) ** 2 for x in population) / 3)
# --8<-- [end:samples]
