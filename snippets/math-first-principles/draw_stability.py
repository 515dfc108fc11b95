"""Pictures of the page about numerical stability: errors of sums, cancelled bits, the window of fp16, passes."""

import functools
import math
import random
from statistics import NormalDist

import numpy as np

from infra_ref import hardware
from infra_ref.numerics import loss_scaling, summation
from infra_ref.numerics.formats import fp16, fp32
from infra_ref.publish.svg import Canvas, Linear, Log, num
from infra_ref.tensor import layout
from infra_ref.units import magnitude

LENGTHS = [2**k for k in range(3, 15)]
TRIALS = 16
SPREAD = NormalDist(-22, 5)  # of log2 |g|, the made-up gradients
SCALES = (0, 15)  # powers of two
ROWS, FEATURES = 16_384, 4096

TEXT = {
    "zh": {
        "sums": "fp32 求和误差随项数的变化：从左到右增长最快，两两相加几乎不变，Kahan 求和不超过 2u",
        "sums_y": "误差 ÷ (u · 各项绝对值之和)，对数",
        "sums_x": "项数 n（对数）",
        "sequential": "从左到右",
        "bound": "界 {}",
        "both": "■ 两两相加　△ Kahan",
        "bits": "fp16 中 1 + x − 1 的各个二进制位：舍入丢掉后十位，减法把剩下的一位移到最前",
        "exact": "1 + x 的准确值",
        "stored": "存成 fp16：后 {} 位舍去",
        "minus": "减 1，没有误差：只剩 1 位是真的",
        "true": "x 本来的 {} 位",
        "window": "假想梯度的直方图与 fp16 的窗口：不缩放时约四分之一归零，乘 2 的 15 次方后几乎都在窗口里",
        "lost": "归零",
        "subnormal": "次正规数",
        "normal": "正规数",
        "axis": "log₂(S·|g|)",
        "share": "S = {}：归零 {:.2%}，次正规数 {:.0%}",
        "passes": "LayerNorm 的三种做法，各自穿过显存接口的次数和 H100 SXM 上的时间下界",
        "ways": ["均值、方差、归一化各一个 kernel", "统计量一遍（Welford），再归一化", "一行留在片上，一个 kernel"],
        "read": "读",
        "write": "写",
    },
    "en": {
        "sums": "Error of fp32 sums against their length: left to right grows fastest, pairwise hardly grows, "
        "Kahan stays below 2u",
        "sums_y": "error ÷ (u · sum of magnitudes), log",
        "sums_x": "terms n (log)",
        "sequential": "left to right",
        "bound": "bound {}",
        "both": "■ pairwise   △ Kahan",
        "bits": "Binary digits of 1 + x - 1 in fp16: rounding drops the last ten, subtraction moves the one "
        "that is left to the front",
        "exact": "1 + x, exact",
        "stored": "stored in fp16: {} digits dropped",
        "minus": "minus 1, no error: 1 digit is real",
        "true": "the {} digits x had",
        "window": "Histogram of made-up gradients and the window of fp16: unscaled a quarter becomes zero, times two "
        "to the 15th nearly all are inside",
        "lost": "zero",
        "subnormal": "subnormal",
        "normal": "normal",
        "axis": "log₂(S·|g|)",
        "share": "S = {}: zero {:.2%}, subnormal {:.0%}",
        "passes": "Three ways to run LayerNorm: how often rows cross the memory interface, and the least time on an "
        "H100 SXM",
        "ways": ["mean, variance, normalise: three kernels", "one pass of statistics (Welford), one to normalise",
                 "row stays on chip: one kernel"],
        "read": "read",
        "write": "write",
    },
}  # fmt: skip


def superscript(n):
    return str(n).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))


@functools.cache
def sum_errors():
    """Largest error over the trials at each length, in units of u times the sum of magnitudes."""
    draw = random.Random(0)
    x = np.array([[draw.random() for _ in range(TRIALS)] for _ in range(LENGTHS[-1])], dtype=np.float32)
    exact = np.add.accumulate(x.astype(np.float64), axis=0)
    plain = np.add.accumulate(x, axis=0)
    total = lost = np.zeros(TRIALS, dtype=np.float32)
    kahan = np.empty_like(x)
    for i, value in enumerate(x):
        y = value - lost
        new = total + y
        lost = (new - total) - y
        total = kahan[i] = new
    found = {"sequential": [], "pairwise": [], "kahan": []}
    for n in LENGTHS:
        tree = x[:n]
        while len(tree) > 1:
            tree = tree[0::2] + tree[1::2]
        for name, sums in (("sequential", plain[n - 1]), ("pairwise", tree[0]), ("kahan", kahan[n - 1])):
            error = np.abs(sums.astype(np.float64) - exact[n - 1]) / exact[n - 1]
            found[name].append(float(error.max()) / float(fp32.unit_roundoff))
    return found


