"""What stands behind a page's expressions: figures are what they say, and a test of its own vouches for each name."""

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from . import ROOT, figures, names, pages
from .pages import Page, Problem


def expressions(page: Page) -> Iterator[tuple[int, str]]:
    """Line and text of everything that a page evaluates: figures, checks and their conditions."""
    for figure in page.skeleton.figures:
        yield figure.line, figure.expression
    for formula in page.skeleton.formulas:
        if formula.kind == "check":
            yield formula.line, formula.how
            if formula.where:
                yield formula.line, formula.where


def figure_problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every figure shows what its expression gives, at its digits and in its unit."""
    found = []
    for page in pages.load(root, slug):
        scope: dict[str, Any] | None = None
        for figure in page.skeleton.figures:
            scope = scope or names.namespace(page.slug, page.name, root)
            try:
                figures.check(figure.literal, figure.expression, scope)
            except Exception as error:  # whatever the expression raises is a fault of the page
                message = str(error) or type(error).__name__
                found.append(page.problem(figure.line, f"[{figure.literal}]{{={figure.expression}}}: {message}"))
    return found


def _can_fail(test: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether it is a test, or a class of tests, that asserts something, and no mark keeps it from running."""
    off = any(word in ast.unparse(mark) for mark in test.decorator_list for word in ("mark.skip", "mark.xfail"))
    called = (ast.unparse(node.func).rsplit(".")[-1] for node in ast.walk(test) if isinstance(node, ast.Call))
    asserts = any(isinstance(node, ast.Assert) for node in ast.walk(test)) or any(
        name.startswith(("assert", "raises")) for name in called
    )
    return test.name.lower().startswith("test") and asserts and not off


@functools.lru_cache(maxsize=1024)
def _marks(path: Path, changed: int) -> frozenset[str]:
    """Patterns of the oracle marks of a test file's tests, classes and module; a test that cannot fail has none."""
    tree = ast.parse(path.read_text(encoding="utf-8"))

    def patterns(nodes: list[ast.expr]) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, ast.List | ast.Tuple):
                yield from patterns(node.elts)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.oracle":
                yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))

    found: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "pytestmark":
            found.update(patterns([statement.value]))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and _can_fail(node):
            found.update(patterns(node.decorator_list))
    return frozenset(found)


def covered(root: Path = ROOT) -> frozenset[str]:
    """Every pattern of `@pytest.mark.oracle(…)` below tests/."""
    files = (root / "tests").rglob("test_*.py")
    return frozenset().union(*(_marks(path, path.stat().st_mtime_ns) for path in files))


def name_problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every expression reads this package, and every name of the package that it reads has an independent oracle."""
    patterns = covered(root)
    found = []
    for page in pages.load(root, slug):
        for line, expression in expressions(page):
            try:
                chains = names.chains(expression)
            except SyntaxError:
                found.append(page.problem(line, f"{expression!r} is not an expression"))
                continue
            conditions = {f.where for f in page.skeleton.formulas}
            if not names.published(expression) and expression not in conditions:
                found.append(
                    page.problem(line, f"{expression!r} reads nothing of infra_ref: a bare literal proves nothing")
                )
            for chain in dict.fromkeys(chains):
                if chain.split(".")[0] in names.MODULES and not any(fnmatchcase(chain, p) for p in patterns):
                    found.append(page.problem(line, f"no test marked @pytest.mark.oracle vouches for {chain}"))
    return found


def given_problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every declared input is read by an expression of its page, or of its lecture where it is shared."""
    read: dict[tuple[str, str], set[str]] = {}
    for page in pages.load(root):
        if page.slug:
            found = read.setdefault((page.slug, page.name), set())
            for _, expression in expressions(page):
                found.update(re.findall(r"\bgiven\.(\w+)", expression))
    problems = []
    for path in sorted((root / "snippets").glob(f"{slug or '*'}/given.toml")):
        lecture, text = path.parent.name, path.read_text(encoding="utf-8")
        where = path.relative_to(root).as_posix()
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            problems.append(Problem(where, 1, str(error)))
            continue
        for key, value in data.items():
            line = _line_of(text, rf"\[{re.escape(key)}\]" if isinstance(value, dict) else rf"{re.escape(key)}\s*=")
            if not isinstance(value, dict):
                if not any(key in names_read for (s, _), names_read in read.items() if s == lecture):
                    problems.append(Problem(where, line, f"no figure of {lecture} reads given.{key}"))
                continue
            if (lecture, key) not in read:
                problems.append(Problem(where, line, f"there is no page {lecture}/{key}"))
                continue
            for name in value.keys() - read[lecture, key]:
                at = _line_of(text, rf"{re.escape(name)}\s*=", line)
                problems.append(Problem(where, at, f"no figure of {lecture}/{key} reads given.{name}"))
    return sorted(problems)


def _line_of(text: str, pattern: str, after: int = 1) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        if number >= after and re.match(pattern, line):
            return number
    return after
