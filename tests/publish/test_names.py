import json

import pytest

from infra_ref.publish import names


def test_chains_are_the_outermost_dotted_names():
    expression = "gemm.flops(m=given.m, n=2) / hardware.accelerator('x').l2.value"
    assert names.chains(expression) == ["gemm.flops", "given.m", "hardware.accelerator"]


def test_reference_is_the_anchor_of_the_first_function():
    assert names.reference("round(gemm.min_bytes(m=1))") == "ledger/#gemm-min-bytes"
    assert names.reference("run.a.b.c") == ""


@pytest.mark.parametrize(
    "expression", ["gemm.__class__", "gemm._x", "__import__('os')", "open('x')", "1 +", "import os"]
)
def test_expressions_cannot_leave_the_names_of_the_page(expression):
    with pytest.raises(ValueError):
        names.evaluate(expression, {"gemm": names})


def test_a_run_is_read_from_the_json_beside_its_snippet(tmp_path):
    folder = tmp_path / "snippets" / "two-words"
    folder.mkdir(parents=True)
    (folder / "gap.json").write_text(json.dumps({"size": {"value": 3, "unit": "KiB"}, "count": 7}))
    scope = {"run": names.Runs(tmp_path)}
    assert names.evaluate("run.two-words.gap.count", scope) == 7
    assert names.evaluate("run.two-words.gap.size.to('B').magnitude", scope) == 3072
    with pytest.raises(names.UnknownName, match=r"gap\.json has no 'missing'; it has count, size"):
        names.evaluate("run.two-words.gap.missing", scope)
    with pytest.raises(names.UnknownName, match="no recorded run"):
        names.evaluate("run.two-words.other.count", scope)


def test_given_values_are_the_shared_ones_and_the_page_s_own(tmp_path):
    folder = tmp_path / "snippets" / "lecture"
    folder.mkdir(parents=True)
    (folder / "given.toml").write_text("shared = 1\n[one]\nown = 2\n[two]\nother = 3\n")
    assert names.given_values("lecture", "one", tmp_path) == {"shared": 1, "own": 2}
