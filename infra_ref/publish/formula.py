"""Display formulas held true: compared with code at random points, held by a test, or quoted from a source."""

import ast
import functools
import math
import random
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pint

from ..units import ureg
from . import ROOT, latex, names, pages
from .latex import Unreadable
from .pages import Page, Problem

if TYPE_CHECKING:
    import pytest

POINTS = 8
TRIES = 4000
TOLERANCE = 1e-9
KINDS = ("check", "test", "cite")
UNTAGGED = re.compile(r"\$\$|(?<!\\)\\\[|\\begin\{")  # display formulas that Markdown would also take
SHARE = Fraction(3, 4)  # of a lecture page's formulas, at least, are check or test

Number = int | float | Fraction
Values = Mapping[str, Number]


class Disagreement(ValueError):
    """A formula that is not what its function computes, or that cannot be compared with it."""


class _Unsuitable(Exception):
    """A point at which one side has no finite real value."""


def in_base_units(value: Any) -> Number:
    """A function's result as a plain number in FLOP, B, token and s.

    Raises:
        Disagreement: not a number.
    """
    if isinstance(value, pint.Quantity):
        unit = ureg.dimensionless
        for dimension, name in (("[operations]", "FLOP"), ("[information]", "B"), ("[text]", "token"), ("[time]", "s")):
            unit = unit * ureg.Unit(name) ** value.dimensionality.get(dimension, 0)
        value = value.m_as(unit)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise Disagreement(f"the function gives {value!r}, not a number")
    return value


def _exact(expression: Any, values: Values) -> Fraction | None:
    """Value of an expression of rational operations at rational arguments, None for any other; many times faster."""
    kind = type(expression).__name__
    if expression.is_Rational:
        return Fraction(int(expression.p), int(expression.q))
    if kind == "Symbol":
        value = values.get(expression.name)
        return Fraction(value) if isinstance(value, int | Fraction) else None
    if kind not in ("Add", "Mul", "Pow", "Max", "Min", "Abs", "ceiling", "floor"):
        return None
    parts = []
    for argument in expression.args:
        part = _exact(argument, values)
        if part is None:
            return None
        parts.append(part)
    if kind == "Pow":
        base, power = parts
        if power.denominator != 1 or abs(power) > 10**4:
            return None
        if not base and power < 0:
            raise _Unsuitable
        return base ** int(power)
    if kind in ("Add", "Mul"):
        return sum(parts, Fraction(0)) if kind == "Add" else math.prod(parts, start=Fraction(1))
    if kind in ("Max", "Min"):
        return max(parts) if kind == "Max" else min(parts)
    (part,) = parts
    return abs(part) if kind == "Abs" else Fraction(math.ceil(part) if kind == "ceiling" else math.floor(part))


def _folded(expression: Any, values: Values) -> Any:
    """The expression with its rational parts evaluated; long ones to 50 digits, since sympy factors under a root."""
    import sympy

    if (value := _exact(expression, values)) is not None:
        number = sympy.Rational(value.numerator, value.denominator)
        return number if max(abs(value.numerator), value.denominator) < 2**64 else number.evalf(50)
    parts = [_folded(part, values) for part in expression.args]
    return expression.func(*parts) if parts else expression


def _number(expression: Any, values: Values) -> Number:
    """Value of a sympy expression, exact where it is rational."""
    import sympy
    from sympy.concrete.expr_with_limits import ExprWithLimits

    if (rational := _exact(expression, values)) is not None:
        return rational
    known: dict[Any, Any] = {sympy.Symbol("e"): sympy.E, sympy.Symbol("pi"): sympy.pi}
    for name, value in values.items():
        known[sympy.Symbol(name)] = sympy.Rational(value) if isinstance(value, Fraction) else sympy.sympify(value)
    known = {symbol: known[symbol] for symbol in expression.free_symbols if symbol in known}
    # all at once is many times faster, but would also reach the running index of a sum
    bound = expression.has(ExprWithLimits)
    result = (expression.subs(known) if bound else _folded(expression, values).xreplace(known)).doit()
    if result.is_Rational:
        return Fraction(int(result.p), int(result.q))
    if result.free_symbols:
        raise Disagreement(f"unknown symbols {', '.join(sorted(map(str, result.free_symbols)))}")
    result = result.evalf(30)
    if not result.is_real or not result.is_finite:
        raise _Unsuitable
    return float(result)


def _same(a: Number, b: Number) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        try:
            return math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=1e-300)
        except OverflowError:
            raise _Unsuitable from None
    return a == b


def _true(relation: str, a: Number, b: Number) -> bool:
    return _same(a, b) or (relation == ">=" and a > b) or (relation == "<=" and a < b)


