"""Pictures of the page about probability: areas of a joint table, alarms, loss by tokens, spread within and between."""

from infra_ref.numerics import probability, statistics
from infra_ref.publish.svg import Canvas, Linear, num, text_width

COUNTS = [[9, 3, 6], [1, 5, 0]]  # lines of code that start with one word and go on with another
FIRST, SECOND = ("if", "for"), ("x", "i", "not")
FAULTY, HEALTHY = 9, 100  # alarms of each kind
PARTS = [(10, 2), (4, 8)]  # summed loss and tokens of each rank
RANKS = [(1, 3), (7, 9)]

TEXT = {
    "zh": {
        "mosaic": "两个词的联合分布画成面积：宽是第一个词的概率，高是第二个词的条件概率",
        "ifindependent": "虚线：独立时分界该在的高度",
        "alarms": "{} 次报警：{} 次来自坏卡，{} 次来自好卡",
        "faulty": "坏卡 {}",
        "healthy": "好卡 {}",
        "areas": "两个 rank 的损失画成面积：宽是词元数，高是每词元的损失",
        "rank": "rank {}",
        "area": "面积 {}",
        "tokens": "词元数",
        "loss": "每词元的损失",
        "right": "按词元：{}",
        "wrong": "均值的均值：{}",
        "spread": "两个 rank 的四个值：到自己均值的距离，和均值到总均值的距离",
        "mean": "均值 {}",
        "all": "总均值 {}",
    },
    "en": {
        "mosaic": "A joint distribution of two words as areas: width is the probability of the first word, height the "
        "conditional one of the second",
        "ifindependent": "dashed: edges if independent",
        "alarms": "{} alarms: {} from faulty devices, {} from healthy ones",
        "faulty": "faulty {}",
        "healthy": "healthy {}",
        "areas": "Losses of two ranks as areas: width is the number of tokens, height the loss per token",
        "rank": "rank {}",
        "area": "area {}",
        "tokens": "tokens",
        "loss": "loss per token",
        "right": "per token: {}",
        "wrong": "mean of means: {}",
        "spread": "Four values on two ranks: distances to their own mean, and of that mean to the overall mean",
        "mean": "mean {}",
        "all": "overall mean {}",
    },
}


def dashed(c, x1, y1, x2, y2):
    c.add("path", cls="ink edge", d=f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}", stroke_dasharray="6 4")


def draw_mosaic(lang, width):
    t, narrow = TEXT[lang], width < 500
    table = probability.joint(COUNTS)
    total = sum(map(sum, COUNTS))
    left, right, top, high = 1, 68, 22, 210
    c = Canvas(width, top + high + 42, t["mosaic"], lang)
    wide = width - left - right
    x = left
    for i, first in enumerate(FIRST):
        span, y = float(table.p(row=i)) * wide, top
        c.text(x + span / 2, 14, f"{first}  {sum(COUNTS[i])}/{total}", "strong", "middle")
        for j, second in enumerate(SECOND):
            height = float(table.conditional(row=i, column=j, given="row")) * high
            if not height:
                continue
            c.rect(x, y, span, height, "ink tint" if second == "i" else "box")
            c.rect(x, y, span, height, "ink edge")
            label = f"{second}  {COUNTS[i][j]}/{total}"
            c.text(x + span / 2, y + height / 2 + 4, label, "strong halo" if second == "i" else "halo", "middle")
            y += height
        x += span
    y = top
    for j, second in enumerate(SECOND):
        height = float(table.p(column=j)) * high
        c.text(width, y + height / 2 + 4, f"{second} {sum(row[j] for row in COUNTS)}/{total}", anchor="end")
        y += height
        if j + 1 < len(SECOND):
            dashed(c, left, y, width - (right - 6), y)
    c.text(width if narrow else left, top + high + 28, t["ifindependent"], anchor="end" if narrow else "start")
    return c


