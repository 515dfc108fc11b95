"""Pictures of the page about linear algebra: two readings of a product, two orders, low rank, LoRA."""

from infra_ref.publish.svg import Canvas, Linear, num, text_width
from infra_ref.tensor.algebra import association_flops, eckart_young_error, low_rank_parameters
from infra_ref.units import Q, magnitude

TEXT = {
    "zh": {
        "readings": "同一个矩阵乘的两种读法：左边每次算出 C 的一个元素，右边每一步更新整个 C",
        "dot": "点积：一次算完一个元素",
        "dot_note": ["MN 个点积，各 K 次乘加", "取来的一行一列只用一次"],
        "outer": "外积：每步更新整个 C",
        "outer_note": ["K 步，每步 MN 次乘加", "取来的元素各用 N 次或 M 次"],
        "squares": "三个矩阵连乘的两种次序，每个方块是一次矩阵乘向量",
        "count": "{} 块；n = {} 时 {} 块",
        "unit": "一块 = 一次矩阵乘向量 = 2n² FLOP，这里画 n = {}",
        "rank": "两种奇异值谱，以及各自截到秩 r 后的相对误差",
        "spectrum": "奇异值 σᵢ / σ₁",
        "error": "截到秩 r 的相对误差",
        "flat": "全都一样大",
        "decaying": "每 4 个减半",
        "kept": "留下前 16 个",
        "lora": "LoRA 的两片薄矩阵按比例画出，以及每个权重矩阵训练时占用的字节",
        "frozen": ["W：冻结", "{0} × {0}"],
        "thin": "B：{0} × {1}，A：{1} × {0}，按比例",
        "bytes": "训练时占用（MiB）",
        "full": "全量微调",
        "adapter": "LoRA，r = {}",
        "parts": ["权重", "梯度", "主权重", "Adam m", "Adam v", "合计"],
    },
    "en": {
        "readings": "Two readings of one matrix product: one element of C at a time, or all of C at every step",
        "dot": "dot product: one element at a time",
        "dot_note": ["MN dot products of K multiply-adds", "a row and a column, fetched for one use"],
        "outer": "outer product: all of C at every step",
        "outer_note": ["K steps of MN multiply-adds", "a column used N times, a row M times"],
        "squares": "Two orders of a product of three, each square one matrix-vector product",
        "count": "{0} squares ({2} at n = {1})",
        "unit": "square = matrix × vector = 2n² FLOP, n = {}",
        "rank": "Two spectra of singular values and the relative error of cutting each at rank r",
        "spectrum": "singular values σᵢ / σ₁",
        "error": "relative error, cut at rank r",
        "flat": "all equal",
        "decaying": "halved every 4 values",
        "kept": "first 16 kept",
        "lora": "The two thin matrices of LoRA to scale, and the bytes that one weight matrix takes in training",
        "frozen": ["W: frozen", "{0} × {0}"],
        "thin": "B: {0} × {1}, A: {1} × {0}, to scale",
        "bytes": "held in training (MiB)",
        "full": "full fine-tuning",
        "adapter": "LoRA, r = {}",
        "parts": ["weights", "gradients", "master weights", "Adam m", "Adam v", "total"],
    },
}


def grid(c, x, y, rows, cols, cell):
    """A matrix as a box ruled into its elements."""
    c.rect(x, y, cols * cell, rows * cell, "box", 2)
    rules = "".join(f"M{num(x + j * cell)} {num(y)}v{num(rows * cell)}" for j in range(1, cols))
    rules += "".join(f"M{num(x)} {num(y + i * cell)}h{num(cols * cell)}" for i in range(1, rows))
    c.add("path", cls="grid", d=rules)


