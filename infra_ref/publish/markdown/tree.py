"""What is done once a whole page is parsed: check-lists, table labels, quiet figures, the page's own counts."""

import html
import re
import xml.etree.ElementTree as etree

from markdown import Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from .. import report, svg
from . import katex
from .blocks import stash
from .context import MARK, PageContext, mark_lines
from .formulas import TICK
from .text import TEXT

TITLE = re.compile(r'<span class="filename">([^<]+)</span>')
INLINE_MATH = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.S)
OUTPUT = re.compile(
    r'<div class="(?:language-text )?highlight"><span class="filename">'
    rf"({'|'.join(words['output'] for words in TEXT.values())})</span>"
)
ITEM_ID = re.compile(r"(.*?)\s*\{\s*#([\w-]+)\s*\}\s*", re.S)
NO_CONTROL = {"a", "button", "label", "summary", "h1", "h2", "h3", "h4", "h5", "h6"}


class Begin(Preprocessor):
    """Before snippets are included: learn which page this is and mark the lines of its figures."""

    def __init__(self, md: Markdown, page: PageContext) -> None:
        super().__init__(md)
        self.page = page

    def run(self, lines: list[str]) -> list[str]:
        self.page.start(lines)
        return mark_lines(lines, self.page.offset)


class Tree(Treeprocessor):
    """Works on the parsed page, after inline patterns."""

    def __init__(self, md: Markdown, page: PageContext) -> None:
        super().__init__(md)
        self.page = page

    def run(self, root: etree.Element) -> None:
        self.check_lists(root)
        self.label_cells(root)
        self.label_levels(root)
        silence(root, inside=False)
        self.count_snippets()
        if self.page.is_document:
            self.footer(root)

    def check_lists(self, root: etree.Element) -> None:
        """`{ #id }` at the end of an item becomes the id of a checkbox: attr_list does not read it there."""
        for box in root.iter("div"):
            if box.get("class") != "ir-selfcheck":
                continue
            for item in box.iter("li"):
                last, attribute = (item[-1], "tail") if len(item) else (item, "text")
                found = ITEM_ID.fullmatch(getattr(last, attribute) or "")
                if not found:
                    self.page.problem(f"self-check item without an id: {''.join(item.itertext())}")
                    continue
                setattr(last, attribute, found[1])
                label = etree.Element("label", {"for": found[2]})
                span = etree.SubElement(label, "span")
                span.text, item.text = item.text, None
                for child in list(item):
                    item.remove(child)
                    span.append(child)
                item.append(etree.Element("input", {"type": "checkbox", "id": found[2]}))
                item.append(label)

    def label_cells(self, root: etree.Element) -> None:
        """Each cell of a `stack` table learns its column's heading, which labels it on a phone."""
        stacks = (box for box in root.iter("div") if "ir-stack" in (box.get("class") or "").split())
        for table in (table for box in stacks for table in box.iter("table")):
            heads = ["".join(th.itertext()) for th in table.iter("th")]
            for head in heads:
                if "\\(" in head or "\x02" in head:  # a formula, or code kept aside
                    self.page.problem(f"a heading that labels cells must be plain text: {head}")
            table.set("style", f"--w:{max((svg.text_width(head, 1) for head in heads), default=0):.1f}em")
            for row in table.iter("tr"):
                for head, cell in zip(heads, row.findall("td"), strict=False):
                    cell.set("data-label", head)

    def label_levels(self, root: etree.Element) -> None:
        for heading in root.iter("h3"):
            if level := heading.get("data-level"):
                heading.set("data-level-name", self.page.text["level"].format(level))

    def count_snippets(self) -> None:
        stashed = "".join(x for x in self.md.htmlStash.rawHtmlBlocks if isinstance(x, str))
        self.page.snippets = [path for path in TITLE.findall(stashed) if path.endswith((".py", ".sh"))]

    def footer(self, root: etree.Element) -> None:
        """The page's own counts, as its last element."""
        page, text, count = self.page, self.page.text, self.page.count
        if not (count["figures"] or page.snippets):
            return
        join = text["separator"].join
        verified = report.load()
        executed = sum(report.entry_for(path) is not None for path in page.snippets)
        cells = [
            (text["snippets"], f"{executed} {text['executed']}" if executed else ""),
            (text["figures"], f"{count['figures']} {text['computed']}" if count["figures"] else ""),
            (text["formulas"], join(
                f"{count['formula_' + kind]} {text['by_' + kind]}"
                for kind in ("check", "test", "cite") if count["formula_" + kind]
            )),
            (text["records"], join(
                f"{count[kind]} {text[word]}"
                for kind, word in (("records", "record"), ("open", "not_yet")) if count[kind]
            )),
        ]  # fmt: skip
        body = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in cells if value)
        where = f"{verified.where} · {verified.date}" if verified else text["unverified"]
        aside = etree.SubElement(
            root, "aside", {"class": "ir-verified", "data-search-exclude": "", "aria-label": text["page"]}
        )
        aside.text = stash(
            self.md,
            f"<p>{TICK if verified else ''}<strong>{text['page']}</strong><span>{where}</span></p><dl>{body}</dl>",
        )


def silence(element: etree.Element, inside: bool) -> None:
    """No control within a link, a button, a label or a heading: the figure stays marked, the control goes."""
    inside = inside or element.tag in NO_CONTROL
    for child in element:
        if inside and child.get("class") in ("ir-figure", "ir-term"):
            for name in ("role", "tabindex", "aria-expanded", "aria-haspopup"):
                child.attrib.pop(name, None)
        silence(child, inside)


class Finish(Postprocessor):
    """The last text pass: inline formulas, titles of code blocks, line marks."""

    def __init__(self, md: Markdown, page: PageContext) -> None:
        super().__init__(md)
        self.page = page

    def run(self, text: str) -> str:
        text = INLINE_MATH.sub(self.inline_math, text)
        text = TITLE.sub(self.title, text)
        text = OUTPUT.sub(r'<div class="highlight ir-output"><span class="filename">\1</span>', text)
        return MARK.sub("", text)

    def inline_math(self, m: re.Match[str]) -> str:
        tex = html.unescape(m[1]).strip()
        try:
            return f'<span class="ir-im" data-search-exclude>{katex.render(tex, False)}</span>'
        except katex.FormulaError as error:
            self.page.problem(f"${tex}$: {error}", self.page.line_of(tex))
            return m[0]

    def title(self, m: re.Match[str]) -> str:
        """A snippet's path, with the mark of its last run where the report vouches for this very text."""
        folder, slash, name = m[1].rpartition("/")
        if not slash:
            return m[0]
        file = f'<span class="ir-file"><span class="ir-dir">{folder}/</span>{name}</span>'
        entry = report.entry_for(m[1])
        ran = ""
        if entry is not None:
            ran = (
                f'<span class="ir-ran" data-search-exclude>{TICK}{self.page.text["ran"]}'
                f'<span class="ir-ran__on"> · {entry.where}</span></span>'
            )
        return f'<span class="filename">{file}{ran}</span>'
