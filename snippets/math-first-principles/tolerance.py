# --8<-- [start:tolerance]
from infra_ref.tensor.algebra import within_tolerance as within

pairs = {"near zero": (1e-9, 0.0), "fp16 neighbours": (4100.0, 4096.0)}
rules = {"rtol only": (0.0, 1e-3), "atol only": (1e-5, 0.0),
         "both": (1e-5, 1e-3)}
for name, (actual, expected) in pairs.items():
    verdict = {rule: within(actual, expected, atol=atol, rtol=rtol)
               for rule, (atol, rtol) in rules.items()}
    print(f"{name:<16}", verdict)
one = within(100.0, 110.0, atol=0.0, rtol=0.095)
other = within(110.0, 100.0, atol=0.0, rtol=0.095)
print("100 against 110:", one, "| 110 against 100:", other)
# --8<-- [end:tolerance]
import torch

assert torch.tensor([4096.0, 4100.0]).half().view(torch.int16).diff() == 1

# The table of `torch.testing.assert_close`: default (rtol, atol) of each dtype. Its behaviour must show these values.
documented = {
    "fp16": (torch.float16, 1e-3, 1e-5),
    "bf16": (torch.bfloat16, 1.6e-2, 1e-5),
    "fp32": (torch.float32, 1.3e-6, 1e-5),
}


def passes(actual, expected):
    """Whether the defaults let a float64 value pass; where dtypes differ the larger tolerances hold, not float64's."""
    try:
        torch.testing.assert_close(actual, expected, check_dtype=False)
    except AssertionError:
        return False
    return True


results = {}
for id, (dtype, rtol, atol) in documented.items():
    for value in (0, 1, 1024):
        expected, room = torch.tensor(value, dtype=dtype), atol + rtol * value
        assert passes(expected.double() + 0.999 * room, expected)
        assert not passes(expected.double() + 1.001 * room, expected)
    results[f"rtol_{id}"], results[f"atol_{id}"] = rtol, atol

one = torch.ones(1, dtype=torch.float16)
torch.testing.assert_close(one + 2**-10, one)
assert not torch.allclose(one + 2**-10, one)  # its defaults do not follow the dtype
