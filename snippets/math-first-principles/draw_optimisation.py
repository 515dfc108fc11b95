"""Pictures of the page about optimisation: stable steps, momentum, bytes of training state, depth."""

import math

from infra_ref.ledger.optimizer import LAYOUTS
from infra_ref.numerics import updates
from infra_ref.publish.svg import Canvas, Linear, Log, num
from infra_ref.units import magnitude

TEXT = {
    "zh": {
        "step": "一步之后的损失与学习率乘曲率的关系：抛物线与它在 0 处的切线",
        "step_y": "一步之后的损失 / 之前的损失",
        "step_x": "学习率 × 曲率",
        "model": ["线性模型：", "走得越远越好"],
        "true": "二次函数",
        "best": "一步到底",
        "even": "来回跳",
        "grows": "损失上升",
        "paths": "同一个狭长山谷里的两条路：没有动量和有动量，各走 {} 步",
        "plain": "没有动量，{} 步后离最低点 {:.2f}",
        "heavy": "动量 {:g}，{} 步后离最低点 {:.2f}",
        "note": ["曲率 1 和 {}，学习率都是 {:g}，起点相同", "圈：损失的等高线"],
        "bytes": "五种训练状态，每个参数的字节按部分堆叠",
        "layouts": ["混合精度 Adam", "梯度用 fp32", "另存 fp32 梯度", "全部 fp32", "全部 fp32，不存梯度"],
        "total": "{} B · {} GB",
        "key": ["w 权重 · g 梯度 · G 梯度的 fp32 副本 · W 主权重 · m、v 两个矩",
                "条内是每个参数的字节，右边是合计，以及 {} × 10⁹ 个参数的 GB"],
        "key_narrow": ["w 权重 · g 梯度 · G 梯度的 fp32 副本", "W 主权重 · m、v 两个矩",
                       "条内是每个参数的字节，右边是合计，",
                       "以及 {} × 10⁹ 个参数的 GB"],
        "depth": "梯度随层数的变化：每层乘同一个数的线和两种残差",
        "depth_y": "梯度是原来的几倍（对数）",
        "depth_x": "层数 L",
        "residual": "残差，分支 0.5",
        "scaled": "残差，分支 0.5/√L",
        "layer": "每层 × {}",
    },
    "en": {
        "step": "Loss after one step against learning rate times curvature: the parabola and its tangent at 0",
        "step_y": "loss after a step / loss before",
        "step_x": "learning rate × curvature",
        "model": ["linear model:", "farther is better"],
        "true": "quadratic",
        "best": "there in one step",
        "even": "back and forth",
        "grows": "loss grows",
        "paths": "Two ways down the same narrow valley, without and with momentum, {} steps each",
        "plain": "no momentum: {1:.2f} away after {0} steps",
        "heavy": "momentum {0:g}: {2:.2f} away after {1} steps",
        "note": ["curvatures 1 and {}, learning rate {:g} for both,", "same start; rings: contours of the loss"],
        "bytes": "Five kinds of training state, bytes per parameter stacked by part",
        "layouts": ["mixed-precision Adam", "fp32 gradients", "fp32 gradient copy", "all fp32",
                    "fp32, no gradients kept"],
        "total": "{} B · {} GB",
        "key": ["w weights · g gradients · G fp32 copy of them · W master weights · m, v moments",
                "in the bars bytes per parameter; at the right their sum, and GB for {} × 10⁹ parameters"],
        "key_narrow": ["w weights · g gradients · G fp32 copy of g", "W master weights · m, v moments",
                       "bars: bytes per parameter; right: their sum,", "and GB for {} × 10⁹ parameters"],
        "depth": "How a gradient changes with depth: one factor per layer, and two kinds of residual",
        "depth_y": "gradient / its first value (log)",
        "depth_x": "layers L",
        "residual": "residual, branch 0.5",
        "scaled": "residual, branch 0.5/√L",
        "layer": "× {} a layer",
    },
}  # fmt: skip


