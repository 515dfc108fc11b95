"""Pages through pytest-codeblocks: what is run, what is compared, and what can no longer be passed over in silence."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown import Markdown
from mkdocs.config import load_config

from infra_ref.publish import ROOT, execute

# read here: MkDocs loads its plugins late, and pytester forgets what was loaded while it ran
OPTIONS = load_config(str(ROOT / "mkdocs.yml"), plugins=[], hooks=[]).mdx_configs

MKDOCS = """
site_name: planted
docs_dir: docs/en
markdown_extensions:
  pymdownx.snippets: {base_path: [!relative $config_dir], check_paths: true, dedent_subsections: true}
"""
INCLUDE = '```python title="snippets/s/{0}.py"\n--8<-- "snippets/s/{0}.py:shown"\n```\n'
OUTPUT = '```text title="{1}"\n--8<-- "snippets/s/{0}.out"\n```\n'


class Project:
    """A small course in a temporary folder."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester, self.root = pytester, pytester.path
        self.write("mkdocs.yml", MKDOCS)
        (self.root / "docs" / "en").mkdir(parents=True)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def page(self, text: str, lang: str = "en", name: str = "p") -> Path:
        return self.write(f"docs/{lang}/lectures/s/{name}.md", text)

    def snippet(self, name: str, code: str, out: str) -> None:
        self.write(f"snippets/s/{name}.py", f"# --8<-- [start:shown]\n{code}\n# --8<-- [end:shown]\nassert True\n")
        self.write(f"snippets/s/{name}.out", out)

    def run(self) -> pytest.RunResult:
        return self.pytester.runpytest_inprocess("--codeblocks", "-p", "infra_ref.publish.pytest_plugin", "docs")

    def report(self) -> dict[str, dict[str, dict[str, dict[str, object]]]]:
        data: dict[str, dict[str, dict[str, dict[str, object]]]] = json.loads(
            (self.root / "build/report.json").read_text(encoding="utf-8")
        )
        return data


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("INFRA_REF_REPORT", raising=False)
    return Project(pytester)


@pytest.mark.parametrize(("lang", "title"), [("en", "Output"), ("zh", "输出")])
def test_an_included_block_runs_and_its_output_is_compared(project: Project, lang: str, title: str) -> None:
    project.snippet("a", "print(6 * 7)", "42\n")
    page = INCLUDE.format("a") + OUTPUT.format("a", title)
    project.page(page, lang)
    project.run().assert_outcomes(passed=1)
    project.write("snippets/s/a.out", "43\n")
    result = project.run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"*docs/{lang}/lectures/s/p.md::line 1: the page shows", "43", "*the block prints", "42"]
    )


def test_a_block_in_a_folded_solution_runs(project: Project) -> None:
    project.snippet("a", "raise ArithmeticError('seen')", "")
    project.page("## H { #h }\n\n/// solution\nText.\n\n" + INCLUDE.format("a") + "///\n")
    project.run().stdout.fnmatch_lines(["*ArithmeticError: seen"])


def test_line_numbers_are_those_of_the_file(project: Project) -> None:
    project.snippet("long", "\n".join(f"a{i} = {i}" for i in range(23)), "")
    page = project.page(
        "---\ntitle: T\n---\n# H { #h }\n\n" + INCLUDE.format("long") + "\ntext\n\n" + INCLUDE.format("long")
    )
    assert [block.lineno for block in execute.blocks(page, project.root)] == [6, 12]


@pytest.mark.parametrize(
    "fence",
    ["```py\n1\n```", "~~~python\n1\n~~~", "``` {.py}\n1\n```", "```pycon\n>>> 1\n```", "```Python\n1\n```"],
)
def test_a_python_fence_that_would_not_run_is_an_error(project: Project, fence: str) -> None:
    page = project.page(f"text\n\n```python\n1\n```\n\n{fence}\n")
    with pytest.raises(execute.PageError, match="line 7: this Python fence would not be run"):
        execute.blocks(page, project.root)
    project.run().assert_outcomes(errors=1)


@pytest.mark.parametrize(
    "text",
    [
        "<!--pytest-codeblocks:skipfile-->\n```python\n1\n```\n",
        "```python\n1\n```\n<!--pytest-codeblocks:cont-->\n```python\n2\n```\n",
    ],
)
def test_a_comment_cannot_hide_a_block(project: Project, text: str) -> None:
    page = project.page(text)
    with pytest.raises(execute.PageError, match="would not be run"):
        execute.blocks(page, project.root)


@pytest.mark.parametrize("above", ["```cpp\nint x;\n```\n", "```python\nprint(1)\n```\n\nSome prose.\n", ""])
def test_output_without_a_run_directly_above_is_an_error(project: Project, above: str) -> None:
    page = project.page(f'{above}\n```text title="Output"\n1\n```\n')
    with pytest.raises(execute.PageError, match="this output is not directly below a block that is run"):
        execute.blocks(page, project.root)


def test_a_block_equal_in_both_languages_runs_once(project: Project) -> None:
    count = project.root / "count"
    project.snippet("a", f"with open({str(count)!r}, 'a') as file:\n    file.write('x')", "")
    for lang in ("en", "zh"):
        project.page(INCLUDE.format("a"), lang)
    project.run().assert_outcomes(passed=2)
    assert count.read_text() == "x"
    pages = project.report()["page"]
    states = {key: fields["CPU"]["state"] for key, fields in pages.items()}
    assert states == {"docs/en/lectures/s/p.md": "executed", "docs/zh/lectures/s/p.md": "same block"}


