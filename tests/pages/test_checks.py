"""The pages of the course pass every check of their source."""

from pathlib import Path

import pytest

from infra_ref.publish import ROOT, checks, literals, oracles, pages, report
from infra_ref.publish.pages import Page, Problem

PAGES = pages.load(ROOT)


@pytest.fixture(scope="module")
def problems() -> list[tuple[str, Problem]]:
    return [(name, problem) for name, found in checks.run(ROOT).items() for problem in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.where)
def test_page(page: Page, problems: list[tuple[str, Problem]], request: pytest.FixtureRequest) -> None:
    formulas = [formula.kind for formula in page.skeleton.formulas]
    counts = {kind: formulas.count(kind) for kind in ("check", "test", "cite")}
    exempt = len(literals.exemptions(page))
    report.add(request.node, "page", page.where, figures=len(page.skeleton.figures), exempt=exempt, **counts)
    found = [f"{problem}  [{name}]" for name, problem in problems if problem.page == page.where]
    assert not found, "\n".join(found)


def test_everything_beside_the_pages(problems: list[tuple[str, Problem]]) -> None:
    """Snippets, inputs and locks."""
    where = {page.where for page in PAGES}
    found = [f"{problem}  [{name}]" for name, problem in problems if problem.page not in where]
    assert not found, "\n".join(found)


def test_there_are_pages_and_names_vouched_for() -> None:
    assert PAGES
    assert oracles.covered(ROOT)
    assert Path(PAGES[0].path).is_file()