def curve(c, points, cls, **more):
    c.add("path", cls=cls, d="M" + "L".join(f"{num(x)} {num(y)}" for x, y in points), **more)


def draw_step(lang, width):
    t, narrow = TEXT[lang], width < 500
    c = Canvas(width, 268, t["step"], lang)
    left, right, top, bottom = 34, width - 12, 30, 226
    x, y = Linear(0, 2.4, left, right), Linear(-0.5, 2, bottom, top)
    c.text(0, 14, t["step_y"], "strong")
    c.rect(x(2), top, right - x(2), bottom - top, "ink tint")
    for value in (0, 0.5, 1, 1.5, 2):
        c.line(left, y(value), right, y(value), "axis" if not value else "grid")
        c.text(left - 6, y(value) + 4, f"{value:g}", anchor="end")
    for value in (0, 0.5, 1, 1.5, 2):
        c.text(x(value), bottom + 18, f"{value:g}", anchor="middle")
    c.text(right, bottom + 36, t["step_x"], anchor="end")

    def after(share):
        return updates.sgd(parameter=1, gradient=1, lr=share) ** 2

    curve(c, [(x(i / 20), y(after(i / 20))) for i in range(49)], "ink line")
    curve(c, [(x(0), y(1)), (x(0.75), y(-0.5))], "ink line", stroke_dasharray="5 3")
    model = t["model"] if narrow else [("" if lang == "zh" else " ").join(t["model"])]
    c.lines(x(0.75) + (6 if narrow else 10), y(-0.31), model, "halo")
    c.text(x(1.7), y(0.12), t["true"], "halo")
    for share, name, dx, dy, anchor in ((1, "best", 0, -40 if narrow else -14, "middle"), (2, "even", -11, -4, "end")):
        c.add("circle", cls="ink derived", cx=x(share), cy=y(after(share)), r=4)
        c.text(x(share) + dx, y(after(share)) + dy, t[name], "halo", anchor)
    c.text((x(2) + right) / 2, top + 16, t["grows"] if not narrow else "", "strong halo", "middle")
    if narrow:
        c.text(x(2) - 6, top + 16, t["grows"] + " →", "strong halo", "end")
    return c


def walk(mu, steep, lr, steps):
    """Points of the way down x²/2 + steep y²/2."""
    state = updates.MomentumState(-10.0), updates.MomentumState(2.0)
    points = [(-10.0, 2.0)]
    for _ in range(steps):
        state = tuple(
            updates.momentum(s, gradient=k * s.parameter, lr=lr, mu=mu) for s, k in zip(state, (1, steep), strict=True)
        )
        points.append((state[0].parameter, state[1].parameter))
    return points


def draw_paths(lang, width):
    t = TEXT[lang]
    steep, lr, mu, steps = 30, 0.06, 0.8, 30
    height = 132
    c = Canvas(width, 2 * height + 46, t["paths"].format(steps), lang)
    x = Linear(-10.6, 2.6, 0, width)
    for row, share in enumerate((0, mu)):
        y = Linear(-2.3, 2.3, row * height + 126, row * height + 24)
        for level in (1.5, 6, 14, 26, 42, 62):
            reach, high = math.sqrt(2 * level), math.sqrt(2 * level / steep)
            c.add("ellipse", cls="grid", fill="none", cx=x(0), cy=y(0), rx=x(reach) - x(0), ry=y(0) - y(high))
        points = walk(share, steep, lr, steps)
        curve(c, [(x(p), y(q)) for p, q in points], "ink edge")
        dots = "".join(f"M{num(x(p))} {num(y(q))}h0" for p, q in points)
        c.add("path", cls="ink edge", d=dots, style="stroke-width:4;stroke-linecap:round")
        far = math.hypot(*points[-1])
        label = t["heavy"].format(share, steps, far) if share else t["plain"].format(steps, far)
        c.text(0, row * height + 14, label, "strong halo")
    c.lines(0, 2 * height + 22, [line.format(steep, lr) for line in t["note"]])
    return c


