"""The verification report: who may vouch for what, and what a test run leaves behind."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra_ref.publish import report

Write = Callable[[dict[str, str]], Path]
SNIPPET = "snippets/s/a.py"
PLUGIN = ("-p", "infra_ref.publish.pytest_plugin")


@pytest.fixture(autouse=True)
def _default_location(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INFRA_REF_REPORT", raising=False)


def fields(root: Path, key: str = SNIPPET, **others: object) -> report.Fields:
    return {"sha256": report.digest(key, root), "state": "executed", "seconds": 0.5, "date": "2026-11-29", **others}


def test_without_a_report_nothing_vouches(site: Write) -> None:
    root = site({SNIPPET: "1\n"})
    assert report.load(root) is None
    assert report.entry_for(SNIPPET, root) is None


def test_a_run_vouches_for_the_bytes_it_ran(site: Write) -> None:
    root = site({SNIPPET: "print(1)\n", "snippets/s/a.out": "1\n"})
    report.merge({"snippet": {SNIPPET: fields(root)}}, "CPU", root)
    entry = report.entry_for(SNIPPET, root)
    assert entry is not None
    assert (entry.state, entry.where, entry.date, entry.seconds) == ("executed", "CPU", "2026-11-29", 0.5)


@pytest.mark.parametrize("name", [SNIPPET, "snippets/s/a.out", "snippets/s/a.json"])
def test_a_changed_snippet_output_or_result_is_not_vouched_for(site: Write, name: str) -> None:
    root = site({SNIPPET: "print(1)\n", "snippets/s/a.out": "1\n"})
    report.merge({"snippet": {SNIPPET: fields(root)}}, "CPU", root)
    (root / name).write_text("print(2)\n")
    assert report.entry_for(SNIPPET, root) is None
    found = report.load(root)
    assert found is not None
    assert found.entries("snippet") == {}
    assert found.snippets() == {SNIPPET: None}


@pytest.mark.parametrize("name", ["docs/en/p.md", SNIPPET])
def test_a_page_counts_with_what_it_includes(site: Write, name: str) -> None:
    root = site(
        {"docs/en/p.md": f'```python\n--8<-- "{SNIPPET}:shown"\n```\n', SNIPPET: "1\n", "snippets/s/b.py": "1\n"}
    )
    report.merge({"page": {"docs/en/p.md": fields(root, "docs/en/p.md", blocks=1)}}, "CPU", root)
    (root / "snippets/s/b.py").write_text("2\n")
    assert report.entry_for("docs/en/p.md", root) is not None
    (root / name).write_text("2\n")
    assert report.entry_for("docs/en/p.md", root) is None


@pytest.mark.parametrize("state", ["failed", "never", "skipped"])
def test_only_success_vouches(site: Write, state: str) -> None:
    root = site({SNIPPET: "1\n"})
    report.merge({"snippet": {SNIPPET: fields(root, state=state)}}, "CPU", root)
    assert report.entry_for(SNIPPET, root) is None


def test_a_second_place_joins_the_first(site: Write) -> None:
    root = site({SNIPPET: "1\n"})
    report.merge({"snippet": {SNIPPET: fields(root)}}, "CPU", root)
    report.merge({"snippet": {SNIPPET: fields(root, date="2026-11-30")}}, "GPU", root)
    entry, found = report.entry_for(SNIPPET, root), report.load(root)
    assert entry is not None
    assert found is not None
    assert (entry.where, entry.date) == ("CPU, GPU", "2026-11-30")
    assert (found.where, found.date) == ("CPU, GPU", "2026-11-30")


def test_what_was_skipped_here_may_have_run_there_but_a_failure_shows(site: Write) -> None:
    root = site({SNIPPET: "1\n", "tests/test_a.py": ""})
    test = "tests/test_a.py::test_x"
    report.merge({"test": {test: fields(root, test, state="skipped", reason="no device")}}, "CPU", root)
    assert report.load(root).skips() == {test: "no device"}  # type: ignore[union-attr]
    report.merge({"test": {test: fields(root, test, state="passed")}}, "GPU", root)
    assert report.load(root).skips() == {}  # type: ignore[union-attr]
    assert report.entry_for(test, root).where == "GPU"  # type: ignore[union-attr]
    report.merge({"test": {test: fields(root, test, state="failed")}}, "CPU", root)
    assert report.entry_for(test, root) is None


def test_writing_drops_what_has_changed_and_keeps_the_rest(site: Write) -> None:
    root = site({SNIPPET: "1\n", "snippets/s/b.py": "1\n", "snippets/s/c.py": "1\n"})
    for key in (SNIPPET, "snippets/s/b.py", "snippets/s/c.py"):
        report.merge({"snippet": {key: fields(root, key)}}, "CPU", root)
    (root / "snippets/s/b.py").write_text("2\n")
    (root / "snippets/s/c.py").unlink()
    report.merge({}, "CPU", root)
    assert list(json.loads(report.location(root).read_text())["snippet"]) == [SNIPPET]


def test_what_two_runs_found_of_the_same_bytes_is_kept_together(site: Write) -> None:
    root = site({"docs/en/p.md": "text\n"})
    page = "docs/en/p.md"
    report.merge({"page": {page: fields(root, page, figures=7)}}, "CPU", root)
    report.merge({"page": {page: fields(root, page, blocks=3)}}, "CPU", root)
    assert {"figures": 7, "blocks": 3}.items() <= report.entry_for(page, root).fields.items()  # type: ignore[union-attr]
    (root / page).write_text("other\n")
    report.merge({"page": {page: fields(root, page, blocks=5)}}, "CPU", root)
    assert "figures" not in report.entry_for(page, root).fields  # type: ignore[union-attr]


def test_the_path_comes_from_the_environment(site: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = site({SNIPPET: "1\n"})
    monkeypatch.setenv("INFRA_REF_REPORT", str(root / "elsewhere.json"))
    report.merge({"snippet": {SNIPPET: fields(root)}}, "CPU", root)
    assert (root / "elsewhere.json").is_file()
    assert report.entry_for(SNIPPET, root) is not None


entries = st.fixed_dictionaries(
    {}, optional={"state": st.sampled_from(report.STATES), "blocks": st.integers(0, 97), "exact": st.integers(0, 53)}
)


@given(entries, entries, entries)
def test_combining_is_associative_and_keeps_the_worst_state(
    a: report.Fields, b: report.Fields, c: report.Fields
) -> None:
    whole = report.combine(report.combine(a, b), c)
    assert whole == report.combine(a, report.combine(b, c))
    assert whole.get("blocks", 0) == sum(x.get("blocks", 0) for x in (a, b, c))
    states = [x["state"] for x in (a, b, c) if "state" in x]
    assert ("failed" in states) == (whole.get("state") == "failed")


TESTS = """
    import pytest
    from infra_ref.publish import report

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_counts(request, n):
        report.add(request.node, "figure", "docs/en/p.md", computed=n)

    @pytest.mark.parametrize("n", [7, 11])
    def test_fails_once(request, n):
        report.add(request.node, "formula", "docs/en/p.md", state="executed", check=n)
        assert n == 7

    @pytest.mark.skip(reason="needs thirteen devices")
    def test_skips(): ...

    @pytest.mark.xfail(reason="is known", strict=True)
    def test_known(): assert False

    def test_names_nothing(request):
        with pytest.raises(ValueError, match="names no file"):
            report.add(request.node, "figure", "docs/en/q.md")
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_run_reports_its_tests_and_what_they_add(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(**{"tests/test_a": TESTS})
    page = pytester.path / "docs/en/p.md"
    page.parent.mkdir(parents=True)
    page.write_text("# P\n")
    run = pytester.runpytest_subprocess if workers else pytester.runpytest_inprocess
    run(*PLUGIN, *workers, "tests").assert_outcomes(passed=5, failed=1, skipped=1, xfailed=1)
    found = report.load(pytester.path)
    assert found is not None
    tests = {key.split("::")[1]: entry for key, entry in found.entries("test").items()}
    assert {name: entry.state for name, entry in tests.items()} == {
        "test_counts": "passed", "test_fails_once": "failed", "test_names_nothing": "passed",
        "test_skips": "skipped", "test_known": "skipped",
    }  # fmt: skip
    assert list(found.skips().values()) == ["is known", "needs thirteen devices"]
    (figure,) = found.entries("figure").values()
    (formula,) = found.entries("formula").values()
    assert (figure.state, figure.fields["computed"]) == ("passed", 10)
    assert (formula.state, formula.fields["check"]) == ("failed", 18)
    assert {"date", "commit", "python", "torch"} <= figure.fields.keys()


def test_a_skip_without_a_reason_and_a_snippet_never_run_are_faults(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**{"tests/test_a": "import pytest\ndef test_x(): pytest.skip()\ndef test_y(): assert False\n"})
    for name, text in {SNIPPET: "1\n", "docs/zh/p.md": "```python\n1\n```\n"}.items():
        path = pytester.path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    pytester.runpytest_inprocess(*PLUGIN, "tests")
    found = report.load(pytester.path)
    assert found is not None
    assert report.faults(found) == [
        "tests/test_a.py::test_y: failed",
        f"{SNIPPET}: never run as it now is",
        "docs/zh/p.md: its blocks never ran as they now are",
        "tests/test_a.py::test_x: skipped without a reason",
    ]


def test_a_new_run_forgets_its_place_and_keeps_others(site: Write) -> None:
    root = site({SNIPPET: "1\n"})
    for place in ("CPU", "GPU"):
        report.merge({"snippet": {SNIPPET: fields(root)}}, place, root)
    report.forget("CPU", root)
    entry = report.entry_for(SNIPPET, root)
    assert entry is not None
    assert entry.where == "GPU"
    report.forget("GPU", root)
    assert report.entry_for(SNIPPET, root) is None
