# --8<-- [start:ties]
import torch

from infra_ref.numerics.sampling import top_k, top_p

z = torch.tensor([1.0, 2.0, 2.0, 2.0, 3.0])
print("topk picks  ", len(torch.topk(z, 3).indices), "of 5")
third = torch.topk(z, 3).values[-1]
print("z >= third  ", int((z >= third).sum()), "of 5")
print("k = 3       ", top_k(z.tolist(), k=3))
print("k = 3, ties ", top_k(z.tolist(), k=3, ties="all"))
print("k = 99      ", top_k(z.tolist(), k=99))
tenths = [0.1] * 10
print("p = 0, p = 1", len(top_p(tenths, p=0)), len(top_p(tenths, p=1)))
print("0.1 ten times reaches 1:", sum(tenths) >= 1)
# --8<-- [end:ties]
assert len(top_k(z.tolist(), k=3, ties="all")) == int((z >= third).sum())
