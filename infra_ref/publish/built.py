"""Checks on the built HTML: nothing of the machinery shows, what can be copied is what was run, links arrive."""

import functools
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from . import LANGUAGES, ROOT, pages
from .pages import Page, Problem

# Source text that must have become something else, in running text and in code.
MARKS = re.compile(
    r"-+8<-+|\[(?:start|end):[\w-]+\]|\{[=~?@][^{}]*\}|\{\s*#[\w-]+|^\s*/{3,}\s*[a-z|]|<!--|[\x02\x03\ue000-\uf8ff]|wzxhzdk",
    re.M,
)
CODE_MARKS = re.compile(r"-+8<-+|\[(?:start|end):[\w-]+\]|\]\{[=~][^{}]*\}|[\x02\x03\ue000-\uf8ff]")
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
SILENT = frozenset({"script", "style", "template"})


class Document(HTMLParser):
    """What the checks read of one HTML page: text outside code, Python blocks, all code, links, functions, ids."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.code: list[str] = []
        self.python: list[str] = []
        self.links: list[str] = []
        self.functions: list[str] = []
        self.ids: set[str] = set()
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.ids.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if values.get("data-ref"):
            self.functions.append(values["data-ref"])
        if tag in VOID:
            return
        self._open.append((tag, values.get("class", "")))
        if tag == "code":
            in_block = any(name == "pre" for name, _ in self._open)
            self.code.append("")
            if in_block and any("language-python" in kind.split() for _, kind in self._open):
                self.python.append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            if self._open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        names = [name for name, _ in self._open]
        if SILENT & set(names) or any("katex" in kind.split() for _, kind in self._open):
            return  # KaTeX draws some signs with private code points
        if "code" not in names:
            self.text.append(data)
            return
        self.code[-1] += data
        if "pre" in names and self.python and any("language-python" in kind.split() for _, kind in self._open):
            self.python[-1] += data


@functools.lru_cache(maxsize=1024)
def _read(path: Path, changed: int) -> Document:
    return Document(path.read_text(encoding="utf-8"))


def document(path: Path) -> Document:
    return _read(path, path.stat().st_mtime_ns)


def html_of(page: Page, site: Path) -> Path:
    """Where MkDocs writes a page, with directory addresses."""
    rel = Path(page.rel)
    folder = rel.parent if rel.name == "index.md" else rel.with_suffix("")
    return site / page.lang / folder / "index.html"


def _line(page: Page, text: str) -> int:
    """Line of the source that holds a text; the first line where no line does."""
    wanted = text.strip().splitlines()[0].strip() if text.strip() else text
    return next((n for n, line in enumerate(page.lines, 1) if wanted and wanted in line), 1)


def _leaks(page: Page, shown: Document) -> Iterator[Problem]:
    for found in [*MARKS.finditer("".join(shown.text)), *(m for c in shown.code for m in CODE_MARKS.finditer(c))]:
        yield page.problem(_line(page, found[0]), f"{found[0].strip()!r} shows on the built page")


def _copies(page: Page, shown: Document) -> Iterator[Problem]:
    from .execute import python_blocks

    blocks = python_blocks(page.path, page.root)
    if len(blocks) != len(shown.python):
        yield page.problem(1, f"{len(blocks)} Python blocks are run, {len(shown.python)} are on the built page")
        return
    for block, copied in zip(blocks, shown.python, strict=True):
        if block.code.strip("\n") != copied.strip("\n"):
            yield page.problem(block.lineno, "what the copy button gives is not what was run")


def _links(page: Page, html: Path, shown: Document, site: Path) -> Iterator[Problem]:
    for href in dict.fromkeys(shown.links):
        parts = urlsplit(href)
        if parts.scheme or parts.netloc:
            continue
        target = html.parent / unquote(parts.path) if parts.path else html
        if target.is_dir() or href.endswith("/"):
            target /= "index.html"
        if not target.is_file():
            if site in target.resolve().parents:
                yield page.problem(_line(page, href), f"built link {href} reaches no page")
        elif parts.fragment and target.suffix == ".html":
            anchor = unquote(parts.fragment)
            if anchor not in document(target.resolve()).ids and not anchor.startswith("__"):
                yield page.problem(_line(page, f"#{anchor}"), f"built link {href} reaches no anchor")


def _functions(page: Page, shown: Document, site: Path) -> Iterator[Problem]:
    """Marks lead to the function reference by script, so no link shows where."""
    for reference in dict.fromkeys(shown.functions):
        name, _, anchor = reference.partition("#")
        target = site / page.lang / "reference" / "functions" / name / "index.html"
        if not target.is_file() or anchor not in document(target).ids:
            yield page.problem(1, f"a mark leads to {reference}, which the function reference does not have")


def problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every page was built, shows none of its own source, offers for copying what was run, and links to what exists.

    So does its notebook, if it has one.
    """
    site = (root / "site").resolve()
    found = []
    for lang in LANGUAGES:
        if not (site / lang).is_dir():
            return [Problem(f"site/{lang}", 1, "the site is not built: run `make build`")]
    for page in pages.load(root, slug):
        html = html_of(page, site)
        if not html.is_file():
            found.append(page.problem(1, f"{html.relative_to(site)} was not built"))
            continue
        shown = document(html)
        found += [
            *_leaks(page, shown),
            *_copies(page, shown),
            *_links(page, html, shown, site),
            *_functions(page, shown, site),
        ]
        notebook = html.parent / "notebook" / "index.html"
        if notebook.is_file():
            shown = document(notebook)
            found += [*_leaks(page, shown), *_copies(page, shown), *_links(page, notebook, shown, site)]
    return found