def definitions(text: str, values: Values) -> dict[str, Number]:
    r"""What a formula's statements define: every lone left-hand symbol that is not in `values`, computed in order.

    For tests that evaluate the LaTeX of a page: `definitions(r"y = 2x", {"x": 3})` is {"y": 6}.

    Raises:
        Unreadable, Disagreement: the LaTeX cannot be read, uses a symbol without a value, or defines by another
            relation than =, or by sides that differ.
    """
    known = dict(values)
    for statement in latex.parse(text).statements:
        left, *rest = statement.sides
        if left.is_Symbol and left.name not in known:
            if set(statement.relations) != {"="}:
                raise Disagreement(f"{left.name} is defined by = alone, not by {' '.join(statement.relations)}")
            first, *others = (_number(side, known) for side in rest)
            if not all(_same(first, other) for other in others):
                shown = " and ".join(map(_show, [first, *others]))
                raise Disagreement(f"the sides that define {left.name} are {shown}")
            known[left.name] = first
    return {name: value for name, value in known.items() if name not in values}


def holds(text: str, values: Values) -> bool:
    """Whether every statement of a formula is true at these values; \\approx counts as =, inequalities as themselves.

    Raises:
        Unreadable, Disagreement: the LaTeX cannot be read, or uses a symbol without a value.
    """
    for statement in latex.parse(text).statements:
        sides = [_number(side, values) for side in statement.sides]
        if not all(_true(r, a, b) for r, a, b in zip(statement.relations, sides[:-1], sides[1:], strict=True)):
            return False
    return True


def equates(text: str, values: Values) -> bool:
    """Whether a formula consists of equations and is true at these values; an inequality true there is no equation."""
    relations = {relation for statement in latex.parse(text).statements for relation in statement.relations}
    return relations == {"="} and holds(text, values)


def arguments(expression: str, scope: Mapping[str, Any], symbols: frozenset[str]) -> set[str]:
    """Names in a check= expression that stand for symbols: unknown to pages, or a symbol's name as a plain value."""
    tree = ast.parse(names.normalise(expression), mode="eval")
    used_as = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    used_as |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and node.id not in bound
        and (node.id not in scope or (node.id in symbols and id(node) not in used_as))
    }  # fmt: skip


def _draw(rng: random.Random, stage: str) -> Number:
    """A random value: a positive integer of any magnitude, one of either sign, or also a fraction or a float."""
    kinds: list[Callable[[], Number]] = [
        lambda: rng.randint(1, 9),
        lambda: rng.randint(1, 100),
        lambda: rng.randint(1, 5000),
        lambda: 2 ** rng.randint(0, 13),
    ]
    if stage == "signed":
        return rng.choice(kinds)() * rng.choice((1, -1))
    if stage == "real":
        kinds += [lambda: Fraction(rng.randint(1, 99), 100), lambda: rng.uniform(-5, 5)]
    return rng.choice(kinds)()