def reading(c, x, y, t, outer):
    """One panel: A left, B above, C where they meet."""
    m, k, n, cell = 4, 3, 5, 24
    ax, ay = x + 18, y + 84 + k * cell + 26
    bx, by = ax + k * cell + 26, y + 84
    name = "outer" if outer else "dot"
    c.text(x, y + 14, t[name], "strong")
    c.lines(x, y + 33, t[f"{name}_note"])
    for left, top, rows, cols in ((ax, ay, m, k), (bx, by, k, n), (bx, ay, m, n)):
        grid(c, left, top, rows, cols, cell)
    if outer:
        c.rect(ax + cell, ay, cell, m * cell, "memory solid")
        c.rect(bx, by + cell, n * cell, cell, "memory solid")
        c.rect(bx, ay, n * cell, m * cell, "compute tint")
    else:
        c.rect(ax, ay + 2 * cell, k * cell, cell, "memory solid")
        c.rect(bx + 3 * cell, by, cell, k * cell, "memory solid")
        c.rect(bx + 3 * cell, ay + 2 * cell, cell, cell, "compute solid")
    c.text(ax - 7, ay + m * cell / 2 + 4, "M", anchor="end")
    c.text(ax + k * cell / 2, ay - 7, "K", anchor="middle")
    c.text(bx - 7, by + k * cell / 2 + 4, "K", anchor="end")
    c.text(bx + n * cell / 2, by - 7, "N", anchor="middle")
    c.text(ax + k * cell / 2, ay + m * cell + 17, "A", "strong", "middle")
    c.text(bx + n * cell + 8, by + k * cell / 2 + 4, "B", "strong")
    c.text(bx + n * cell / 2, ay + m * cell + 17, "C", "strong", "middle")


def draw_readings(lang, width):
    t, narrow = TEXT[lang], width < 500
    panel = 310
    c = Canvas(width, 2 * panel if narrow else panel - 8, t["readings"], lang)
    reading(c, 0, 0, t, outer=False)
    reading(c, 0 if narrow else 364, panel + 4 if narrow else 0, t, outer=True)
    return c


def draw_orders(lang, width):
    t, narrow = TEXT[lang], width < 500
    n, real = 8, 4096
    edge, gap = (26, 5) if narrow else (44, 7)
    c = Canvas(width, 2 * (edge + 44) + 22, t["squares"], lang)
    y = 0
    for name, order in (("(A B) x", "left"), ("A (B x)", "right")):
        few, many = (
            int(getattr(association_flops(m=size, k=size, n=size, p=1), order).m / (2 * size * size))
            for size in (n, real)
        )
        c.text(0, y + 14, name, "strong")
        c.text(width, y + 14, t["count"].format(few, real, many), "compute", "end")
        for i in range(few):
            last = i == few - 1
            x = i * (edge + gap) + (gap * 2 if last else 0)
            c.rect(x, y + 24, edge, edge, "compute solid" if last else "compute tint", 2)
            c.rect(x, y + 24, edge, edge, "compute edge", 2)
        y += edge + 44
    c.text(0, y + 14, t["unit"].format(n))
    return c


def draw_rank_error(lang, width):
    t, narrow = TEXT[lang], width < 500
    count, cut = 64, 16
    spectra = {"flat": [1.0] * count, "decaying": [2 ** (-i / 4) for i in range(count)]}
    height = 208
    c = Canvas(width, 2 * height + 16 if narrow else height, t["rank"], lang)
    right = width - 8 if narrow else width / 2 - 22
    for panel in ("spectrum", "error"):
        first = panel == "spectrum"
        left = 44 if first or narrow else width / 2 + 50
        end = right if first or narrow else width - 8
        top = 30 if first or not narrow else height + 46
        bottom = top + height - 74
        x, y = Linear(0, count, left, end), Linear(0, 1, bottom, top)
        c.text(left - 40, top - 14, t[panel], "strong")
        for v in (0, 0.5, 1):
            c.line(left, y(v), end, y(v), "grid" if v else "axis")
            c.text(left - 6, y(v) + 4, f"{v:g}" if first else f"{100 * v:g}%", anchor="end")
        for v in (0, 16, 32, 48, 64):
            c.text(x(v), bottom + 17, str(v), anchor="end" if v == count else "middle")
        c.text(end, bottom + 35, "i" if first else "r", anchor="end")
        c.rect(left, top, x(cut) - left, bottom - top, "ink tint")
        for name, values in spectra.items():
            whole = eckart_young_error(values, rank=0)
            if first:
                points = [(i + 0.5, value) for i, value in enumerate(values)]
            else:
                points = [(r, eckart_young_error(values, rank=r) / whole) for r in (*range(0, count, 2), 63, 64)]
            path = "M" + "L".join(f"{num(x(a))} {num(y(b))}" for a, b in points)
            c.add("path", cls="ink line", d=path, **({} if name == "flat" else {"stroke_dasharray": "5 3"}))
            at_cut = eckart_young_error(values, rank=cut) / whole
            if not first:
                c.add("circle", cls="ink derived", cx=x(cut), cy=y(at_cut), r=4)
                c.text(x(cut) + 9, y(at_cut) + (-5 if name == "decaying" else -4), f"{at_cut:.1%}", "strong halo")
        if first:
            c.text(x(26), y(1) + 18, t["flat"], "halo")
            c.text(x(10), y(0.32), t["decaying"], "halo")
            c.text(x(cut) + 5, y(0.62), t["kept"], "halo")
        else:
            c.text(x(36), y(0.72), t["flat"], "halo")
            c.text(x(20), y(0.22), t["decaying"], "halo")
    return c


