"""Pictures of the page about number formats. Black, grey and dashes only: the three colours mean other things."""

import math
from fractions import Fraction

from infra_ref.numerics import block_scale, formats
from infra_ref.publish.svg import Canvas, Linear, Log, num, text_width

TEXT = {
    "zh": {
        "layout": "八种浮点格式的比特布局：符号、指数、尾数各占几位",
        "sign": "符号",
        "exponent": "指数：定范围",
        "mantissa": "尾数：定精度",
        "stored": "，存储占 32 位",
        "lines": "三种窄格式在 0 到 8 之间的全部非负数值，次正规数单独标出",
        "subnormal": "次正规数",
        "more": "最大 {}",
        "gap": "相邻两数之差除以数值，随数值的变化：fp32、fp16、bf16 与 e4m3",
        "gap_y": "相邻两数之差 ÷ 数值（对数）",
        "gap_x": "数值（对数）",
        "blocks": "MXFP4 与 NVFP4 的一块：共享的缩放因子和各个元素，按比特数画出",
        "scale": "缩放 {} 位",
        "elements": "{} 个元素，各 {} 位",
        "cost": "每个数 {} 位",
    },
    "en": {
        "layout": "Bit layout of eight floating-point formats: sign, exponent and mantissa",
        "sign": "sign",
        "exponent": "exponent (range)",
        "mantissa": "mantissa (precision)",
        "stored": ", stored in 32 bits",
        "lines": "All non-negative values of three narrow formats from 0 to 8, subnormals set apart",
        "subnormal": "subnormal",
        "more": "max {}",
        "gap": "Gap between neighbours divided by the value, against the value: fp32, fp16, bf16 and e4m3",
        "gap_y": "gap between neighbours ÷ value (log)",
        "gap_x": "value (log)",
        "blocks": "One block of MXFP4 and of NVFP4: the shared scale and the elements, drawn by bits",
        "scale": "scale, {} bits",
        "elements": "{} elements of {} bits",
        "cost": "{} bits per value",
    },
}


def draw_bit_layout(lang, width):
    t, narrow = TEXT[lang], width < 500
    rows = [
        ("fp32", formats.fp32), ("tf32", formats.tf32), ("bf16", formats.bf16), ("fp16", formats.fp16),
        ("e5m2", formats.fp8_e5m2), ("e4m3", formats.fp8_e4m3fn), ("e3m2", formats.fp6_e3m2fn),
        ("e2m1", formats.fp4_e2m1fn),
    ]  # fmt: skip
    left, step, cell = 52, 27, 8.4 if narrow else 15
    c = Canvas(width, 40 + step * len(rows), t["layout"], lang)
    x = 0 if narrow else left
    for cls, name in (("box", "sign"), ("ink solid", "exponent"), ("ink tint", "mantissa")):
        c.rect(x, 5, 11, 11, cls, 2)
        c.text(x + 15, 15, t[name])
        x += 23 + text_width(t[name]) * (0.82 if lang == "en" else 1)
    for i, (name, f) in enumerate(rows):
        y = 30 + i * step
        c.text(left - 8, y + 13, name, "strong", "end")
        x = left
        for count, cls in ((f.sign_bits, "box"), (f.exponent_bits, "ink solid"), (f.mantissa_bits, "ink tint")):
            c.rect(x, y, count * cell, 17, cls, 2)
            x += count * cell
        edges = (left + k * cell for k in range(1, f.bits))
        c.add("path", cls="grid", d="".join(f"M{num(e)} {y}v17" for e in edges))
        if narrow and f is formats.fp32:
            continue
        note = f"1 + {f.exponent_bits} + {f.mantissa_bits}"
        c.text(x + 8, y + 13, note + t["stored"] if f is formats.tf32 and not narrow else note)
    return c