class _Comparison:
    """One formula, one function, one way to draw points."""

    def __init__(self, text: str, expression: str, scope: Mapping[str, Any], where: str) -> None:
        self.formula, self.expression, self.scope, self.where = latex.parse(text), expression, dict(scope), where
        if any(relation != "=" for s in self.formula.statements for relation in s.relations):
            raise Disagreement(
                "a function has a value, neither a direction nor a neighbourhood: write an equation, "
                "or let a test hold the bound"
            )
        symbols = self.formula.names
        self.arguments = sorted(arguments(expression, scope, symbols))
        if unused := set(self.arguments) - symbols:
            raise Disagreement(f"argument {', '.join(sorted(unused))} of check= is no symbol of the formula")
        if where and (strange := arguments(where, scope, symbols) - set(self.arguments)):
            raise Disagreement(f"{', '.join(sorted(strange))} in where= is no argument of check=")
        free = symbols - set(self.arguments) - {"e", "pi"}
        self.result = self._result(free)
        self.function = self._compile(expression)
        self.admits = self._compile(where or "True")
        self.rng = random.Random(f"{text}|{expression}|{where}")

    def _result(self, free: frozenset[str]) -> str:
        """The symbol that stands for the function's value: the only one that is neither an argument nor defined."""
        defined = [
            s.sides[0].name for s in self.formula.statements[:-1]
            if s.sides[0].is_Symbol and s.sides[0].name in free
        ]  # fmt: skip
        left = set(free) - set(defined)
        if len(left) != 1:
            have = ", ".join(self.arguments) or "none"
            many = f"unknown symbols {', '.join(sorted(left))}: only one may be the result"
            raise Disagreement(f"{many if left else 'no symbol for the result'}; arguments of check=: {have}")
        return next(iter(left))

    def _compile(self, expression: str) -> Callable[..., Any]:
        """The expression as a function of the arguments: evaluated at many points, it is compiled once."""
        function: Callable[..., Any] = names.evaluate(f"lambda {', '.join(self.arguments)}: ({expression})", self.scope)
        return function

    def point(self, stage: str) -> dict[str, Number] | None:
        """Arguments at a random place, with the function's value; None where there is none."""
        values: dict[str, Number] = {name: _draw(self.rng, stage) for name in self.arguments}
        try:
            if not self.admits(**values):
                return None
            value = self.function(**values)
        except names.UnknownName as error:
            raise Disagreement(str(error)) from None
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            self.reason = str(error)
            return None
        except (NameError, AttributeError) as error:
            raise Disagreement(f"unknown name in {self.expression!r}: {error}") from None
        except Exception as error:
            raise Disagreement(f"{self.expression} raises {type(error).__name__}: {error}") from None
        number = in_base_units(value)
        return values | {self.result: number} if math.isfinite(number) else None

    def statements(self, values: dict[str, Number]) -> Iterator[tuple[bool, list[Number]]]:
        """Each statement: whether it speaks of the result, and the values of its sides."""
        import sympy

        known = dict(values)
        for statement in self.formula.statements:
            left, *rest = statement.sides
            if left.is_Symbol and left.name not in known:
                known[left.name] = _number(rest[0], known)
            about = any(sympy.Symbol(self.result) in side.free_symbols for side in statement.sides)
            yield about, [_number(side, known) for side in statement.sides]

    def compare(self, values: dict[str, Number]) -> bool:
        """Raise where the formula is wrong; whether it would also tell a wrong result here."""
        for _, sides in self.statements(values):
            if not all(_same(sides[0], side) for side in sides[1:]):
                place = ", ".join(f"{k} = {_show(v)}" for k, v in values.items() if k != self.result)
                raise Disagreement(
                    f"at {place or 'its one value'} the sides are {' and '.join(map(_show, sides))}; "
                    f"{self.expression} gives {_show(values[self.result])}"
                )
        try:
            wrong = values | {self.result: values[self.result] * Fraction(8, 7) + 1}
            return any(about and not all(_same(s[0], x) for x in s[1:]) for about, s in self.statements(wrong))
        except _Unsuitable:
            return False

    def run(self) -> int:
        seen: set[tuple[Number, ...]] = set()
        telling = False
        self.reason = "no value was accepted"
        wanted = POINTS if self.arguments else 1
        for stage in ("positive", "real", "signed"):
            if stage == "real" and len(seen) >= wanted:
                continue
            for _ in range(TRIES if stage != "signed" else 4 * POINTS):
                if (stage == "signed" and not self.arguments) or (stage != "signed" and len(seen) >= wanted):
                    break
                values = self.point(stage)
                if values is None or (key := tuple(values.values())) in seen:
                    continue
                try:
                    telling |= self.compare(values)
                except _Unsuitable:
                    self.reason = "the formula has no finite real value"
                    continue
                seen.add(key)
        if len(seen) < wanted:
            raise Disagreement(f"only {len(seen)} of {wanted} points could be compared ({self.reason})")
        if not telling:
            raise Disagreement(f"the formula holds whatever {self.result} is: it says nothing about the function")
        return len(seen)


def _show(value: Number) -> str:
    return f"{float(value):.12g}" if isinstance(value, float) else str(value)


def compare(text: str, expression: str, scope: Mapping[str, Any], where: str = "") -> int:
    r"""Compare a formula with a function at random points, exactly where both are rational.

    Only = is compared: either direction of an inequality would agree with a bound, and \approx with anything near.
    Statements before the last may define symbols that later ones use.

    Args:
        text: LaTeX; one symbol in it that is neither an argument nor defined is the function's value.
        expression: Python over `scope` and the formula's symbols (`d_{in}` is d_in, `I^*` is I_star).
        where: a Python condition on the symbols, for a formula that holds only there.
    Returns:
        How many points were compared, at least `POINTS` where there is an argument.
    Raises:
        Unreadable: LaTeX that cannot be read, or in two ways.
        Disagreement: a difference, an unused argument, an unknown symbol, too few valid points.
    """
    try:
        if not names.published(expression):
            raise Disagreement(f"{expression!r} reads nothing of infra_ref")
        return _Comparison(text, expression, scope, where).run()
    except SyntaxError as error:
        raise Disagreement(f"{expression!r} is not an expression: {error.msg}") from None


@functools.lru_cache(maxsize=4096)
def _compared(text: str, expression: str, where: str, slug: str, page: str, root: Path, given: str) -> int:
    """`compare` on a page; once for both languages and for all calls with the same inputs."""
    return compare(text, expression, names.namespace(slug, page, root), where)


def normalise(text: str) -> str:
    """LaTeX with white space ignored, for comparing strings."""
    return re.sub(r"\s+", "", text)


def without_words(text: str) -> str:
    r"""LaTeX whose \text{} contents are blanked: they differ between languages."""
    return normalise(re.sub(r"\\(text|textrm|mathrm)\s*\{[^{}]*\}", r"\\\1{}", text))


