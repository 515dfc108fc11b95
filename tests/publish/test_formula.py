"""Right formulas pass, wrong ones are told apart, and nothing is compared that could not differ."""

import math
from fractions import Fraction

import pytest

from infra_ref.publish import formula, pages
from infra_ref.publish.formula import Disagreement, compare, definitions, equates, holds
from infra_ref.publish.names import HELPERS
from infra_ref.units import Q


class Functions:
    """Stands in for a module of infra_ref; every method is written apart from the formulas below."""

    @staticmethod
    def volume(*, a, b, c):
        if min(a, b, c) < 1:
            raise ValueError("a, b and c must be at least 1")
        return c * sum(b for _ in range(a))

    @staticmethod
    def size(*, n):
        if not isinstance(n, int) or n < 1:
            raise ValueError("n must be an int of at least 1")
        return Q(8 * n, "b")

    @staticmethod
    def rate(*, n, t):
        return Q(n, "FLOP") / Q(t, "s")

    @staticmethod
    def entropy(*, p):
        if not 0 < p < 1:
            raise ValueError("p must lie between 0 and 1")
        return -float(p) * math.log2(p) - float(1 - p) * math.log2(1 - p)

    @staticmethod
    def steps(*, n, b):
        if n < 1 or b < 1:
            raise ValueError("n and b must be at least 1")
        return len(range(0, n, b))

    @staticmethod
    def magnitude(*, x):
        return x if x > 0 else -x

    @staticmethod
    def text(*, n):
        return "many"

    @staticmethod
    def nothing(*, n):
        raise ValueError("no n is good enough")

    @staticmethod
    def broken(*, n):
        raise TypeError("broken")


SCOPE = {**HELPERS, "gemm": Functions}
pytest_plugins = "pytester"


@pytest.mark.parametrize(
    ("text", "check", "where"),
    [
        ("V = abc", "gemm.volume(a=a, b=b, c=c)", ""),
        (r"\frac{V}{c} = ab", "gemm.volume(a=a, b=b, c=c)", ""),
        (r"\frac{1}{V} = \frac{1}{a}\cdot\frac{1}{bc}", "gemm.volume(a=a, b=b, c=c)", ""),
        (r"V = 3ab", "gemm.volume(a=a, b=b, c=3)", ""),
        ("abc = V", "gemm.volume(a=a, b=b, c=c)", ""),
        (r"V = abc = cba", "gemm.volume(a=a, b=b, c=c)", ""),
        (r"\begin{aligned}A &= ab\\ V &= Ac\end{aligned}", "gemm.volume(a=a, b=b, c=c)", ""),
        (r"D = d_{in} d_{out}", "gemm.volume(a=d_in, b=d_out, c=1)", ""),
        ("Q = n", "gemm.size(n=n)", ""),  # bits become bytes
        (r"R = \frac{Q}{t}", "gemm.rate(n=Q, t=t)", ""),  # Q the symbol, not Q the helper
        (r"h = -p\log_2(p) - (1-p)\log_2(1-p)", "gemm.entropy(p=p)", ""),
        (r"k = \lceil \frac{n}{b} \rceil", "gemm.steps(n=n, b=b)", ""),
        (r"k = \frac{n}{b}", "gemm.steps(n=n, b=b)", "n % b == 0"),
        (r"y = |x|", "gemm.magnitude(x=x)", ""),
        (r"c = 42", "gemm.volume(a=2, b=3, c=7)", ""),
    ],
)
def test_a_right_formula_passes(text, check, where):
    assert compare(text, check, SCOPE, where) >= (1 if text.startswith("c =") else formula.POINTS)


