"""Pictures of the page about softmax: two tiles that merge, what a wide spread of logits does, a temperature slider."""

import math
from statistics import NormalDist

from infra_ref.numerics import sampling, softmax
from infra_ref.publish.svg import Canvas, Log, num, text_width

TILES = ([1, 2, 0], [4, 3])  # logits in units of ln 2, so that every weight is a power of two
KEYS = 1024
FIVE = (4, 3, 2, 1, 0)
TEXT = {
    "zh": {
        "merge": "两个 tile 各有自己的最大值和指数之和；合并时，最大值小的一边整体缩小，另一边不动",
        "tile": "tile {}",
        "merged": "合并之后",
        "scaled": "乘 {}",
        "same": "乘 1",
        "unit": "logit 是下标所示的倍数乘 ln 2",
        "spread": "有效的键数随 logits 标准差的变化：标准差为 1 时还剩大半，到 11 时只剩一两个",
        "keys": "有效的键数 e^H（对数）",
        "std": "logits 的标准差（对数）",
        "of": "共 {} 个键",
        "scaled_scores": "除以根号 D",
        "raw": "D = {}",
    },
    "en": {
        "merge": "Two tiles with maxima and sums of their own; merging shrinks the one with the smaller maximum",
        "tile": "tile {}",
        "merged": "merged",
        "scaled": "times {}",
        "same": "times 1",
        "unit": "a logit is the number below times ln 2",
        "spread": "Effective number of keys against the standard deviation of the logits: most at 1, one or two at 11",
        "keys": "effective keys e^H (log)",
        "std": "standard deviation of the logits (log)",
        "of": "{} keys",
        "scaled_scores": "divided",
        "raw": "D = {}",
    },
}


def state(multiples):
    """The online state of a tile, its logits given in units of ln 2; the values do not matter here."""
    return softmax.lift([k * math.log(2) for k in multiples], [[0]] * len(multiples))


def draw_merge(lang, width):
    t, narrow = TEXT[lang], width < 500
    bar, gap, between = (24, 8, 20) if narrow else (34, 12, 40)
    full, base = 92, 138
    states = [state(tile) for tile in TILES]
    both = softmax.merge(*states)
    c = Canvas(width, 360 if narrow else 190, t["merge"], lang)

    def bars(x, y, multiples, top, shrink):
        """One tile's weights, each relative to the maximum `top`, on a base line at y."""
        for i, k in enumerate(multiples):
            height = full * math.exp(k * math.log(2) - top)
            left = x + i * (bar + gap)
            c.rect(left, y - height, bar, height, "ink tint" if shrink else "ink solid", 2)
            if shrink:
                c.rect(left, y - height, bar, height, "ink edge", 2)
            c.text(left + bar / 2, y + 16, str(k), anchor="middle")
        end = x + len(multiples) * (bar + gap) - gap
        c.line(x - 4, y, end + 4, y, "axis")
        return end

    def sums(x, y, one):
        c.text(x, y, f"m = {round(one.m / math.log(2))} ln 2, l = {one.l:.5g}", "small")

    x = 6
    c.text(0, 14, t["unit"], "small")
    for name, tile, one in zip("AB", TILES, states, strict=True):
        c.text(x - 4, 34, t["tile"].format(name), "strong")
        end = bars(x, base, tile, one.m, name == "A")
        sums(x - 4, base + 36, one)
        x = max(end + between, x + (150 if narrow else 160))
    y, x = (base + 172, 6) if narrow else (base, x + 22)
    if narrow:
        c.arrow(width / 2, base + 46, width / 2, base + 64)
    else:
        c.arrow(x - 46, base - 46, x - 18, base - 46)
    c.text(x - 4, y - 104, t["merged"], "strong")
    for tile, one in zip(TILES, states, strict=True):
        shrink = one.m < both.m
        end = bars(x, y, tile, both.m, shrink)
        factor = f"1/{round(math.exp(both.m - one.m))}" if shrink else ""
        if shrink:
            c.text((x + end) / 2, y - 42, t["scaled"].format(factor), None, "middle")
        else:
            c.text(end + 10, y - 42, t["same"])
        x = end + gap + 6
    sums((6 if narrow else x - 5 * (bar + gap) - 12) - 4, y + 36, both)
    return c


