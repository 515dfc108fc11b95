# --8<-- [start:kept]
import torch
from torch.nn import functional as F

x = torch.randn(7, 5, requires_grad=True)
w = torch.randn(3, 5, requires_grad=True)
operators = {
    "add": lambda: x + x, "linear": lambda: F.linear(x, w),
    "relu": lambda: F.relu(x), "gelu": lambda: F.gelu(x),
    "softmax": lambda: F.softmax(x, -1),
    "layer_norm": lambda: F.layer_norm(x, (5,)),
}
kept = []
hooks = torch.autograd.graph.saved_tensors_hooks(
    lambda t: kept.append(t) or t, lambda t: t)
for name, run in operators.items():
    kept.clear()
    with hooks:
        y = run()
    names = {x.data_ptr(): "input", w.data_ptr(): "weight",
             y.data_ptr(): "output"}
    print(f"{name:<11}", [names.get(t.data_ptr(), "other") +
                          str(list(t.shape)) for t in kept])
# --8<-- [end:kept]
