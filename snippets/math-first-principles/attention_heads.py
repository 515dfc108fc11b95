# --8<-- [start:heads]
import torch
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(0)
b, s, heads, d = 2, 7, 3, 5
x = torch.randn(b, s, heads * d, dtype=torch.float64)
weights = torch.randn(3, heads * d, heads * d, dtype=torch.float64)
q, k, v = [(x @ w).view(b, s, heads, d).transpose(1, 2)
           for w in weights]
scores = q @ k.transpose(-1, -2) / d**0.5
mixed = torch.softmax(scores, dim=-1) @ v
out = mixed.transpose(1, 2).reshape(b, s, heads * d)
for name in ("x", "q", "scores", "mixed", "out"):
    print(f"{name:<6} {list(locals()[name].shape)}")
same = torch.allclose(mixed, scaled_dot_product_attention(q, k, v))
print("equal to the fused operator:", same)
# --8<-- [end:heads]
assert q.stride() == (s * heads * d, d, heads * d, 1)  # a view of the projection
assert q.untyped_storage().nbytes() == x.untyped_storage().nbytes()
assert out.data_ptr() != mixed.data_ptr()  # merging the heads copied
assert same
