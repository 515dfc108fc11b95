"""The page of the report lists every claim, and says of each whether and where it was checked."""

import pytest
from bs4 import BeautifulSoup

from infra_ref.publish import report, verification

PAGE = """# Title { #top }

[60 FLOP]{=gemm.flops(m=2, n=3, k=5)}

```math check="gemm.flops(m=M, n=N, k=K)"
F = 2MNK
```

```math test="tests/test_a.py::test_b"
a < b
```
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.delenv("INFRA_REF_REPORT", raising=False)
    for name, text in {
        "docs/en/page.md": PAGE,
        "snippets/s/ran.py": "1",
        "snippets/s/new.py": "2",
        "tests/test_a.py": "def test_b(): pass",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def checked(root, *keys):
    """A report in which these keys passed on the CPU."""
    found = {}
    for kind, key in keys:
        fields = {"state": "passed", "sha256": report.digest(key, root), "date": "2026-11-30", "figures": 1, "check": 1}
        found.setdefault(kind, {})[key] = fields
    report.merge(found, "CPU", root)


def rows(root, heading):
    page = BeautifulSoup(verification.render("en", root), "html.parser")
    table = page.find(id=heading).find_next("table")
    return [[cell.text for cell in row.find_all("td")] for row in table.find_all("tr")[1:]]


def test_without_a_report_the_page_says_so(root):
    assert "Not verified in this build" in verification.render("en", root)
    assert "未经验证" in verification.render("zh", root)


def test_what_never_ran_is_listed_as_never(root):
    checked(root, ("snippet", "snippets/s/ran.py"))
    assert rows(root, "snippets") == [
        ["snippets/s/new.py", "never", "", ""],
        ["snippets/s/ran.py", "passed", "CPU", "2026-11-30"],
    ]
    assert rows(root, "tests") == [["tests/test_a.py::test_b", "never", "", ""]]


def test_every_formula_and_figure_is_listed_with_what_must_give_it(root):
    checked(root, ("page", "docs/en/page.md"))
    assert rows(root, "claims") == [
        ["F = 2MNK", "check: gemm.flops(m=M, n=N, k=K)"],
        ["a < b", "test: tests/test_a.py::test_b"],
        ["60 FLOP", "gemm.flops(m=2, n=3, k=5)"],
    ]
    assert rows(root, "pages")[0] == ["page.md", "0", "1", "1", "0", "0", "0", "passed", "CPU", "2026-11-30"]


def test_a_page_that_changed_since_is_not_vouched_for(root):
    checked(root, ("page", "docs/en/page.md"))
    (root / "docs/en/page.md").write_text(PAGE.replace("60", "61"))
    assert rows(root, "pages")[0][-3:] == ["never", "", ""]
