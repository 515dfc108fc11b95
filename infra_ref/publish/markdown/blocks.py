"""Blocks of a lecture, written `/// name | argument … ///`."""

import html
import json
import xml.etree.ElementTree as etree
from typing import Any, ClassVar

from markdown import Markdown
from markdown.util import AtomicString
from pymdownx.blocks import BlocksExtension
from pymdownx.blocks.block import Block, type_any, type_integer, type_string

from .. import svg
from . import katex
from .context import PageContext


def stash(md: Markdown, text: str) -> AtomicString:
    """Finished HTML that Markdown must leave alone."""
    return AtomicString(md.htmlStash.store(text))


class CourseBlock(Block):  # type: ignore[misc]
    """A `<div>` whose class is the block's name."""

    @property
    def page(self) -> PageContext:
        context: PageContext = self.md.infra_ref
        return context

    def on_create(self, parent: etree.Element) -> etree.Element:
        return etree.SubElement(parent, "div", {"class": f"ir-{self.NAME}"})


class Outcomes(CourseBlock):
    NAME = "outcomes"


class Questions(CourseBlock):
    NAME = "questions"


class Stack(CourseBlock):
    """A table of prose: on a phone each row becomes a card, labelled by its header cells."""

    NAME = "stack"


class Selfcheck(CourseBlock):
    NAME = "selfcheck"


class Mistakes(CourseBlock):
    NAME = "mistakes"

    def on_create(self, parent: etree.Element) -> etree.Element:
        return etree.SubElement(parent, "div", {"class": "ir-mistakes ir-stack"})


class Predict(CourseBlock):
    """A question with choices; the derivation opens once the reader has chosen."""

    NAME = "predict"
    ARGUMENT = True
    OPTIONS: ClassVar[dict[str, Any]] = {"options": ([], type_any), "answer": (0, type_integer)}

    def on_create(self, parent: etree.Element) -> etree.Element:
        text, choices, answer = self.page.text, self.options["options"], self.options["answer"]
        if not 1 <= answer <= len(choices) or not 2 <= len(choices) <= 4:
            line = self.page.line_of(self.argument)
            self.page.problem(f"predict needs two to four options and the number of one: {self.argument}", line)
        box = etree.SubElement(parent, "div", {"class": "ir-predict", "data-answer": str(answer)})
        question = etree.SubElement(box, "p", {"class": "ir-predict__q"})
        etree.SubElement(question, "strong", {"class": "ir-tag"}).text = text["predict"]
        etree.SubElement(question, "span").text = self.argument
        group = etree.SubElement(
            box, "div", {"class": "ir-predict__options", "role": "group", "aria-label": text["predict"]}
        )
        for i, choice in enumerate(choices, 1):
            etree.SubElement(group, "button", {"type": "button", "data-i": str(i), "aria-pressed": "false"}).text = str(
                choice
            )
        self.body = etree.SubElement(box, "details", {"class": "ir-predict__answer"})
        etree.SubElement(self.body, "summary").text = text["reveal"]
        return box

    def on_add(self, block: etree.Element) -> etree.Element:
        return self.body


class Solution(CourseBlock):
    NAME = "solution"

    def on_create(self, parent: etree.Element) -> etree.Element:
        box = etree.SubElement(parent, "details", {"class": "ir-solution"})
        etree.SubElement(box, "summary").text = self.page.text["solution"]
        return box


class Pictured(CourseBlock):
    """A figure element whose block content is its caption."""

    ARGUMENT = True

    def on_create(self, parent: etree.Element) -> etree.Element:
        box = etree.SubElement(parent, "figure", {"class": f"ir-{self.NAME}"})
        art = etree.SubElement(box, "div", {"class": f"ir-{self.NAME}__art", "data-search-exclude": ""})
        try:
            art.text = stash(self.md, self.art())
        except FileNotFoundError as error:
            self.page.problem(f"no file {error.filename}", self.page.line_of(self.argument))
        self.caption = etree.SubElement(box, "figcaption")
        return box

    def art(self) -> str:
        raise NotImplementedError

    def on_add(self, block: etree.Element) -> etree.Element:
        return self.caption


class Chart(Pictured):
    """A drawing in the page's language, in both widths; the style sheet shows the one that fits."""

    NAME = "chart"

    def art(self) -> str:
        files = {w: self.page.root / f"{self.argument}.{self.page.lang}.{w}.svg" for w in svg.WIDTHS}
        return "".join(svg.inline(path.read_text(encoding="utf-8"), width) for width, path in files.items())


