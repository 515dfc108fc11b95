"""The Markdown extension, one mark and one block at a time."""

import logging
import re

import pytest
from bs4 import BeautifulSoup
from markdown import Markdown
from mkdocs.config import load_config

from infra_ref.publish import ROOT


@pytest.fixture(scope="module")
def convert():
    config = load_config(str(ROOT / "mkdocs.yml"), plugins=[], hooks=[])

    def run(source):
        md = Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs)
        return BeautifulSoup(md.convert(source), "html.parser")

    return run


@pytest.fixture
def problems(caplog):
    caplog.set_level(logging.WARNING, logger="mkdocs.infra_ref")
    return lambda: [record.getMessage() for record in caplog.records]


PRODUCT = "gemm.flops(m=2, n=3, k=5)"


def test_figure_carries_its_expression_exact_value_and_function(convert, problems):
    data = convert(f"It is [60 FLOP]{{={PRODUCT}}}.").select_one("data.ir-figure")
    assert data.text == "60 FLOP"
    assert data["value"] == "60"
    assert data["data-expr"] == PRODUCT
    assert data["data-ref"] == "ledger/#gemm-flops"
    assert problems() == []


@pytest.mark.parametrize(
    "place",
    [
        "## Heading {} {{ #a }}",
        "| a |\n|---|\n| {} |",
        "- item {}",
        "数字{}，后面是中文。",
        "/// predict | how many? {}\n    options: [a, b]\n    answer: 1\n\nbecause\n///",
        "/// predict | how many?\n    options: [a, b]\n    answer: 1\n\nbecause {}\n///",
        "/// solution\n{}\n///",
        "/// stack\n\n| a |\n|---|\n| {} |\n\n///",
        "[link {}](https://example.org)",
    ],
)
def test_figures_are_checked_wherever_they_stand(convert, problems, place):
    assert convert(place.format(f"[60 FLOP]{{={PRODUCT}}}")).select_one("data.ir-figure").text == "60 FLOP"
    assert problems() == []
    convert(place.format(f"[61 FLOP]{{={PRODUCT}}}"))
    (problem,) = problems()
    assert re.search(r"a fragment:\d+: .*'61 FLOP' is shown, .* gives 60 FLOP", problem)


@pytest.mark.parametrize("place", ["## {} {{ #a }}", "[{}](https://example.org)"])
def test_no_control_within_a_heading_or_a_link(convert, place):
    figure = convert(place.format(f"[60 FLOP]{{={PRODUCT}}}")).select_one("data.ir-figure")
    assert figure.get("role") is None
    assert figure.get("tabindex") is None


def test_a_fault_names_its_line(convert, problems):
    convert(f"one\n\ntwo\n\n```text\n[1 FLOP]{{={PRODUCT}}}\n```\n\nthen [61 FLOP]{{={PRODUCT}}}")
    (problem,) = problems()
    assert problem.startswith("a fragment:9: ")


def test_line_marks_never_reach_the_page(convert):
    text = str(convert(f"`[60 FLOP]{{={PRODUCT}}}`\n\n```text\n[60 FLOP]{{={PRODUCT}}}\n```"))
    assert text.count(f"[60 FLOP]{{={PRODUCT}}}") == 2
    assert "\ue000" not in text


@pytest.mark.parametrize(
    ("fence", "problem"),
    [
        ("```math\nF = 1\n```", "needs exactly one of"),
        ('```math check="gemm.flops(m=M, n=N, k=K)" cite="x"\nF = 1\n```', "needs exactly one of"),
        ('```math check="gemm.flops(m=M, n=N, k=K)"\nF = \\frac{1\n```', "KaTeX parse error"),
        ('```math check="gemm.flops("\nF = 1\n```', "not an expression"),
        ("$\\frac{1$", "KaTeX parse error"),
        ("[x]{~no-such-term}", "no term 'no-such-term'"),
        ("{?no_such_plan}", "no planned measurement"),
        ("{@no_such_record}", "no record"),
        ("[1]{=gemm.nothing()}", "unknown name"),
        ("[1]{=nothing}", "bare literal"),
        ("/// chart | snippets/no/such\ncaption\n///", "no file"),
        ("/// predict | q\n    options: [a, b]\n    answer: 3\n\nx\n///", "number of one"),
        ("/// selfcheck\n- no id\n///", "without an id"),
        ("/// api | nothing\n///", "no module"),
        ("/// stack\n\n| $x$ |\n|---|\n| a |\n\n///", "must be plain text"),
        ("/// stack\n\n| `x` |\n|---|\n| a |\n\n///", "must be plain text"),
    ],
)
def test_faults_are_reported(convert, problems, fence, problem):
    convert(fence)
    assert len(problems()) == 1
    assert problem in problems()[0]


def test_formula_is_rendered_while_building_and_says_what_holds_it(convert, problems):
    box = convert(f'```math check="{PRODUCT}"\nF = 2MNK\n```').select_one(".ir-math")
    assert box.select_one("math")
    assert box.select_one(".ir-tick")["data-how"] == PRODUCT
    assert problems() == []


def test_self_check_items_become_labelled_boxes(convert):
    page = convert("/// selfcheck\n- I can say $M$. { #sc-one }\n///")
    assert page.select_one("input[type=checkbox]")["id"] == "sc-one"
    assert page.select_one("label")["for"] == "sc-one"
    assert "{ #" not in page.text


def test_output_joins_its_code(convert):
    page = convert('```python title="snippets/a/b.py"\nprint(1)\n```\n```text title="Output"\n1\n```')
    code, output = page.select(".highlight")
    assert "ir-output" in output["class"]
    assert code.find_next_sibling("div") is output
    assert code.select_one(".ir-dir").text == "snippets/a/"


def test_stacked_cells_know_their_heading(convert):
    cells = convert("/// mistakes\n\n| Belief | Truth |\n|---|---|\n| a | b |\n\n///").select("td")
    assert [cell["data-label"] for cell in cells] == ["Belief", "Truth"]
