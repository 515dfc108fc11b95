# --8<-- [start:rms]
import torch

for x in (1.0, 255.0, 256.0, 1000.0):
    row = torch.full((4,), x, dtype=torch.float16)
    naive = row / (row * row).mean().sqrt()          # all in fp16
    wide = row.float()
    kept = (wide / (wide * wide).mean().sqrt()).half()
    library = torch.nn.functional.rms_norm(row, (4,), eps=1e-6)
    print(f"x = {x:<6g} square {float(row[0] * row[0]):<7g}"
          f" fp16 {float(naive[0]):g}, fp32 inside {float(kept[0]):g},"
          f" torch {float(library[0]):g}")
# --8<-- [end:rms]
