# --8<-- [start:split]
from fractions import Fraction
from itertools import product

losses = [1, 1, 2, 3, 5, 9]                    # one per token
token_means, rank_means = set(), set()
for where in product(range(3), repeat=len(losses)):
    ranks = [[x for x, r in zip(losses, where, strict=True)
              if r == rank] for rank in range(3)]
    total, tokens = sum(map(sum, ranks)), sum(map(len, ranks))
    token_means.add(Fraction(total, tokens))
    means = [Fraction(sum(r), len(r)) for r in ranks if r]
    rank_means.add(sum(means) / len(means))
print("sum of losses / sum of tokens:", *token_means)
print(f"mean of means: {len(rank_means)} answers, "
      f"{min(rank_means)} to {max(rank_means)}")
# --8<-- [end:split]
assert token_means == {Fraction(21, 6)}
results = {"splits": 3 ** len(losses), "answers": len(rank_means)}
