# --8<-- [start:makers]
import torch

inf, zero, big = torch.tensor([float("inf"), 0.0, 1e30]).unbind()
made = {
    "1e30 * 1e30": big * big, "1 / 0": 1 / zero, "log 0": zero.log(),
    "0 / 0": zero / zero, "sqrt(-1)": (zero - 1).sqrt(),
    "log(-1)": (zero - 1).log(),
    "inf - inf": inf - inf, "0 * inf": zero * inf, "inf / inf": inf / inf,
    "1 / inf": 1 / inf, "exp(-inf)": (-inf).exp(), "tanh inf": inf.tanh(),
}
for kind in ("inf", "-inf", "nan", "0.0", "1.0"):
    names = [k for k, v in made.items() if str(v.item()) == kind]
    print(f"{kind:>4}:", ", ".join(names))
# --8<-- [end:makers]
