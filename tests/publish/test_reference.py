"""Docstrings as readers of the function reference see them."""

from infra_ref.publish import names, reference


def sample(*, m: int, k: int = 1) -> "reference.report.Report | None":
    r"""One line.

    $$F = 2M
    K$$

    A picture:

        1 0
        1 1

    Shapes:
        A[M, K] -> C[M].
    Args:
        m: rows, of which there may be
            many.
        k: columns.
    Raises:
        ValueError: m below 1.
    """


def test_sections_become_a_definition_list_and_formulas_are_handed_over():
    assert reference.docstring(sample, lambda tex: f"<{tex}>") == [
        "One line.",
        "<F = 2M\nK>",
        "A picture:",
        "    1 0\n    1 1",
        "Shapes\n:   `A[M, K] -> C[M]`",
        "Args\n:   `m`: rows, of which there may be many.\n:   `k`: columns.",
        "Raises\n:   ValueError: m below 1.",
    ]


def test_signature_names_types_without_their_modules():
    assert reference.signature(sample) == "(*, m: int, k: int = 1) -> 'Report | None'"


def test_every_public_name_of_every_module_has_a_heading_of_its_own():
    for alias in names.MODULES:
        headings = [block for block in reference.api(alias, str) if block.startswith("#")]
        assert headings[0] == f"## {alias} {{ #{reference.anchor(alias)} }}"
        assert len(set(headings)) == len(headings) > 1


def test_glossary_marks_the_word_of_the_other_language():
    assert '<dt id="ridge-point">ridge point <span lang="zh">脊点</span></dt>' in reference.glossary("en")
    assert '<dt id="ridge-point">脊点 <span lang="en">ridge point</span></dt>' in reference.glossary("zh")
