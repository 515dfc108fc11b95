# --8<-- [start:fit]
import torch
from torch.nn.functional import cross_entropy

counts = [9, 3, 6]                       # tokens after `if`
targets = torch.repeat_interleave(torch.arange(3),
                                  torch.tensor(counts))
logits = torch.zeros(3, dtype=torch.float64, requires_grad=True)
for _ in range(200):
    loss = cross_entropy(logits.expand(18, 3), targets)
    logits.data -= 2 * torch.autograd.grad(loss, logits)[0]
print("fitted:", [f"{p:.4f}" for p in logits.softmax(0).tolist()])
print("counted:", [f"{c / 18:.4f}" for c in counts])
print(f"loss: {loss:.4f}")
# --8<-- [end:fit]