def draw_bytes(lang, width):
    t, narrow = TEXT[lang], width < 500
    letters = {"weights": "w", "gradients": "g", "gradient copy": "G", "master weights": "W", "first moment": "m",
               "second moment": "v"}  # fmt: skip
    classes = {"weights": "ink tint", "gradients": "box", "optimizer": "memory tint"}
    key = t["key_narrow" if narrow else "key"]
    row = 50
    c = Canvas(width, 5 * row + 17 * len(key) + 10, t["bytes"], lang)
    each, billions = (width - 2) / 20, 7
    for i, (layout, name) in enumerate(zip(LAYOUTS.values(), t["layouts"], strict=True)):
        top = i * row
        total = t["total"].format(
            magnitude(layout.bytes_per_parameter, "B"), magnitude(layout.total(parameters=billions * 10**9), "GB")
        )
        c.text(0, top + 13, name, "strong")
        c.text(width, top + 13, total, "memory", "end")
        x, outline = 1.0, ""
        for part in layout.parts:
            w = each * part.itemsize
            c.rect(x, top + 19, w - 2, 22, classes[part.kind])
            outline += f"M{num(x)} {num(top + 19)}h{num(w - 2)}v22h{num(2 - w)}z"
            letter = letters[part.name.split(",")[0]]
            c.text(x + w / 2, top + 34, f"{letter} {part.itemsize}", anchor="middle")
            x += w
        c.add("path", cls="memory edge", d=outline)
    c.lines(0, 5 * row + 16, [line.format(billions) for line in key])
    return c


def draw_depth(lang, width):
    t, narrow = TEXT[lang], width < 500
    c = Canvas(width, 290, t["depth"], lang)
    left, right, top, bottom = 40, width - (10 if narrow else 190), 30, 246
    x, y = Linear(0, 100, left, right), Log(1e-6, 1e6, bottom, top)
    c.text(0, 14, t["depth_y"], "strong")
    for exponent in (-6, -3, 0, 3, 6):
        c.line(left, y(10**exponent), right, y(10**exponent), "axis" if not exponent else "grid")
        c.text(left - 6, y(10**exponent) + 4, "1" if not exponent else f"10{'⁻' if exponent < 0 else ''}"
               + "³⁶"[abs(exponent) // 3 - 1], anchor="end")  # fmt: skip
    for value in (0, 25, 50, 75, 100):
        c.text(x(value), bottom + 18, str(value), anchor="middle" if value < 100 else "end")
    c.text(right, bottom + 36, t["depth_x"], anchor="end")
    lines = (
        (1.1, t["layer"].format(1.1), (66, 3e1), 12),
        (0.9, t["layer"].format(0.9), (66, 1.2e-2), 4),
        (0.5, t["layer"].format(0.5), (22, 4e-5), None),
        (1.25**0.5, t["residual"], (33, 3e4), -4),
    )
    for factor, name, place, beside in lines:
        end = min(100, 6 / abs(math.log10(factor)))
        residual = name == t["residual"]
        points = [(x(0), y(1)), (x(end), y(factor**end))]
        curve(c, points, "ink line", **({} if residual else {"stroke_dasharray": "5 3"}))
        at = (right + 8, y(factor**end) + beside) if beside is not None and not narrow else (x(place[0]), y(place[1]))
        c.text(*at, name, "strong halo" if residual else "halo")
    flat = [(x(depth), y((1 + 0.25 / depth) ** (depth / 2))) for depth in (1, 2, 4, 10, 100)]
    curve(c, flat, "ink line")
    c.text(right + 8 if not narrow else x(40), flat[-1][1] + (4 if not narrow else -6), t["scaled"], "strong halo")
    return c


DRAWINGS = {
    "step_size": draw_step,
    "momentum_paths": draw_paths,
    "state_bytes": draw_bytes,
    "depth_curves": draw_depth,
}
