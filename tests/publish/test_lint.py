"""Every rule of the source, with a page that breaks it once; and one that breaks none."""

import pytest

from infra_ref.publish import lint

SNIPPET = """import x
# --8<-- [start:part]
print(1)
# --8<-- [end:part]
"""
GOOD = """# Title { #top }

```python title="snippets/s/a.py"
--8<-- "snippets/s/a.py:part"
```
```text title="Output"
--8<-- "snippets/s/a.out"
```
"""


def write(site, text, lang="en", **files):
    return site({
        f"docs/{lang}/lectures/s/p.md": text, "snippets/s/a.py": SNIPPET, "snippets/s/a.out": "1\n", **files,
    })  # fmt: skip


def shown(problems):
    return [f"{p.line}: {p.message}" for p in problems]


def test_a_good_page_breaks_no_rule(site):
    root = write(site, GOOD)
    for check in (lint.includes, lint.structure, lint.links, lint.chinese, lint.forbidden):
        assert check(root) == []
    assert lint.unshown(root) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ('a.py:part"\n', 'a.py:part" \n', 4, "follows the include"),
        ('a.py:part"\n', 'a.py:2:3"\n', 4, "never by number"),
        ('a.py:part"\n', 'a.py::9"\n', 4, "never by number"),
        ('a.py:part"\n', 'a.py:other"\n', 4, "has no section 'other'; it has part"),
        ('a.py:part"\n', 'b.py:part"\n', 4, "no file snippets/s/b.py"),
        ('a.py:part"\n', 'a.py"\n', 4, "not the whole file"),
        ('--8<-- "snippets/s/a.py:part"\n', "print(1)\n", 3, "never typed into a page"),
        ('a.py:part"\n', 'a.py:part"\nprint(2)\n', 3, "never typed into a page"),
        ('```python title="snippets/s/a.py"', '```python title="a.py"', 3, 'title="snippets/s/a.py"'),
        ('```python title="snippets/s/a.py"', "```python", 3, 'title="snippets/s/a.py"'),
        ('title="Output"', 'title="输出"', 6, 'the title of an output is "Output"'),
        ('```text title="Output"', '\n```text title="Output"', 7, "directly below the block"),
        ('```python title', '```cpp title', 6, "directly below the block"),
        ("a.out", "b.out", 6, "not the recorded output of snippets/s/a.py"),
        ("# Title { #top }\n", '# Title { #top }\n--8<-- "snippets/s/a.py:part"\n', 2, "stands in a code fence"),
    ],
)  # fmt: skip
def test_includes(site, old, new, line, why):
    assert GOOD.count(old) == 1
    root = write(site, GOOD.replace(old, new), **{"snippets/s/b.out": "1\n"})
    found = shown(lint.includes(root))
    assert any(text.startswith(f"{line}: ") and why in text for text in found), found


@pytest.mark.parametrize(
    ("mark", "language"), [("~~~", "python"), ("```", "py"), ("```", "python3"), ("```", "Python")]
)
def test_fences_that_the_runner_does_not_see(site, mark, language):
    text = GOOD.replace("```python", mark + language).replace('part"\n```', 'part"\n' + mark)
    first = lint.includes(write(site, text))[0]
    assert first.line == 3
    assert f"what {mark if mark == '~~~' else mark + language} opens is not run" in first.message


@pytest.mark.parametrize(
    ("files", "where", "line"),
    [
        ({"snippets/s/b.py": SNIPPET}, "snippets/s/b.py", 1),
        ({"snippets/s/b.cu": "x"}, "snippets/s/b.cu", 1),
        ({"snippets/s/b.out": "x"}, "snippets/s/b.out", 1),
        ({"snippets/s/c.en.wide.svg": "x"}, "snippets/s/c.en.wide.svg", 1),
        ({"snippets/s/rows.json": "{}"}, "snippets/s/rows.json", 1),
        ({"snippets/s/a.py": SNIPPET + "# --8<-- [start:rest]\n# --8<-- [end:rest]\n"}, "snippets/s/a.py", 5),
    ],
)
def test_what_no_page_shows(site, files, where, line):
    write(site, GOOD)
    ((problem),) = lint.unshown(site(files))
    assert (problem.page, problem.line) == (where, line)


