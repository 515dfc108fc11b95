"""Figures are evaluated, names need an oracle, inputs need a reader."""

import pytest

from infra_ref.publish import oracles

ORACLES = """
import pytest

pytestmark = [pytest.mark.oracle("roofline.*")]


@pytest.mark.oracle("gemm.flops", "gemm.tiled_*")
def test_flops():
    assert 2 + 2 == 4


@pytest.mark.oracle("layout.offset")
class TestLayout:
    @pytest.mark.oracle("layout.contiguous_strides")
    def test_strides(self):
        with pytest.raises(ValueError):
            int("x")


@pytest.mark.oracle("gemm.intensity")
def helper():
    assert True


@pytest.mark.oracle("layout.nbytes")
def test_nothing():
    len("x")


@pytest.mark.oracle("layout.nbytes")
@pytest.mark.skip(reason="one day")
def test_skipped():
    assert True


@pytest.mark.oracle("layout.nbytes")
@pytest.mark.xfail
def test_expected_to_fail():
    assert True


@pytest.mark.parametrize("x", ["hardware.accelerator"])
def test_other(x):
    pass
"""


def write(site, *lines, **files):
    text = "# Title { #top }\n" + "\n".join(lines) + "\n"
    return site({"docs/en/lectures/s/p.md": text, "tests/a/test_a.py": ORACLES, **files})


def shown(problems):
    return [f"{p.page.rsplit('/')[-1]}:{p.line}: {p.message}" for p in problems]


def test_patterns_are_those_of_tests(site):
    assert oracles.covered(write(site)) == {
        "roofline.*",
        "gemm.flops",
        "gemm.tiled_*",
        "layout.offset",
        "layout.contiguous_strides",
    }


@pytest.mark.parametrize(
    "expression",
    [
        "gemm.flops(m=3, n=5, k=7)",
        "gemm.tiled_bytes(m=1)",
        "roofline.ridge(peak=1, bandwidth=2)",
        "layout.offset((1,), (2,))",
        "records.x.median(n=3)",
        "run.s.a.b + Q(1, 'B')",
    ],
)
def test_a_name_with_an_oracle(site, expression):
    assert oracles.name_problems(write(site, f"[1]{{={expression}}}")) == []


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("gemm.intensity(m=1)", "vouches for gemm.intensity"),
        ("layout.nbytes(shape=(3,), itemsize=2)", "vouches for layout.nbytes"),
        ("gemm.flops(m=1) + gemm.min_bytes(m=1)", "vouches for gemm.min_bytes"),
        ('hardware.accelerator("h100-sxm").l2', "vouches for hardware.accelerator"),
        ("65504", "a bare literal proves nothing"),
        ("given.m * 2", "a bare literal proves nothing"),
        ("math.log2(8)", "a bare literal proves nothing"),
        ("gemm.flops(", "not an expression"),
    ],
)
def test_a_name_without_an_oracle(site, expression, why):
    ((problem),) = shown(oracles.name_problems(write(site, "", f"[1]{{={expression}}}")))
    assert problem.startswith("p.md:3: ")
    assert why in problem


def test_checks_of_formulas_need_oracles_too(site):
    lines = ['```math check="gemm.intensity(m=M)" where="M > 2"', "I = M", "```"]
    ((problem),) = shown(oracles.name_problems(write(site, *lines)))
    assert problem == "p.md:2: no test marked @pytest.mark.oracle vouches for gemm.intensity"


@pytest.mark.parametrize(
    ("figure", "why"),
    [
        ("[210 FLOP]{=gemm.flops(m=3, n=5, k=7)}", None),
        ("[0.21 kFLOP]{=gemm.flops(m=given.m, n=5, k=7)}", None),
        ("[211 FLOP]{=gemm.flops(m=3, n=5, k=7)}", "is shown"),
        ("[210]{=gemm.flops(m=3, n=5, k=7)}", "no unit is shown"),
        ("[210 B]{=gemm.flops(m=3, n=5, k=7)}", "'B'"),
        ("[210 FLOP]{=gemm.flop(m=3, n=5, k=7)}", "gemm.flop"),
        ("[210 FLOP]{=gemm.flops(m=given.x, n=5, k=7)}", "'x'"),
        ("[210 FLOP]{=gemm.flops(m=-3, n=5, k=7)}", "m must"),
        ("[many]{=gemm.flops(m=3, n=5, k=7)}", "no number"),
    ],
)
def test_figures(site, figure, why):
    found = shown(oracles.figure_problems(write(site, figure, **{"snippets/s/given.toml": "[p]\nm = 3\n"})))
    if why is None:
        assert found == []
    else:
        assert len(found) == 1
        assert found[0].startswith("p.md:2: ")
        assert why in found[0]


def test_inputs_are_read(site):
    given = "shared = 1\nlazy = 2\n[p]\nread = 3\nunread = 4\n[q]\nx = 5\n"
    lines = ["[1]{=gemm.flops(m=given.shared, n=given.read)}"]
    assert shown(oracles.given_problems(write(site, *lines, **{"snippets/s/given.toml": given}))) == [
        "given.toml:2: no figure of s reads given.lazy",
        "given.toml:5: no figure of s/p reads given.unread",
        "given.toml:6: there is no page s/q",
    ]


def test_an_input_of_the_same_name_on_two_pages_is_read_on_each(site):
    given = "[p]\nm = 3\n[q]\nm = 4\n"
    root = write(
        site,
        "[1]{=gemm.flops(m=given.m)}",
        **{"snippets/s/given.toml": given, "docs/en/lectures/s/q.md": "# Q { #top }\n"},
    )
    assert shown(oracles.given_problems(root)) == ["given.toml:4: no figure of s/q reads given.m"]


def test_a_broken_file_of_inputs_is_named(site):
    ((problem),) = shown(oracles.given_problems(write(site, **{"snippets/s/given.toml": "m = \n"})))
    assert problem.startswith("given.toml:1: ")