def draw_number_lines(lang, width):
    t = TEXT[lang]
    rows = [("e2m1", formats.fp4_e2m1fn), ("e2m3", formats.fp6_e2m3fn), ("e3m2", formats.fp6_e3m2fn)]
    left, right, step = 52, 14, 66
    c = Canvas(width, 30 + step * len(rows), t["lines"], lang)
    x = Linear(0, 8, left, width - right)
    for i, (name, f) in enumerate(rows):
        y = 40 + i * step
        c.text(left - 10, y + 4, name, "strong", "end")
        c.line(left, y, width - right, y, "axis")
        c.rect(left, y - 13, x(float(f.min_normal)) - left, 26, "ink tint")
        values = [float(v) for v in f.values() if 0 <= v <= 8]
        normal = "".join(f"M{num(x(v))} {y - 11}v22" for v in values if v >= f.min_normal)
        c.add("path", cls="ink line", d=normal)
        for v in values:
            if v < f.min_normal:
                c.add("circle", cls="ink derived", cx=x(v), cy=y, r=3)
        label = f"{t['subnormal']} < {float(f.min_normal):g}"
        c.text(left, y - 18, label)
        largest = f"{float(f.max):g} →" if f.max > 8 else f"{float(f.max):g}"
        c.text(x(min(float(f.max), 8)) + 4, y - 18, t["more"].format(largest), anchor="end")
    y = 40 + len(rows) * step - step
    for v in range(9):
        c.text(x(v), y + 30, str(v), anchor="middle")
    return c


def power_of_ten(k):
    return f"10{str(k).translate(str.maketrans('0123456789-', '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'))}" if k else "1"


def gap_path(f, lo, hi, x, y):
    """The saw-tooth of spacing / value, one tooth a binade, within [lo, hi]: slope down, jump up."""
    path = ""
    for k in range(math.floor(math.log2(lo)), math.ceil(math.log2(hi))):
        start, end = Fraction(2) ** k, min(Fraction(2) ** (k + 1), f.max)
        if f.min_subnormal <= start <= f.max:
            gap = f.spacing(start)
            path += f"V{num(y(gap / start))}" if path else f"M{num(x(start))} {num(y(gap / start))}"
            path += f"L{num(x(end))} {num(y(gap / end))}"
    return path


def draw_relative_gap(lang, width):
    t, narrow = TEXT[lang], width < 500
    height = 300 if narrow else 340
    left, right, top, bottom = 44, 12, 34, height - 46
    lo, hi = 2.0**-28, 2.0**24
    c = Canvas(width, height, t["gap"], lang)
    x, y = Log(lo, hi, left, width - right), Log(2.0**-25, 1, bottom, top)
    for power in (-6, -4, -2, 0):
        c.line(left, y(10.0**power), width - right, y(10.0**power), "grid")
        c.text(left - 6, y(10.0**power) + 4, power_of_ten(power), anchor="end")
    for power in (-8, -4, 0, 4) if narrow else (-8, -6, -4, -2, 0, 2, 4, 6):
        c.line(x(10.0**power), bottom, x(10.0**power), bottom + 4, "axis")
        c.text(x(10.0**power), bottom + 18, power_of_ten(power), anchor="middle")
    c.line(left, bottom, width - right, bottom, "axis")
    c.text(left, top - 16, t["gap_y"])
    c.text(width - right, height - 6, t["gap_x"], anchor="end")
    rows = [
        ("e4m3", formats.fp8_e4m3fn, 2.0, -9), ("bf16", formats.bf16, 2.0**20, -9),
        ("fp16", formats.fp16, 2.0**3, 34 if narrow else 38), ("fp32", formats.fp32, 2.0**12, -9),
    ]  # fmt: skip
    for name, f, at, dy in rows:
        c.add("path", cls="ink line", d=gap_path(f, lo, hi, x, y))
        c.text(x(at), y(f.spacing(at) / Fraction(at)) + dy, name, "strong halo", "middle")
    return c


def draw_block_bits(lang, width):
    t, narrow = TEXT[lang], width < 500
    bit = 2.4 if narrow else 4.9
    c = Canvas(width, 146, t["blocks"], lang)
    for i, (name, f) in enumerate((("MXFP4", block_scale.mxfp4), ("NVFP4", block_scale.nvfp4))):
        y = 22 + i * 76
        head = f"{name}  {t['cost'].format(f'{float(f.bits_per_value):g}')}"
        c.text(0, y - 8, head, "strong")
        scale, length = f.scale.bits * bit, f.element.bits * bit
        c.rect(0, y, scale, 22, "ink solid", 2)
        c.rect(scale, y, length * f.block, 22, "ink tint", 2)
        c.add("path", cls="axis", d="".join(f"M{num(scale + k * length)} {y}v22" for k in range(1, f.block)))
        c.text(0, y + 38, f"{t['scale'].format(f.scale.bits)} + {t['elements'].format(f.block, f.element.bits)}")
    return c


DRAWINGS = {
    "bit_layout": draw_bit_layout,
    "number_lines": draw_number_lines,
    "relative_gap": draw_relative_gap,
    "block_bits": draw_block_bits,
}
