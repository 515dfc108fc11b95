"""Pictures of the page about layout: grids over one stretch of memory, and what a strided walk fetches."""

import math
from itertools import pairwise

from infra_ref.publish.svg import Canvas, num
from infra_ref.tensor import layout
from infra_ref.units import Q, magnitude

TEXT = {
    "zh": {
        "strides": "3 × 4 的张量和它在内存里的 12 个元素：从 (0, 0) 走到 (2, 1)，跨两行，再跨一列",
        "offset": "offset",
        "rows": "跨一行 +{}",
        "memory": "内存",
        "same": "同一段内存的两种读法：x 和它的转置；转置的第一行在位置 0、4、8",
        "first_row": "x.T 的第一行",
        "even": "三个视图依次访问的内存位置，以及每一步跨过的元素数",
        "even_rows": [
            ("隔一列取一列", "每步都是 2：能合成一维"),
            ("取前四列", "行尾有空隙：合不成一维"),
            ("转置", "6、6，再倒退：合不成一维"),
        ],
        "zero": "一行、一列分别广播成 3 × 4：格子里是它读的内存位置",
        "zero_titles": ["一行当三行用", "一列当四列用"],
        "reads": "{} 个元素，只存 {} 个",
        "line": "每个缓存行一个元素：{}",
    },
    "en": {
        "strides": "A 3 × 4 tensor and its 12 elements in memory; two row steps and a column step reach (2, 1)",
        "offset": "offset",
        "rows": "row step +{}",
        "memory": "memory",
        "same": "Two readings of the same memory: x and its transpose, whose first row lies at positions 0, 4 and 8",
        "first_row": "first row of x.T",
        "even": "The positions in memory that three views visit, and the steps between them",
        "even_rows": [
            ("every second column", "all steps 2: one stride"),
            ("first four columns", "gap each row: two strides"),
            ("transposed", "6, 6, back: two strides"),
        ],
        "zero": "A row and a column broadcast to 3 × 4: each cell holds the position in memory that it reads",
        "zero_titles": ["a row, three times", "a column, four times"],
        "reads": "{} elements, {} stored",
        "line": "one element a line: {}",
    },
}


def cells(c, x, y, w, h, shape, chosen, text):
    """A frame of rows and columns, some of them chosen; `text` says what a cell shows, None for nothing."""
    rows, columns = shape
    c.rect(x, y, columns * w, rows * h, "box")
    inner = [f"M{num(x + j * w)} {num(y)}v{num(rows * h)}" for j in range(1, columns)]
    inner += [f"M{num(x)} {num(y + i * h)}h{num(columns * w)}" for i in range(1, rows)]
    c.add("path", cls="axis", d="".join(inner))
    boxes = "".join(
        f"M{num(x + first * w)} {num(y + i * h)}h{num(length * w)}v{num(h)}h{num(-length * w)}z"
        for i, first, length in stretches(chosen)
    )
    c.add("path", cls="memory tint", d=boxes)
    c.add("path", cls="memory edge", d=boxes)
    for i in range(rows if text else 0):
        for j in range(columns):
            cls = "strong" if (i, j) in chosen else None
            c.text(x + (j + 0.5) * w, y + (i + 0.5) * h + 4.5, str(text(i, j)), cls, "middle")


def stretches(chosen):
    """Neighbouring cells of a row as one box: (row, first column, length)."""
    found = []
    for i, j in sorted(chosen):
        if found and found[-1][0] == i and sum(found[-1][1:]) == j:
            found[-1][2] += 1
        else:
            found.append([i, j, 1])
    return found


def grid(c, x, y, w, h, shape, strides, chosen):
    """A matrix whose cells show their offsets."""
    cells(c, x, y, w, h, shape, chosen, lambda i, j: layout.offset((i, j), strides))


def strip(c, x, y, w, h, count, chosen, numbers=True):
    """A stretch of memory; `chosen` holds positions."""
    cells(c, x, y, w, h, (1, count), {(0, at) for at in chosen}, (lambda i, j: j) if numbers else None)


