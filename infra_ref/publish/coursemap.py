"""The course map from `data/course.toml`: boxes and arrows where there is room, an ordered list on narrow screens.

What is planned is drawn as planned and leads nowhere: there is no page to lead to.
"""

import functools
import tomllib
from dataclasses import dataclass
from html import escape

from . import ROOT
from .svg import num

BOX_WIDTH, BOX_HEIGHT = 180, 62  # pixels
GAP_X, GAP_Y = 46, 24
HEAD = 34  # room for the names of the stages
TEXT = {
    "en": {
        "map": "Course map: arrows run from what is needed first to what follows", "planned": "planned",
        "needs": "Needs: ", "comma": ", ",
        "legend": "Solid boxes can be read now; dashed ones are planned and have no page yet. "
                  "An arrow runs from what is needed first.",
    },
    "zh": {
        "map": "课程地图：箭头从先修指向后续", "planned": "规划中", "needs": "先修：", "comma": "、",
        "legend": "实线框现在就能读；虚线框还在规划，没有页面。箭头从先修指向后续。",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Node:
    """A lecture or a lab: its place in the grid, what it needs first, its page if it can be read."""

    stage: int
    row: int
    needs: list[str]
    title: dict[str, str]
    label: dict[str, list[str]]
    page: str | None = None

    @property
    def left(self) -> int:
        return self.stage * (BOX_WIDTH + GAP_X)

    @property
    def top(self) -> int:
        return HEAD + self.row * (BOX_HEIGHT + GAP_Y)


@dataclass(frozen=True)
class Course:
    stages: list[dict[str, str]]
    nodes: dict[str, Node]


@functools.cache
def load() -> Course:
    """The course as `data/course.toml` states it, in the order of the file."""
    data = tomllib.loads((ROOT / "infra_ref/data/course.toml").read_text(encoding="utf-8"))
    return Course(data["stages"], {slug: Node(**node) for slug, node in data["nodes"].items()})


def edge(start: Node, end: Node) -> list[tuple[float, float]]:
    """Corner points of an arrow: along the row of its start to the last gap, then over to the row of its end."""
    y1, y2 = start.top + BOX_HEIGHT / 2, end.top + BOX_HEIGHT / 2
    return [(start.left + BOX_WIDTH, y1), (end.left - GAP_X, y1), (end.left - 3, y2)]


def arrow(start: Node, end: Node) -> str:
    (x1, y1), (x2, _), (x3, y2) = edge(start, end)
    middle = (x2 + x3) / 2
    curve = f"C{num(middle)} {num(y1)} {num(middle)} {num(y2)} {num(x3)} {num(y2)}"
    return f'<path class="ink edge" d="M{num(x1)} {num(y1)}H{num(x2)}{curve}m-6 -4l6 4l-6 4"/>'


def box(node: Node, lang: str, name: str, after: str, style: str = "") -> str:
    """A link where there is a page, plain text where there is none."""
    if node.page:
        return f'<a class="ir-node" href="{node.page}"{style}><span class="ir-node__name">{name}</span>{after}</a>'
    return f'<span class="ir-node ir-node--planned"{style}><span class="ir-node__name">{name}</span>{after}</span>'


def needs(node: Node, lang: str) -> str:
    """What is needed first, in words; empty where nothing is."""
    text = TEXT[lang]
    names = text["comma"].join(load().nodes[slug].title[lang] for slug in node.needs)
    return escape(text["needs"] + names) if names else ""


def drawing(lang: str) -> str:
    """Arrows are SVG and boxes are HTML: a theme that rewrites `a.href` breaks on an `<a>` within SVG."""
    course, text = load(), TEXT[lang]
    nodes = course.nodes.values()
    width = max(node.left for node in nodes) + BOX_WIDTH
    height = max(node.top for node in nodes) + BOX_HEIGHT
    arrows = "".join(arrow(course.nodes[need], node) for node in nodes for need in node.needs)
    parts = [
        f'<svg class="ir-svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" aria-hidden="true">'
        f"{arrows}</svg>"
    ]
    for number, stage in enumerate(course.stages):
        left = number * (BOX_WIDTH + GAP_X)
        parts.append(f'<span class="ir-map__stage" style="left:{left}px">{number} · {escape(stage[lang])}</span>')
    for node in nodes:
        size = f"left:{node.left}px;top:{node.top}px;width:{BOX_WIDTH}px;height:{BOX_HEIGHT}px"
        said = " · ".join(filter(None, ("" if node.page else text["planned"], needs(node, lang))))
        aside = f'<span class="ir-aside"> · {said}</span>' if said else ""
        parts.append(box(node, lang, "<br>".join(map(escape, node.label[lang])), aside, f' style="{size}"'))
    return (
        f'<div class="ir-map__wide" role="group" aria-label="{escape(text["map"])}" '
        f'style="width:{width}px;height:{height}px">{"".join(parts)}</div>'
    )


def listing(lang: str) -> str:
    """The same as a list: stages in order, each entry with what it needs."""
    course, text = load(), TEXT[lang]
    stages = []
    for number, stage in enumerate(course.stages):
        items = ""
        for node in course.nodes.values():
            if node.stage != number:
                continue
            small = f"<small>{said}</small>" if (said := needs(node, lang)) else ""
            after = "" if node.page else f"<small>{text['planned']}</small>"
            items += f"<li>{box(node, lang, escape(node.title[lang]) + small, after)}</li>"
        stages.append(f"<li><h3>{number} · {escape(stage[lang])}</h3><ul>{items}</ul></li>")
    return f'<ol class="ir-map__list" start="0">{"".join(stages)}</ol>'


def page(lang: str) -> str:
    """The map as HTML for the home page; links are relative to the root of the language's site."""
    return f'{drawing(lang)}{listing(lang)}<p class="ir-map__legend">{escape(TEXT[lang]["legend"])}</p>'