def test_the_same_block_fails_in_both_languages(project: Project) -> None:
    project.snippet("a", "1 / 0", "")
    for lang in ("en", "zh"):
        project.page(INCLUDE.format("a"), lang)
    result = project.run()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*zh*the same block failed in docs/en/lectures/s/p.md::line 1: ZeroDivisionError*"])
    assert {entry["CPU"]["state"] for entry in project.report()["page"].values()} == {"failed"}


def test_the_same_block_is_compared_with_each_page(project: Project) -> None:
    project.page('```python\nprint(1)\n```\n```text title="Output"\n1\n```\n', "en")
    project.page('```python\nprint(1)\n```\n```text title="输出"\n2\n```\n', "zh")
    project.run().assert_outcomes(passed=1, failed=1)


def test_tracebacks_show_the_line_of_the_block(project: Project) -> None:
    project.page("```python\ndef halve(x):\n    return x / 0\n\nhalve(5)\n```\n")
    result = project.run()
    result.stdout.fnmatch_lines(
        ["*line 4, in <module>", "*halve(5)", "*line 2, in halve", "*return x / 0", "*ZeroDivision*"]
    )
    assert "exec(compile" not in result.stdout.str()


def test_a_block_can_read_its_source_and_pickle_its_classes(project: Project) -> None:
    code = (
        "import dataclasses, inspect, pickle\n\n@dataclasses.dataclass\nclass Point:\n    x: 'int'\n\n"
        "def double(p):\n    return Point(2 * p.x)\n\n"
        "print(inspect.getsource(double) + str(pickle.loads(pickle.dumps(double(Point(3))))), __name__)"
    )
    shown = "def double(p):\n    return Point(2 * p.x)\nPoint(x=6) __main__"
    project.page(f'```python\n{code}\n```\n```text title="Output"\n{shown}\n```\n')
    project.run().assert_outcomes(passed=1)


def test_a_block_runs_outside_the_project(project: Project) -> None:
    project.page("```python\nimport os\n\nassert os.listdir() == []\nopen('left', 'w').close()\n```\n")
    project.run().assert_outcomes(passed=1)
    assert not (project.root / "left").exists()


def test_leaving_by_exit_is_a_failure(project: Project) -> None:
    project.page("```python\nraise SystemExit(3)\n```\n")
    project.run().assert_outcomes(failed=1)


def test_shell_blocks_run_with_the_python_of_the_tests(project: Project) -> None:
    project.page('```bash\npython -c "import pint; print(6 * 7)"\n```\n```text title="Output"\n42\n```\n', "en")
    project.page("```sh\nexit 5\n```\n", "zh")
    result = project.run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*exit 5*"])


def test_a_skip_needs_a_reason_and_is_reported(project: Project) -> None:
    page = project.page("<!--pytest.mark.skipif(True, reason='')-->\n```python\n1\n```\n")
    assert len(execute.blocks(page, project.root)) == 1
    page = project.page("<!--pytest.mark.skip-->\n```python\n1\n```\n")
    with pytest.raises(execute.PageError, match="a skipped block needs a reason"):
        execute.blocks(page, project.root)
    project.page("<!--pytest.mark.skip(reason='needs seven devices')-->\n```python\n1\n```\n")
    project.run().assert_outcomes(skipped=1)
    (places,) = project.report()["page"].values()
    assert (places["CPU"]["state"], places["CPU"]["reason"]) == ("never", "needs seven devices")


def test_a_missing_section_is_an_error(project: Project) -> None:
    project.snippet("a", "1", "")
    project.page('```python\n--8<-- "snippets/s/a.py:renamed"\n```\n')
    result = project.run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*docs/en/lectures/s/p.md: Snippet section 'renamed' could not be located*"])


def test_without_the_option_pages_are_left_alone(project: Project) -> None:
    project.page("```python\n1\n```\n")
    result = project.pytester.runpytest_inprocess("-p", "infra_ref.publish.pytest_plugin", "docs")
    result.assert_outcomes()


def test_markdown_outside_the_pages_stays_with_pytest_codeblocks(project: Project) -> None:
    project.write("notes/n.md", "~~~python\n1 / 0\n~~~\n\n```python\n1\n```\n")
    result = project.pytester.runpytest_inprocess("--codeblocks", "-p", "infra_ref.publish.pytest_plugin", "notes")
    result.assert_outcomes(passed=1)


PIECES = (
    "Prose with ```inline``` ticks.\n",
    "```python\nx = 1\n```\n",
    '```python title="snippets/s/a.py" hl_lines="1"\nx = 1\n\ny = 2\n```\n',
    "```python\n\n```\n",
    "~~~python\nx = 1\n~~~\n",
    '````python\ns = """\n```\n"""\n````\n',
    "```text\n~~~\n```\n",
    "````text\n```python\nx = 1\n```\n````\n",
    "/// solution\nText.\n\n```python\nx = 1\n```\n///\n",
    "```{.python .annotate}\nx = 1\n```\n",
)


@given(st.lists(st.sampled_from(PIECES), max_size=7))
def test_every_fence_that_is_rendered_is_seen(pieces: list[str]) -> None:
    """The oracle is the renderer itself."""
    text = "\n".join(pieces)
    lines = [execute.Line(line, n) for n, line in enumerate(text.splitlines(), 1)]
    options = {"pymdownx.highlight": OPTIONS["pymdownx.highlight"]}
    html = Markdown(extensions=["pymdownx.superfences", *options], extension_configs=options).convert(text)
    assert len(execute.python_fences(lines)) == execute.rendered_blocks(html)
