"""What one conversion knows of the page it converts: where it stands, what it may read, what it has counted."""

import functools
import logging
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from .. import ROOT, figures, names
from .text import TEXT

LOG = logging.getLogger("mkdocs.infra_ref")  # below "mkdocs": a warning here fails a strict build
MARK = re.compile("\ue000(\\d+)\ue001")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")


@functools.cache
def glossary(root: Path = ROOT) -> dict[str, dict[str, Any]]:
    """Terms by id; see `infra_ref/data/glossary.toml`."""
    return tomllib.loads((root / "infra_ref/data/glossary.toml").read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=4096)
def _read(path: Path, changed: int) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


class PageContext:
    """State of the page being converted; `start` makes it new for the next one."""

    def __init__(self, lang: str, root: Path = ROOT) -> None:
        self.lang, self.root, self.text = lang, root, TEXT[lang]
        self.start([])

    def start(self, lines: list[str]) -> None:
        """Begin a page whose Markdown body (front matter removed) is these lines."""
        self.count: Counter[str] = Counter()
        self.snippets: list[str] = []
        self.lines = lines
        self.path, self.offset = self._locate()
        self.slug, self.page = slug_and_page(self.path)
        self._scope: dict[str, Any] | None = None

    @property
    def scope(self) -> dict[str, Any]:
        """Names that this page's expressions may read."""
        if self._scope is None:
            self._scope = names.namespace(self.slug, self.page, self.root)
        return self._scope

    @property
    def is_document(self) -> bool:
        """Whether this is a page of the site, and not a fragment such as a docstring."""
        return self.path is not None

    def problem(self, message: str, line: int | None = None) -> None:
        """Report a fault; a strict build fails on it."""
        place = str(self.path.relative_to(self.root)) if self.path else "a fragment"
        LOG.warning("%s%s: %s", place, f":{line}" if line else "", message)

    def line_of(self, text: str) -> int | None:
        """Line, in the file, of the first line of a block."""
        first = next((part for part in text.splitlines() if part.strip()), "").strip()
        for n, line in enumerate(self.lines, 1):
            if first and first in line:
                return n + self.offset
        return None

    def figure(self, literal: str, marked: str) -> tuple[str, str]:
        """Expression and exact value of a figure; a fault is reported and gives an empty value."""
        mark = MARK.search(marked)
        expression = MARK.sub("", marked).strip()
        try:
            value = figures.check(literal, expression, self.scope)
        except Exception as error:  # whatever the expression raises is a fault of the page
            self.problem(f"[{literal}]{{={expression}}}: {error}", int(mark[1]) if mark else None)
            value = ""
        self.count["figures"] += 1
        return expression, value

    def _locate(self) -> tuple[Path | None, int]:
        """Find the file whose body is being converted: Markdown is told only the text."""
        body = "\n".join(self.lines).strip("\n")
        if body:
            for path in sorted((self.root / "docs" / self.lang).rglob("*.md")):
                text = _read(path, path.stat().st_mtime_ns).rstrip("\n")
                if text.endswith(body):
                    return path, text[: len(text) - len(body)].count("\n") - _leading(self.lines)
        return None, 0


def _leading(lines: list[str]) -> int:
    """Empty lines before the first full one."""
    return next((n for n, line in enumerate(lines) if line.strip()), 0)


def slug_and_page(path: Path | None) -> tuple[str, str]:
    """Lecture and page name of a file: …/lectures/<slug>/<page>.md."""
    if path is None or path.parent.parent.name not in ("lectures", "labs"):
        return "", ""
    return path.parent.name, path.stem


def mark_lines(lines: list[str], offset: int) -> list[str]:
    """Put the line number into every figure outside code fences: inline patterns are not told where they are.

    Where one fence follows another at once, an empty line goes between, or both would land in one paragraph.
    """
    out: list[str] = []
    fence, closed = "", False
    for n, line in enumerate(lines, 1 + offset):
        was_closed, closed = closed, False
        if opened := FENCE.match(line):
            kind = opened[1]
            if not fence:
                fence = kind
                if was_closed:
                    out.append("")
            elif kind.startswith(fence) and not line.strip().strip(fence[0]):
                fence, closed = "", True
        elif not fence:
            line = re.sub(figures.FIGURE, lambda m, n=n: f"[{m[1]}]{{={m[2]}\ue000{n}\ue001}}", line)  # type: ignore[misc]
        out.append(line)
    return out
