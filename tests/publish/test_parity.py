"""One skeleton in two languages: each difference is told once, with the line in both files."""

import pytest

from infra_ref.publish import parity

ZH = """---
title: 标题
hide: [toc]
---
# 标题 { #top }

[脊点]{~ridge-point}在 [3.35 TB/s]{=hardware.x}，[7 倍]{=gemm.y(m=1)}，[5 词元/s]{=gemm.z}，[16 词元]{=gemm.w}。

## 一节 { #one }

见[图](#top)，{?ladder}，{@cpu}。

```python title="snippets/s/a.py"
--8<-- "snippets/s/a.py:part"
```
```math check="gemm.y(m=M)"
Y = 2M_{\\text{旧}}
```

/// predict | 多少？
    options: ["甲", "乙"]
    answer: 2

推导。
///

/// chart | snippets/s/c
说明。
///

| 甲 | 乙 |
|---|---|
| 1 | 2 |

### 练习 { #ex-a data-level="1" }

- 自查。{ #sc-a }
"""

EN = """---
title: Title
hide: [toc]
---
# Title { #top }

There are [7 ×]{=gemm.y(m=1)}, [5 token/s]{=gemm.z} and [16 tokens]{=gemm.w} at a
[ridge point]{~ridge-point} with [3.35 TB/s]{=hardware.x}.

## One { #one }

See {@cpu}, {?ladder} and the [figure](#top).

```python title="snippets/s/a.py"
--8<-- "snippets/s/a.py:part"
```
```math check="gemm.y(m=M)"
Y = 2M_{\\text{old}}
```

/// predict | How many?
    options: ["one", "two"]
    answer: 2

Derivation.
///

/// chart | snippets/s/c
Caption.
///

| a | b |
|---|---|
| 1 | 2 |

### Exercise { #ex-a data-level="1" }

- Check. { #sc-a }
"""


def compare(site, zh=ZH, en=EN):
    root = site({"docs/zh/lectures/s/p.md": zh, "docs/en/lectures/s/p.md": en})
    return [(p.page, p.line, p.message) for p in parity.problems(root)]


def test_the_same_skeleton(site):
    assert compare(site) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("# Title { #top }", "# Title { #other }", 5, "heading differs from docs/en/lectures/s/p.md:5"),
        ("### Exercise", "## Exercise", 35, "heading differs from docs/en/lectures/s/p.md:36"),
        ('data-level="1"', 'data-level="2"', 35, "heading differs from docs/en/lectures/s/p.md:36"),
        ("a.py:part", "a.py:rest", 14, "include differs from docs/en/lectures/s/p.md:15"),
        ("```python", "```cpp", 13, "code block differs from docs/en/lectures/s/p.md:14"),
        ("3.35 TB/s", "3.36 TB/s", 7, "figure differs from docs/en/lectures/s/p.md:8"),
        ("3.35 TB/s", "3.4 TB/s", 7, "figure differs from docs/en/lectures/s/p.md:8"),
        ("3.35 TB/s", "3.35 TiB/s", 7, "figure differs from docs/en/lectures/s/p.md:8"),
        ("{=hardware.x}", "{=hardware.y}", 7, "figure differs from docs/en/lectures/s/p.md:8"),
        ("[7 ×]{=gemm.y(m=1)}", "Seven", 7, "figure differs from docs/en/lectures/s/p.md:5"),
        ("{~ridge-point}", "{~bandwidth}", 7, "term differs from docs/en/lectures/s/p.md:8"),
        ("{@cpu}", "{@gpu}", 11, "chip differs from docs/en/lectures/s/p.md:12"),
        ("(#top)", "(#one)", 11, "link differs from docs/en/lectures/s/p.md:12"),
        ("Y = 2M", "Y = 3M", 16, "formula differs from docs/en/lectures/s/p.md:17"),
        ('check="gemm.y(m=M)"', 'test="tests/x.py::test_y"', 16, "formula differs from docs/en/lectures/s/p.md:17"),
        ("answer: 2", "answer: 1", 20, "block differs from docs/en/lectures/s/p.md:21"),
        ('["one", "two"]', '["one", "two", "three"]', 20, "block differs from docs/en/lectures/s/p.md:21"),
        ("snippets/s/c", "snippets/s/d", 27, "block differs from docs/en/lectures/s/p.md:28"),
        ("| 1 | 2 |", "| 1 | 2 |\n| 3 | 4 |", 31, "table differs from docs/en/lectures/s/p.md:32"),
        ("| 1 | 2 |", "| 1 | 2 | 3 |", 31, "table differs from docs/en/lectures/s/p.md:32"),
        ("#sc-a", "#sc-b", 37, "self-check item differs from docs/en/lectures/s/p.md:38"),
        ("hide: [toc]", "hide: [navigation]", 1, "front matter differs from docs/en/lectures/s/p.md:1"),
    ],
)
def test_a_difference_names_both_lines(site, old, new, line, message):
    assert EN.count(old) == 1
    found = compare(site, en=EN.replace(old, new))
    assert any(page.startswith("docs/zh") and at == line and text.startswith(message) for page, at, text in found), (
        found
    )


