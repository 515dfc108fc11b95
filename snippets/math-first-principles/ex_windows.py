# --8<-- [start:windows]
import torch

from infra_ref.tensor import layout

x = torch.arange(10)
w = x.as_strided((8, 3), (1, 1))
print(w[0].tolist(), w[1].tolist(), "...", w[7].tolist())
print("span", layout.storage_span(w.shape, w.stride()), "of", w.numel())
print("flat view:", layout.view_strides(w.shape, w.stride(), (24,)))
# --8<-- [end:windows]
assert w.tolist() == x.unfold(0, 3, 1).tolist()
