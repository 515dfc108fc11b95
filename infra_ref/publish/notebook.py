"""A page as a Jupyter notebook: prose as plain Markdown, snippets as code cells, their recorded outputs below them.

Notebooks are generated while the site is built and never written by hand, so none can drift from its page. Equal pages
give equal bytes: a cell's id is its section's id and its number in it, and nothing bears a date.
"""

import base64
import functools
import html
import json
import posixpath
import re
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from markdown import Markdown
from mkdocs.config import load_config

from . import built, figures, names
from .markdown import inline
from .markdown.text import TEXT
from .pages import FRONT, Block, Fence, Heading, Page

Cell = dict[str, Any]
Notebook = dict[str, Any]

WORDS = {
    "en": {
        "about": "The notebook of [{title}]({url}), a page of InfraRef: the same text, code and recorded outputs. "
        "Run the cells from top to bottom. They need Python 3.11.5 or newer and the package `infra_ref`: "
        "`pip install -e .` in {checkout}. {licence}.",
        "checkout": "a checkout of the course", "licence": "Text CC BY 4.0 · Code Apache-2.0",
        "reveal": "Answer and derivation", "answer": "Answer", "continued": "{}, continued",
        "colon": ": ", "brackets": " ({})", "slider": "On the page a slider shows one of these rows at a time.",
    },
    "zh": {
        "about": "这是 InfraRef 页面[《{title}》]({url})的 notebook，文字、代码与记录的输出都与页面相同。"
        "从上到下逐格运行。需要 Python 3.11.5 以上和 `infra_ref` 包："
        "在{checkout}里执行 `pip install -e .`。{licence}。",
        "checkout": "课程代码的检出目录", "licence": "文字 CC BY 4.0 · 代码 Apache-2.0",
        "reveal": "答案与推导", "answer": "答案", "continued": "{}（续）", "colon": "：", "brackets": "（{}）",
        "slider": "页面上用滑块逐行查看这张表。",
    },
}  # fmt: skip
LEVELS = {"1": "●○○", "2": "●●○", "3": "●●●"}
TRANSPARENT = ("outcomes", "questions", "stack", "mistakes", "selfcheck")  # blocks whose content stands on its own

KEPT = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)|\$\$.+?\$\$|\$[^$\n]+\$", re.S)  # code and formulas: not to be touched
PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")
TARGET = re.compile(r'(?<=\])\(([^()\s]+)(?:\s+"[^"]*")?\)')
ITEM_ID = re.compile(r"\s*\{\s*#[\w-]+\s*\}\s*$")
DEFINITION = re.compile(r":\s+(.*)")
EMPHASIS = re.compile(r"(?<!\*)(\*{1,2})(?=[^\s*])(.+?)(?<=[^\s*])\1(?!\*)")
COMMENT = re.compile(r"<!--.*?-->", re.S)
LABEL = re.compile(r'aria-label="([^"]*)"')
# Syntax that `built.MARKS` does not look for: attribute lists, definitions, footnotes, pictures by address.
UNTRANSLATED = re.compile(r"\{:?\s*\.?[\w-]+\s*(?:=[^{}]*)?\}|^:\s|\[\^[\w-]+\]|!\[[^\]]*\]\((?!data:)", re.M)


class NotebookError(ValueError):
    """A page that cannot be a notebook."""


def listed(root: Path) -> list[str]:
    """The pages that also appear as notebooks, by their path below docs/<lang>."""
    found: list[str] = load_config(str(root / "mkdocs.yml"), plugins=[], hooks=[]).extra.get("notebooks", [])
    return found


