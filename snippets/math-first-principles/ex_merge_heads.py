# --8<-- [start:heads]
import torch

B, heads, size = 2, 5, 3
for S in (7, 1):
    out = torch.zeros(B, heads, S, size)
    merged = out.transpose(1, 2)
    try:
        merged.view(B, S, heads * size)
        print(f"S={S}: a view")
    except RuntimeError:
        print(f"S={S}: .view fails on strides", merged.stride())
# --8<-- [end:heads]
assert merged.is_contiguous()
