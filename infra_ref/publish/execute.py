"""Pages as pytest sees them: every Python block of a page, with its snippets included, is a test.

pytest-codeblocks reads raw Markdown and runs a fence only where the info string is exactly `python`. Here it is fed
what the site shows: the page after the site's own snippet preprocessor, its info strings cut down to the language,
its line numbers those of the file. What it would pass over in silence is an error instead.
"""

import contextlib
import functools
import io
import linecache
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from markdown import Markdown
from mkdocs.config import load_config
from mkdocs.utils import meta
from pygments.lexers import PythonConsoleLexer, PythonLexer  # type: ignore[import-untyped]
from pymdownx.snippets import SnippetMissingError
from pytest_codeblocks import CodeBlock, extract_from_buffer
from pytest_codeblocks.plugin import MarkdownFile, TestBlock

from . import report
from .markdown.text import TEXT

RUNNABLE = ("python", "sh", "bash")
PYTHON = {*PythonLexer.aliases, *PythonConsoleLexer.aliases, "ipython", "ipython3", "ipy"}
FENCE = re.compile(r"[ \t>]*(?P<ticks>`{3,}|~{3,})(?P<info>.*)")
LANGUAGE = re.compile(r"\s*(?:\{[^}]*?\.)?(?P<name>[\w+#-]*)")
OUTPUT = re.compile(rf'\s*text\s+title="(?:{"|".join(words["output"] for words in TEXT.values())})"\s*')
RENDERED = re.compile(r'<div class="language-python\b[^"]*\bhighlight\b')
MARK = "\ue000"  # before the line number that a fence carries through the preprocessor
SHELL_SECONDS = 60


class PageError(ValueError):
    """A page whose blocks cannot all be run and compared."""


class BlockFailure(Exception):
    """A block that did not do what its page shows."""


@dataclass(frozen=True)
class Line:
    """A line of an expanded page and the line of the file it comes from."""

    text: str
    number: int


@functools.cache
def _preprocessor(root: Path) -> Any:
    """The snippet preprocessor with the options of the project's mkdocs.yml."""
    name = "pymdownx.snippets"
    options = load_config(str(root / "mkdocs.yml"), plugins=[], hooks=[]).mdx_configs.get(name, {})
    return Markdown(extensions=[name], extension_configs={name: options}).preprocessors["snippet"]


def expand(path: Path, root: Path) -> list[Line]:
    """The body of a page with its snippets included.

    Raises:
        SnippetMissingError: an include names no file or no section.
    """
    text = path.read_text(encoding="utf-8")
    body, _ = meta.get_data(text)
    offset = text[: text.rindex(body)].count("\n") if body else 0
    tagged = [f"{line}{MARK}{n}" if FENCE.match(line) else line for n, line in enumerate(body.splitlines(), 1 + offset)]
    lines, number = [], offset + 1
    for line in _preprocessor(root).run(tagged):
        shown, mark, tag = line.partition(MARK)
        number = int(tag) if mark else number
        lines.append(Line(shown, number))
    return lines


def fences(lines: list[Line]) -> list[tuple[str, int]]:
    """Info string and line number of every fence that a Markdown reader would open, in backticks or tildes."""
    found, inside = [], ""
    for line in lines:
        match = FENCE.match(line.text)
        if not match:
            continue
        ticks, info = match["ticks"], match["info"]
        if not inside:
            inside = ticks
            found.append((info, line.number))
        elif ticks.startswith(inside) and not info.strip():
            inside = ""
    return found


def language(info: str) -> str:
    """Language of an info string: `python title="x"` and `{.python .annotate}` are both python."""
    match = LANGUAGE.match(info)
    return match["name"] if match else ""


def rendered_blocks(html: str) -> int:
    """Python blocks of a built page: as many as `len(python_blocks(…))` of its source, or one was not run."""
    return len(RENDERED.findall(html))


def blocks(path: Path, root: Path) -> list[CodeBlock]:
    """The blocks of a page that are run, with the output that the page shows below them.

    Raises:
        PageError: a Python fence that would not be run, or an output without a run above it.
    """
    lines = expand(path, root)
    texts = [line.text for line in lines]
    found: list[CodeBlock] = []
    after: dict[int, CodeBlock] = {}  # line of the expanded page that may open the output of a block
    for block in extract_from_buffer(io.StringIO("\n".join(texts) + "\n"), max_num_lines=sys.maxsize):
        start, info = block.lineno, block.syntax
        block.lineno, block.syntax = lines[start - 1].number, language(info)
        if block.syntax in RUNNABLE:
            below = start + 1 + block.code.count("\n")
            while below < len(texts) and not texts[below].strip():
                below += 1
            after[below + 1] = block
            found.append(block)
        elif OUTPUT.fullmatch(info):
            if start not in after:
                raise PageError(f"line {block.lineno}: this output is not directly below a block that is run")
            after[start].expected_output = block.code
    for info, number in fences(lines):
        if language(info).lower() in PYTHON and not any(b.lineno == number and b.syntax == "python" for b in found):
            raise PageError(f"line {number}: this Python fence would not be run; open it with ```python title=…")
    if len(python_fences(lines)) != sum(block.syntax == "python" for block in found):
        raise PageError(f"{len(python_fences(lines))} Python fences, {len(found)} blocks that are run")
    for block in found:
        if any("skip" in mark and "reason=" not in mark for mark in block.marks):
            raise PageError(f"line {block.lineno}: a skipped block needs a reason")
    return found