def boxes(rects):
    """One path for many rectangles, each as x, y, width, height."""
    return "".join(f"M{num(x)} {num(y)}h{num(w)}v{num(h)}h{num(-w)}z" for x, y, w, h in rects)


def draw_sum_errors(lang, width):
    t, narrow = TEXT[lang], width < 500
    height = 330 if narrow else 340
    left, right, top, bottom = 40, 14, 34, height - 44
    c = Canvas(width, height, t["sums"], lang)
    x, y = Log(8, LENGTHS[-1], left + 8, width - right - 14), Log(0.14, 2e4, bottom, top)
    for v in (1, 10, 100, 1000, 10_000):
        c.line(left, y(v), width - right, y(v), "grid")
        c.text(left - 6, y(v) + 4, f"10{superscript(round(math.log10(v)))}" if v > 10 else str(v), anchor="end")
    c.line(left, bottom, width - right, bottom, "axis")
    for n in (16, 256, 4096) if narrow else (16, 64, 256, 1024, 4096, 16_384):
        c.line(x(n), bottom, x(n), bottom + 4, "axis")
        c.text(x(n), bottom + 18, f"{n:,}", anchor="middle")
    c.text(left, top - 16, t["sums_y"])
    c.text(width - right, height - 6, t["sums_x"], anchor="end")
    u = fp32.unit_roundoff
    depth = {n: math.ceil(math.log2(n)) for n in LENGTHS}
    bounds = {
        "sequential": [float(summation.gamma(additions=n - 1, unit_roundoff=u) / u) for n in LENGTHS],
        "pairwise": [float(summation.gamma(additions=depth[n], unit_roundoff=u) / u) for n in LENGTHS],
        "kahan": [2.0 for n in LENGTHS],
    }
    for values in bounds.values():
        points = "L".join(f"{x(n):.1f} {y(v):.1f}" for n, v in zip(LENGTHS, values, strict=True))
        c.add("path", cls="axis", fill="none", stroke_dasharray="5 4", d=f"M{points}")
    for name, values in sum_errors().items():
        for n, v in zip(LENGTHS, values, strict=True):
            px, py = x(n), y(max(v, 0.2))
            if name == "sequential":
                c.add("circle", cls="ink measured", cx=px, cy=py, r=4)
            elif name == "pairwise":
                c.rect(px - 3.5, py - 3.5, 7, 7, "ink measured")
            else:
                c.add("path", cls="ink derived", d=f"M{px:.1f} {py - 5:.1f}l5 8h-10z")
    c.text(x(256), y(600), t["bound"].format("(n − 1)u"), "halo", "end")
    c.text(width - right, y(5.6), t["bound"].format("⌈log₂n⌉u"), "halo", "end")
    c.text(width - right, y(2) - 5, t["bound"].format("2u"), "halo", "end")
    c.text(x(LENGTHS[8]) - 10, y(sum_errors()["sequential"][8]) - 4, t["sequential"], "strong halo", "end")
    c.text(x(LENGTHS[5]), y(0.21), t["both"], "strong halo", "middle")
    return c


def digits(value, count):
    """Binary digits of a number in [0, 2), the first before the point."""
    return f"{int(value * 2 ** (count - 1)):0{count}b}"


def draw_cancelled_bits(lang, width):
    t = TEXT[lang]
    m = fp16.mantissa_bits
    x = fp16.round(1e-3)
    kept = fp16.round(1 + x)
    count = 2 * m + 1
    left, cell = 1, min(26, (width - 2) / count)
    c = Canvas(width, 4 * 52 + 4, t["bits"], lang)
    true, stored, rest = digits(1 + x, count), digits(kept, m + 1), digits(kept - 1, count)
    rows = [
        (t["exact"], [(b, "ink tint" if i <= m else "box") for i, b in enumerate(true)]),
        (t["stored"].format(m), [(b, "ink tint") for b in stored]),
        (t["minus"], [(b, "ink solid" if i == m else None if i < m else "box") for i, b in enumerate(rest)]),
        (t["true"].format(m + 1), [("", None)] * m + [(b, "ink tint") for b in digits(x * 2**m, m + 1)]),
    ]
    for r, (label, cells) in enumerate(rows):
        y = 16 + 52 * r
        c.text(left, y, label, "strong" if r == 2 else None)
        for name in ("ink tint", "ink solid", "box"):
            rects = [(left + i * cell, y + 7, cell, 22) for i, (_, cls) in enumerate(cells) if cls == name]
            if rects:
                c.add("path", cls=name, d=boxes(rects))
        for i, (bit, cls) in enumerate(cells):
            if bit:
                shown = "strong halo" if cls == "ink solid" else None
                c.text(left + (i + 0.5) * cell, y + 23, bit, shown, "middle")
    return c


