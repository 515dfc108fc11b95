# --8<-- [start:rule]
import torch

from infra_ref.tensor import layout

x = torch.arange(18).view(3, 6)
for name, t, new in (
    ("every second", x[:, ::2], (9,)),
    ("first four", x[:, :4], (12,)),
    ("first four", x[:, :4], (3, 2, 2)),
    ("transposed", x.T, (18,)),
    ("transposed", x.T, (2, 3, 3)),
):
    rule = layout.view_strides(t.shape, t.stride(), new)
    try:
        theirs = t.view(new).stride()
    except RuntimeError:
        theirs = None
    print(f"{name:<12} {t.stride()} to {new}: {rule}", rule == theirs)
# --8<-- [end:rule]
assert not any(t.is_contiguous() for t in (x[:, ::2], x[:, :4], x.T))