@pytest.mark.parametrize(
    ("text", "check", "why"),
    [
        ("V = 2abc", "gemm.volume(a=a, b=b, c=c)", "the sides are"),
        (r"V \ge abc", "gemm.volume(a=a, b=b, c=c)", "neither a direction"),
        (r"V \le abc", "gemm.volume(a=a, b=b, c=c)", "neither a direction"),
        (r"V \approx abc", "gemm.volume(a=a, b=b, c=c)", "nor a neighbourhood"),
        ("V = abc + 1", "gemm.volume(a=a, b=b, c=c)", "the sides are"),
        (r"V = abc = ab", "gemm.volume(a=a, b=b, c=c)", "the sides are"),
        (r"\begin{aligned}A &= 2ab\\ V &= Ac\end{aligned}", "gemm.volume(a=a, b=b, c=c)", "the sides are"),
        (r"k = \frac{n}{b}", "gemm.steps(n=n, b=b)", "the sides are"),
        (r"k = \lfloor \frac{n}{b} \rfloor", "gemm.steps(n=n, b=b)", "the sides are"),
        ("y = x", "gemm.magnitude(x=x)", "the sides are"),
        ("Q = 8n", "gemm.size(n=n)", "the sides are"),
        (r"h = -p\log_2(p)", "gemm.entropy(p=p)", "the sides are"),
        ("c = 43", "gemm.volume(a=2, b=3, c=7)", "gives 42"),
        ("V = ab", "gemm.volume(a=a, b=b, c=c)", "argument c of check= is no symbol"),
        ("V = abcd", "gemm.volume(a=a, b=b, c=c)", "unknown symbols V, d"),
        ("ab = ba", "gemm.volume(a=a, b=b, c=1)", "no symbol for the result"),
        ("V - V = ab - ba", "gemm.volume(a=a, b=b, c=1)", "says nothing"),
        ("V = abc", "gemm.volum(a=a, b=b, c=c)", "unknown name"),
        ("V = abc", "gemm.volume(a=a, b=b, c=c", "is not an expression"),
        ("V = abc", "a * b * c", "reads nothing of infra_ref"),
        ("T = n", "gemm.text(n=n)", "not a number"),
        ("T = n", "gemm.nothing(n=n)", "no n is good enough"),
        ("T = n", "gemm.broken(n=n)", "TypeError"),
    ],
)  # fmt: skip
def test_a_wrong_formula_is_told(text, check, why):
    with pytest.raises(Disagreement) as error:
        compare(text, check, SCOPE)
    assert why in str(error.value)


def test_a_condition_speaks_of_arguments_only():
    with pytest.raises(Disagreement, match="z in where="):
        compare("V = abc", "gemm.volume(a=a, b=b, c=c)", SCOPE, "z > 1")


def test_a_condition_that_no_point_meets_is_too_strict():
    with pytest.raises(Disagreement, match="only 0 of 8 points"):
        compare("V = abc", "gemm.volume(a=a, b=b, c=c)", SCOPE, "a > 9 > b > a")


def test_points_are_the_same_in_every_run():
    assert compare("V = abc", "gemm.volume(a=a, b=b, c=c)", SCOPE) == compare(
        "V = abc", "gemm.volume(a=a, b=b, c=c)", SCOPE
    )


def test_definitions_and_truth_for_tests():
    merge = r"\begin{aligned}m &= \max(m_1, m_2)\\ \ell &= e^{m_1-m}\,\ell_1 + e^{m_2-m}\,\ell_2\end{aligned}"
    got = definitions(merge, {"m_1": 0, "m_2": 2, "ell_1": 1, "ell_2": 3})
    assert got["m"] == 2
    assert math.isclose(got["ell"], math.exp(-2) + 3, rel_tol=1e-14)
    assert holds(r"\frac{x}{3} \le y", {"x": 1, "y": Fraction(1, 3)})
    assert not holds(r"x \ge y", {"x": 1, "y": 2})
    with pytest.raises(Disagreement, match="unknown symbols z"):
        holds("x = z", {"x": 1})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"y \le 2x", "defined by = alone, not by <="),
        (r"y \approx 2x", "defined by = alone, not by ~"),
        (r"y = 2x \ge x", "defined by = alone, not by = >="),
        ("y = 2x = 3x", "the sides that define y are 10 and 15"),
    ],
)
def test_what_defines_is_an_equation(text, why):
    with pytest.raises(Disagreement, match=why):
        definitions(text, {"x": 5})


