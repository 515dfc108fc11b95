# --8<-- [start:log]
import torch

for name, log_p in (
    ("log(softmax)", lambda z: torch.softmax(z, 0).log()),
    ("log_softmax ", lambda z: torch.log_softmax(z, 0)),
):
    z = torch.tensor([0.0, 200.0], requires_grad=True)
    found = log_p(z)[0]
    (-found).backward()
    print(name, found.item(), "gradient", z.grad.tolist())
# --8<-- [end:log]
from infra_ref.numerics import softmax

assert found.item() == softmax.log_softmax([0, 200])[0]
assert z.grad.tolist() == [-1, 1]
