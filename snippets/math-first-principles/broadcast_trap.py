# --8<-- [start:trap]
import torch

for B, S in ((2, 3), (3, 3), (1, 3)):
    loss = torch.arange(1.0, B * S + 1).view(B, S)
    mask = torch.ones(B, S)
    mask[:, 0] = 0                    # leave out each first token
    right = (loss * mask).sum().item()
    try:
        got = loss * mask.T           # arrives as [S, B]
        text = f"{tuple(got.shape)}, sum {got.sum().item():g}"
    except RuntimeError:
        text = "error"
    print(f"B={B} S={S}: {text} (right: {right:g})")
# --8<-- [end:trap]
assert (got.shape, got.sum().item(), right) == ((3, 3), 12, 5)
