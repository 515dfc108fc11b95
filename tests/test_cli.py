"""The command says in one sentence what was wrong, and shows no traceback for it."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from infra_ref.cli import app

ZH, EN = "# 标题 { #top }\n\n一段话。\n", "# Title { #top }\n\nA paragraph.\n"


@pytest.fixture
def root(tmp_path):
    for lang, text in (("zh", ZH), ("en", EN)):
        (tmp_path / f"docs/{lang}/lectures/s").mkdir(parents=True)
        (tmp_path / f"docs/{lang}/lectures/s/p.md").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def infra_ref(root):
    def run(*arguments):
        return CliRunner().invoke(app, [*arguments, "--root", str(root)])

    return run


def test_check_names_each_problem_and_fails(infra_ref):
    result = infra_ref("pages", "check")
    assert result.exit_code == 1
    assert "docs/en/lectures/s/p.md:1: section #top was never accepted;" in result.output
    assert "[lock]" in result.output
    assert result.output.splitlines()[-1] == "2 pages, 2 problems"


def test_accept_then_check(infra_ref):
    accepted = infra_ref("pages", "accept", "s")
    assert accepted.exit_code == 0
    assert accepted.output.splitlines() == ["accepted lectures/s/p#front-matter", "accepted lectures/s/p#top"]
    assert infra_ref("pages", "accept", "p#top").output == "nothing had changed\n"
    clean = infra_ref("pages", "check", "s")
    assert (clean.exit_code, clean.output) == (0, "2 pages, 0 problems\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("pages", "check", "none"), "no page of 'none'; lectures: s\n"),
        (("pages", "accept", "none#top"), "no page 'none'; pages: lectures/s/p\n"),
        (("pages", "accept", "p#none"), "no section #none in p; it has front-matter, top\n"),
    ],
)
def test_a_mistake_gets_one_sentence(infra_ref, root, arguments, message):
    result = infra_ref(*arguments)
    assert (result.exit_code, result.stderr) == (2, message)
    assert result.stdout == ""
    assert not (root / "docs/locks").exists()


def test_a_folder_without_pages(tmp_path):
    result = CliRunner().invoke(app, ["pages", "check", "--root", str(tmp_path)])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"no docs/ in {tmp_path}: ")


def test_the_command_starts_without_the_publishing_machinery():
    heavy = ("sympy", "markdown", "yaml", "mkdocs", "torch", "numpy", "pint")
    code = f"import sys, infra_ref.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_tests_are_those_that_formulas_name(infra_ref, root):
    for lang in ("zh", "en"):
        page = root / f"docs/{lang}/lectures/s/p.md"
        page.write_text(page.read_text(encoding="utf-8") + '\n```math test="tests/a.py::test_b"\nx = 1\n```\n')
    result = infra_ref("pages", "tests", "s")
    assert result.exit_code == 0
    assert result.output.splitlines() == ["tests/a.py::test_b"]