def dumps(notebook: Notebook) -> str:
    """The text of the .ipynb file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def address(rel: str) -> str:
    """Where a page, by its path below docs/<lang>, lies below the root of its language."""
    stem = rel.removesuffix(".md")
    folder = stem.removesuffix("index") if posixpath.basename(stem) == "index" else stem + "/"
    return folder if rel.endswith(".md") else rel


def build(page: Page, *, site_url: str, repo_url: str = "") -> Notebook:
    """The notebook of a page, nbformat 4.5.

    Args:
        site_url: root of the site in the page's language, with a slash at the end; links become absolute with it.
        repo_url: where the package comes from, if that is known.
    Raises:
        NotebookError: a block or a mark that has no form in a notebook.
        SnippetMissingError: an include names no file or no section.
    """
    writer = _Writer(page, site_url)
    writer.write(repo_url)
    check(page, writer.cells)
    return {
        "cells": writer.cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "title": writer.title, "language": page.lang, "license": WORDS[page.lang]["licence"],
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }  # fmt: skip


def check(page: Page, cells: list[Cell]) -> None:
    """Nothing of the page's own syntax may be left in its notebook.

    Raises:
        NotebookError: it is.
    """
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code":
            found = built.CODE_MARKS.search(text)
        else:
            fences_and_formulas = re.compile(rf"^```.*?^```$|{KEPT.pattern}", re.S | re.M)
            spans = " ".join(m[0] for m in fences_and_formulas.finditer(text) if m[0].startswith("`"))
            prose = fences_and_formulas.sub("", text)
            found = built.MARKS.search(prose) or UNTRANSLATED.search(prose) or built.CODE_MARKS.search(spans)
        if found:
            raise NotebookError(f"{page.where}: {found[0].strip()!r} would show in cell {cell['id']} of the notebook")


@functools.cache
def _snippets(root: Path) -> Any:
    """The preprocessor that includes snippets, as mkdocs.yml configures it."""
    name = "pymdownx.snippets"
    options = {"base_path": [str(root)], "check_paths": True, "dedent_subsections": True}
    return Markdown(extensions=[name], extension_configs={name: options}).preprocessors["snippet"]


class _Writer:
    """One pass over the lines of a page; what its blocks are is read from its skeleton."""

    def __init__(self, page: Page, site_url: str) -> None:
        self.page, self.site_url = page, site_url
        self.words, self.text = WORDS[page.lang], TEXT[page.lang]
        found = page.skeleton
        self.headings = {heading.line: heading for heading in found.headings}
        self.fences = {fence.line: fence for fence in found.fences}
        self.opening = {block.line: block for block in found.blocks}
        self.closing = {block.end: block for block in found.blocks}
        self.title = self.inline(found.headings[0].text) if found.headings else ""
        self.cells: list[Cell] = []
        self.lines: list[str] = []
        self.section, self.number = FRONT, 0
        self.blocks: list[str] = []
        self.summary = ""  # of the folded part that is being written
        self.unfolded = False  # whether that part stands open until it has more to say

    def write(self, repo_url: str) -> None:
        at = self.page.offset
        while at < len(self.page.lines):
            at += 1
            if fence := self.fences.get(at):
                self.fence(fence)
                at = fence.end
            elif heading := self.headings.get(at):
                self.heading(heading, repo_url)
            elif block := self.opening.get(at):
                while at < len(self.page.lines) and self.page.lines[at].startswith("    "):
                    at += 1  # the block's options
                self.open(block)
            elif block := self.closing.get(at):
                self.close(block)
            else:
                self.line(self.page.lines[at - 1])
        self.flush()

    # --- cells ---

    def cell(self, kind: str, source: str, **fields: Any) -> None:
        self.number += 1
        cell = {
            "cell_type": kind, "id": f"{self.section}-{self.number}", "metadata": {},
            "source": source.splitlines(keepends=True),
        }  # fmt: skip
        self.cells.append(cell | fields)

    def flush(self) -> None:
        """End the Markdown cell that is being written."""
        text = re.sub(r"\n{3,}", "\n\n", COMMENT.sub("", "\n".join(self.lines))).strip()
        self.lines = []
        if text:
            self.cell("markdown", text)

    def fence(self, fence: Fence) -> None:
        body = "\n".join(_snippets(self.page.root).run(list(fence.body))).strip("\n")
        if fence.language == "python":
            self.code(body)
        elif fence.title == self.text["output"]:
            if self.lines or not self.cells or self.cells[-1]["cell_type"] != "code" or self.cells[-1]["outputs"]:
                raise NotebookError(f"{self.page.where}:{fence.line}: this output is not directly below its code")
            stream = {"output_type": "stream", "name": "stdout", "text": f"{body}\n".splitlines(keepends=True)}
            self.cells[-1]["outputs"].append(stream)
        elif fence.language == "math":
            self.add("$$", body, "$$")
        else:
            self.add(f"```{fence.language}", body, "```")

    def code(self, source: str) -> None:
        """A cell of its own; one within a folded part is hidden where the reader's program can hide it."""
        metadata: dict[str, Any] = {}
        if self.summary:
            metadata = {"jupyter": {"source_hidden": True, "outputs_hidden": True}, "tags": ["folded"]}
            if not self.unfolded:
                self.lines.append("</details>")
                self.unfolded = True
        self.flush()
        self.cell("code", source, metadata=metadata, execution_count=None, outputs=[])

    # --- blocks ---

    def heading(self, heading: Heading, repo_url: str) -> None:
        self.flush()
        self.section, self.number = heading.id, 0
        level = LEVELS.get(dict(heading.attributes).get("data-level", ""), "")
        self.add(" ".join(filter(None, ["#" * heading.level, level, self.inline(heading.text)])))
        if heading.level == 1:
            self.add("> " + self.about(repo_url))

    def about(self, repo_url: str) -> str:
        checkout = f"[{self.words['checkout']}]({repo_url})" if repo_url else self.words["checkout"]
        url = self.site_url + address(self.page.rel)
        return self.words["about"].format(title=self.title, url=url, checkout=checkout, licence=self.words["licence"])

    def open(self, block: Block) -> None:
        self.blocks.append(block.name)
        if block.name == "predict":
            choices = [f"{n}. {self.inline(str(choice))}" for n, choice in enumerate(block.options["options"], 1)]
            question = f"**{self.text['predict']}**{self.words['colon']}{self.inline(block.argument)}"
            self.add(question, "", *choices)
            self.fold(self.words["reveal"])
            self.add(f"**{self.words['answer']}**{self.words['colon']}{choices[block.options['answer'] - 1]}")
        elif block.name == "solution":
            self.fold(self.text["solution"])
        elif block.name == "chart":
            self.add(self.picture(block.argument))
        elif block.name == "explore":
            self.add(*self.rows(block), "", self.words["slider"])
        elif block.name not in TRANSPARENT:
            raise NotebookError(f"{self.page.where}:{block.line}: /// {block.name} has no form in a notebook")

    def close(self, block: Block) -> None:
        self.blocks.pop()
        if block.name in ("predict", "solution"):
            if not self.unfolded:
                self.add("</details>")
            self.summary, self.unfolded = "", False

    def fold(self, summary: str) -> None:
        self.summary = summary
        self.add("<details>", f"<summary>{summary}</summary>")

    def picture(self, stem: str) -> str:
        """The wide drawing, within the notebook; as an attachment JupyterLab would not show it."""
        path = self.page.root / f"{stem}.{self.page.lang}.wide.svg"
        if not path.is_file():
            raise NotebookError(f"no file {path}")
        data = path.read_bytes()
        label = LABEL.search(data.decode())
        alternative = re.sub(r"([\[\]\\$*_`])", r"\\\1", html.unescape(label[1] if label else ""))
        return f"![{alternative}](data:image/svg+xml;base64,{base64.b64encode(data).decode()})"

    def rows(self, block: Block) -> list[str]:
        """The rows behind a slider as a table."""
        data = json.loads((self.page.root / block.argument).read_text(encoding="utf-8"))
        columns = {block.options["key"]: block.options["label"]} | block.options["read"]
        table = [list(columns.values()), ["---"] * len(columns)]
        for row in data["rows"]:
            cells = (row[key] for key in columns)
            table.append([str(cell[self.page.lang] if isinstance(cell, dict) else cell) for cell in cells])
        return [f"| {' | '.join(cells)} |" for cells in table]

    # --- lines ---

    def add(self, *lines: str) -> None:
        """Lines that stand by themselves."""
        self.lines += ["", *lines, ""]

    def line(self, line: str) -> None:
        if self.unfolded and line.strip():
            self.fold(self.words["continued"].format(self.summary))
            self.unfolded = False
        line = self.inline(ITEM_ID.sub("", line))
        if definition := DEFINITION.fullmatch(line):
            term = self.lines.pop() if self.lines else ""
            line = f"- **{term}**{self.words['colon']}{definition[1]}" if term else f"- {definition[1]}"
        elif "selfcheck" in self.blocks:
            line = re.sub(r"^[-*] ", "- [ ] ", line)
        self.lines.append(line)

    def inline(self, text: str) -> str:
        """A line with figures as their literals, terms as words, links absolute, and emphasis that CommonMark reads."""
        kept: list[str] = []

        def keep(m: re.Match[str]) -> str:
            kept.append(m[0])
            return f"\ue000{len(kept) - 1}\ue001"

        text = KEPT.sub(keep, text)
        text = re.sub(figures.FIGURE, r"\1", text)
        text = re.sub(inline.TERM, r"\1", text)
        text = re.sub(inline.NOT_MEASURED, self.text["open"], text)
        text = re.sub(r"\s*" + inline.MEASURED, self.measured, text)
        text = TARGET.sub(lambda m: f"({self.link(m[1])})", text)
        text = EMPHASIS.sub(_emphasis, text)
        return PLACEHOLDER.sub(lambda m: kept[int(m[1])], text)

    def measured(self, m: re.Match[str]) -> str:
        record = names.namespace(root=self.page.root)["records"].get(m[1])
        return self.words["brackets"].format(f"{self.text['measured']} · {record.device} · {record.date}")

    def link(self, target: str) -> str:
        if urlsplit(target).scheme:
            return target
        path, mark, fragment = target.partition("#")
        rel = posixpath.normpath(posixpath.join(posixpath.dirname(self.page.rel), path)) if path else self.page.rel
        return f"{self.site_url}{address(rel)}{mark}{fragment}"


def _emphasis(m: re.Match[str]) -> str:
    """Emphasis as it stands or, where CommonMark would leave the asterisks (`**…。**文字`), as a tag."""
    before, after = m.string[: m.start()][-1:], m.string[m.end() :][:1]
    if _flanks(before, m[2][0]) and _flanks(after, m[2][-1]):
        return m[0]
    tag = "strong" if m[1] == "**" else "em"
    return f"<{tag}>{m[2]}</{tag}>"


def _flanks(outside: str, inside: str) -> bool:
    """CommonMark's rule for a run of asterisks between two characters; the placeholders stand for punctuation."""

    def punctuation(character: str) -> bool:
        return character in "\ue000\ue001" or unicodedata.category(character)[0] in "PS"

    return not outside or outside.isspace() or punctuation(outside) or not punctuation(inside)