def test_drawings_inputs_results_and_their_scripts_are_known(site):
    text = GOOD + "/// chart | snippets/s/c\nCaption.\n///\n/// explore | snippets/s/rows.json\nCaption.\n///\n"
    names = [
        "draw_p.py",
        "given.toml",
        "a.json",
        "rows.json",
        *(f"c.{lang}.{w}.svg" for lang in ("en", "zh") for w in ("wide", "narrow")),
    ]
    root = write(site, text, **{f"snippets/s/{name}": "" for name in names})
    assert lint.unshown(root) == []


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("# Title\n", 1, "no explicit id"),
        ("# 标题 { #标题 }\n", 1, "not lower-case ASCII"),
        ("# Title { #Top }\n", 1, "not lower-case ASCII"),
        ("# Title { #a }\n\n## B { #a }\n", 3, "that of line 1 too"),
        ("# Title { #a }\n\n### B { #b }\n", 3, "level 3 follows one of level 1"),
        ("## Title { #a }\n", 1, "only heading of level 1"),
        ("# Title { #a }\n\n# B { #b }\n", 1, "only heading of level 1"),
        ("# Title { #a }\n- item { #a }\n", 2, "that of line 1 too"),
        ("# Title { #a }\n\n///\n", 3, "closes no block"),
        ("# Title { #a }\n\n## Task { #ex-a }\n\nCount.\n", 3, "#ex-a has 0 solutions, not one"),
        ("# T { #a }\n\n## T { #wb-a }\n\n## U { #b }\n/// solution\nS.\n///\n", 3, "#wb-a has 0 solutions, not one"),
    ],
)
def test_structure(site, text, line, why):
    found = shown(lint.structure(write(site, text)))
    assert any(t.startswith(f"{line}: ") and why in t for t in found), found


OTHER = "# Other { #top }\n\n## There { #there }\n\n- item { #sc-item }\n"


@pytest.mark.parametrize(
    "target",
    ["q.md", "q.md#there", "q.md#sc-item", "#top", "https://example.org/none#x", "mailto:a@example.org", "../t/r.md"],
)
def test_links_that_reach_something(site, target):
    files = {"docs/en/lectures/s/q.md": OTHER, "docs/en/lectures/t/r.md": OTHER}
    assert lint.links(write(site, f"# T {{ #top }}\n[x]({target})\n", **files)) == []


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("none.md", "no such file"),
        ("q.md#nowhere", "no such anchor"),
        ("#nowhere", "no such anchor"),
        ("/lectures/s/q.md", "relative to this file"),
        ("../../../zh/lectures/s/q.md", "outside the pages of this language"),
    ],
)
def test_links_that_reach_nothing(site, target, why):
    files = {"docs/en/lectures/s/q.md": OTHER, "docs/zh/lectures/s/q.md": OTHER}
    ((problem),) = lint.links(write(site, f"# T {{ #top }}\n\n[x]({target})\n", **files))
    assert problem.line == 3
    assert why in problem.message


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("先猜,再算", "half-width punctuation"),
        ("先猜: 再算", "half-width punctuation"),
        ("算完了.", "full stop"),
        ("屋顶线(roofline)", "half-width brackets"),
        ('所谓"脊点"', "quotation marks"),
        ("共3步", "no space"),
        ("用torch 编译", "no space"),
        ("用 torch编译", "no space"),
        ("设$M$ 降到 1", "no space"),
        ("调用`view` 之后", "no space"),
        ("是[65,504]{=formats.fp16.max} 个", "no space"),
        ("占 [50%]{=a.b}的份额", "no space"),
        ("先猜， 再算", "beside full-width"),
        ("用 fp16 。", "beside full-width"),
        ("这是 ** 粗体** 。", "inside bold"),
        ("| 以为是3 | 其实 |\n|---|---|\n| 甲 | 乙 |", "no space"),
        ("这是错误共享", "伪共享"),
    ],
)
def test_chinese_faults(site, text, why):
    glossary = {"infra_ref/data/glossary.toml": '[false-sharing]\nzh = "伪共享"\navoid = ["错误共享"]\n'}
    found = shown(lint.chinese(write(site, f"# 标题 {{ #top }}\n\n{text}\n", lang="zh", **glossary)))
    assert any(t.startswith("3: ") and why in t for t in found), found