class Explore(Pictured):
    """A slider over rows that Python computed: the browser selects, it never calculates."""

    NAME = "explore"
    OPTIONS: ClassVar[dict[str, Any]] = {
        "label": ("", type_string), "key": ("", type_string), "start": (0, type_integer),
        "read": ({}, type_any), "meters": ({}, type_any),
    }  # fmt: skip

    def art(self) -> str:
        data = json.loads((self.page.root / self.argument).read_text(encoding="utf-8"))
        o, esc = self.options, html.escape
        rows: list[dict[str, Any]] = [
            {k: v[self.page.lang] if isinstance(v, dict) else v for k, v in row.items()} for row in data["rows"]
        ]
        start = rows[o["start"]]
        label = esc(o["label"])
        slider = (
            f"<label><span>{label} = <output>{esc(str(start[o['key']]))}</output></span>"
            f'<input type="range" min="0" max="{len(rows) - 1}" step="1" value="{o["start"]}" data-key="{o["key"]}">'
            "</label>"
        )
        reads = "".join(
            f'<div><dt>{esc(name)}</dt><dd data-k="{key}">{esc(str(start[key]))}</dd></div>'
            for key, name in o["read"].items()
        )
        meters = ""
        for key, (name, kind) in o["meters"].items():
            mark = data["marks"][key]
            at = f'style="left:{mark["left"]}%"'
            meters += (
                f'<div class="ir-meter {kind}"><span>{esc(name)}</span>'
                f'<div><i data-w="{key}" style="width:{start[key]}%"></i><b {at}></b></div>'
                f"<em {at}>{esc(mark['at'][self.page.lang])}</em></div>"
            )
        return (
            f'<div class="ir-explore__panel" data-rows="{esc(json.dumps(rows, ensure_ascii=False), quote=True)}">'
            f"{slider}<dl>{reads}</dl>{meters}</div>"
        )


class Generated(CourseBlock):
    """A part of a reference page that is written by the program, not by an author."""

    def on_create(self, parent: etree.Element) -> etree.Element:
        box = etree.SubElement(parent, "div", {"class": f"ir-{self.NAME}"})
        box.text = stash(self.md, self.content())
        return box

    def content(self) -> str:
        raise NotImplementedError


class CourseMap(Generated):
    NAME = "coursemap"

    def on_create(self, parent: etree.Element) -> etree.Element:
        box = super().on_create(parent)
        box.set("class", "ir-map")
        return box

    def content(self) -> str:
        from .. import coursemap

        return coursemap.page(self.page.lang)


class Report(Generated):
    """The verification report of this build."""

    NAME = "report"

    def content(self) -> str:
        from .. import verification

        return verification.render(self.page.lang)


class GlossaryList(Generated):
    NAME = "glossary"

    def content(self) -> str:
        from .. import reference

        return reference.glossary(self.page.lang)


class Api(CourseBlock):
    """Signatures and docstrings of a module's public names: `/// api | gemm`."""

    NAME = "api"
    ARGUMENT = True

    def on_create(self, parent: etree.Element) -> etree.Element:
        from .. import reference

        box = etree.SubElement(parent, "div", {"class": "ir-api", "lang": "en"})
        try:
            self.md.parser.parseBlocks(box, reference.api(self.argument, self.formula))
        except KeyError:
            self.page.problem(f"no module {self.argument!r} for pages", self.page.line_of(self.argument))
        return box

    def formula(self, tex: str) -> str:
        try:
            body = katex.render(tex, True)
        except katex.FormulaError as error:
            self.page.problem(f"{self.argument}: {tex!r}: {error}")
            return ""
        return stash(self.md, f'<div class="ir-math" data-search-exclude><div class="ir-math__body">{body}</div></div>')


class CourseBlocks(BlocksExtension):  # type: ignore[misc]
    """Registers every block of the course."""

    def extendMarkdownBlocks(self, md: Markdown, block_mgr: Any) -> None:
        for block in (
            Outcomes, Questions, Stack, Selfcheck, Mistakes, Predict, Solution, Chart, Explore, CourseMap, Report,
            GlossaryList, Api,
        ):  # fmt: skip
            block_mgr.register(block, self.getConfigs())
