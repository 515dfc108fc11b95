# --8<-- [start:reveals]
import torch

for dtype in (torch.bfloat16, torch.float16, torch.float32):
    x = torch.tensor(1e-3, dtype=dtype)
    t = 1 + x                                    # rounded
    d = t - 1                                    # exact, as it happens
    first = abs(t.double() / (1 + x.double()) - 1)
    then = abs(d.double() / x.double() - 1)
    print(f"{dtype!s:<14} 1 + x is off by {first:.0e},"
          f" (1 + x) - 1 by {then:.0e}")
    assert d.double() == t.double() - 1
# --8<-- [end:reveals]