def hop(c, x1, x2, y, height, label):
    """An arc from x1 to x2 above y, with an arrow head and what the hop adds."""
    side = 1 if x2 > x1 else -1
    arc = f"M{num(x1)} {num(y)}Q{num((x1 + x2) / 2)} {num(y - 2 * height)} {num(x2)} {num(y)}"
    c.add("path", cls="memory edge", d=f"{arc}m{-6 * side} -5l{6 * side} 5l{-side} -7")
    c.text((x1 + x2) / 2, y - height - 4, label, "memory halo", "middle")


def draw_strides(lang, width):
    t, narrow = TEXT[lang], width < 500
    shape, index = (3, 4), (2, 1)
    steps = layout.contiguous_strides(shape)
    target = layout.offset(index, steps)
    w, h = (44, 30) if narrow else (52, 34)
    cw = 28 if narrow else 56
    left, top = 26, 24
    by = 218 if narrow else 206
    c = Canvas(width, by + 46, t["strides"], lang)
    for j in range(shape[1]):
        c.text(left + (j + 0.5) * w, top - 8, f"j={j}", anchor="middle")
    for i in range(shape[0]):
        c.text(left - 5, top + (i + 0.5) * h + 4, f"i={i}" if not narrow else str(i), anchor="end")
    grid(c, left, top, w, h, shape, steps, {index})
    rows = [
        f"shape {shape}, strides {steps}",
        f"{t['offset']}{index} = {index[0]} × {steps[0]} + {index[1]} × {steps[1]} = {target}",
    ]
    if narrow:
        c.lines(0, top + 3 * h + 28, rows, "strong", step=20)
    else:
        c.lines(left + 4 * w + 34, top + 44, rows, "strong", step=24)
    sx = (width - 12 * cw) / 2
    strip(c, sx, by, cw, 28, 12, {target})
    c.text(sx, by + 44, t["memory"])
    middle = [sx + (at + 0.5) * cw for at in range(12)]
    at = 0
    for count, step in zip(index, steps, strict=True):
        for _ in range(count):
            label = f"+{step}" if narrow or step == 1 else t["rows"].format(step)
            hop(c, middle[at], middle[at + step], by - 3, 26 if step > 1 else 18, label)
            at += step
    return c


def draw_same_bytes(lang, width):
    t, narrow = TEXT[lang], width < 500
    shape = (3, 4)
    steps = layout.contiguous_strides(shape)
    flipped, back = layout.transpose(shape, steps, 0, 1)
    w, h = (36, 28) if narrow else (50, 30)
    cw = 28 if narrow else 56
    top = 44
    bx = width - 3 * w - 1 if narrow else 390
    ax = 1 if narrow else 60
    by = top + 4 * h + 66
    c = Canvas(width, by + 46, t["same"], lang)
    for x, name, s, k in ((ax, "x", shape, steps), (bx, "x.T", flipped, back)):
        c.text(x, 14, name, "strong")
        c.text(x, 31, f"strides {k}")
        first = {(i, 0) for i in range(3)} if name == "x" else {(0, j) for j in range(3)}
        grid(c, x, top, w, h, s, k, first)
    chosen = [layout.offset((0, j), back) for j in range(3)]
    sx = (width - 12 * cw) / 2
    strip(c, sx, by, cw, 28, 12, set(chosen))
    c.text(sx, by + 44, t["memory"])
    middle = [sx + (at + 0.5) * cw for at in range(12)]
    for a, b in pairwise(chosen):
        hop(c, middle[a], middle[b], by - 3, 26, f"+{b - a}")
    c.text(width - 1, by + 44, t["first_row"], "memory", "end")
    return c