@pytest.mark.parametrize(
    "text",
    [
        "在 H100 上用 `torch.compile` 编译 3 次，$O(n^2)$ 次访存。",
        "**注意**：先同步，再计时。**粗体**里没有空格。",
        "从 [65,504]{=formats.fp16.max} 起；高于 H100 的[脊点]{~ridge-point}，受限。",
        "还差 [4.7 倍]{=a.b}的距离，{?gemm_ladder}。{@gemm_cpu} 之后。",
        "[练习](#ex-ties)里，见 [CUDA 手册](https://example.org/a(b))。",
        "Q、K、V；Prefill、Decode 和 KV Cache。",
        "代码里的幂 `(x - y) ** 2` 不是**粗体**。",
        "| 格式 | 用途； |\n|---|---|\n| e4m3fn（OCP） | 1.5 |",
        "- 项目，2 个。{ #sc-a }",
        "/// predict | 多少次？\n    options: [\"约 4 次\", 减半, \"不变，运算量减半\"]\n    answer: 1\n\n好。\n///",
    ],
)  # fmt: skip
def test_good_chinese(site, text):
    assert lint.chinese(write(site, f"# 标题 {{ #top }}\n\n{text}\n", lang="zh")) == []


def test_english_pages_may_put_what_they_like(site):
    assert lint.chinese(write(site, '# T { #top }\n\nThe word "缓存"is 3个.\n')) == []


@pytest.mark.parametrize(
    "word",
    [
        "989 TFLOPS",
        "900 GBps",
        "400 Gbps",
        "32 KB",
        "5 μs",
        "tvm.relay",
        "`te.create_schedule`",
        "torch.symeig",
        "np.float_",
    ],
)
def test_forbidden_words(site, word):
    ((problem),) = lint.forbidden(write(site, f"# T {{ #top }}\n\nUse {word} here.\n"))
    assert problem.line == 3


def test_a_removed_name_may_be_explained(site):
    assert lint.forbidden(write(site, "# T { #top }\n\nUse tvm.relay.<!-- removed: tells what replaced it -->\n")) == []


def test_forbidden_words_in_snippets(site):
    root = write(site, GOOD, **{"snippets/s/b.py": "import tvm.relay\n"})
    assert [(p.page, p.line) for p in lint.forbidden(root)] == [("snippets/s/b.py", 1)]


@pytest.mark.parametrize(
    "word", ["FLOPs", "TFLOP/s", "GB/s", "Gb/s", "KiB", "kB", "µs", "torch.linalg.eig", "np.floating"]
)
def test_right_words(site, word):
    assert lint.forbidden(write(site, f"# T {{ #top }}\n\nUse {word} here.\n")) == []


@pytest.mark.parametrize("name", ["bf17", "fp15", "FP9", "tf16", "MXFP5", "e4m2", "E3M5", "fp8_e4m3fm", "`fp17`"])
def test_a_number_format_that_does_not_exist(site, name):
    ((problem),) = lint.number_formats(write(site, f"# T {{ #top }}\n\nIn {name} 的.\n"))
    assert (problem.line, problem.message) == (3, f"{name.strip('`')} is no number format of infra_ref.numerics")


def test_number_formats_have_several_names(site):
    names = "bf16 fp32 tf32 FP8 fp8_e4m3fn e4m3fn E4M3 e5m2 MXFP4 mxfp8_e4m3 NVFP4 e8m0 `formats.fp16` float8_e4m3fn"
    assert lint.number_formats(write(site, f"# T {{ #top }}\n\n{names}\n")) == []


def test_ruff_leaves_pages_alone():
    import tomllib

    from infra_ref.publish import ROOT

    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]
    assert "docs" in settings["extend-exclude"]  # its formatter rewrites the includes of Markdown


def test_terms_whose_forms_are_never_right_are_in_the_glossary():
    from infra_ref.publish import ROOT

    assert len(lint._avoided(ROOT)) >= len(lint.NEVER_RIGHT)
