"""Marks within a line: figures, terms, and chips for measurements that exist or do not exist yet."""

import re
import xml.etree.ElementTree as etree
from collections.abc import Callable

from markdown import Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString

from .. import figures, names
from .context import PageContext, glossary

TERM = r"\[([^\[\]\n]+)\]\{~([a-z0-9-]+)\}"
NOT_MEASURED = r"\{\?([a-z0-9_]+)\}"
MEASURED = r"\{@([a-z0-9_]+)\}"


def control(tag: str, kind: str, text: str, **data: str) -> etree.Element:
    """An element that opens a popover; the site's script reads its data attributes."""
    attributes = {
        "class": f"ir-{kind}", "role": "button", "tabindex": "0", "aria-haspopup": "dialog", "aria-expanded": "false",
    }  # fmt: skip
    element = etree.Element(tag, attributes | {f"data-{k}": v for k, v in data.items()})
    element.text = AtomicString(text)
    return element


def figure(page: PageContext, m: re.Match[str]) -> etree.Element:
    expression, value = page.figure(m[1], m[2])
    try:
        unit, ref = figures.parse(m[1]).unit, names.reference(expression)
    except (figures.Mismatch, SyntaxError):  # reported already
        unit = ref = ""
    element = control("data", "figure", m[1], expr=expression, exact=value, unit=unit, ref=ref)
    element.set("value", value.replace(",", ""))
    return element


def term(page: PageContext, m: re.Match[str]) -> etree.Element:
    entry = glossary(page.root).get(m[2])
    if entry is None:
        page.problem(f"no term {m[2]!r} in the glossary", page.line_of(m[0]))
        entry = {"en": "", "zh": "", "def_en": "", "def_zh": ""}
    other = "zh" if page.lang == "en" else "en"
    page.count["terms"] += 1
    return control("span", "term", m[1], term=m[2], definition=entry[f"def_{page.lang}"], other=entry[other])


def not_measured(page: PageContext, m: re.Match[str]) -> etree.Element:
    planned = page.scope["records"].planned(m[1])
    if planned is None:
        page.problem(f"no planned measurement {m[1]!r} in infra_ref/records/planned.toml", page.line_of(m[0]))
        planned = {"needs": "", "command": ""}
    page.count["open"] += 1
    return control("span", "open", page.text["open"], needs=planned["needs"], command=planned["command"])


def measured(page: PageContext, m: re.Match[str]) -> etree.Element:
    try:
        record = page.scope["records"].get(m[1])
    except ValueError as error:
        page.problem(str(error), page.line_of(m[0]))
        return etree.Element("span")
    page.count["records"] += 1
    label = f"{page.text['measured']} · {record.device} · {record.date}"
    versions = " · ".join(f"{name} {version}" for name, version in record.versions.items())
    return control(
        "span", "measured", label, what=record.what, device=record.device, threads=str(record.threads),
        versions=versions, runs=str(record.runs), when=record.date, record=m[1], command=record.command,
    )  # fmt: skip


class Pattern(InlineProcessor):
    """An inline pattern whose element is built from the match and the page."""

    def __init__(
        self,
        pattern: str,
        md: Markdown,
        page: PageContext,
        build: Callable[[PageContext, re.Match[str]], etree.Element],
    ) -> None:
        super().__init__(pattern, md)
        self.page, self.build = page, build

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element, int, int]:  # type: ignore[override]
        return self.build(self.page, m), m.start(0), m.end(0)


def register(md: Markdown, page: PageContext) -> None:
    """After code, math and escapes (180 and up), before links (170 and below)."""
    patterns = {
        "figure": (figures.FIGURE, figure), "term": (TERM, term),
        "not-measured": (NOT_MEASURED, not_measured), "measured": (MEASURED, measured),
    }  # fmt: skip
    for name, (pattern, build) in patterns.items():
        md.inlinePatterns.register(Pattern(pattern, md, page, build), f"ir-{name}", 175)
