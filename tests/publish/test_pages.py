"""The skeleton of a page, element by element, against line numbers counted by hand."""

import pytest

from infra_ref.publish import pages

PAGE = """---
title: Title
description: About 4096
---
# Heading [7]{=gemm.x(m=1)} { #top }

A paragraph with `code [1]{=no.figure}`, a [term]{~ridge-point}, [65,504]{=formats.fp16.max} and a
second line with {?ladder}, {@gemm_cpu} and a [link [3]{=a.b}](other.md#there "title").<!-- literal: because -->

<!-- a comment
over two lines --> After it.

```python title="snippets/x/a.py"
--8<-- "snippets/x/a.py:part"
# no heading
```
```math check="gemm.flops(m=M)" where="M > 1"
F = 2M
```

/// predict | How many?
    options: ["about 4", "5"]
    answer: 2

Inside.

```text title="Output"
--8<-- "snippets/x/a.out"
```
///

| a | b |
|---|:-:|
| `x|y` | $|z|$ |
| 1 | 2 |
//// stack
- item one { #sc-one }
  continued
1. two
////

## Exercise { #ex-a data-level="1" }
"""


@pytest.fixture
def page(site):
    root = site({"docs/en/lectures/slug/name.md": PAGE})
    return pages.load(root)[0]


def test_place(page):
    assert (page.lang, page.slug, page.name, page.offset) == ("en", "slug", "name", 4)
    assert page.where == "docs/en/lectures/slug/name.md"
    assert page.is_lecture
    assert str(page.problem(7, "text")) == "docs/en/lectures/slug/name.md:7: text"


def test_headings(page):
    assert [(h.line, h.level, h.id, h.attributes) for h in page.skeleton.headings] == [
        (5, 1, "top", ()),
        (42, 2, "ex-a", (("data-level", "1"),)),
    ]


def test_figures_are_found_everywhere_but_in_code(page):
    assert [(f.line, f.literal, f.expression) for f in page.skeleton.figures] == [
        (5, "7", "gemm.x(m=1)"),
        (7, "65,504", "formats.fp16.max"),
        (8, "3", "a.b"),
    ]


def test_terms_chips_links(page):
    assert [(t.line, t.id) for t in page.skeleton.terms] == [(7, "ridge-point")]
    assert [(c.line, c.kind, c.name) for c in page.skeleton.chips] == [(8, "?", "ladder"), (8, "@", "gemm_cpu")]
    assert [(x.line, x.target) for x in page.skeleton.links] == [(8, "other.md#there")]


def test_comments_are_kept_and_leave_the_prose(page):
    assert page.skeleton.comments == [(8, "literal: because"), (10, "a comment\nover two lines")]
    assert [p.text for p in page.skeleton.prose if p.line == 11] == [" After it."]


def test_fences(page):
    assert [(f.line, f.end, f.language, f.title) for f in page.skeleton.fences] == [
        (13, 16, "python", "snippets/x/a.py"),
        (17, 19, "math", ""),
        (27, 29, "text", "Output"),
    ]
    assert [(i.line, i.path, i.section, i.fenced) for i in page.skeleton.includes] == [
        (14, "snippets/x/a.py", "part", True),
        (28, "snippets/x/a.out", "", True),
    ]


def test_formulas(page):
    (formula,) = page.skeleton.formulas
    assert (formula.line, formula.kind, formula.how, formula.where, formula.latex) == (
        17, "check", "gemm.flops(m=M)", "M > 1", "F = 2M",
    )  # fmt: skip


def test_blocks(page):
    assert [(b.line, b.end, b.name, b.argument) for b in page.skeleton.blocks] == [
        (21, 30, "predict", "How many?"),
        (36, 40, "stack", ""),
    ]
    assert page.skeleton.blocks[0].options == {"options": ["about 4", "5"], "answer": 2}


def test_tables_count_cells_outside_code_and_math(page):
    assert [(t.line, t.columns) for t in page.skeleton.tables] == [(32, (2, 2, 2))]