def kind(power):
    """What fp16 makes of numbers between 2^power and 2^(power + 1)."""
    (value,) = loss_scaling.backward([1.5], scale=2.0**power, format=fp16).stored
    if math.isinf(value):
        return "inf"
    return "lost" if not value else "subnormal" if value < fp16.min_normal else "normal"


def draw_loss_window(lang, width):
    t = TEXT[lang]
    lo, hi, panel = -42, 18, 128
    left, right = 8, 8
    height = 36 + 2 * panel + 44
    c = Canvas(width, height, t["window"], lang)
    x = Linear(lo, hi, left, width - right)
    edges = [p for p in range(lo, hi) if kind(p) != kind(p - 1) and p > lo]
    bottom = 36 + 2 * panel
    for e in edges:
        c.line(x(e), 24, x(e), bottom, "grid")
    names = list(zip([lo, *edges], [*edges, hi], ("lost", "subnormal", "normal", "inf"), strict=True))
    for a, b, name in names:
        c.text(x((a + b) / 2) + (2 if name == "inf" else 0), 16, t.get(name, name), None, "middle")
    for row, power in enumerate(SCALES):
        base = 36 + (row + 1) * panel - 8
        y = Linear(0, 0.085, base, base - panel + 34)
        share = {"lost": 0.0, "subnormal": 0.0, "normal": 0.0, "inf": 0.0}
        bars = {name: [] for name in share}
        for p in range(lo - 20, hi):
            weight = SPREAD.cdf(p + 1 - power) - SPREAD.cdf(p - power)
            share[kind(p)] += weight
            if p >= lo and weight > 2e-4:
                bars[kind(p)].append((x(p) + 0.5, y(weight), x(p + 1) - x(p) - 1, base - y(weight)))
        styles = [("lost", "ink edge"), *[("subnormal", "ink tint")] * 3, ("normal", "ink solid")]
        for name, cls in styles:
            if bars[name]:
                c.add("path", cls=cls, d=boxes(bars[name]))
        c.line(left, base, width - right, base, "axis")
        text = t["share"].format(f"2{superscript(power)}" if power else "1", share["lost"], share["subnormal"])
        c.text(left, base - panel + 30, text, "strong halo")
    for v in (-40, -25, -14, 0, 16):
        c.text(x(v), bottom + 14, str(v).replace("-", "−"), anchor="middle")
    c.text(width - right, height - 6, t["axis"], anchor="end")
    return c


def draw_passes(lang, width):
    t, narrow = TEXT[lang], width < 500
    size = layout.nbytes(shape=(ROWS, FEATURES), itemsize=2)
    bandwidth = hardware.accelerator("h100-sxm").memory_bandwidth
    c = Canvas(width, 3 * 62 + 4, t["passes"], lang)
    unit = (width - (78 if narrow else 90)) / 4
    for i, (label, reads) in enumerate(zip(t["ways"], (3, 2, 1), strict=True)):
        y = 16 + i * 62
        c.text(1, y, label)
        for k in range(reads + 1):
            c.rect(k * unit + 1, y + 8, unit - 4, 24, "memory tint" if k < reads else "memory edge", 2)
            name = t["read"] if k < reads else t["write"]
            c.text((k + 0.5) * unit - 1, y + 25, name, anchor="middle")
        time = magnitude((reads + 1) * size / bandwidth, "µs")
        c.text((reads + 1) * unit + 6, y + 25, f"≥ {float(time):.0f} µs", "memory")
    return c


DRAWINGS = {
    "sum_errors": draw_sum_errors,
    "cancelled_bits": draw_cancelled_bits,
    "loss_window": draw_loss_window,
    "passes": draw_passes,
}