MORE = {
    "zh": "\n另见 fp16 与 $2^{24}$、`x[:24]`，共 1237 次，三次。\n",
    "en": "\nSee fp16, $2^{24}$ and `x[:24]`: 1,237 times, 3.\n",
}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2^{24}", "2^{25}", "inline formula $2^{25}$ is not in section #ex-a of docs/zh/lectures/s/p.md"),
        ("x[:24]", "x[:25]", "number `x[:25]` is not in section #ex-a of docs/zh/lectures/s/p.md"),
        ("fp16", "fp32", "number fp32 is not in section #ex-a of docs/zh/lectures/s/p.md"),
        ("1,237", "1,239", "number 1,239 is not in section #ex-a of docs/zh/lectures/s/p.md"),
        (": 1,237 times", "", "number 1237 is not in section #ex-a of docs/en/lectures/s/p.md"),
    ],
)
def test_numbers_in_prose_formulas_and_code_are_those_of_the_other_language(site, old, new, message):
    zh, en = ZH + MORE["zh"], EN + MORE["en"]
    assert compare(site, zh, en) == []
    assert en.count(old) == 1
    assert message in [text for _, _, text in compare(site, zh, en.replace(old, new))]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Derivation.\n", "Derivation.\n\nMore.\n", "paragraphs of section #one: 3, in docs/en/lectures/s/p.md: 4"),
        ("Derivation.\n", "", "paragraphs of section #one: 3, in docs/en/lectures/s/p.md: 2"),
        ("- Check.", "- One more.\n- Check.", "list items of section #ex-a: 1, in docs/en/lectures/s/p.md: 2"),
    ],
)
def test_paragraphs_and_items_have_their_twins(site, old, new, message):
    assert message in [text for _, _, text in compare(site, en=EN.replace(old, new))]


def test_something_only_in_one_language(site):
    found = compare(site, en=EN + "\n## More { #more }\n")
    assert [(line, text) for _, line, text in found] == [
        (38, "heading ## { #more } of docs/en/lectures/s/p.md:40 is missing")
    ]
    found = compare(site, zh=ZH + "\n## 更多 { #more }\n")
    assert [(line, text) for _, line, text in found] == [
        (39, "heading ## { #more } is not in docs/en/lectures/s/p.md:39")
    ]


def test_a_figure_moved_to_another_section_is_told_in_both(site):
    moved = EN.replace(" with [3.35 TB/s]{=hardware.x}", "").replace("See ", "See [3.35 TB/s]{=hardware.x}, ")
    assert [line for _, line, _ in compare(site, en=moved)] == [7, 9]


def test_a_page_in_one_language(site):
    root = site({"docs/zh/a.md": "# 甲 { #top }\n", "docs/en/b.md": "# B { #top }\n"})
    assert [str(p) for p in parity.problems(root)] == [
        "docs/zh/a.md:1: docs/en/a.md is missing",
        "docs/en/b.md:1: docs/zh/b.md is missing",
    ]


@pytest.mark.parametrize(
    ("zh", "en"),
    [("7 倍", "7 ×"), ("3 天", "3 days"), ("16 词元", "16 tokens"), ("5 词元/s", "5 token/s"), ("50.01%", "50.01 %")],
)
def test_one_unit_in_two_languages(zh, en):
    assert parity._figure(zh) == parity._figure(en)


@pytest.mark.parametrize(
    ("one", "other"), [("7 GB", "7 GiB"), ("7.0 倍", "7 ×"), ("7 B", "7 b"), ("7%", "7 ×"), ("70 GB", "70 MB")]
)
def test_two_units(one, other):
    assert parity._figure(one) != parity._figure(other)
