# --8<-- [start:pca]
import torch

torch.manual_seed(0)
basis = torch.linalg.qr(torch.randn(5, 5).double())[0]
x = torch.randn(200, 5).double() * torch.tensor([9, 4, 2, 1, 0.5])
x = x @ basis.T + 50 * basis[:, 4]    # large mean, thin direction

centred = x - x.mean(0)
variances, axes = torch.linalg.eigh(torch.cov(x.T))
_, singular, rows = torch.linalg.svd(centred)
print("same variances:", torch.allclose(
    variances.flip(0), singular**2 / 199))
print("same axes:", torch.allclose(
    (axes.flip(1) * rows.T).sum(0).abs(), torch.ones(5).double()))
first = torch.linalg.svd(x)[2][0]
print("not centred, first axis is the mean:",
      bool((first @ basis[:, 4]).abs() > 0.99))
# --8<-- [end:pca]