def mebibytes(count, each):
    return magnitude(Q(count * each, "B"), "MiB")


def draw_lora(lang, width):
    t, narrow = TEXT[lang], width < 500
    edge, shown, rank = 4096, 64, 16
    full, thin = edge * edge, low_rank_parameters(rows=edge, cols=edge, rank=rank)
    rows = [
        (mebibytes(full, b), mebibytes(full, 2) * (i == 0) + mebibytes(thin, b)) for i, b in enumerate((2, 2, 4, 4, 4))
    ]
    rows.append(tuple(sum(column) for column in zip(*rows, strict=True)))
    height = 252
    c = Canvas(width, 182 + height if narrow else height, t["lora"], lang)
    x, y, side = (24 if narrow else 0), 26, 112
    strip = side * shown / edge
    c.rect(x, y, side, side, "box", 2)
    c.lines(x + side / 2, y + side / 2 - 2, [line.format(edge) for line in t["frozen"]], None, "middle")
    bx = x + side + 34
    c.text(x + side + 17, y + side / 2 + 4, "+", "strong", "middle")
    c.rect(bx, y, strip, side, "memory solid")
    c.rect(bx + 18, y + side / 2 - strip / 2, side, strip, "memory solid")
    c.text(bx + strip / 2, y - 8, "B", "memory", "middle")
    c.text(bx + 18 + side / 2, y + side / 2 - 9, "A", "memory", "middle")
    c.text(0, y + side + 22, t["thin"].format(edge, shown))
    left, top = (108, 182) if narrow else (424, 0)
    bar = Linear(0, 256, 0, width - left - 50)
    c.text(0 if narrow else 320, top + 14, t["bytes"], "strong")
    for i, name in enumerate(t["parts"]):
        row = top + 26 + i * 31
        c.text(left - 8, row + 17, name, "strong" if i == len(rows) - 1 else None, "end")
        for j, value in enumerate(rows[i]):
            length = max(bar(float(value)), 1)
            c.rect(left, row + 2 + 12 * j, length, 10, "memory solid" if j else "memory tint", 1)
            c.rect(left, row + 2 + 12 * j, length, 10, "memory edge", 1)
            c.text(left + bar(float(value)) + 6, row + 11 + 12 * j, f"{float(value):g}", "small")
    row = top + 26 + len(rows) * 31 + 8
    x = 0.0 if narrow else 320.0
    for cls, label in (("memory tint", t["full"]), ("memory solid", t["adapter"].format(rank))):
        c.rect(x, row, 11, 11, cls, 2)
        c.rect(x, row, 11, 11, "memory edge", 2)
        c.text(x + 17, row + 10, label)
        x += 34 + text_width(label) * (0.85 if lang == "en" else 1)
    return c


DRAWINGS = {
    "matmul_readings": draw_readings,
    "product_orders": draw_orders,
    "rank_error": draw_rank_error,
    "lora_matrices": draw_lora,
}
