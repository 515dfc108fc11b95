# --8<-- [start:ties]
from infra_ref.numerics.formats import bf16

for x in (257, 258, 259, 260, 261):
    code = bf16.encode(x)
    print(f"{x} -> {bf16.decode(code)}  code ends in {code & 7:03b}")
# --8<-- [end:ties]
import torch

for x in (257, 258, 259, 260, 261):
    assert torch.tensor(float(x)).to(torch.bfloat16).item() == bf16.round(x)
