"""A page as a notebook: every mark as Jupyter reads it, cells that are the shown code and print what is recorded."""

import json
import re

import nbformat
import pytest
from markdown_it import MarkdownIt
from nbclient import NotebookClient

from infra_ref.publish import LANGUAGES, ROOT, execute, notebook
from infra_ref.publish.pages import Page

URL = "https://course.example/en/"
LISTED = notebook.listed(ROOT)
EVERY = [(lang, rel) for lang in LANGUAGES for rel in LISTED]
LEFT_OVER = re.compile(
    r"8<--|\[(?:start|end):|pytest|\]\{|\{[=~?@#:.]|^\s*/{3,}|^:\s|<!--|\{\s*#|literal:|data-level", re.M
)
CODE = re.compile(r"```.*?```|`[^`]*`", re.S)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$", re.S)


def load(lang, rel, root=ROOT):
    path = root / "docs" / lang / rel
    return Page(root, path, path.read_text(encoding="utf-8"))


def build(lang, rel):
    return notebook.build(load(lang, rel), site_url=f"https://course.example/{lang}/")


def code_cells(found):
    return [cell for cell in found["cells"] if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def printed(cell):
    return "".join("".join(output["text"]) for output in cell["outputs"])


# --- the listed pages ---


@pytest.mark.parametrize(("lang", "rel"), EVERY)
def test_cells_are_the_shown_sections_with_the_recorded_outputs(lang, rel):
    blocks = execute.python_blocks(ROOT / "docs" / lang / rel, ROOT)
    cells = code_cells(build(lang, rel))
    assert len(cells) > 3
    assert [source(cell) for cell in cells] == [block.code.strip("\n") for block in blocks]
    assert [printed(cell).rstrip("\n") for cell in cells] == [(b.expected_output or "").rstrip("\n") for b in blocks]


@pytest.mark.parametrize(("lang", "rel"), EVERY)
def test_file_is_a_valid_notebook_without_a_trace_of_the_machinery(lang, rel):
    text = notebook.dumps(build(lang, rel))
    found = nbformat.reads(text, as_version=4)
    nbformat.validate(found)
    page = load(lang, rel)
    assert found.metadata.title == page.skeleton.headings[0].text
    assert found.metadata.language == lang
    assert found.metadata.kernelspec.name == "python3"
    assert "CC BY 4.0" in found.metadata.license
    for cell in found.cells:
        assert not LEFT_OVER.search(FORMULA.sub("", CODE.sub("", cell.source)))
        assert "8<--" not in cell.source
        assert cell.source == cell.source.strip("\n")
    assert text == notebook.dumps(build(lang, rel))
    assert str(ROOT) not in text


@pytest.mark.parametrize(("lang", "rel"), EVERY)
def test_text_of_the_page_is_in_its_notebook(lang, rel):
    """Whatever a reader of the page can read: figures, formulas, headings, rows of tables, pictures."""
    skeleton = load(lang, rel).skeleton
    cells = [source(cell) for cell in build(lang, rel)["cells"] if cell["cell_type"] == "markdown"]
    text = "\n".join(cells)
    assert all(figure.literal in text for figure in skeleton.figures)
    assert [f.strip("$\n") for f in re.findall(r"\$\$\n.*?\n\$\$", text, re.S)] == [f.latex for f in skeleton.formulas]
    assert len(re.findall(r"^#{1,6} ", text, re.M)) == len(skeleton.headings)
    assert text.count("](data:image/svg+xml;base64,") == sum(block.name == "chart" for block in skeleton.blocks)
    assert (
        text.count("<details>")
        == text.count("</details>")
        >= len([block for block in skeleton.blocks if block.name in ("predict", "solution")])
    )
    assert all(cell.count("<details>") == cell.count("</details>") for cell in cells)


@pytest.mark.parametrize(("lang", "rel"), EVERY)
def test_emphasis_is_what_commonmark_reads_as_such(lang, rel):
    """Chinese has no spaces around it, and CommonMark leaves many an asterisk that Python-Markdown takes."""
    render = MarkdownIt("commonmark").enable("table").render
    shown = [render(FORMULA.sub("$x$", source(cell))) for cell in build(lang, rel)["cells"] if "outputs" not in cell]
    assert not [text for text in shown if "**" in re.sub(r"<code.*?</code>", "", text, flags=re.S)]
    assert any("<strong>" in text for text in shown)


@pytest.mark.parametrize("rel", LISTED)
def test_languages_share_code_and_cells(rel):
    en, zh = (build(lang, rel) for lang in LANGUAGES)
    assert code_cells(en) == code_cells(zh)
    assert [cell["id"] for cell in en["cells"]] == [cell["id"] for cell in zh["cells"]]


@pytest.mark.parametrize("rel", LISTED)
def test_a_kernel_prints_what_is_recorded(rel, tmp_path, monkeypatch):
    """All cells in one process, from top to bottom; the code of both languages is the same, which is tested above."""
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    recorded = build("en", rel)
    run = nbformat.reads(notebook.dumps(recorded), as_version=4)
    for cell in run.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(run, timeout=60, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    cells = [cell for cell in run.cells if cell.cell_type == "code"]
    assert [printed(cell) for cell in cells] == [printed(cell) for cell in code_cells(recorded)]
    assert any(printed(cell) for cell in cells)


def test_no_notebook_is_written_by_hand():
    """One beside a page of the same name would also hide it."""
    assert not list((ROOT / "docs").rglob("*.ipynb"))


# --- one mark at a time ---

SVG = '<svg xmlns="http://www.w3.org/2000/svg" aria-label="Two [boxes]"><style>x</style></svg>\n'
FILES = {
    "snippets/s/one.py": "# --8<-- [start:sum]\nprint(1 + 1)\n# --8<-- [end:sum]\nassert True\n",
    "snippets/s/one.out": "2\n",
    "snippets/s/box.en.wide.svg": SVG,
    "snippets/s/rows.json": json.dumps({"rows": [{"k": 1, "v": {"en": "a", "zh": "b"}}, {"k": 2, "v": "c"}]}),
}
CODE_BLOCK = '```python title="snippets/s/one.py"\n--8<-- "snippets/s/one.py:sum"\n```\n'
OUTPUT_BLOCK = '```text title="Output"\n--8<-- "snippets/s/one.out"\n```\n'


@pytest.fixture
def cells(site):
    """A function that makes a page of one section and gives the cells below its heading."""

    def convert(body, lang="en"):
        text = f"---\ntitle: T\n---\n# Top {{ #top }}\n\nLead.\n\n## Part {{ #part }}\n\n{body}\n"
        root = site({**FILES, f"docs/{lang}/lectures/s/p.md": text})
        found = notebook.build(load(lang, "lectures/s/p.md", root), site_url=URL)
        return [cell for cell in found["cells"] if cell["id"].startswith("part-")]

    return convert


@pytest.mark.parametrize(
    ("lang", "written", "read"),
    [
        ("en", "It is [1,024 B]{=Q(1024, 'B')} *long*.", "It is 1,024 B *long*."),
        ("en", "The [ridge point]{~ridge-point} is here.", "The ridge point is here."),
        ("en", "A gain: {?gemm_ladder}.", "A gain: not measured yet."),
        ("zh", "收益：{?gemm_ladder}。", "收益：尚未测量。"),
        ("en", "[above](#part)", f"[above]({URL}lectures/s/p/#part)"),
        ("en", "[there](../t/index.md#x)", f"[there]({URL}lectures/t/#x)"),
        ("en", "[out](https://a.example/b#c)", "[out](https://a.example/b#c)"),
        ("en", "`[1]` stays, $a_{*}b_{*}$ too", "`[1]` stays, $a_{*}b_{*}$ too"),
        ("zh", "**寄存器**。字", "**寄存器**。字"),
        ("zh", "**寄存器。**字", "<strong>寄存器。</strong>字"),
        ("zh", "**到 $K$**字", "<strong>到 $K$</strong>字"),
        ("en", "**Latency.** While", "**Latency.** While"),
        ("en", "Seen <!-- literal: a reason --> once", "Seen  once"),
        ("en", '```math check="gemm.flops(m=M, n=N, k=K)"\nF = 2MNK\n```', "$$\nF = 2MNK\n$$"),
        ("en", "/// outcomes\nGoal\n:   know [it](q.md)\n///", f"- **Goal**: know [it]({URL}lectures/s/q/)"),
        ("zh", "/// questions\n形状\n:   方\n///", "- **形状**：方"),
        ("en", "/// selfcheck\n- I can { #sc-can }\n///", "- [ ] I can"),
        ("en", "/// stack\n\n| a |\n|---|\n| [1 B]{=Q(1, 'B')} |\n\n///", "| a |\n|---|\n| 1 B |"),
        (
            "en",
            '/// predict | Which $N$?\n    options: ["1 B", "**2**"]\n    answer: 2\n\nBecause.\n///',
            "**Predict**: Which $N$?\n\n1. 1 B\n2. **2**\n\n<details>\n<summary>Answer and derivation</summary>\n\n"
            "**Answer**: 2. **2**\n\nBecause.\n\n</details>",
        ),
        ("zh", "/// solution\n如此。\n///", "<details>\n<summary>解答</summary>\n\n如此。\n\n</details>"),
        (
            "en",
            "/// explore | snippets/s/rows.json\n    label: Edge\n    key: k\n    read: {v: Value}\nCaption.\n///",
            "| Edge | Value |\n| --- | --- |\n| 1 | a |\n| 2 | c |\n\n"
            "On the page a slider shows one of these rows at a time.\n\nCaption.",
        ),
    ],
)  # fmt: skip
def test_marks(cells, lang, written, read):
    found = cells(written, lang)
    assert [cell["cell_type"] for cell in found] == ["markdown"]
    assert source(found[0]) == f"## Part\n\n{read}"


def test_level_of_an_exercise_shows_in_its_heading(site):
    root = site({"docs/en/p.md": '# Top { #top }\n\n### Task { #ex-a data-level="2" }\n\nText.\n'})
    found = notebook.build(load("en", "p.md", root), site_url=URL)
    assert source(found["cells"][1]) == "### ●●○ Task\n\nText."
    assert found["cells"][1]["id"] == "ex-a-1"


def test_picture_travels_with_the_notebook(cells):
    (cell,) = cells("/// chart | snippets/s/box\n**A box.** Derived.\n///")
    assert re.fullmatch(
        r"## Part\n\n!\[Two \\\[boxes\\\]\]\(data:image/svg\+xml;base64,[\w+/=]+\)\n\n\*\*A box\.\*\* Derived\.",
        source(cell),
    )


def test_code_and_output(cells):
    found = cells(f"Before.\n\n{CODE_BLOCK}{OUTPUT_BLOCK}\nAfter.")
    assert [(cell["id"], cell["cell_type"], source(cell)) for cell in found] == [
        ("part-1", "markdown", "## Part\n\nBefore."),
        ("part-2", "code", "print(1 + 1)"),
        ("part-3", "markdown", "After."),
    ]
    assert found[1]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": ["2\n"]}]


def test_code_in_a_solution_is_folded_and_the_solution_goes_on(cells):
    before, code, after = cells(f"/// solution\nSo:\n\n{CODE_BLOCK}{OUTPUT_BLOCK}\nThus.\n///\n\nNext.")
    assert source(before) == "## Part\n\n<details>\n<summary>Solution</summary>\n\nSo:\n\n</details>"
    assert code["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    assert source(after) == "<details>\n<summary>Solution, continued</summary>\n\nThus.\n\n</details>\n\nNext."
    _, _, after = cells(f"/// solution\nSo:\n\n{CODE_BLOCK}{OUTPUT_BLOCK}\n///\n\nNext.")
    assert source(after) == "Next."


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('```python\n;--8<-- "snippets/s/one.py:sum"\n```', "'--8<--' would show in cell part-2"),
        ('```cpp\n;--8<-- "snippets/s/one.py:sum"\n```', "'--8<--' would show in cell part-1"),
        ("`[1 B]{=Q(1, 'B')}`", r"\]\{=Q\(1, 'B'\)\}. would show"),
        ("{=gemm.flops}", "would show"),
        ("A note.[^1]", r"'\[\^1\]' would show"),
        ("Wide text.\n{ .wide }", r"'\{ .wide \}' would show"),
        ("![A picture](a.png)", "would show"),
        ("<!-- never closed", "'<!--' would show"),
        ("//// solution\nx\n///", "would show"),
        ("/// coursemap\n///", "10: /// coursemap has no form in a notebook"),
        (f"Text.\n\n{OUTPUT_BLOCK}", "12: this output is not directly below its code"),
        ("/// chart | snippets/s/lost\n///", "no file"),
    ],
)
def test_what_has_no_form_in_a_notebook_is_refused(cells, written, message):
    with pytest.raises(notebook.NotebookError, match=message):
        cells(written)
