# --8<-- [start:var]
import torch


def differ(a, b):
    try:
        torch.testing.assert_close(a, b)
    except AssertionError:
        return True
    return False


torch.manual_seed(0)
for h in (8, 4096):
    x = torch.randn(5, h, dtype=torch.float64)
    wrong = (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True)
    right = torch.nn.functional.layer_norm(x, (h,), eps=0)
    caught = [differ(wrong.to(d), right.to(d))
              for d in (torch.float32, torch.bfloat16)]
    print(f"H = {h}: ratio {(wrong / right).mean():.6f}, "
          f"caught in fp32 {caught[0]}, in bf16 {caught[1]}")
# --8<-- [end:var]
