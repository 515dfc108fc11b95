"""Pictures as small SVG whose colours are names: one script, two languages, two widths, both colour schemes.

A drawing is written at 1:1 for each column width and never scaled down, so 12.5 px text stays 12.5 px on a phone.
Classes carry meaning (`compute`, `memory`, `comm`); the site's style sheet gives them colour. The `<style>` in the
file serves only the file opened on its own, and a page that inlines the drawing drops it.
"""

import math
import re
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

WIDTHS = {"wide": 688, "narrow": 342}
FONT_SIZE = 12.5

STYLE = """<style>
svg{--ir-ink:#1c2126;--ir-ink-2:#4d555e;--ir-ink-3:#626a73;--ir-line:#dcdfda;--ir-bg:#fff;--ir-bg-2:#f5f6f4;
--ir-compute:#b5450b;--ir-memory:#1a5fb4;--ir-comm:#7c1558;background:var(--ir-bg);
font:12.5px system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}
@media(prefers-color-scheme:dark){svg{--ir-ink:#e3e6e9;--ir-ink-2:#b0b8c0;--ir-ink-3:#949da6;--ir-line:#363d45;
--ir-bg:#15181c;--ir-bg-2:#1f242a;--ir-compute:#ff9a62;--ir-memory:#7cb4ff;--ir-comm:#ea7bb0}}
text{fill:var(--ir-ink-2)}.strong{font-weight:600;fill:var(--ir-ink)}.small{font-size:11px}
.grid{stroke:var(--ir-line)}.axis{stroke:var(--ir-ink-3)}.box{fill:var(--ir-bg-2);stroke:var(--ir-ink-3)}
.compute{--c:var(--ir-compute)}.memory{--c:var(--ir-memory)}.comm{--c:var(--ir-comm)}.ink{--c:var(--ir-ink-2)}
.line{fill:none;stroke:var(--c);stroke-width:2}.memory.line{stroke-dasharray:9 4}.comm.line{stroke-dasharray:2.5 4}
.tint{fill:var(--c);fill-opacity:.1}.solid{fill:var(--c);fill-opacity:.85}.edge{fill:none;stroke:var(--c)}
.derived{fill:var(--ir-bg);stroke:var(--c);stroke-width:2}.measured{fill:var(--c)}
text.compute,text.memory,text.comm{fill:var(--c);font-weight:600}
.halo{paint-order:stroke;stroke:var(--ir-bg);stroke-width:4px;stroke-linejoin:round}
</style>"""


def num(x: float) -> str:
    """A coordinate with at most one decimal, so that equal drawings are equal bytes."""
    text = f"{x:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """An upper bound for any system font: one em for a CJK character, 0.66 em for any other."""
    return sum(1.0 if ord(c) > 0x2E80 else 0.66 for c in text) * size


class Canvas:
    """An SVG under construction; coordinates in pixels, y downwards.

    Args:
        label: one sentence that says what the picture shows, for readers who cannot see it.
        lang: language of the label and of every text.
    """

    def __init__(self, width: float, height: float, label: str, lang: str) -> None:
        self.width, self.height, self.label, self.lang = width, height, label, lang
        self.items: list[str] = []

    def add(self, tag: str, body: str | None = None, cls: str | None = None, **attributes: float | str) -> None:
        """Append an element; underscores in attribute names become hyphens."""
        text = f' class="{cls}"' if cls else ""
        for key, value in attributes.items():
            shown = num(value) if isinstance(value, (int, float)) else escape(value)
            text += f' {key.replace("_", "-")}="{shown}"'
        self.items.append(f"<{tag}{text}/>" if body is None else f"<{tag}{text}>{body}</{tag}>")

    def text(
        self, x: float, y: float, text: str, cls: str | None = None, anchor: str = "start", rotate: float | None = None
    ) -> None:
        """One line of text with its baseline at y."""
        extra: dict[str, float | str] = {}
        if rotate is not None:
            extra["transform"] = f"rotate({num(rotate)} {num(x)} {num(y)})"
        if anchor != "start":
            extra["text_anchor"] = anchor
        self.add("text", escape(text), cls, x=x, y=y, **extra)

    def lines(
        self, x: float, y: float, rows: Sequence[str], cls: str | None = None, anchor: str = "start", step: float = 17
    ) -> None:
        """Several lines of text, the first with its baseline at y."""
        for i, row in enumerate(rows):
            self.text(x, y + i * step, row, cls, anchor)

    def line(self, x1: float, y1: float, x2: float, y2: float, cls: str) -> None:
        self.add("path", cls=cls, d=f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}")

    def arrow(self, x1: float, y1: float, x2: float, y2: float, cls: str = "ink edge") -> None:
        """A line with a head at its second end."""
        angle = math.atan2(y2 - y1, x2 - x1)
        a, b = ((x2 - 7 * math.cos(angle + s), y2 - 7 * math.sin(angle + s)) for s in (0.45, -0.45))
        head = f"M{num(a[0])} {num(a[1])}L{num(x2)} {num(y2)}L{num(b[0])} {num(b[1])}"
        self.add("path", cls=cls, d=f"M{num(x1)} {num(y1)}L{num(x2)} {num(y2)}{head}")

    def rect(self, x: float, y: float, width: float, height: float, cls: str, r: float = 0) -> None:
        rounded: dict[str, float | str] = {"rx": r} if r else {}
        self.add("rect", None, cls, x=x, y=y, width=width, height=height, **rounded)

    def svg(self) -> str:
        """The whole file, ending in a newline."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ir-svg" lang="{self.lang}" '
            f'width="{num(self.width)}" height="{num(self.height)}" '
            f'viewBox="0 0 {num(self.width)} {num(self.height)}" role="img" aria-label="{escape(self.label)}">'
        )
        return "\n".join([head + STYLE, *self.items, "</svg>"]) + "\n"


def inline(svg: str, width: str) -> str:
    """The drawing as a page holds it: without its style sheet, marked as the `wide` or the `narrow` one."""
    bare = re.sub(r"<style>.*?</style>", "", svg, flags=re.S).replace("\n", "")
    return bare.replace('class="ir-svg"', f'class="ir-svg ir-svg--{width}"')


class Linear:
    """A linear scale from the data range [lo, hi] to the pixels [a, b]."""

    def __init__(self, lo: float, hi: float, a: float, b: float) -> None:
        self.lo, self.hi, self.a, self.b = lo, hi, a, b

    def __call__(self, value: float) -> float:
        return self.a + (value - self.lo) / (self.hi - self.lo) * (self.b - self.a)


class Log:
    """A logarithmic scale from the positive data range [lo, hi] to the pixels [a, b]."""

    def __init__(self, lo: float, hi: float, a: float, b: float) -> None:
        self.scale = Linear(math.log10(lo), math.log10(hi), a, b)

    def __call__(self, value: float) -> float:
        return self.scale(math.log10(value))


Draw = Callable[[str, int], Canvas]


def render(draw: Draw) -> dict[str, str]:
    """All files of one drawing: `{"en.wide": svg, "en.narrow": svg, "zh.wide": …}`."""
    return {f"{lang}.{name}": draw(lang, width).svg() for lang in ("en", "zh") for name, width in WIDTHS.items()}