def test_items_and_paragraphs(page):
    assert [(i.line, i.mark, i.text, i.id) for i in page.skeleton.items] == [
        (37, "-", "item one", "sc-one"),
        (39, "1.", "two", ""),
    ]
    assert [p.line for p in page.skeleton.paragraphs] == [7, 11, 25, 38]


def test_prose_has_kinds(page):
    kinds = {p.line: p.kind for p in page.skeleton.prose}
    assert kinds[3] == "meta"
    assert kinds[5] == "heading"
    assert kinds[21] == "argument"
    assert kinds[22] == "option"
    assert kinds[34] == "table"


def test_sections_cover_every_line(page):
    sections = page.sections()
    assert {key: line for key, (line, _) in sections.items()} == {"front-matter": 1, "top": 5, "ex-a": 42}
    assert "\n".join(text for _, text in sections.values()) == PAGE


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("# A { #a }\n\n```python\nx\n", 3, "never closed"),
        ("# A { #a }\n\n/// predict | q\n\ntext\n", 3, "predict is never closed"),
        ("# A { #a }\n\n///\n", 3, "closes no block"),
        ("# A { #a }\n<!-- open\n", 2, "comment is never closed"),
        ("# A { #a }\n/// predict | q\n    options: [\n\n///\n", 2, "cannot be read"),
        ("# A { #a }\n\n    x = 1\n", 3, "indented by 4 spaces is code to Markdown"),
        ("# A { #a }\n\n\tx = 1\n", 3, "indented by 4 spaces is code to Markdown"),
        ("# A { #a }\n\n    ```python\n    x = 1\n    ```\n", 3, "indented by 4 spaces is code to Markdown"),
        ("# A { #a }\n\n- item\n\n        x = 1\n", 5, "indented by 8 spaces is code to Markdown"),
        ("# A { #a }\n\n- item\n\nText.\n\n    x = 1\n", 7, "indented by 4 spaces is code to Markdown"),
        ("# A { #a }\n\nIt is `[4]{=gemm.x}`.\n", 3, "neither shown nor checked"),
    ],
)
def test_parts_that_are_not_what_they_seem_are_faults(site, text, line, message):
    (page,) = pages.load(site({"docs/en/p.md": text}))
    ((where, what),) = page.skeleton.faults
    assert where == line
    assert message in what


def test_text_of_list_items_may_be_indented(site):
    text = "# A { #a }\n\n- item\n  goes on\n\n    Its second paragraph.\n\n    - nested\n\nlong\n    line\n"
    (page,) = pages.load(site({"docs/en/p.md": text}))
    assert page.skeleton.faults == []


def test_a_page_is_parsed_again_only_after_a_change(site):
    root = site({"docs/en/p.md": "# A { #a }\n"})
    (first,) = pages.load(root)
    assert pages.load(root)[0] is first
    site({"docs/en/p.md": "# Another { #a }\n"})
    assert pages.load(root)[0].skeleton.headings[0].text == "Another"


def test_a_slug_selects_a_lecture(site):
    text = "# A { #a }\n"
    root = site({f"docs/{lang}/lectures/{s}/p.md": text for lang in ("en", "zh") for s in ("one", "two")})
    assert [p.where for p in pages.load(root, "two")] == ["docs/en/lectures/two/p.md", "docs/zh/lectures/two/p.md"]
    assert [(rel, sorted(both)) for rel, both in pages.pairs(root)] == [
        ("lectures/one/p.md", ["en", "zh"]),
        ("lectures/two/p.md", ["en", "zh"]),
    ]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a [7 GB]{=x.y} b", "a  ▢  b"),
        ("a [term]{~id} [link](x.md#y)", "a term link"),
        ("done{?chip}. { #id .class }", "done .  "),
    ],
)
def test_reader_text(line, shown):
    assert pages.reader_text(line) == shown
