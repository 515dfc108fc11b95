# --8<-- [start:unfused]
import torch
from torch.optim.adam import adam
from torch.overrides import TorchFunctionMode

seen = []                                # (operator, bytes an element)


class Traffic(TorchFunctionMode):
    def __torch_function__(self, op, types, args=(), kwargs=None):
        out = op(*args, **(kwargs or {}))
        if isinstance(out, torch.Tensor) and out.dim():
            read = {id(x): x for x in args if isinstance(x, torch.Tensor)}
            moved = out.nbytes + sum(x.nbytes for x in read.values())
            seen.append((op.__name__, moved // out.numel()))
        return out


w, g, m, v = torch.ones(4, 1000)
with Traffic():
    adam([w], [g], [m], [v], [], [torch.tensor(1.0)], foreach=False,
         amsgrad=False, beta1=0.9, beta2=0.999, lr=0.001,
         weight_decay=0.0, eps=1e-8, maximize=False)
print(*(f"{name} {nbytes}" for name, nbytes in seen), sep=", ")
print("in all", sum(b for _, b in seen), "B per parameter")
# --8<-- [end:unfused]
results = {"traffic": (sum(b for _, b in seen), "B")}
assert len(seen) == 7
