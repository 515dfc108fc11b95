"""Pictures of the page about calculus: a batch's Jacobian, a linear layer's two passes, error against step."""

import math

from infra_ref.ledger import linear
from infra_ref.numerics import gradients
from infra_ref.numerics.formats import fp32, fp64
from infra_ref.publish.svg import Canvas, Log, num
from infra_ref.tensor.layout import nbytes
from infra_ref.units import magnitude

ROWS, INPUTS, OUTPUTS = 8 * 2048, 4096, 16384
TEXT = {
    "zh": {
        "jacobian": "一个批次经过同一个线性层的雅可比矩阵：对角块全是同一个权重，其余全是零",
        "blocks": "4 行数据：16 块，其中 12 块为 0",
        "dense": ["训练中有 {0} 行：", "{0} × {0} 块", "{1} PB"],
        "needed": ["VJP 要读的只有：", "一个 W", "{} MB"],
        "graph": "线性层的前向与反向：X 和 W 由前向保留，各供一个反向矩阵乘使用",
        "forward": "前向：Y = X W + b，{} TFLOP",
        "arrives": "后面的层传回 dY",
        "kept": "保留",
        "nothing": "不保留",
        "to": ["给优化器", "给前一层", "给优化器"],
        "unless": ["冻结时不算", "首层不算", "一次归约"],
        "curve": "有限差分的误差随步长先降后升：四条 V 形曲线，右支是截断误差，左支是舍入误差",
        "error": "绝对误差（对数）",
        "step": "步长 h（对数）",
        "one": ["前向差分", "斜率 1"],
        "two": ["中心差分", "斜率 2"],
    },
    "en": {
        "jacobian": "Jacobian of a batch through one linear layer: the same weight on the diagonal, zeros elsewhere",
        "blocks": "4 rows: 16 blocks, 12 of them 0",
        "dense": ["{0} rows in training:", "{0} × {0} blocks", "{1} PB"],
        "needed": ["all that a VJP reads:", "one W", "{} MB"],
        "graph": "Both passes of a linear layer: X and W are kept, each for one product of the backward pass",
        "forward": "forward: Y = X W + b, {} TFLOP",
        "arrives": "dY, from the layers after",
        "kept": "kept",
        "nothing": "nothing kept",
        "to": ["to optimizer", "to layer before", "to optimizer"],
        "unless": ["not if frozen", "not if first", "a reduction"],
        "curve": "Error of finite differences against the step: four V shapes, truncation right, rounding left",
        "error": "absolute error (log)",
        "step": "step h (log)",
        "one": ["forward", "slope 1"],
        "two": ["central", "slope 2"],
    },
}


def draw_jacobian(lang, width):
    t, narrow = TEXT[lang], width < 500
    cell, count = 40, 4
    side = cell * count
    c = Canvas(width, side + 132 if narrow else side + 34, t["jacobian"], lang)
    c.text(0, 14, t["blocks"], "strong")
    c.rect(0, 26, side, side, "box", 2)
    for i in range(1, count):
        c.line(i * cell, 26, i * cell, 26 + side, "grid")
        c.line(0, 26 + i * cell, side, 26 + i * cell, "grid")
    for i in range(count):
        for j in range(count):
            x, y = j * cell, 26 + i * cell
            if i == j:
                c.rect(x, y, cell, cell, "memory tint")
                c.rect(x, y, cell, cell, "memory edge")
            c.text(x + cell / 2, y + cell / 2 + 4, "Wᵀ" if i == j else "0", "memory" if i == j else None, "middle")
    elements = ROWS * INPUTS
    dense = magnitude(nbytes(shape=(elements, elements), itemsize=2), "PB")
    weight = magnitude(nbytes(shape=(INPUTS, INPUTS), itemsize=2), "MB")
    left, top = (0, side + 54) if narrow else (side + 60, 66)
    apart = 172 if narrow else 230
    rows = [line.format(f"{ROWS:,}", f"{float(dense):.2f}") for line in t["dense"]]
    c.lines(left, top, rows[:2])
    c.text(left, top + 40, rows[2], "strong")
    rows = [line.format(f"{float(weight):.1f}") for line in t["needed"]]
    c.lines(left + apart, top, rows[:2])
    c.text(left + apart, top + 40, rows[2], "memory")
    return c