def draw_alarms(lang, width):
    t, narrow = TEXT[lang], width < 500
    rows, cell, size = (5, 13, 9) if narrow else (4, 19, 15)
    c = Canvas(width, rows * cell + 20, t["alarms"].format(FAULTY + HEALTHY, FAULTY, HEALTHY), lang)
    left = 0.5
    for name, count, cls in (("faulty", FAULTY, "ink solid"), ("healthy", HEALTHY, "box")):
        places = (divmod(k, rows) for k in range(count))
        squares = (f"M{num(left + i * cell)} {num(0.5 + j * cell)}h{size}v{size}h-{size}z" for i, j in places)
        c.add("path", cls=cls, d="".join(squares))
        text = t[name].format(count)
        c.text(left, rows * cell + 14, text, "strong")
        left += max(-(-count // rows) * cell, text_width(text)) + 10
    return c


def draw_token_areas(lang, width):
    t, narrow = TEXT[lang], width < 500
    height = 236
    left, top, bottom = 34, 30, height - 46
    right = 12 if narrow else 168
    tokens = sum(count for _, count in PARTS)
    x, y = Linear(0, tokens, left, width - right), Linear(0, 5, bottom, top)
    c = Canvas(width, height, t["areas"], lang)
    for value in range(6):
        c.line(left, y(value), width - right, y(value), "grid")
        c.text(left - 8, y(value) + 4, str(value), anchor="end")
    start = 0
    for rank, (loss, count) in enumerate(PARTS):
        each = loss / count
        c.rect(x(start), y(each), x(start + count) - x(start), bottom - y(each), "ink tint")
        c.rect(x(start), y(each), x(start + count) - x(start), bottom - y(each), "ink edge")
        middle = x(start + count / 2)
        c.text(middle, y(each) - 7 if rank else y(each) + 22, t["area"].format(loss), "strong halo", "middle")
        c.text(middle, bottom + 17, f"{t['rank'].format(rank)}, t = {count}", anchor="middle")
        start += count
    means = {"right": statistics.token_weighted_mean(PARTS), "wrong": statistics.mean_of_means(PARTS)}
    for name, value in ((name, float(mean)) for name, mean in means.items()):
        if name == "right":
            c.line(left, y(value), width - right, y(value), "ink line")
        else:
            dashed(c, left, y(value), width - right, y(value))
        label = t[name].format(f"{value:g}")
        if narrow:
            c.text(width - right, y(value) - 7, label, "strong halo", "end")
        else:
            c.text(width - right + 8, y(value) + 4, label, "strong")
    c.text(0, 14, t["loss"])
    c.text(width - right, height - 6, t["tokens"], anchor="end")
    return c


def draw_rank_spread(lang, width):
    t = TEXT[lang]
    left, right, step = 58, 16, 62
    states = [statistics.moments(values) for values in RANKS]
    whole = states[0].merge(states[1])
    x = Linear(0, 10, left, width - right)
    c = Canvas(width, 40 + 2 * step + 34, t["spread"], lang)
    end = 40 + 2 * step - 14
    middle = x(float(whole.mean))
    dashed(c, middle, 22, middle, end)
    c.text(middle, 14, t["all"].format(whole.mean), "strong", "middle")
    for rank, (values, state) in enumerate(zip(RANKS, states, strict=True)):
        y = 58 + rank * step
        mean = x(float(state.mean))
        c.text(0, y + 4, t["rank"].format(rank), "strong")
        c.line(left, y, width - right, y, "grid")
        c.line(mean, y - 12, mean, y + 12, "ink line")
        c.text(mean, y - 17, t["mean"].format(state.mean), "halo", "middle")
        c.arrow(mean, y - 10, middle, y - 10)
        c.text((mean + middle) / 2, y - 15, f"{abs(state.mean - whole.mean)}", "strong halo", "middle")
        for value in values:
            c.add("circle", cls="ink derived", cx=x(value), cy=y, r=5)
            c.text(x(value), y + 24, str(value), anchor="middle")
    c.line(left, end, width - right, end, "axis")
    for value in range(0, 11, 2):
        c.text(x(value), end + 18, str(value), anchor="middle")
    return c


DRAWINGS = {
    "joint_mosaic": draw_mosaic,
    "alarm_squares": draw_alarms,
    "token_areas": draw_token_areas,
    "rank_spread": draw_rank_spread,
}
