"""Things that must be impossible, each planted in a small course with its lock renewed: the right check must find it.

Factors and digits are planted in both languages at once, so that neither the lock nor the comparison of the languages
can catch what only the specific check should.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra_ref.publish import ROOT, alone, built, checks, execute, lock, outputs, pages

PAGE = """---
title: {title}
description: {title}
---
# {title} {{ #top }}

{lead}[137,438,953,472 FLOP]{{=gemm.flops(m=given.edge, n=given.edge, k=given.edge)}}{comma}\
[96 MiB]{{=gemm.min_bytes(m=given.edge, n=given.edge, k=given.edge, itemsize=2)}}

## {title} {{ #formulas }}

```math check="gemm.flops(m=M, n=N, k=K)"
F = 2MNK
```
```math test="tests/ledger/test_gemm.py::test_bytes"
Q = s(MK + KN + MN)
```

{lead}$M = 4096$

## {title} {{ #code }}

```python title="snippets/mini/count.py"
--8<-- "snippets/mini/count.py:count"
```
```text title="{output}"
--8<-- "snippets/mini/count.out"
```

[{title}](../../index.md#top)

/// predict | {title}
    options: ["2", "3"]
    answer: 2

{text}
///

| {title} | {title} |
|---|---|
| 1 | 2 |
"""
INDEX = """# {title} {{ #top }}

[{title}](lectures/mini/gemm.md#code)

[1]{{=gemm.tile_count(m=1, n=1, tile_m=1, tile_n=1)}}
"""
FUNCTIONS = """# {title} {{ #top }}

/// api | gemm
///
"""
WORDS = {
    "en": {"title": "Title", "text": "A sentence.", "lead": "It gives ", "comma": ", ", "output": "Output"},
    "zh": {"title": "标题", "text": "一句话。", "lead": "得到：", "comma": "，", "output": "输出"},
}
SNIPPET = """# --8<-- [start:count]
print(sum(2 for _ in range(3) for _ in range(5)))
# --8<-- [end:count]
"""
TESTS = '''import pytest


@pytest.mark.oracle("gemm.*")
def test_flops():
    assert True


def test_bytes():
    r"""Q = s(MK + KN + MN)"""
'''
MINI = {
    **{f"docs/{lang}/lectures/mini/gemm.md": PAGE.format(**words) for lang, words in WORDS.items()},
    **{f"docs/{lang}/index.md": INDEX.format(**words) for lang, words in WORDS.items()},
    **{f"docs/{lang}/reference/functions/ledger.md": FUNCTIONS.format(**words) for lang, words in WORDS.items()},
    "snippets/mini/count.py": SNIPPET,
    "snippets/mini/count.out": "30\n",
    "snippets/mini/given.toml": "[gemm]\nedge = 4096\n",
    "tests/ledger/test_gemm.py": TESTS,
}
NAV = "nav:\n  - index.md\n  - lectures/mini/gemm.md\n  - reference/functions/ledger.md\n"
SHARED = ("infra_ref", "overrides", "node_modules")
BOTH = "docs/*/lectures/mini/gemm.md"
TEST_FILE, CODE, GIVEN = "tests/ledger/test_gemm.py", "snippets/mini/count.py", "snippets/mini/given.toml"
FIGURE = "{=gemm.min_bytes(m=given.edge, n=given.edge, k=given.edge, itemsize=2)}"
ZH, EN = "docs/zh/lectures/mini/gemm.md", "docs/en/lectures/mini/gemm.md"


def accept_everything(root: Path) -> None:
    """Renew every lock that can be renewed: what stands in one language only cannot."""
    for rel, both in pages.pairs(root):
        for section in lock.hashes(both):
            try:
                lock.accept(f"{rel}#{section}", root)
            except lock.UnknownSection:
                continue


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    for name, text in MINI.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in SHARED:
        if (ROOT / name).exists():
            (tmp_path / name).symlink_to(ROOT / name)
    for name in ("mkdocs.yml", "mkdocs.zh.yml"):
        settings, _, _ = (ROOT / name).read_text(encoding="utf-8").partition("\nnav:")
        settings = settings.replace("- lectures/math-first-principles/", "- lectures/mini/")  # the page with a notebook
        (tmp_path / name).write_text(f"{settings}\n{NAV}", encoding="utf-8")
    accept_everything(tmp_path)
    return tmp_path


def plant(root: Path, where: str, old: str, new: str, count: int = 1) -> None:
    """Replace a text that stands exactly `count` times in each of the files; an empty old text makes a new file."""
    if not old:
        (root / where).write_text(new, encoding="utf-8")
        return
    paths = sorted(root.glob(where))
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == count, f"{old!r} in {path}"
        path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_small_course_has_no_fault(mini: Path) -> None:
    assert {name: found for name, found in checks.run(mini).items() if found} == {}
    assert execute.blocks(mini / EN, mini)


# Check -> (name, files, text, its replacement, line of the English page or place, part of the message)
FAULTS: dict[str, list[tuple[str, str, str, str, int | str, str]]] = {
    "figures": [
        ("digit", BOTH, "137,438,953,472", "137,438,953,473", 7, "gives 137,438,953,472"),
        ("unit", BOTH, "96 MiB", "96 MB", 7, "is shown"),
        ("GB for GiB", BOTH, "96 MiB", "0.09375 GB", 7, "0.100663296"),
        ("size that fits both prefixes", BOTH, "96 MiB", "0.1 GB", 7, "as right in GiB"),
        ("missing unit", BOTH, "96 MiB", "96", 7, "no unit is shown"),
        ("argument", BOTH, "itemsize=2", "itemsize=4", 7, "gives 192"),
        ("name", BOTH, "{=gemm.min_bytes(", "{=gemm.least_bytes(", 7, "least_bytes"),
    ],
    "formulas": [
        ("factor", BOTH, "F = 2MNK", "F = 3MNK", 11, "the sides are"),
        ("letter", BOTH, "F = 2MNK", "F = 2MNN", 11, "argument K"),
        ("approximation", BOTH, "F = 2MNK", r"F \approx 2MNK", 11, "nor a neighbourhood"),
        ("inequality", BOTH, "F = 2MNK", r"F \ge 2MNK", 11, "neither a direction"),
        ("formula outside a fence", BOTH, "$M = 4096$", "$$M = 4096$$", 18, "is a ```math fence"),
        ("unreadable", BOTH, "F = 2MNK", r"F = \frac{2}{MNK", 11, "expected }"),
        ("factor held by a test", BOTH, "Q = s(MK", "Q = 2s(MK", 14, "nor holds this formula"),
        ("test that is gone", TEST_FILE, "def test_bytes", "def test_byte", 14, "no such test"),
        ("no tag", BOTH, ' check="gemm.flops(m=M, n=N, k=K)"', "", 11, "exactly one of"),
        ("source without it", BOTH, f'test="{TEST_FILE}::test_bytes"', 'cite="none"', 14, "no such source"),
    ],
    "oracles": [
        ("bare literal", BOTH, FIGURE, "{=Q(96, 'MiB')}", 7, "a bare literal proves nothing"),
        ("oracle that asserts nothing", TEST_FILE, "assert True", "pass", 7, "vouches for gemm.flops"),
        ("oracle that is skipped", TEST_FILE, "@pytest", "@pytest.mark.skip\n@pytest", 7, "vouches for gemm"),
        ("no oracle", TEST_FILE, '"gemm.*"', '"gemm.min_bytes"', 7, "vouches for gemm.flops"),
    ],
    "literals": [
        ("number in a formula", BOTH, "$M = 4096$", "$M = 4097$", 18, "'4097' is not computed"),
        ("number in a quiz", BOTH, '["2", "3"]', '["2", "3.25 GB"]', 32, "'3.25 GB'"),
        ("number in a table", BOTH, "| 1 | 2 |", "| 1 | 35% |", 40, "'35%'"),
    ],
    "inputs": [
        ("unread input", GIVEN, "edge = 4096", "edge = 4096\nlost = 5", f"{GIVEN}:3", "given.lost"),
    ],
    "includes": [
        ("renamed section", CODE, "start:count", "start:total", 23, "no section 'count'"),
        ("include by lines", BOTH, "count.py:count", "count.py:1:2", 23, "never by number"),
        ("blank behind an include", BOTH, 'count.py:count"', 'count.py:count" ', 23, "show the include line"),
        ("typed code", BOTH, f'--8<-- "{CODE}:count"', "print(30)", 22, "never typed"),
        ("fence that is not run", BOTH, "```python", "```py", 22, "opens is not run"),
        ("output of no block", BOTH, "```python title", "```cpp title", 25, "nothing would compare"),
        ("output of another block", BOTH, "count.out", "count.py:count", 25, "not the recorded output"),
    ],
    "unshown files": [
        ("snippet", "snippets/mini/lost.py", "", SNIPPET, "snippets/mini/lost.py:1", "no page shows"),
        ("section", CODE, "[end:count]", f"[end:count]\n{SNIPPET.replace('count', 'x')}", f"{CODE}:4", "section 'x'"),
    ],
    "links": [
        ("dead anchor", BOTH, "../../index.md#top", "../../index.md#bottom", 29, "no such anchor"),
        ("broken link", BOTH, "../../index.md#top", "../../inde.md#top", 29, "no such file"),
        ("dead anchor elsewhere", "docs/*/index.md", "#code", "#cod", "docs/zh/index.md:3", "no such anchor"),
    ],
    "structure": [
        ("heading without id", BOTH, " { #code }", "", 20, "no explicit id"),
        ("open block", BOTH, "\n///\n", "\n", 31, "never closed"),
        ("code typed by indentation", BOTH, "| 1 | 2 |\n", "| 1 | 2 |\n\n    x = 1\n", 42, "is code to Markdown"),
        ("fence by indentation", BOTH, "```python title", "    ```python title", 22, "is code to Markdown"),
        ("figure in a code span", BOTH, f"[96 MiB]{FIGURE}", f"`[96 MiB]{FIGURE}`", 7, "neither shown nor checked"),
        ("task without a solution", BOTH, "| 1 | 2 |\n", "| 1 | 2 |\n\n### A { #ex-a }\n", 42, "#ex-a has 0"),
    ],
    "number formats": [
        ("digit", BOTH, "| 1 | 2 |", "| 1 | bf17 |", 40, "bf17 is no number format"),
    ],
    "literals in pictures and definitions": [
        ("label", "snippets/mini/draw_p.py", "", 'TEXT = {"en": "75 GB"}\n', "snippets/mini/draw_p.py:1", "'75 GB'"),
    ],
    "forbidden words": [
        ("removed API", BOTH, "| 1 | 2 |", "| tvm.relay | 2 |", 40, "removed from TVM"),
    ],
    "Chinese typography": [
        ("half-width comma", ZH, "得到：[137", "得,到：[137", f"{ZH}:7", "half-width punctuation"),
    ],
    "parity": [
        ("factor", EN, "F = 2MNK", "F = 4MNK", f"{ZH}:11", f"formula differs from {EN}:11"),
        ("digit", ZH, "96 MiB", "97 MiB", f"{ZH}:7", f"figure differs from {EN}:7"),
        ("heading", EN, "## Title { #formulas }", "Text.", f"{ZH}:9", "heading differs"),
        ("answer", EN, "answer: 2", "answer: 1", f"{ZH}:31", f"block differs from {EN}:31"),
        ("row", EN, "| 1 | 2 |", "| 1 | 2 |\n| 3 | 4 |", f"{ZH}:38", f"table differs from {EN}:38"),
        ("inline formula", EN, "$M = 4096$", "$M = 4095$", f"{EN}:18", "inline formula $M = 4095$ is not in section"),
        ("name", ZH, "| 1 | 2 |", "| H100 | 2 |", f"{ZH}:40", "number H100 is not in section #code"),
        ("count of two digits", EN, "| 1 | 2 |", "| 1 | 22 |", f"{EN}:40", "number 22 is not in section #code"),
        ("paragraph", EN, "\nA sentence.", "", f"{ZH}:20", f"paragraphs of section #code: 2, in {EN}: 1"),
        ("include", EN, "count.py:count", "count.py:other", f"{ZH}:23", f"include differs from {EN}:23"),
    ],
}  # fmt: skip
PLANTED = [
    pytest.param(check, *fault[1:], id=f"{check}: {fault[0]}") for check, found in FAULTS.items() for fault in found
]


@pytest.mark.parametrize(("check", "where", "old", "new", "place", "message"), PLANTED)
def test_planted(mini: Path, check: str, where: str, old: str, new: str, place: int | str, message: str) -> None:
    plant(mini, where, old, new)
    accept_everything(mini)
    start = f"{EN}:{place}: " if isinstance(place, int) else f"{place}: "
    found = [str(problem) for problem in checks.CHECKS[check](mini, "")]
    assert any(text.startswith(start) and message in text for text in found), found
    if check != "parity":
        assert lock.problems(mini) == []


@pytest.mark.parametrize(("where", "other"), [(ZH, EN), (EN, ZH)])
def test_page_missing_in_one_language(mini: Path, where: str, other: str) -> None:
    (mini / where).unlink()
    accept_everything(mini)
    assert f"{other}:1: {where} is missing" in [str(p) for p in checks.CHECKS["parity"](mini, "")]


def test_translation_changed_on_one_side_alone(mini: Path) -> None:
    plant(mini, ZH, "一句话。", "另一句话。")
    ((problem),) = lock.problems(mini)
    assert str(problem).startswith(f"{ZH}:20: section #code changed in zh alone")
    assert "infra-ref pages accept lectures/mini/gemm#code" in problem.message


def test_blocks_that_the_runner_does_not_see(mini: Path) -> None:
    plant(mini, EN, "```python title", "```py title")
    with pytest.raises(execute.PageError, match="25: this output is not directly below a block that is run"):
        execute.blocks(mini / EN, mini)
    plant(mini, EN, '```text title="Output"\n--8<-- "snippets/mini/count.out"\n```\n', "")
    with pytest.raises(execute.PageError, match="22: this Python fence would not be run"):
        execute.blocks(mini / EN, mini)


def test_stale_output(mini: Path) -> None:
    snippet = mini / "snippets/mini/count.py"
    with alone.Server(alone.VARIANTS[0]) as server:
        assert outputs.differences(outputs.of_run(snippet, server.run(snippet)), outputs.recorded(snippet)) == []
        plant(mini, "snippets/mini/count.py", "range(5)", "range(7)")
        ((difference),) = outputs.differences(outputs.of_run(snippet, server.run(snippet)), outputs.recorded(snippet))
    assert difference.startswith("count.out holds\n30\nbut should hold\n42\n")


# --- what a strict build, or the built page, must tell ---------------------------------------------------------------


def build(root: Path, *configs: str) -> str:
    """Strict builds; what they logged."""
    log = ""
    for name in configs:
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", name],
            cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True,
        )  # fmt: skip
        log += f"{name}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return log


@contextlib.contextmanager
def tampered(root: Path, old: str, new: str, where: str = "") -> Iterator[list[str]]:
    """What the check of built pages says while the built English page, or its notebook, holds another text."""
    path = root / "site/en/lectures/mini/gemm" / where / "index.html"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    yield [str(problem) for problem in built.problems(root)]
    path.write_text(text, encoding="utf-8")


def test_built_pages_show_only_what_was_checked(mini: Path) -> None:
    log = build(mini, "mkdocs.yml", "mkdocs.zh.yml")
    assert log.count("exit 0") == 2, log
    assert built.problems(mini) == []
    for old, new, problem in (
        (">sum<", ">max<", f"{EN}:22: what the copy button gives is not what was run"),
        ("A sentence.", f'--8<-- "{CODE}:count"', f"{EN}:23: '--8<--' shows on the built page"),
        ("A sentence.", "[1]{=gemm.x()}", f"{EN}:1: '{{=gemm.x()}}' shows on the built page"),
        ('id="code"', 'id="cod"', "docs/en/index.md:3: built link lectures/mini/gemm/#code reaches no anchor"),
        ("language-python", "language-text", f"{EN}:1: 1 Python blocks are run, 0 are on the built page"),
    ):
        with tampered(mini, old, new) as found:
            assert problem in found
    for old, new, problem in (
        (">sum<", ">max<", f"{EN}:22: what the copy button gives is not what was run"),
        ("A sentence.", f'--8<-- "{CODE}:count"', f"{EN}:23: '--8<--' shows on the built page"),
        ('href="../../../../#top"', 'href="../../../../#to"', f"{EN}:5: built link ../../../../#to reaches no anchor"),
    ):
        with tampered(mini, old, new, "notebook") as found:
            assert problem in found
    (mini / "site/zh/lectures/mini/gemm/index.html").unlink()
    assert f"{ZH}:1: zh/lectures/mini/gemm/index.html was not built" in [str(p) for p in built.problems(mini)]


def test_strict_build_fails_on_planted_faults(mini: Path) -> None:
    plant(mini, BOTH, "137,438,953,472", "137,438,953,473")
    plant(mini, BOTH, "../../index.md#top", "../../index.md#bottom")
    plant(mini, "docs/*/index.md", "gemm.md#code", "gem.md#code")
    plant(mini, BOTH, "Q = s(MK", r"Q = \fraq{1}{2}(MK")
    plant(mini, BOTH, "F = 2MNK", "F = 2MNK\n```\n```math\nF = 2MNK")
    plant(mini, BOTH, 'count.py:count"', 'count.py:count" ')
    accept_everything(mini)
    log = build(mini, "mkdocs.zh.yml")
    assert "exit 1" in log, log
    assert f"no notebook of {ZH}: {ZH}: '--8<--' would show in cell code-2 of the notebook" in log
    assert f"{ZH}:7: [137,438,953,473 FLOP]" in log
    assert f"{ZH}:18: " in log  # KaTeX does not know the command
    assert "a formula needs exactly one of check=, test=, cite=" in log
    assert "'lectures/mini/gemm.md' contains a link '../../index.md#bottom'" in log
    assert "'index.md' contains a link 'lectures/mini/gem.md#code'" in log
    (mini / "site/en").mkdir()
    leaks = [str(problem) for problem in built.problems(mini)]
    assert f"{ZH}:26: '--8<--' shows on the built page" in leaks