def test_an_inequality_that_happens_to_hold_equates_nothing():
    assert definitions("y = 2x = x + x", {"x": 5}) == {"y": 10}
    assert equates("y = 2x = x + x", {"x": 5, "y": 10})
    assert not equates("y = 2x", {"x": 5, "y": 11})
    for relation in (r"\le", r"\ge", r"\approx"):
        assert holds(f"y {relation} 2x", {"x": 5, "y": 10})
        assert not equates(f"y {relation} 2x", {"x": 5, "y": 10})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"\frac{2ab}{c} - 7", Fraction(12, 5) - 7),
        (r"a^{-b}c^2", Fraction(25, 8)),
        (r"\lceil c/a \rceil + \lfloor -c/a \rfloor", 0),
        (r"\max(a, b, c) - \min(a, b, c)", 3),
        (r"|a - c| + |c - a|", 6),
        (r"a^{1/2}", math.sqrt(2)),
        (r"e^{a} + \pi", math.exp(2) + math.pi),
        (r"\sum_{i=1}^{c} i^{b}", 225),
    ],
)
def test_values_are_exact_where_they_are_rational(text, value):
    got = definitions(f"y = {text}", {"a": 2, "b": 3, "c": 5})["y"]
    if isinstance(value, float):
        assert math.isclose(got, value, rel_tol=1e-14)
    else:
        assert isinstance(got, Fraction)
        assert got == value


# --- on pages ---------------------------------------------------------------------------------------------------------

TESTS = '''
def test_holds():
    r"""y = x^2 + \\text{old}"""

def test_takes(latex):
    assert latex

def test_ignores(latex):
    assert True

class TestGroup:
    def test_inside(self, latex):
        assert latex
'''
SOURCES = r"""
[paper]
title = "A paper"
formulas = ["F \\approx 6 N D"]
"""


def page(*formulas):
    fences = "\n".join(f"```math {tag}\n{latex}\n```" for tag, latex in formulas)
    return f"# Title {{ #top }}\n\n{fences}\n"


@pytest.fixture
def problems_of(site):
    def check(*formulas, where="docs/en/lectures/s/p.md"):
        root = site({where: page(*formulas), "tests/test_a.py": TESTS, "infra_ref/data/sources.toml": SOURCES})
        return [str(p).removeprefix("docs/en/lectures/s/p.md") for p in formula.problems(root)]

    return check


GOOD = ('check="gemm.flops(m=M, n=N, k=K)"', "F = 2MNK")


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        GOOD,
        ('test="tests/test_a.py::test_holds"', r"y =   x^2 + \text{old}"),
        ('test="tests/test_a.py::test_takes"', "anything"),
        ('test="tests/test_a.py::TestGroup::test_inside"', "anything"),
    ],
)
def test_a_formula_held_true(problems_of, tag, text):
    assert problems_of((tag, text)) == []


def test_a_quoted_formula_is_held_by_its_source(problems_of):
    assert problems_of(('cite="paper"', r"F\approx 6ND"), GOOD, GOOD, GOOD) == []


@pytest.mark.parametrize(
    ("tag", "text", "why"),
    [
        ("", "y = x", "exactly one of check=, test=, cite="),
        ('check="gemm.flops(m=M, n=N, k=K)" cite="paper"', "F = 2MNK", "exactly one of"),
        ('check="gemm.flops(m=M, n=N, k=K)"', "F = 3MNK", "the sides are"),
        ('check="gemm.flops(m=M, n=N, k=K)"', r"F = \frac{MNK", "expected }"),
        ('test="tests/test_a.py::test_none"', "y = x", "no such test"),
        ('test="tests/test_b.py::test_holds"', "y = x", "no such file"),
        ('test="docs/x.py::test_holds"', "y = x", "no such file below tests/"),
        ('test="tests/test_a.py::test_holds"', r"y = x^3 + \text{old}", "neither takes the fixture latex nor holds"),
        ('test="tests/test_a.py::test_holds"', r"y = x^2 + \text{new}", "neither takes the fixture latex nor holds"),
        ('test="tests/test_a.py::test_ignores"', "y = x", "never reads it"),
        ('test="tests/test_a.py::test_takes" where="x > 1"', "y = x", "where= belongs to check="),
    ],
)
def test_a_formula_that_nothing_holds(problems_of, tag, text, why):
    (problem,) = problems_of((tag, text), GOOD, GOOD, GOOD)
    assert problem.startswith(":3: ")
    assert why in problem


