"""LaTeX read at distinct primes, against values worked out by hand; whatever has two readings is refused."""

import math
from fractions import Fraction

import pytest
import sympy

from infra_ref.publish import latex

PRIMES = {"a": 2, "b": 3, "c": 5, "d": 7, "x": 11, "n": 13, "s": 17, "K": 19, "M": 23, "N": 29}


def right_side(text, values=PRIMES):
    (statement,) = latex.parse("y = " + text).statements
    names = {sympy.Symbol(k): sympy.Rational(v) for k, v in values.items()}
    return statement.sides[1].subs(names).doit()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2MNK", 2 * 23 * 29 * 19),
        (r"s\,(MK + KN + MN)", 17 * (23 * 19 + 19 * 29 + 23 * 29)),
        (r"s\left(\frac{2MNK}{b} + MN\right)", 17 * (Fraction(2 * 23 * 29 * 19, 3) + 23 * 29)),
        (r"\frac{1}{M} + \frac{1}{N} - \frac{1}{K}", Fraction(1, 23) + Fraction(1, 29) - Fraction(1, 19)),
        (r"\tfrac12 M", Fraction(23, 2)),
        (r"\frac1M", Fraction(1, 23)),
        ("65{,}504", 65504),
        ("0.25x", Fraction(11, 4)),
        ("1.75", Fraction(7, 4)),
        (r"2^{-24}", Fraction(1, 2**24)),
        (r"(2 - 2^{-10}) \cdot 2^{15}", 65504),
        ("a^2b", 12),
        ("a^{b}c", 40),
        ("a^{-b}", Fraction(1, 8)),
        ("-a-b-c", -10),
        ("a - (b - c)", 4),
        ("MN/b", Fraction(23 * 29, 3)),
        ("x!", 39916800),
        (r"\binom{n}{b}", 286),
        (r"\max(a, b)c", 15),
        (r"\min\{a, b\} + c", 7),
        (r"\max\!\left(\frac{x}{a},\; \frac{n}{b}\right)", Fraction(11, 2)),
        (r"\left\lceil \frac{M}{c} \right\rceil c", 25),
        (r"\lfloor x/a \rfloor", 5),
        (r"|a - b|s", 17),
        (r"\lvert a - b\rvert", 1),
        (r"\sqrt{a}\sqrt{a}", 2),
        (r"\sqrt[b]{8}", 2),
        (r"\log_2(8) s", 51),
        (r"\lg 1000", 3),
        (r"\sum_{i=1}^{n} i^2", 819),
        (r"\sum_{i=1}^{n} i^2 + 1", 820),
        (r"a\prod_{i=1}^{b} i", 12),
        (r"2(a+b)^2(c)", 250),
        ("(a+b)(c+d)", 60),
        (r"s(a+b)", 85),
        (r"\bigl(a + b\bigr)\cdot c \times d", 175),
        ("[a + b]c", 25),
    ],
)
def test_value(text, value):
    assert right_side(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [(r"\ln x", math.log(11)), (r"\exp(a)b", 3 * math.exp(2)), (r"\sin(a)", math.sin(2)), (r"\log_{a} 8", 3)],
)
def test_functions(text, value):
    assert math.isclose(float(right_side(text)), value, rel_tol=1e-14)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("x", "x"), (r"\alpha", "alpha"), (r"\varepsilon", "epsilon"), (r"\ell", "ell"), (r"\lambda", "lambda_"),
        ("d_{in}", "d_in"), ("d_k", "d_k"), ("m_{ij}", "m_ij"), ("N_{kv}", "N_kv"), (r"x_{\max}", "x_max"),
        (r"m_{\text{new}}", "m_new"), (r"m^{\text{new}}", "m_new"), (r"m_i^{\text{new}}", "m_i_new"),
        (r"\text{tile}_m", "tile_m"), (r"\mathrm{KV}", "KV"), (r"b_\text{elem}", "b_elem"),
        (r"\tilde m_{ij}", "m_ij_tilde"), (r"\hat{x}", "x_hat"), ("x'", "x_prime"), ("I^*", "I_star"),
        ("I^{*}", "I_star"), ("s_{i,j}", "s_i_j"), ("x_{12}", "x_12"), (r"\text{GEMM time}", "GEMM_time"),
    ],
)  # fmt: skip
def test_symbols_have_python_names(symbol, name):
    formula = latex.parse(f"{symbol} = 1")
    assert formula.names == {name}
    assert formula.statements[0].sides[0] == sympy.Symbol(name)


def test_symbols_of_one_formula_stay_apart():
    assert right_side(r"d_{in} d_{out} d", {"d_in": 2, "d_out": 3, "d": 5}) == 30


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("y = a/bc", "two readings"),
        ("y = 1/2 x", "two readings"),
        ("y = a/b/c", "two readings"),
        (r"y = a / b \cdot c", "two readings"),
        (r"y = \ln a b", "two readings"),
        (r"y = \ln a^2", "two readings"),
        (r"y = \log x", "no base"),
        (r"y = \ln^2 x", "two readings"),
        ("y = f(a, b)", "expected )"),
        ("y = x_12", "only 1"),
        ("y = x_{i-1}", "is an expression"),
        (r"y = \sum_{i=1}^n a_i", "depends on the index"),
        (r"y = a 2", "looks like an index"),
        ("y = a^-2", "minus sign"),
        (r"y = a \bmod b", r"\bmod is not understood"),
        (r"y = \operatorname{diag}(a)", "not understood"),
        (r"y = \frac{a", "expected }"),
        ("y = (a + b", "expected )"),
        ("y = ", "ends too early"),
        (r"y = a \leftarrow b", "not understood"),
        ("2 + 2", "no relation"),
        ("", "empty"),
        (r"\begin{cases}y = 1\end{cases}", "environment 'cases'"),
        (r"y = \max a", "brackets"),
        (r"y = a +", "ends too early"),
        (r"y = \left. a \right|", "not understood"),
    ],
)
def test_what_cannot_be_read_in_one_way_is_refused(text, why):
    with pytest.raises(latex.Unreadable) as error:
        latex.parse(text)
    assert why in str(error.value)


def test_aligned_rows_are_statements():
    formula = latex.parse(
        r"\begin{aligned}m &= \max(a, b)\\[2pt] y &= m\,c \\ &\quad + d \\ &\ge x,\quad z \approx 1\end{aligned}"
    )
    assert [len(s.sides) for s in formula.statements] == [2, 3, 2]
    assert [s.relations for s in formula.statements] == [("=",), ("=", ">="), ("~",)]
    assert formula.names == {"m", "a", "b", "y", "c", "d", "x", "z"}


def test_a_bound_index_is_no_symbol_of_the_formula():
    assert latex.parse(r"y = \sum_{k=0}^{n} k").names == {"y", "n"}


def test_what_was_read_is_kept_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(latex, "CACHE", tmp_path)
    text = r"y = \frac{a}{b} + \max(c, \lceil d/2 \rceil) + \sum_{i=1}^{n} i + e^{x}"
    latex.parse.cache_clear()
    first = latex.parse(text)
    assert len(list(tmp_path.iterdir())) == 1
    monkeypatch.setattr(latex, "_read", None)  # a second reading would fail
    latex.parse.cache_clear()
    assert latex.parse(text) == first


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(latex, "CACHE", tmp_path / "file" / "below")
    latex.parse.cache_clear()
    assert latex.parse("y = 3x").names == {"x", "y"}
