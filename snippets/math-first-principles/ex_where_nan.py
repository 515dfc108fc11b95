# --8<-- [start:where]
import torch


def gradient(safe):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    with torch.autograd.detect_anomaly(check_nan=True):
        inside = torch.where(x > 0, x, 1.0) if safe else x
        y = torch.where(x > 0, inside.sqrt(), 0.0)
        y.sum().backward()
    return y.tolist(), x.grad.tolist()


try:
    gradient(safe=False)
except RuntimeError as error:
    print(str(error).split("returned")[0], "returned NaN")
print(gradient(safe=True))
# --8<-- [end:where]
x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), 0.0)
y.sum().backward()
assert y.tolist() == [0, 2]
assert x.grad[0].isnan()
assert x.grad[1] == 0.25