@pytest.mark.parametrize("text", ["$$F = 3MNK$$", r"\[F = 3MNK\]", r"\begin{equation}F = 3MNK\end{equation}"])
def test_a_display_formula_stands_in_a_fence(site, text):
    root = site({"docs/en/p.md": f"# Title {{ #top }}\n\nSo $M$ gives\n{text}\n"})
    ((problem),) = formula.problems(root)
    assert (problem.line, problem.message) == (4, "a display formula is a ```math fence that says what holds it")


def test_code_and_inline_formulas_are_no_display_formulas(site):
    text = r"`$$` and `\[`, $M_{[1]}$ and $a\\[2pt]b$"
    assert formula.problems(site({"docs/en/p.md": f"# Title {{ #top }}\n\n{text}\n"})) == []


@pytest.mark.parametrize(
    ("how", "text", "why"), [("paper", "F = 6ND", "does not hold"), ("book", "F = 6ND", "no such source")]
)
def test_a_quotation_must_be_in_its_source(problems_of, how, text, why):
    (problem,) = problems_of((f'cite="{how}"', text), GOOD, GOOD, GOOD)
    assert why in problem


def test_three_quarters_of_a_lecture_page_are_check_or_test(problems_of):
    quoted = ('cite="paper"', r"F \approx 6ND")
    assert problems_of(quoted, GOOD, GOOD, GOOD) == []
    (problem,) = problems_of(quoted, GOOD, GOOD)
    assert problem.startswith(":1: only 2 of 3 formulas")


def test_elsewhere_quotations_may_prevail(problems_of):
    assert problems_of(('cite="paper"', r"F \approx 6ND"), where="docs/en/guides/p.md") == []


def test_words_may_differ_between_languages(site):
    text = page(('test="tests/test_a.py::test_holds"', r"y = x^2 + \text{旧}"))
    root = site({"docs/zh/p.md": text, "docs/en/p.md": text, "tests/test_a.py": TESTS})
    assert [p.page for p in formula.problems(root)] == ["docs/en/p.md"]


def test_a_test_learns_the_formulas_of_all_pages_once(site):
    name = "tests/test_a.py::test_takes"
    root = site({
        "docs/en/a.md": page((f'test="{name}"', "y = x"), GOOD),
        "docs/zh/a.md": page((f'test="{name}"', "y = x")),
        "docs/zh/b.md": page((f'test="{name}"', "y = 2x")),
    })  # fmt: skip
    assert formula.held_by(name, root) == ["y = x", "y = 2x"]
    with pytest.raises(LookupError, match=r"no page has a formula with test='tests/test_a\.py::test_holds'"):
        formula.held_by("tests/test_a.py::test_holds", root)
    assert len(pages.load(root)) == 3


def test_the_fixture_runs_a_test_once_a_formula_and_fails_without_one(pytester):
    test = 'test="test_it.py::test_takes"'
    folder = pytester.path / "docs" / "en"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(page((test, "y = x"), (test, "z = x")))
    pytester.makeconftest(
        "from pathlib import Path\nfrom infra_ref.publish import formula\n"
        "def pytest_generate_tests(metafunc):\n    formula.parametrize(metafunc, Path(__file__).parent)\n"
    )
    pytester.makepyfile(
        test_it="def test_takes(latex):\n    assert latex in ('y = x', 'z = x')\n",
        test_other="def test_other(latex):\n    pass\n",
    )
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--continue-on-collection-errors")
    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["*test_other.py::test_other takes the fixture latex, but no page*"])


def test_a_root_of_long_fractions_is_not_factored():
    """An Adam step raises a share to its step number under a root; sympy once spent minutes on its prime factors."""
    text = r"y = \sqrt{\frac{v}{1 - b^t}}"
    values = {"v": Fraction(7, 13), "b": Fraction(97, 100), "t": 3001}
    assert definitions(text, values)["y"] == pytest.approx((7 / 13 / (1 - 0.97**3001)) ** 0.5, rel=1e-12)