def python_fences(lines: list[Line]) -> list[int]:
    """Line numbers of the Python fences of an expanded page."""
    return [number for info, number in fences(lines) if language(info).lower() in PYTHON]


def python_blocks(path: Path, root: Path) -> list[CodeBlock]:
    """The Python blocks of a page, in its order."""
    return [block for block in blocks(path, root) if block.syntax == "python"]


def is_page(path: Path, root: Path) -> bool:
    """Whether a file is a page of the course: docs/<lang>/**/*.md."""
    return path.suffix == ".md" and path.parts[: len(root.parts) + 1] == (*root.parts, "docs")


@dataclass
class Run:
    """What running a block gave."""

    where: str
    stdout: str
    error: BaseException | None
    seconds: float


RUNS = pytest.StashKey[dict[tuple[str, str], Run]]()


class Page(MarkdownFile):  # type: ignore[misc]
    """A page; its tests are its blocks."""

    def collect(self) -> Iterator["Block"]:
        root = self.config.rootpath
        try:
            found = blocks(self.path, root)
        except (PageError, SnippetMissingError) as error:
            raise self.CollectError(f"{self.path.relative_to(root)}: {error}") from None
        for block in found:
            item = Block.from_parent(self, name=f"line {block.lineno}", obj=block)
            for mark in block.marks:
                item.add_marker(eval(mark, {"sys": sys, "pytest": pytest}))
            yield item


class Block(TestBlock):  # type: ignore[misc]
    """A block of a page. The same code in the other language is not run again; it shares the first one's result."""

    def runtest(self) -> None:
        block, runs = self.obj, self.config.stash.setdefault(RUNS, {})
        if block.importorskip:
            pytest.importorskip(block.importorskip)
        first = runs.get((block.syntax, block.code))
        run = first or self.run()
        runs[block.syntax, block.code] = run
        page = self.path.relative_to(self.config.rootpath).as_posix()
        state, seconds = ("same block", 0.0) if first else ("executed", run.seconds)
        report.add(self, "page", page, state=state, blocks=1, seconds=seconds)
        if run.error is not None and first:
            raise BlockFailure(f"{self.nodeid}: the same block failed in {run.where}: {run.error!r}") from run.error
        if run.error is not None:
            raise run.error
        if block.expected_output is not None:
            self.compare(block.expected_output, run.stdout)

    def compare(self, shown: str, printed: str) -> None:
        """A file included whole brings an empty line that no page shows, so empty lines at the end do not count."""
        if shown.rstrip("\n") != printed.rstrip("\n"):
            raise BlockFailure(f"{self.nodeid}: the page shows\n{shown}but the block prints\n{printed}")

    def run(self) -> Run:
        out, error, start = io.StringIO(), None, time.perf_counter()
        try:
            if self.obj.syntax == "python":
                self.run_python(out)
            else:
                self.run_shell(out)
        except (Exception, SystemExit) as caught:
            error = caught
        return Run(self.nodeid, out.getvalue(), error, time.perf_counter() - start)

    def run_python(self, out: io.StringIO) -> None:
        """As pasted into a fresh program that lies nowhere in particular."""
        name, code = f"<{self.nodeid}>", self.obj.code
        # without a time stamp linecache keeps the lines: for tracebacks, inspect.getsource and compilers of source
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        module = types.ModuleType("__main__")
        module.__file__ = name
        before = sys.modules["__main__"]
        sys.modules["__main__"] = module
        try:
            with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(out):
                exec(compile(code, name, "exec", dont_inherit=True), module.__dict__)
        finally:
            sys.modules["__main__"] = before

    def run_shell(self, out: io.StringIO) -> None:
        """In the project's folder; `python` is the Python of the tests."""
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
        done = subprocess.run(
            ["/bin/" + self.obj.syntax, "-c", self.obj.code],
            cwd=self.config.rootpath, env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=SHELL_SECONDS,
        )  # fmt: skip
        out.write(done.stdout)
        if done.returncode:
            raise BlockFailure(f"{self.nodeid}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> str:
        """The block's own part of the traceback; pytest's frames say nothing about a page."""
        error = excinfo.value
        if isinstance(error, BlockFailure):
            return str(error)
        frames, own = traceback.extract_tb(error.__traceback__), f"<{self.nodeid}>"
        inner = [i for i, frame in enumerate(frames) if frame.filename == own]
        frames = traceback.StackSummary.from_list(frames[inner[0] if inner else 0 :])
        return "".join([*frames.format(), *traceback.format_exception_only(error)])

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.obj.lineno - 1, self.nodeid
