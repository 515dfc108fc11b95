"""Pictures of the page of worked cases: bytes along attention, what one block holds, a sweep over the vocabulary."""

from infra_ref.ledger import linear, optimizer
from infra_ref.publish.svg import Canvas, Linear, num
from infra_ref.tensor import layout
from infra_ref.units import magnitude

HEADS, LENGTH, HEAD = 32, 32768, 128  # of the attention chain, batch 1, fp16
ACTIVATIONS, FFN = (8, 4096, 8192), 32768  # of the feed-forward block, bf16

TEXT = {
    "zh": {
        "attention": "注意力各步张量的形状与字节数：分数和概率各占 {0:g} GiB，其余每个只有 {1:g} GiB",
        "tensors": ["隐状态", "q、k、v，每个", "分数", "概率", "加权和", "输出"],
        "step": "一个前馈块在反向传播开始时占用的内存，按命名部分画出",
        "kept": "为反向保留：共 {} GiB",
        "inside": ["块的输入", "归一化之后", "GELU 之前", "GELU 之后"],
        "state": "两个权重的状态：共 {} GiB",
        "parts": ["权重", "梯度", "主权重", "Adam m", "Adam v"],
        "sweep": "词表按 tile 扫过：logits 只有一块存在，每行留下三个数",
        "weight": "权重，按词表切块",
        "rows": "行",
        "tile": "正在算",
        "gone": "已丢弃",
        "tail": "尾块",
        "left": "每行 {} B",
    },
    "en": {
        "attention": "Shapes and bytes along attention: scores and probabilities take {0:g} GiB each, any other tensor "
        "{1:g} GiB",
        "tensors": ["hidden states", "q, k, v, each", "scores", "probabilities", "mixed values", "output"],
        "step": "What one feed-forward block holds when its backward pass begins, by named part",
        "kept": "kept for the backward pass: {} GiB",
        "inside": ["input of the block", "normalised", "before GELU", "after GELU"],
        "state": "state of the two weights: {} GiB",
        "parts": ["weights", "gradients", "master weights", "Adam m", "Adam v"],
        "sweep": "A sweep over the vocabulary: one tile of logits exists at a time, three numbers a row remain",
        "weight": "weight, cut along V",
        "rows": "rows",
        "tile": "in work",
        "gone": "dropped",
        "tail": "tail",
        "left": "{} B a row",
    },
}


def gib(quantity):
    return float(magnitude(quantity, "GiB"))


def bars(c, y, rows, x0, longest, narrow, cls="memory solid"):
    """Named bars to scale, with what they hold at the right; on a phone the bar stands below its name."""
    for name, note, value in rows:
        c.text(0, y + 12, name, "strong")
        if note:
            c.text(c.width if narrow else x0 - 12, y + (29 if narrow else 12), note, anchor="end")
        room = (c.width - (150 if note else 1)) if narrow else c.width - x0 - 72
        length = max(1, Linear(0, longest, 0, room)(value))
        left, top, height = (0.5, y + 19, 10) if narrow else (x0, y, 16)
        c.rect(left, top, length, height, cls)
        if "tint" in cls:
            c.rect(left, top, length, height, "memory edge")
        c.text(c.width if narrow else x0 + length + 8, y + 12, f"{value:g} GiB", anchor="end" if narrow else "start")
        y += 40 if narrow else 27
    return y


def draw_attention(lang, width):
    t, narrow = TEXT[lang], width < 500
    hidden, split = (1, LENGTH, HEADS * HEAD), (1, HEADS, LENGTH, HEAD)
    square = (1, HEADS, LENGTH, LENGTH)
    scores = gib(linear.attention_score_bytes(batch=1, heads=HEADS, q_len=LENGTH, kv_len=LENGTH, itemsize=2))
    rows = []
    for name, shape in zip(t["tensors"], (hidden, split, square, square, split, hidden), strict=True):
        size = scores if shape is square else gib(layout.nbytes(shape=shape, itemsize=2))
        rows.append((name, "[" + ", ".join(map(str, shape)) + "]", size))
    c = Canvas(width, 246 if narrow else 164, t["attention"].format(scores, rows[0][2]), lang)
    bars(c, 2, rows, 300, scores, narrow)
    return c


