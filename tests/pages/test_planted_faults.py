"""Things that must be impossible, each planted in a small course with its lock renewed: the right check must find it.

Factors and digits are planted in both languages at once, so that neither the lock nor the comparison of the languages
can catch what only the specific check should.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
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
INDEX = "# {title} {{ #top }}\n\n[{title}](lectures/mini/gemm.md#code)\n\n[1]{{=gemm.tile_count(m=1, n=1, tile_m=1, tile_n=1)}}\n"
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
    pass


def test_bytes():
    r"""Q = s(MK + KN + MN)"""
'''
MINI = {
    **{f"docs/{lang}/lectures/mini/gemm.md": PAGE.format(**words) for lang, words in WORDS.items()},
    **{f"docs/{lang}/index.md": INDEX.format(**words) for lang, words in WORDS.items()},
    "snippets/mini/count.py": SNIPPET,
    "snippets/mini/count.out": "30\n",
    "snippets/mini/given.toml": "[gemm]\nedge = 4096\n",
    "tests/ledger/test_gemm.py": TESTS,
}
NAV = "nav:\n  - index.md\n  - lectures/mini/gemm.md\n"
SHARED = ("infra_ref", "overrides", "node_modules")
BOTH = "docs/*/lectures/mini/gemm.md"
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


@dataclass(frozen=True)
class Fault:
    """A text replaced by another, and what the check must say: its name, a line of a file, part of the message."""

    name: str
    where: str
    old: str
    new: str
    check: str
    place: str
    message: str


FAULTS = [
    Fault("digit", BOTH, "137,438,953,472", "137,438,953,473", "figures", f"{ZH}:7", "gives 137,438,953,472"),
    Fault("unit", BOTH, "96 MiB", "96 MB", "figures", f"{EN}:7", "is shown"),
    Fault("GB for GiB", BOTH, "96 MiB", "0.09375 GB", "figures", f"{EN}:7", "0.100663296"),
    Fault("missing unit", BOTH, "96 MiB", "96", "figures", f"{EN}:7", "no unit is shown"),
    Fault("argument", BOTH, "itemsize=2", "itemsize=4", "figures", f"{EN}:7", "gives 192"),
    Fault("name", BOTH, "{=gemm.min_bytes(", "{=gemm.least_bytes(", "figures", f"{EN}:7", "least_bytes"),
    Fault("factor in a formula", BOTH, "F = 2MNK", "F = 3MNK", "formulas", f"{ZH}:11", "the sides are"),
    Fault("letter in a formula", BOTH, "F = 2MNK", "F = 2MNN", "formulas", f"{ZH}:11", "argument K"),
    Fault("unreadable formula", BOTH, "F = 2MNK", r"F = \frac{2}{MNK", "formulas", f"{ZH}:11", "expected }"),
    Fault("factor in a tested formula", BOTH, "Q = s(MK", "Q = 2s(MK", "formulas", f"{EN}:14", "nor holds this formula"),
    Fault("test that is gone", "tests/ledger/test_gemm.py", "def test_bytes", "def test_byte", "formulas", f"{EN}:14", "no such test"),
    Fault("formula without a tag", BOTH, ' check="gemm.flops(m=M, n=N, k=K)"', "", "formulas", f"{EN}:11", "exactly one of"),
    Fault("source without the formula", BOTH, 'test="tests/ledger/test_gemm.py::test_bytes"', 'cite="h100-datasheet"', "formulas", f"{EN}:14", "cite="),
    Fault("bare literal", BOTH, "{=gemm.min_bytes(m=given.edge, n=given.edge, k=given.edge, itemsize=2)}", "{=Q(96, 'MiB')}",
          "oracles", f"{EN}:7", "a bare literal proves nothing"),
    Fault("no oracle", "tests/ledger/test_gemm.py", '"gemm.*"', '"gemm.min_bytes"', "oracles", f"{EN}:7", "vouches for gemm.flops"),
    Fault("number in prose", BOTH, "$M = 4096$", "$M = 4097$", "literals", f"{EN}:18", "'4097' is not computed"),
    Fault("number in a quiz", BOTH, '["2", "3"]', '["2", "3.25 GB"]', "literals", f"{EN}:32", "'3.25 GB'"),
    Fault("number in a table", BOTH, "| 1 | 2 |", "| 1 | 35% |", "literals", f"{EN}:40", "'35%'"),
    Fault("unread input", "snippets/mini/given.toml", "edge = 4096", "edge = 4096\nlost = 5", "inputs", "snippets/mini/given.toml:3", "given.lost"),
    Fault("renamed section", "snippets/mini/count.py", "start:count", "start:total", "includes", f"{EN}:23", "no section 'count'"),
    Fault("include by lines", BOTH, "count.py:count", "count.py:1:2", "includes", f"{EN}:23", "never by number"),
    Fault("blank behind an include", BOTH, 'count.py:count"', 'count.py:count" ', "includes", f"{EN}:23", "show the include line"),
    Fault("code typed into a page", BOTH, '--8<-- "snippets/mini/count.py:count"', "print(30)", "includes", f"{EN}:22", "never typed"),
    Fault("fence that is not run", BOTH, "```python", "```py", "includes", f"{EN}:22", "opens is not run"),
    Fault("output of no block", BOTH, "```python title", "```cpp title", "includes", f"{EN}:25", "nothing would compare"),
    Fault("output of another block", BOTH, "count.out", "count.py:count", "includes", f"{EN}:25", "not the recorded output"),
    Fault("snippet that no page shows", "snippets/mini/lost.py", "", SNIPPET, "unshown files", "snippets/mini/lost.py:1", "no page shows"),
    Fault("section that no page shows", "snippets/mini/count.py", "# --8<-- [end:count]", "# --8<-- [end:count]\n# --8<-- [start:x]\n# --8<-- [end:x]",
          "unshown files", "snippets/mini/count.py:4", "no page shows section 'x'"),
    Fault("dead anchor", BOTH, "../../index.md#top", "../../index.md#bottom", "links", f"{EN}:29", "no such anchor"),
    Fault("broken link", BOTH, "../../index.md#top", "../../inde.md#top", "links", f"{EN}:29", "no such file"),
    Fault("dead anchor on this page", "docs/*/index.md", "gemm.md#code", "gemm.md#cod", "links", "docs/zh/index.md:3", "no such anchor"),
    Fault("heading without id", BOTH, " { #code }", "", "structure", f"{EN}:20", "no explicit id"),
    Fault("open block", BOTH, "\n///\n", "\n", "structure", f"{EN}:31", "never closed"),
    Fault("removed API", BOTH, "| 1 | 2 |", "| tvm.relay | 2 |", "forbidden words", f"{EN}:40", "removed from TVM"),
    Fault("half-width comma", ZH, "得到：[137", "得,到：[137", "Chinese typography", f"{ZH}:7", "half-width punctuation"),
    Fault("factor in one language", EN, "F = 2MNK", "F = 4MNK", "parity", f"{ZH}:11", f"formula differs from {EN}:11"),
    Fault("digit in one language", ZH, "96 MiB", "97 MiB", "parity", f"{ZH}:7", f"figure differs from {EN}:7"),
    Fault("heading in one language", EN, "## Title { #formulas }", "Text.", "parity", f"{ZH}:9", "heading differs"),
    Fault("answer in one language", EN, "answer: 2", "answer: 1", "parity", f"{ZH}:31", f"block differs from {EN}:31"),
    Fault("row in one language", EN, "| 1 | 2 |", "| 1 | 2 |\n| 3 | 4 |", "parity", f"{ZH}:38", f"table differs from {EN}:38"),
    Fault("include in one language", EN, "count.py:count", "count.py:other", "parity", f"{ZH}:23", f"include differs from {EN}:23"),
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_planted(mini: Path, fault: Fault) -> None:
    plant(mini, fault.where, fault.old, fault.new)
    accept_everything(mini)
    found = [str(problem) for problem in checks.CHECKS[fault.check](mini, "")]
    assert any(text.startswith(f"{fault.place}: ") and fault.message in text for text in found), found
    if fault.check != "parity":
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


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("```python title", "```py title", f"{EN}:22: this Python fence would not be run"),
        ("```python title", "```cpp title", f"{EN}:25: this output is not directly below a block that is run"),
    ],
)
def test_blocks_that_the_runner_does_not_see(mini: Path, old: str, new: str, message: str) -> None:
    plant(mini, BOTH, old, new)
    with pytest.raises(execute.PageError) as error:
        execute.blocks(mini / EN, mini)
    assert str(error.value).startswith(message)


def test_stale_output(mini: Path) -> None:
    snippet = mini / "snippets/mini/count.py"
    with alone.Server(alone.VARIANTS[0]) as server:
        assert outputs.differences(outputs.of_run(snippet, server.run(snippet)), outputs.recorded(snippet)) == []
        plant(mini, "snippets/mini/count.py", "range(5)", "range(7)")
        ((difference),) = outputs.differences(outputs.of_run(snippet, server.run(snippet)), outputs.recorded(snippet))
    assert difference.startswith("count.out holds\n30\nbut should hold\n42\n")


# --- what a strict build, or the built page, must tell ---------------------------------------------------------------


def build(root: Path) -> str:
    """Both strict builds; what they logged."""
    log = ""
    for name in ("mkdocs.yml", "mkdocs.zh.yml"):
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", name],
            cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True,
        )  # fmt: skip
        log += f"{name}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return log


def test_strict_build_and_built_pages(mini: Path) -> None:
    log = build(mini)
    assert log.count("exit 0") == 2, log
    assert built.problems(mini) == []

    tamper(mini, "print(sum", "print(max", "what the copy button gives is not what was run", 22)
    tamper(mini, "A sentence.", '--8<-- "snippets/mini/count.py:count"', "'--8<--' shows on the built page", 23)
    tamper(mini, "A sentence.", "[96 MiB]{=gemm.flops()}", "'{=gemm.flops()}' shows on the built page", 1)
    tamper(mini, 'id="code"', 'id="cod"', "reaches no anchor", 1)
    tamper(mini, "language-python highlight", "highlight", "1 Python blocks are run, 0 are on the built page", 1)


def tamper(root: Path, old: str, new: str, message: str, line: int) -> None:
    """Change the built English page, see the check find it, and put the page back."""
    path = root / "site/en/lectures/mini/gemm/index.html"
    text = path.read_text(encoding="utf-8")
    shown = re.sub(r"\s+", " ", text)
    assert old in text, shown
    path.write_text(text.replace(old, new), encoding="utf-8")
    found = [str(problem) for problem in built.problems(root)]
    assert any(message in problem for problem in found), found
    assert any(problem.startswith((f"{EN}:{line}: ", "docs/en/index.md:")) for problem in found), found
    path.write_text(text, encoding="utf-8")


def test_strict_build_fails_on_planted_faults(mini: Path) -> None:
    plant(mini, BOTH, "137,438,953,472", "137,438,953,473")
    plant(mini, BOTH, "../../index.md#top", "../../index.md#bottom")
    plant(mini, "docs/*/index.md", "gemm.md#code", "gem.md#code")
    plant(mini, BOTH, "Q = s(MK", r"Q = \\fraq{1}{2}(MK")
    plant(mini, BOTH, 'count.py:count"', 'count.py:count" ')
    accept_everything(mini)
    log = build(mini)
    assert log.count("exit 1") == 2, log
    for page in (ZH, EN):
        assert f"{page}:7: [137,438,953,473 FLOP]" in log
        assert re.search(rf"{page}:15: .*fraq", log)
    for lang in ("en", "zh"):
        assert "'lectures/mini/gem.md#code'" in log or "gem.md" in log, lang
    assert log.count("#bottom") == 2
    leaks = [str(problem) for problem in built.problems(mini)]
    assert any("'--8<--' shows on the built page" in text and text.startswith(f"{EN}:23: ") for text in leaks), leaks