def draw_even_steps(lang, width):
    t, narrow = TEXT[lang], width < 500
    whole = layout.contiguous_strides((3, 6))
    flipped, back = layout.transpose((3, 6), whole, 0, 1)
    views = [
        ((3, 3), (whole[0], 2), 4),
        ((3, 4), whole, 5),
        (flipped, back, 3),
    ]
    cw = 18.8 if narrow else 25
    left = 1
    row = 152 if narrow else 106
    c = Canvas(width, row * len(views) - 8, t["even"], lang)
    for k, ((shape, steps, hops), (name, verdict)) in enumerate(zip(views, t["even_rows"], strict=True)):
        y = k * row
        at = walk(shape, steps)
        c.text(0, y + 13, name, "strong")
        details = [f"shape {shape}", f"strides {steps}", verdict]
        if narrow:
            c.text(0, y + 30, f"{details[0]}, {details[1]}")
        else:
            c.lines(470, y + 40, details, step=18)
        top = y + (70 if narrow else 52)
        strip(c, left, top, cw, 20, 18, set(at), numbers=False)
        for start in (0, 6, 12):
            c.text(left + (start + 0.5) * cw, top + 34, str(start), anchor="middle")
        for a, b in pairwise(at[: hops + 1]):
            label = str(b - a).replace("-", "−")
            hop(c, left + (a + 0.5) * cw, left + (b + 0.5) * cw, top - 2, 10 if abs(b - a) < 6 else 16, label)
        if narrow:
            c.text(0, top + 54, verdict)
    return c


def walk(shape, strides):
    """Offsets in row-major order of the index."""
    at = [0]
    for size, step in zip(shape, strides, strict=True):
        at = [a + i * step for a in at for i in range(size)]
    return at


def draw_stride_zero(lang, width):
    t, narrow = TEXT[lang], width < 500
    target = (3, 4)
    w, h = (33, 28) if narrow else (46, 30)
    panel = 176 if narrow else 350
    c = Canvas(width, 262, t["zero"], lang)
    for k, (shape, title) in enumerate(zip(((4,), (3, 1)), t["zero_titles"], strict=True)):
        x = k * panel + (1 if narrow else 40)
        owned = layout.contiguous_strides(shape)
        steps = layout.expand_strides(shape, owned, target)
        count = layout.storage_span(shape, owned)
        c.text(x, 14, title, "strong")
        strip(c, x, 28, w, h, count, set(range(count)))
        c.text(x, 28 + h + 17, t["memory"])
        top = 118
        c.text(x, top - 10, f"{shape} → {target}")
        grid(c, x, top, w, h, target, steps, {(0, j) for j in range(4)} if k == 0 else {(i, 0) for i in range(3)})
        c.text(x, top + 3 * h + 20, f"strides {steps}", "strong")
        reads = t["reads"].format(target[0] * target[1], count)
        c.text(x, top + 3 * h + 39, reads)
    return c


def along(share):
    """Place of a share on a logarithmic track from 1% to 100%, in per cent of its length."""
    return round(100 * (1 + math.log(share, 100)), 2)


def line_explorer(itemsize=4, line=64, elements=4096):
    """What one walk over the elements fetches, stride by stride."""
    asked = Q(elements * itemsize, "B")
    rows = []
    for stride in (1, 2, 4, 8, 16, 32, 64):
        lines = len({layout.offset((i,), (stride,)) * itemsize // line for i in range(elements)})
        fetched = Q(lines * line, "B")
        share = asked / fetched
        rows.append({
            "stride": stride,
            "lines": str(lines),
            "fetched": f"{magnitude(fetched, 'KiB')} KiB",
            "used": f"{float(100 * share.magnitude):g}%",
            "pos": along(share.magnitude),
        })  # fmt: skip
    least = itemsize / line
    label = {lang: TEXT[lang]["line"].format(f"{100 * least:g}%") for lang in TEXT}
    return {"rows": rows, "marks": {"pos": {"left": along(least), "at": label}}}


DRAWINGS = {
    "strides": draw_strides,
    "same_bytes": draw_same_bytes,
    "even_steps": draw_even_steps,
    "stride_zero": draw_stride_zero,
}
EXPLORERS = {"line_explorer": line_explorer}