def draw_step(lang, width):
    t, narrow = TEXT[lang], width < 500
    unit = gib(layout.nbytes(shape=ACTIVATIONS, itemsize=2))
    wide = gib(layout.nbytes(shape=(*ACTIVATIONS[:2], FFN), itemsize=2))
    kept = list(zip(t["inside"], [""] * 4, (unit, unit, wide, wide), strict=True))
    held = optimizer.mixed_adam.breakdown(parameters=2 * ACTIVATIONS[2] * FFN)
    state = list(zip(t["parts"], [""] * 5, map(gib, held.values()), strict=True))
    longest = max(size for _, _, size in kept + state)
    c = Canvas(width, 426 if narrow else 310, t["step"], lang)
    c.text(0, 14, t["kept"].format(f"{sum(size for _, _, size in kept):g}"), "memory")
    y = bars(c, 26, kept, 150, longest, narrow)
    c.text(0, y + 22, t["state"].format(f"{sum(size for _, _, size in state):g}"), "memory")
    bars(c, y + 34, state, 150, longest, narrow, "memory tint")
    return c


def draw_sweep(lang, width):
    t, narrow = TEXT[lang], width < 500
    c = Canvas(width, 232, t["sweep"], lang)
    deep, high, tile, x0 = (34, 92, 46, 58) if narrow else (76, 92, 92, 118)  # H, rows, columns of a tile
    top, under = 26, 118
    state = x0 + 4 * tile + (34 if narrow else 56)
    c.text(x0, 16, t["weight"], "strong")
    c.text(0, under - 8, "X", "strong")
    c.rect(1, under, deep, high, "memory tint", 2)
    c.rect(1, under, deep, high, "memory edge", 2)
    c.text(deep / 2, under + high + 17, t["rows"], anchor="middle")
    for i in range(4):
        x = x0 + i * tile
        real = tile - 5 if i < 3 else 0.4 * tile
        c.rect(x, top, real, 66, "memory solid" if i == 2 else "memory tint", 2)
        c.rect(x, top, real, 66, "memory edge", 2)
        c.rect(x, under, tile - 5, high, "compute solid" if i == 2 else "box", 2)
        if i == 3:
            c.line(x + real, under, x + real, under + high, "axis")
            c.text(x + real + (tile - 5 - real) / 2, under + 18, "−∞", "small", "middle")
    c.text(x0 + tile - 3, under + high + 17, t["gone"], anchor="middle")
    c.text(x0 + 2.5 * tile - 2, under + high + 17, t["tile"], "compute", "middle")
    c.text(x0 + 3.5 * tile, under + high + 17, t["tail"], anchor="middle")
    cell = 18 if narrow else 26
    for j, name in enumerate(("m", "l", "z")):
        x = state + j * cell
        c.text(x + cell / 2 - 2, under - 8, name, "strong", "middle")
        c.rect(x, under, cell - 4, high, "compute tint", 2)
        c.rect(x, under, cell - 4, high, "compute edge", 2)
    rules = "".join(f"M{num(state)} {num(under + k * high / 4)}h{num(3 * cell - 4)}" for k in (1, 2, 3))
    c.add("path", cls="grid", d=rules)
    size = magnitude(layout.nbytes(shape=(3,), itemsize=4), "B")
    c.text(width if narrow else state + 1.5 * cell - 2, under + high + 17, t["left"].format(size),
           anchor="end" if narrow else "middle")  # fmt: skip
    arrow = x0 + 4 * tile + (0 if narrow else 4)
    c.arrow(arrow, under + high / 2, state - 6, under + high / 2, "compute edge")
    return c


DRAWINGS = {"attention_shapes": draw_attention, "step_memory": draw_step, "vocabulary_sweep": draw_sweep}
