# --8<-- [start:away]
import math


def add_one(total, gap, tie_up):
    """total + 1, rounded to a multiple of gap."""
    steps = (total + 1) / gap
    if steps % 1 == 0.5:
        up = tie_up or math.floor(steps) % 2 == 1
        return gap * (math.floor(steps) + up)
    return gap * round(steps)


for tie_up in (False, True):
    total = 2048
    for _ in range(1000):
        total = add_one(total, gap=2, tie_up=tie_up)
    print("ties up:  " if tie_up else "ties even:", total)
# --8<-- [end:away]
assert total == 4048