def effective(sigma):
    """e to the entropy of a softmax over evenly spread quantiles of a normal distribution."""
    z = [sigma * NormalDist().inv_cdf((i + 0.5) / KEYS) for i in range(KEYS)]
    return math.exp(softmax.entropy(softmax.softmax(z), base=math.e))


def draw_spread(lang, width):
    t = TEXT[lang]
    left, right, top, bottom = 42, width - 14, 32, 262
    c = Canvas(width, 306, t["spread"], lang)
    x, y = Log(0.25, 64, left, right), Log(1, KEYS * 1.3, bottom, top)
    c.text(0, 14, t["keys"], "strong")
    for keys in (1, 10, 100, 1000):
        c.line(left, y(keys), right, y(keys), "grid")
        c.text(left - 6, y(keys) + 4, str(keys), anchor="end")
    c.line(left, bottom, right, bottom, "axis")
    for sigma in (0.25, 0.5, 1, 2, 4, 8, 16, 32, 64):
        c.text(x(sigma), bottom + 18, f"{sigma:g}", anchor="end" if sigma == 64 else "middle")
    c.text(right, bottom + 37, t["std"], anchor="end")
    steps = [0.25 * 2 ** (k / 6) for k in range(49)]
    c.add("path", cls="ink line", d="M" + "L".join(f"{num(x(s))} {num(y(effective(s)))}" for s in steps))
    points = [(1, t["scaled_scores"])] + [(d**0.5, t["raw"].format(d)) for d in (16, 64, 128)]
    for sigma, label in points:
        keys = effective(sigma)
        c.add("circle", cls="ink derived", cx=x(sigma), cy=y(keys), r=4.5)
        text = f"{label}: {keys:.2g}" if keys < 100 else f"{label}: {keys:.0f}"
        if label == t["raw"].format(64):  # the next point is close: on the free side
            c.text(x(sigma) - 9, y(keys) + 4, text, "halo", "end")
        else:
            c.text(min(x(sigma) + 8, width - text_width(text)), y(keys) - 9, text, "halo")
    c.text(left + 6, y(KEYS) - 7, t["of"].format(KEYS))
    return c


def explore_temperature():
    """Five logits 4, 3, 2, 1, 0: what the temperature does to the distribution and to what top-p keeps."""
    rows = []
    for tenth in (1, 2, 3, 5, 7, 10, 12, 15, 20, 25, 30, 40, 50):
        temperature = tenth / 10
        p = softmax.softmax(FIVE, temperature=temperature)
        bits = softmax.entropy(p, base=2)
        rows.append({
            "temperature": temperature,
            "largest": f"{max(p):.1%}",
            "entropy": f"{bits:.2f} bit",
            "choices": f"{2**bits:.2f}",
            "kept": str(len(sampling.top_p(p, p=0.9))),
            "pos_largest": round(100 * max(p), 2),
            "pos_entropy": round(100 * bits / math.log2(len(FIVE)), 2),
        })  # fmt: skip
    one = softmax.softmax(FIVE)
    level = softmax.entropy(one, base=2)
    at = [dict.fromkeys(TEXT, label) for label in (f"T = 1: {max(one):.1%}", f"T = 1: {level:.2f} bit")]
    marks = {
        "pos_largest": {"left": round(100 * max(one), 2), "at": at[0]},
        "pos_entropy": {"left": round(100 * level / math.log2(len(FIVE)), 2), "at": at[1]},
    }
    return {"rows": rows, "marks": marks}


DRAWINGS = {"online_merge": draw_merge, "saturation": draw_spread}
EXPLORERS = {"temperature": explore_temperature}
