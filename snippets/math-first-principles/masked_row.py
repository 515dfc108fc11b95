# --8<-- [start:masked]
import torch
from torch.nn.functional import scaled_dot_product_attention

q, k = torch.zeros(1, 1, 1, 8), torch.zeros(1, 1, 3, 8)
v = torch.tensor([2.0, 3.0, 7.0]).reshape(1, 1, 3, 1)
masked = torch.full((1, 3), -torch.inf)
lowest = torch.full((1, 3), torch.finfo(torch.float32).min)


def by_hand(mask):
    return torch.softmax(q @ k.mT + mask, -1) @ v


print("torch.softmax, -inf:", by_hand(masked).item())
sdpa = scaled_dot_product_attention(q, k, v, attn_mask=masked)
print("SDPA, -inf:         ", sdpa.item())
print("torch.softmax, min: ", round(by_hand(lowest).item(), 4))
# --8<-- [end:masked]
from infra_ref.numerics import softmax

assert by_hand(masked).isnan().all()
assert softmax.lift(masked[0].tolist(), v.reshape(3, 1).tolist()).output() == [sdpa.item()]
assert abs(by_hand(lowest).item() - 4) < 1e-5
