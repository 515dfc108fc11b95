# --8<-- [start:norm]
import torch

ranks = torch.tensor([[1.0, 3.0], [7.0, 9.0]], dtype=torch.float64)
within = ranks.var(1, correction=0)
between = ranks.mean(1).var(correction=0)
print("mean of the variances:", within.mean().item())
print("variance of the means:", between.item())
print("variance of all:", ranks.var(correction=0).item())

norm = torch.nn.BatchNorm1d(1, momentum=1.0).double()
norm(ranks.view(4, 1))
print(f"BatchNorm keeps {norm.running_var.item():.3f} for inference")
# --8<-- [end:norm]
