# --8<-- [start:order]
import torch

logits = torch.tensor([1000.0, 999.0])          # target: class 0
m = logits.max()
total = (logits - m).exp().sum()
exact = torch.nn.functional.cross_entropy(
    logits.double()[None], torch.tensor([0]))
late = (m + total.log()) - logits[0]
early = (m - logits[0]) + total.log()
losses = {"(m + log total) - z": late,
          "(m - z) + log total": early}
for name, loss in losses.items():
    print(f"{name} is off by less than 1e-7:",
          bool((loss - exact).abs() < 1e-7))
# --8<-- [end:order]
assert 1e-6 < (late - exact).abs() < 3.1e-5