def draw_graph(lang, width):
    t, narrow = TEXT[lang], width < 500
    gap = 9 if narrow else 26
    column = (width - 2 * gap) / 3
    sizes = {"rows": ROWS, "in_features": INPUTS, "out_features": OUTPUTS}
    asked = dict.fromkeys(("input_requires_grad", "weight_requires_grad", "bias_requires_grad"), True)
    forward = magnitude(linear.forward_flops(**sizes, bias=False).total, "TFLOP")
    back = linear.backward_flops(**sizes, **asked)
    costs = [
        f"{float(magnitude(back.weight_gradient, 'TFLOP')):.3f} TFLOP",
        f"{float(magnitude(back.input_gradient, 'TFLOP')):.3f} TFLOP",
        f"{float(magnitude(back.bias_gradient, 'GFLOP')):.3f} GFLOP",
    ]
    tensors = (("X", (ROWS, INPUTS)), ("W", (INPUTS, OUTPUTS)), ("b", (OUTPUTS,)))
    products = ("dW = Xᵀ dY", "dX = dY Wᵀ", "db = Σ dYₜ")
    c = Canvas(width, 322, t["graph"], lang)
    for i in (0, 1):
        line = i * (column + gap) + column * 0.78
        c.line(line, 45, line, 222, "memory line")
        c.text(line - 7, 141, t["kept"], "memory", "end")
    for top, tint, label in ((77, True, t["forward"].format(f"{float(forward):.3f}")), (161, False, t["arrives"])):
        c.rect(0, top, width, 34, "box", 4)
        if tint:
            c.rect(0, top, width, 34, "compute tint", 4)
            c.rect(0, top, width, 34, "compute edge", 4)
        c.text(9, top + 21, label, "strong")
    for i, (name, shape) in enumerate(tensors):
        x = i * (column + gap)
        middle = x + column / 2
        c.rect(x, 1, column, 44, "box", 4)
        c.text(middle, 19, name, "strong", "middle")
        c.text(middle, 37, f"[{', '.join(map(str, shape))}]", "small", "middle")
        c.arrow(x + column * 0.25, 45, x + column * 0.25, 75)
        c.arrow(x + column * 0.25, 195, x + column * 0.25, 223)
        c.rect(x, 224, column, 48, "compute tint", 4)
        c.rect(x, 224, column, 48, "compute edge", 4)
        c.text(middle, 243, products[i], "strong", "middle")
        c.text(middle, 262, costs[i], "compute", "middle")
        c.text(middle, 292, t["to"][i], None, "middle")
        c.text(middle, 309, t["unless"][i], "small", "middle")
    c.text(width - column / 2, 141, t["nothing"], "small", "middle")
    return c


def power(value):
    """A number to one digit, as 4 × 10⁻⁴."""
    digit, _, exponent = f"{value:.0e}".partition("e")
    raised = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{digit} × 10{raised}" if digit != "1" else f"10{raised}"


def ratio(x, to):
    """x over the length of (x, 1), every step rounded to a format; its derivative at 3/4 is 0.512."""
    return to(x / to(math.sqrt(to(1 + to(x * x)))))


def quotient(h, to, central):
    """A difference quotient with every value rounded to a format."""
    high, low = to(0.75 + h), to(0.75 - h) if central else 0.75
    return to(to(ratio(high, to) - ratio(low, to)) / to(high - low)) if high != low else None


def draw_curve(lang, width):
    t = TEXT[lang]
    left, right, top, bottom = 44, width - 12, 30, 300
    c = Canvas(width, 344, t["curve"], lang)
    x, y = Log(1e-14, 1, left, right), Log(1e-12, 10, bottom, top)
    c.text(0, 14, t["error"], "strong")
    for e in (-12, -9, -6, -3, 0):
        c.line(left, y(10.0**e), right, y(10.0**e), "grid")
        c.text(left - 6, y(10.0**e) + 4, power(10.0**e) if e else "1", anchor="end")
    c.line(left, bottom, right, bottom, "axis")
    for e in (-14, -11, -8, -5, -2):
        c.text(x(10.0**e), bottom + 18, power(10.0**e), anchor="middle")
    c.text(right, bottom + 37, t["step"], anchor="end")
    value, second, third = 0.6, 0.73728, 0.786432
    for name, u, to, smallest in (
        ("fp32", fp32.unit_roundoff, lambda v: float(fp32.round(v)), -7.0),
        ("fp64", fp64.unit_roundoff, float, -14.0),
    ):
        for central in (False, True):
            if central:
                known = {"roundoff": u, "value": value, "third": third}
                best, bound = gradients.best_central_step(**known), gradients.central_difference_error
            else:
                known = {"roundoff": u, "value": value, "second": second}
                best, bound = gradients.best_forward_step(**known), gradients.forward_difference_error
            ends = [10**smallest, *(best * 10 ** (k / 4) for k in (-4, -2, -1, 0, 1, 2, 4)), 1]
            path = "L".join(f"{num(x(h))} {num(y(bound(step=h, **known)))}" for h in ends)
            dash = {} if central else {"stroke_dasharray": "5 4"}
            c.add("path", cls="ink edge", d="M" + path, **dash)
            dots = ""
            for k in range(int(-2 * smallest)):
                found = quotient(h := 10 ** (smallest + 0.5 * k), to, central)
                if found is not None and (error := abs(found - 0.512)) > 1e-12:
                    dots += f"M{num(x(h) - 1.5)} {num(y(error) - 1.5)}h3v3h-3"
            c.add("path", cls="ink measured", d=dots)
            least = bound(step=best, **known)
            c.add("circle", cls="ink derived", cx=x(best), cy=y(least), r=4.5)
            c.text(x(best), y(least) + (20 if central else -11), power(best), "strong halo", "middle")
        c.text(x(4e-7 if name == "fp32" else 1e-12), y(4 if name == "fp32" else 3e-2), name, "strong halo")
    c.lines(x(4e-6), y(1e-4), t["one"], "halo", "end")
    c.lines(x(1.5e-3), y(1e-8), t["two"], "halo")
    return c


DRAWINGS = {"batch_jacobian": draw_jacobian, "linear_passes": draw_graph, "u_curve": draw_curve}
