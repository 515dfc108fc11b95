# --8<-- [start:clip]
import math

from infra_ref.numerics import clipping

ranks = [[3.0, 4.0], [0.0, 12.0]]              # local norms 5 and 12
squares = [clipping.squared_norm(rank) for rank in ranks]
print("all-reduce of squares:", math.sqrt(sum(squares)))
print("sum of the norms:     ", sum(map(math.sqrt, squares)))
together = clipping.clip(ranks, max_norm=1)
alone = [clipping.clip([rank], max_norm=1)[0] for rank in ranks]
for name, shards in (("together", together), ("each alone", alone)):
    flat = [round(g, 3) for shard in shards for g in shard]
    print(f"{name:<11}{flat}  norm {clipping.global_norm(shards):.3f}")
# --8<-- [end:clip]
