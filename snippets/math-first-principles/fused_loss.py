# --8<-- [start:fused]
import torch
from torch.nn.functional import cross_entropy


def fused_loss(x, w, target, tile):
    """Loss of each row of x[M, H] under w[V, H]; -100: ignored."""
    m = torch.full((len(x),), -torch.inf)
    total, z_t = torch.zeros(2, len(x))
    for left in range(0, len(w), tile):
        z = x @ w[left:left + tile].T               # one tile
        top = torch.maximum(m, z.amax(1))
        total = total * (m - top).exp()
        total += (z - top[:, None]).exp().sum(1)
        m = top
        mine = (target >= left) & (target < left + tile)
        z_t[mine] = z[mine, target[mine] - left]
    return ((m - z_t) + total.log()).masked_fill(target == -100, 0)


torch.manual_seed(0)
for rows, h, v in ((7, 61, 257), (5, 127, 64), (3, 5, 1), (0, 5, 7)):
    x, w = torch.randn(rows, h), torch.randn(v, h)
    target = torch.randint(v, (rows,))
    x[:1], x[1:2] = 0, 1e4 * x[1:2]           # a flat, an extreme row
    x[2:3], target[2:3] = torch.nan, -100     # ignored: never looked at
    logits = x.double() @ w.double().T
    exact = cross_entropy(logits, target, reduction="none")
    size = (x.abs() @ w.abs().T).amax(1).nan_to_num()
    bound = 2**-24 * (2 * (h + 2) * size + 2 * (v + 8))
    error = (fused_loss(x, w, target, tile=64) - exact).abs()
    ok = bool((error <= bound).all())
    print(f"{rows} rows, H = {h}, V = {v}: within the bound: {ok}")
# --8<-- [end:fused]


def planted(x, w, target, fault):
    """The same loss, with one mistake."""
    z = x @ w.T
    if fault == "padding":  # the last tile's missing columns count as logits of 0
        z = torch.cat([z, torch.zeros(len(x), -len(w) % 64)], 1)
    if fault == "tail":  # the last tile is dropped
        z = z[:, : len(w) // 64 * 64]
    m = torch.zeros(len(x)) if fault == "shift" else z.amax(1)
    return m - (x @ w.T)[torch.arange(len(x)), target] + (z - m[:, None]).exp().sum(1).log()


x, w, target = torch.randn(7, 61), torch.randn(257, 61), torch.randint(256, (7,))
x[0], x[1] = 0, 1e4 * x[1]
size = (x.abs() @ w.abs().T).amax(1)
bound = 2**-24 * (2 * (61 + 2) * size + 2 * (257 + 8))
exact = cross_entropy(x.double() @ w.double().T, target, reduction="none")
error = (fused_loss(x, w, target, tile=64) - exact).abs()
assert (error < bound / 50).all()


def caught(fault):
    """Rows whose error exceeds the bound: 0 is flat, 1 extreme, the others ordinary."""
    wrong = (planted(x, w, target, fault) - exact).abs()
    return [i for i in range(len(x)) if not wrong[i] <= bound[i]]


assert caught("none") == []
assert caught("padding") == caught("tail") == [0]
assert caught("shift") == [1]
results = {"rows": len(x)}
