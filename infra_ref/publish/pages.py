"""Pages as their authors wrote them: each file's skeleton with line numbers, parsed once for all checks."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from . import LANGUAGES, figures

FRONT = "front-matter"  # id of the section before a page's first heading

_FENCE = re.compile(r"\s*(?P<mark>`{3,}|~{3,})\s*(?P<info>.*?)\s*")
_LANGUAGE = re.compile(r"(?:\{[^}]*?\.)?([\w+#-]*)")
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_INCLUDE = re.compile(r'(?P<indent>\s*)(?P<escape>;?)-+8<-+\s+"(?P<target>[^"]*)"(?P<rest>.*)')
_OPEN = re.compile(r"(?P<mark>/{3,})\s*(?P<name>[a-z][\w-]*)\s*(?:\|\s*(?P<argument>.*?))?\s*")
_CLOSE = re.compile(r"(/{3,})\s*")
_HEADING = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)\s*(?P<attributes>\{:?\s*(?:[#.]|[\w-]+\s*=)[^{}]*\})?\s*")
_ITEM = re.compile(r"\s*(?P<mark>[-*+]|\d+\.|:)\s+(?P<text>.*)")
_ITEM_ID = re.compile(r"\{\s*#([\w-]+)\s*\}\s*$")
_DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_CELL_CODE = re.compile(r"`[^`]*`|\$[^$\n]*\$|\\\|")
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_FIGURE = re.compile(figures.FIGURE)
_TERM = re.compile(r"\[([^\[\]\n]+)\]\{~([^{}\n]+)\}")
_CHIP = re.compile(r"\{([?@])([^{}\n]+)\}")
_LINK = re.compile(
    r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\](?:\{[^{}]*\})?)*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\)"
)


@dataclass(frozen=True, order=True)
class Problem:
    """What is wrong, and where: `docs/zh/lectures/…/gemm.md:57: …`."""

    page: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Heading:
    line: int
    level: int
    id: str
    text: str
    attributes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Include:
    """A `--8<-- "path:section"` line; `tail` is whatever follows the closing quotation mark."""

    line: int
    path: str
    section: str
    tail: str
    fenced: bool


@dataclass(frozen=True)
class Fence:
    line: int
    mark: str
    info: str
    language: str
    attributes: dict[str, str]
    body: tuple[str, ...]
    end: int

    @property
    def title(self) -> str:
        return self.attributes.get("title", "")


@dataclass(frozen=True)
class Figure:
    line: int
    literal: str
    expression: str


@dataclass(frozen=True)
class Term:
    line: int
    text: str
    id: str


@dataclass(frozen=True)
class Chip:
    """`{?name}` (kind "?", not measured yet) or `{@name}` (kind "@", measured)."""

    line: int
    kind: str
    name: str


@dataclass(frozen=True)
class Formula:
    """A display formula; `kind` is check, test or cite, or empty where the tag is missing."""

    line: int
    kind: str
    how: str
    where: str
    latex: str


@dataclass(frozen=True)
class Block:
    """`/// name | argument`, its options, and the lines from its opening to its closing mark."""

    line: int
    name: str
    argument: str
    options: dict[str, Any]
    end: int


@dataclass(frozen=True)
class Link:
    line: int
    text: str
    target: str
    image: bool


@dataclass(frozen=True)
class Table:
    """`columns` holds the number of cells of each row, heading row first."""

    line: int
    columns: tuple[int, ...]


@dataclass(frozen=True)
class Item:
    """A list item or, with mark ":", a definition."""

    line: int
    mark: str
    text: str
    id: str


@dataclass(frozen=True)
class Paragraph:
    line: int
    text: str


@dataclass(frozen=True)
class Prose:
    """One line of text that readers see; kind: heading, paragraph, list, table, caption, argument, option, meta."""

    line: int
    kind: str
    text: str


@dataclass
class Skeleton:
    """Everything the checks read of one page, in source order."""

    headings: list[Heading] = field(default_factory=list)
    fences: list[Fence] = field(default_factory=list)
    includes: list[Include] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    terms: list[Term] = field(default_factory=list)
    chips: list[Chip] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    prose: list[Prose] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)


def without_code(text: str) -> str:
    """The line with its code spans blanked, every other character in place."""
    return _CODE.sub(lambda m: " " * len(m[0]), text)


def parse_attributes(text: str) -> dict[str, str]:
    return {m[1]: m[2] if m[2] is not None else m[3] for m in _ATTRIBUTE.finditer(text)}


class _Reader:
    """One pass over the lines of a page."""

    def __init__(self, lines: list[str], offset: int) -> None:
        self.lines, self.offset = lines, offset
        self.found = Skeleton()
        self.at = offset
        self.paragraph: list[tuple[int, str]] = []
        self.in_list = False
        self.open: list[tuple[str, Block]] = []

    def read(self) -> Skeleton:
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.indented(line)
            if (m := _FENCE.fullmatch(line)) and not ("`" in m["mark"] and "`" in m["info"]):
                self.end_paragraph()
                self.fence(m["mark"], m["info"])
            elif m := _OPEN.fullmatch(line):
                self.end_paragraph()
                self.open_block(m)
            elif m := _CLOSE.fullmatch(line):
                self.end_paragraph()
                self.close_block(m[1])
            else:
                self.text(self.uncomment())
            self.at += 1
        self.end_paragraph()
        for _, block in self.open:
            self.found.faults.append((block.line, f"block {block.name} is never closed"))
        self.found.blocks.sort(key=lambda b: b.line)
        return self.found

    @property
    def number(self) -> int:
        return self.at + 1

    def indented(self, line: str) -> None:
        """Markdown takes a line indented by four spaces for code, by eight within a list; no runner would see it."""
        if not line.strip():
            return
        depth = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if depth >= (8 if self.in_list else 4) and not self.paragraph:
            self.found.faults.append((self.number, f"a line indented by {depth} spaces is code to Markdown"))
        self.in_list = bool(_ITEM.fullmatch(line)) or (self.in_list and depth >= 2)

    def uncomment(self) -> str:
        """The line without HTML comments; one that spans lines is consumed whole."""
        line, start = self.lines[self.at], self.number
        while (begin := without_code(line).find("<!--")) >= 0:
            while "-->" not in line[begin:] and self.at + 1 < len(self.lines):
                self.at += 1
                line += "\n" + self.lines[self.at]
            end = line.find("-->", begin)
            if end < 0:
                self.found.faults.append((start, "comment is never closed"))
                end = len(line)
            self.found.comments.append((start, line[begin + 4 : end].strip()))
            line = line[:begin] + line[end + 3 :]
        return line

    def fence(self, mark: str, info: str) -> None:
        start = self.number
        close = re.compile(rf"\s*{re.escape(mark[0])}{{{len(mark)},}}\s*")
        body: list[str] = []
        while True:
            self.at += 1
            if self.at >= len(self.lines):
                self.found.faults.append((start, "code fence is never closed"))
                break
            if close.fullmatch(self.lines[self.at]):
                break
            body.append(self.lines[self.at])
        language = _LANGUAGE.match(info)
        attributes = parse_attributes(info)
        fence = Fence(start, mark, info, language[1] if language else "", attributes, tuple(body), self.number)
        self.found.fences.append(fence)
        for n, line in enumerate(body, start + 1):
            self.include(n, line, fenced=True)
        if fence.language == "math":
            kind = next((k for k in ("check", "test", "cite") if k in attributes), "")
            latex = "\n".join(body).strip()
            self.found.formulas.append(
                Formula(start, kind, attributes.get(kind, ""), attributes.get("where", ""), latex)
            )

    def include(self, number: int, line: str, fenced: bool) -> bool:
        m = _INCLUDE.fullmatch(line)
        if not m or m["escape"]:
            return False
        path, _, section = m["target"].partition(":")
        self.found.includes.append(Include(number, path, section, m["rest"], fenced))
        return True

    def open_block(self, m: re.Match[str]) -> None:
        start, text = self.number, []
        while self.at + 1 < len(self.lines) and self.lines[self.at + 1].startswith("    "):
            self.at += 1
            text.append(self.lines[self.at])
        try:
            options = yaml.safe_load("\n".join(text)) or {}
            if not isinstance(options, dict):
                raise yaml.YAMLError("not a mapping")
        except yaml.YAMLError as error:
            options = {}
            self.found.faults.append((start, f"options of block {m['name']} cannot be read: {error}"))
        argument = m["argument"] or ""
        self.open.append((m["mark"], Block(start, m["name"], argument, options, start)))
        if argument and m["name"] not in ("chart", "explore", "api"):
            self.prose(start, "argument", argument)
        for n, line in enumerate(text, start + 1):
            shown, mark, comment = line.partition(" # literal:")
            if mark:
                self.found.comments.append((n, "literal:" + comment))
            self.prose(n, "option", shown)

    def close_block(self, mark: str) -> None:
        if not self.open or self.open[-1][0] != mark:
            self.found.faults.append((self.number, f"{mark} closes no block"))
            return
        block = self.open.pop()[1]
        self.found.blocks.append(Block(block.line, block.name, block.argument, block.options, self.number))

    def text(self, line: str) -> None:
        if not line.strip() or self.include(self.number, line, fenced=False):
            self.end_paragraph()
        elif m := _HEADING.fullmatch(line):
            self.end_paragraph()
            self.heading(m)
        elif self.is_table():
            self.end_paragraph()
            self.table(line)
        elif m := _ITEM.fullmatch(line):
            self.end_paragraph()
            key = _ITEM_ID.search(m["text"])
            text = _ITEM_ID.sub("", m["text"]).strip()
            self.found.items.append(Item(self.number, m["mark"], text, key[1] if key else ""))
            self.prose(self.number, "list", text)
        else:
            self.paragraph.append((self.number, line.strip()))
            in_caption = any(block.name in ("chart", "explore") for _, block in self.open)
            self.prose(self.number, "caption" if in_caption else "paragraph", line)

    def end_paragraph(self) -> None:
        if self.paragraph:
            text = "\n".join(line for _, line in self.paragraph)
            self.found.paragraphs.append(Paragraph(self.paragraph[0][0], text))
            self.paragraph = []

    def heading(self, m: re.Match[str]) -> None:
        raw = (m["attributes"] or "").strip("{}: ")
        key = re.search(r"#([^\s{}]+)", raw)
        attributes = tuple(sorted(parse_attributes(raw).items()))
        self.found.headings.append(Heading(self.number, len(m["marks"]), key[1] if key else "", m["text"], attributes))
        self.prose(self.number, "heading", m["text"])

    def is_table(self) -> bool:
        return (
            "|" in self.lines[self.at]
            and self.at + 1 < len(self.lines)
            and "|" in self.lines[self.at + 1]
            and bool(_DELIMITER.fullmatch(self.lines[self.at + 1]))
        )

    def table(self, heading: str) -> None:
        start, columns = self.number, [cells(heading)]
        self.prose(start, "table", heading)
        self.at += 1
        while self.at + 1 < len(self.lines) and "|" in self.lines[self.at + 1]:
            if _OPEN.fullmatch(self.lines[self.at + 1]):
                break
            self.at += 1
            row = self.uncomment()
            columns.append(cells(row))
            self.prose(self.number, "table", row)
        self.found.tables.append(Table(start, tuple(columns)))

    def prose(self, number: int, kind: str, line: str) -> None:
        self.found.prose.append(Prose(number, kind, line))
        if any(re.search(r"\]\{[=~]", m[2]) for m in _CODE.finditer(line)):
            self.found.faults.append((number, "a figure or a term in a code span is neither shown nor checked"))
        text = without_code(line)
        self.found.figures += [Figure(number, m[1], m[2].strip()) for m in _FIGURE.finditer(text)]
        self.found.terms += [Term(number, m[1], m[2]) for m in _TERM.finditer(text)]
        self.found.chips += [Chip(number, m[1], m[2]) for m in _CHIP.finditer(text)]
        self.found.links += [Link(number, m["text"], m["target"], bool(m["image"])) for m in _LINK.finditer(text)]


def cells(row: str) -> int:
    """Number of cells of a table row; a bar in code, in a formula or after a backslash separates nothing."""
    return _CELL_CODE.sub(lambda m: "x" * len(m[0]), row).strip().strip("|").count("|") + 1


def reader_text(text: str) -> str:
    """A line as readers see it, without what is checked elsewhere: figures, chips, link targets, attributes, tags.

    Figures leave a gap, so that a unit behind one does not attach itself to another number.
    """
    text = _FIGURE.sub(" ▢ ", text)
    text = _TERM.sub(r"\1", text)
    text = _CHIP.sub(" ", text)
    text = _LINK.sub(lambda m: m["text"], text)
    text = re.sub(r"<https?://[^>]*>", " ", text)
    text = re.sub(r"</?[a-zA-Z][^<>]*>", " ", text)
    return re.sub(r"\{:?\s*(?:[#.][\w-]|[\w-]+=\")[^{}]*\}", " ", text)


class Page:
    """One Markdown file of the site.

    `rel` is its path below docs/<lang>, the same in both languages; `slug` and `name` are its lecture and its page
    in it (empty outside lectures and labs); `offset` counts the lines of its front matter.
    """

    def __init__(self, root: Path, path: Path, text: str) -> None:
        self.root, self.path, self.text = root, path, text
        parts = path.relative_to(root / "docs").parts
        self.lang, self.rel = parts[0], "/".join(parts[1:])
        self.where = path.relative_to(root).as_posix()
        in_lecture = len(parts) == 4 and parts[1] in ("lectures", "labs")
        self.slug, self.name = (parts[2], path.stem) if in_lecture else ("", "")
        self.lines = text.split("\n")
        self.offset = self._front_matter()

    def __repr__(self) -> str:
        return f"Page({self.where})"

    @property
    def is_lecture(self) -> bool:
        return bool(self.slug) and self.rel.startswith("lectures/")

    def _front_matter(self) -> int:
        if self.lines[0].rstrip() != "---":
            return 0
        end = next((n for n, line in enumerate(self.lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
        return end + 1 if end else 0

    @functools.cached_property
    def skeleton(self) -> Skeleton:
        found = _Reader(self.lines, self.offset).read()
        meta = []
        for n, line in enumerate(self.lines[: self.offset], 1):
            if m := re.match(r"(?:title|description)\s*:\s*(.*)", line):
                meta.append(Prose(n, "meta", m[1]))
        found.prose = meta + found.prose
        return found

    @functools.cached_property
    def expanded(self) -> str:
        """The Markdown body (front matter removed) with its includes replaced, by the site's own preprocessor."""
        from .execute import expand

        return "\n".join(line.text for line in expand(self.path, self.root))

    def sections(self) -> dict[str, tuple[int, str]]:
        """First line and source text of each section, by heading id: from a heading to the next one, of any level."""
        headings = self.skeleton.headings
        bounds = [0, *(h.line - 1 for h in headings), len(self.lines)]
        keys = [FRONT, *(h.id for h in headings)]
        return {
            key: (start + 1, "\n".join(self.lines[start:end]))
            for key, start, end in zip(keys, bounds[:-1], bounds[1:], strict=True)
        }

    def problem(self, line: int, message: str) -> Problem:
        return Problem(self.where, line, message)


@functools.lru_cache(maxsize=1024)
def _load(root: Path, path: Path, changed: int, size: int) -> Page:
    return Page(root, path, path.read_text(encoding="utf-8"))


def load(root: Path, slug: str = "") -> list[Page]:
    """The pages below docs/en and docs/zh, or those of one lecture; each is parsed once while its file stays."""
    found = []
    for lang in LANGUAGES:
        for path in sorted((root / "docs" / lang).rglob("*.md")):
            status = path.stat()
            page = _load(root, path, status.st_mtime_ns, status.st_size)
            if not slug or slug in (page.slug, page.rel.removesuffix(".md")):
                found.append(page)
    return found


def pairs(root: Path, slug: str = "") -> Iterator[tuple[str, dict[str, Page]]]:
    """Each page's path with its languages; one of them is missing where the page was not translated."""
    both: dict[str, dict[str, Page]] = {}
    for page in load(root, slug):
        both.setdefault(page.rel, {})[page.lang] = page
    yield from sorted(both.items())
