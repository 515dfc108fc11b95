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
from torch.testing._comparison import default_tolerances

assert torch.tensor(4096.0).half().nextafter(torch.tensor(9999.0).half()) == 4100
results = {}
for id, dtype in (("fp16", torch.float16), ("bf16", torch.bfloat16), ("fp32", torch.float32)):
    results[f"rtol_{id}"], results[f"atol_{id}"] = default_tolerances(dtype)