@functools.lru_cache(maxsize=512)
def _functions(path: Path, changed: int) -> dict[str, ast.FunctionDef]:
    """Test functions of a file by the part of their id behind the first `::`."""
    found: dict[str, ast.FunctionDef] = {}

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef):
                found[prefix + node.name] = node
            elif isinstance(node, ast.ClassDef):
                visit(node.body, f"{prefix}{node.name}::")

    visit(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return found


def check_test(formula: pages.Formula, page: Page) -> str:
    """Why the named test does not hold the formula; empty if it does."""
    path, _, name = formula.how.partition("::")
    file = page.root / path
    if not path.startswith("tests/") or not file.is_file():
        return f"test={formula.how!r}: no such file below tests/"
    function = _functions(file, file.stat().st_mtime_ns).get(name)
    if function is None or not name.split("::")[-1].startswith("test"):
        return f"test={formula.how!r}: no such test"
    takes = any(a.arg == "latex" for a in [*function.args.args, *function.args.kwonlyargs])
    if takes:
        reads = any(isinstance(n, ast.Name) and n.id == "latex" for stmt in function.body for n in ast.walk(stmt))
        return "" if reads else f"test={formula.how!r} takes latex and never reads it"
    same = without_words if page.lang == "zh" else normalise
    held = (n.value for n in ast.walk(function) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    if any(same(text) == same(formula.latex) for text in held):
        return ""
    return f"test={formula.how!r} neither takes the fixture latex nor holds this formula"


def check_cite(formula: pages.Formula, page: Page) -> str:
    """Why the named source does not vouch for the formula; empty if it does."""
    path = page.root / "infra_ref" / "data" / "sources.toml"
    sources = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    entry = sources.get(formula.how)
    if entry is None:
        return f"cite={formula.how!r}: no such source in infra_ref/data/sources.toml"
    if without_words(formula.latex) not in map(without_words, entry.get("formulas", ())):
        return f"cite={formula.how!r}: the source's entry does not hold this formula"
    return ""


def check_formula(formula: pages.Formula, page: Page) -> str:
    """Why a formula is not held true; empty if it is."""
    if formula.kind == "test":
        return check_test(formula, page)
    if formula.kind == "cite":
        return check_cite(formula, page)
    try:
        given = repr(names.given_values(page.slug, page.name, page.root))
        _compared(formula.latex, formula.how, formula.where, page.slug, page.name, page.root, given)
    except (Unreadable, Disagreement) as error:
        return f"formula {' '.join(formula.latex.split())!r}: {error}"
    return ""


def problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every display formula has one tag and is what the tag says; a lecture page rests on code, not on quotations."""
    found = []
    for page in pages.load(root, slug):
        formulas = page.skeleton.formulas
        tags = {f.line: [k for k in f.attributes if k in KINDS] for f in page.skeleton.fences if f.language == "math"}
        for formula in formulas:
            if len(tags[formula.line]) != 1:
                found.append(page.problem(formula.line, "a formula needs exactly one of check=, test=, cite="))
            elif formula.where and formula.kind != "check":
                found.append(page.problem(formula.line, "where= belongs to check="))
            elif why := check_formula(formula, page):
                found.append(page.problem(formula.line, why))
        for prose in page.skeleton.prose:
            if UNTAGGED.search(pages.without_code(prose.text)):
                found.append(page.problem(prose.line, "a display formula is a ```math fence that says what holds it"))
        strong = sum(f.kind in ("check", "test") for f in formulas)
        if page.is_lecture and strong < SHARE * len(formulas):
            few = f"only {strong} of {len(formulas)} formulas are check or test, fewer than three quarters"
            found.append(page.problem(1, few))
    return found


def held_by(test: str, root: Path = ROOT) -> list[str]:
    """The distinct formulas whose tag names this test (an id without parameters), in page order.

    Raises:
        LookupError: no page names the test.
    """
    found = [f.latex for page in pages.load(root) for f in page.skeleton.formulas if f.kind == "test" and f.how == test]
    if not found:
        raise LookupError(f"{test} takes the fixture latex, but no page has a formula with test={test!r}")
    return list(dict.fromkeys(found))


def parametrize(metafunc: "pytest.Metafunc", root: Path = ROOT) -> None:
    """For `pytest_generate_tests`: a test that takes `latex` runs once for each formula that names it."""
    if "latex" in metafunc.fixturenames:
        test = metafunc.definition.nodeid
        try:
            formulas = held_by(test, root)
        except LookupError as error:
            import pytest

            pytest.fail(str(error), pytrace=False)
        metafunc.parametrize("latex", formulas, ids=[f"formula{n}" for n, _ in enumerate(formulas, 1)])
