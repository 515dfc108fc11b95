# --8<-- [start:asks]
import torch


def backward(x_grad, w_grad):
    kept = []
    x = torch.randn(7, 5, requires_grad=x_grad)
    w = torch.randn(5, 3, requires_grad=w_grad)
    with torch.autograd.graph.saved_tensors_hooks(
            lambda t: kept.append(t) or t, lambda t: t):
        y = x @ w
    y.sum().backward()
    named = {"X": x, "W": w}
    held = [k.data_ptr() for k in kept]
    return ([f"d{n}" for n, t in named.items() if t.grad is not None],
            [n for n, t in named.items() if t.data_ptr() in held])


for who, asks in (("trained", (True, True)), ("first", (False, True)),
                  ("frozen", (True, False))):
    products, kept = backward(*asks)
    print(f"{who:<8}computes {products}, kept {kept}")
# --8<-- [end:asks]
