"""Things that must be impossible, each planted in a small course with its lock renewed: the right check must find it.

Factors and digits are planted in both languages at once, so that neither the lock nor the comparison of the languages
can catch what only the specific check should.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra_ref.publish import ROOT, alone, built, checks, execute, lock, outputs, pages

PAGE = """---
title: {title}
description: {title}
---
# {title} {{ #top }}

{text} [137,438,953,472 FLOP]{{=gemm.flops(m=given.edge, n=given.edge, k=given.edge)}}, \
[96 MiB]{{=gemm.min_bytes(m=given.edge, n=given.edge, k=given.edge, itemsize=2)}}

## {title} {{ #formulas }}

```math check="gemm.flops(m=M, n=N, k=K)"
F = 2MNK
```
```math test="tests/ledger/test_gemm.py::test_bytes"
Q = s(MK + KN + MN)
```

{text} $M = 4096$[^1]

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

[^1]: {text}
"""
INDEX = "# {title} {{ #top }}\n\n[{title}](lectures/mini/gemm.md#code)\n\n[1]{{=gemm.tile_count(m=1, n=1, tile_m=1, tile_n=1)}}\n"
WORDS = {
    "en": {"title": "Title", "text": "A sentence.", "output": "Output"},
    "zh": {"title": "标题", "text": "一句话。", "output": "输出"},
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
    Fault("output of another block", "snippets/mini/*.py", "", "", "", "", ""),
    Fault("snippet that no page shows", "snippets/mini/lost.py", "", SNIPPET, "unshown files", "snippets/mini/lost.py:1", "no page shows"),
    Fault("section that no page shows", "snippets/mini/count.py", "# --8<-- [end:count]", "# --8<-- [end:count]\n# --8<-- [start:x]\n# --8<-- [end:x]",
          "unshown files", "snippets/mini/count.py:4", "no page shows section 'x'"),
    Fault("dead anchor", BOTH, "../../index.md#top", "../../index.md#bottom", "links", f"{EN}:29", "no such anchor"),
    Fault("broken link", BOTH, "../../index.md#top", "../../inde.md#top", "links", f"{EN}:29", "no such file"),
    Fault("dead anchor on this page", "docs/*/index.md", "gemm.md#code", "gemm.md#cod", "links", "docs/zh/index.md:3", "no such anchor"),
    Fault("heading without id", BOTH, "## Title { #code }", "## Title", "structure", f"{EN}:20", "no explicit id"),
    Fault("open block", BOTH, "\n///\n", "\n", "structure", f"{EN}:31", "never closed"),
    Fault("removed API", BOTH, "| 1 | 2 |", "| tvm.relay | 2 |", "forbidden words", f"{EN}:40", "removed from TVM"),
    Fault("half-width comma", ZH, "一句话。 [137", "一句,话。[137", "Chinese typography", f"{ZH}:7", "half-width punctuation"),
    Fault("factor in one language", EN, "F = 2MNK", "F = 4MNK", "parity", f"{ZH}:11", f"formula differs from {EN}:11"),
    Fault("digit in one language", ZH, "96 MiB", "97 MiB", "parity", f"{ZH}:7", f"figure differs from {EN}:7"),
    Fault("heading in one language", EN, "## Title { #formulas }", "Text.", "parity", f"{ZH}:9", "heading differs"),
    Fault("answer in one language", EN, "answer: 2", "answer: 1", "parity", f"{ZH}:31", f"block differs from {EN}:31"),
    Fault("row in one language", EN, "| 1 | 2 |", "| 1 | 2 |\n| 3 | 4 |", "parity", f"{ZH}:38", f"table differs from {EN}:38"),
    Fault("include in one language", EN, "count.py:count", "count.py:other", "parity", f"{ZH}:23", f"include differs from {EN}:23"),
]  # fmt: skip
