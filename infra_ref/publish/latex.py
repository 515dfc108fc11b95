r"""LaTeX of display formulas, read without guessing.

sympy's lark parser reads `s(M+K)` as a call, cannot read many products, and leaves `\log x y` open. So a formula is
first rewritten with every product, argument and symbol spelt out (`s \cdot (M + K)`, one placeholder per symbol); what
has two readings is refused with the way to write it clearly; lark then parses what has only one.
"""

import contextlib
import functools
import hashlib
import json
import keyword
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import ROOT

CACHE = ROOT / "build" / "cache" / "formulas"

RELATIONS = {
    "=": "=", r"\ge": ">=", r"\geq": ">=", r"\geqslant": ">=", r"\le": "<=", r"\leq": "<=", r"\leqslant": "<=",
    r"\approx": "~",
}  # fmt: skip
GREEK = frozenset(re.findall(
    r"\w+",
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell",
))  # fmt: skip
ACCENTS = frozenset({"tilde", "hat", "bar", "dot", "vec", "widetilde", "widehat", "overline"})
ONE_ARGUMENT = frozenset({"ln", "lg", "exp", "sin", "cos", "tan", "sinh", "cosh", "tanh"})
FRACTIONS = frozenset({"frac", "tfrac", "dfrac"})
BEGIN_FACTORS = frozenset({"lceil", "lfloor", "lvert", "max", "min", "log", "sqrt", "sum", "prod", "binom"})
PRODUCTS = frozenset({r"\cdot", r"\times", "*"})
BRACKETS = {"(": ")", "[": "]", r"\{": r"\}", "{": "}"}
IGNORED = {"\\ "} | set(re.findall(
    r"\S+",
    r"\, \; \: \! \> ~ & \left \right \big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr "
    r"\quad \qquad \thinspace \medspace \thickspace \displaystyle \textstyle \limits \nolimits",
))  # fmt: skip

_TOKEN = re.compile(
    r"\\(?:text|textrm|mathrm|mathit|mathsf|mathbf|mathtt)\s*\{[^{}]*\}"  # a name as one token
    r"|\\operatorname\*?\s*\{[^{}]*\}"
    r"|\\(?:begin|end)\s*\{[^{}]*\}"
    r"|\\\\(?:\[[^\]]*\])?"
    r"|\\[a-zA-Z]+|\\."
    r"|\d+(?:\{,\}\d{3})*(?:\.\d+)?"
    r"|\S",
    re.S,
)
_NAME = re.compile(r"\\(?:text|textrm|mathrm|mathit|mathsf|mathbf|mathtt)\s*\{([^{}]*)\}", re.S)
_ENVIRONMENTS = ("aligned", "gathered", "split")


class Unreadable(ValueError):
    """A formula that cannot be read, or can be read in two ways."""


@dataclass(frozen=True)
class Statement:
    """`left = … = …`: sides (sympy expressions) and the relations between them (=, >=, <=, ~)."""

    sides: tuple[Any, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True)
class Formula:
    """All statements of a display formula, and the names of every symbol written in it except bound ones."""

    statements: tuple[Statement, ...]
    names: frozenset[str]


def tokenise(latex: str) -> list[str]:
    """Tokens that carry meaning: spacing, size commands and alignment marks are dropped."""
    tokens = []
    for token in _TOKEN.findall(latex):
        if token in IGNORED:
            continue
        if m := re.match(r"\\(?:begin|end)\s*\{([^{}]*)\}", token):
            if m[1] not in _ENVIRONMENTS:
                raise Unreadable(f"environment {m[1]!r} is not read; accepted: {', '.join(_ENVIRONMENTS)}")
            continue
        tokens.append("\\\\" if token.startswith("\\\\") else token)
    while tokens and tokens[-1] in (".", ",", ";", "\\\\"):
        tokens.pop()
    return tokens


class _Writer:
    """Rewrites the tokens of one expression so that they have one reading."""

    def __init__(self, tokens: list[str], symbols: dict[str, str]) -> None:
        self.tokens, self.symbols, self.at = tokens, symbols, 0
        self.bound: list[str] = []

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise Unreadable(f"expected {wanted or 'more'}, found {token or 'the end'}")
        self.at += 1
        return token

    def whole(self) -> str:
        text = self.expression()
        if self.peek():
            raise Unreadable(f"{self.peek()} is not understood here")
        return text

    def expression(self) -> str:
        text = self.take() + " " if self.peek() in ("+", "-") else ""
        text += self.term()
        while self.peek() in ("+", "-"):
            text += f" {self.take()} {self.term()}"
        return text

    def term(self) -> str:
        text = self.factor()
        divided = False
        while True:
            token = self.peek()
            if token in ("/", r"\div"):
                divided = self.again(divided)
                self.take()
                text = rf"\frac{{{text}}}{{{self.factor()}}}"
            elif token in PRODUCTS:
                self.again(divided)
                self.take()
                text += rf" \cdot {self.factor()}"
            elif self.begins_factor(token):
                self.again(divided)
                if token[0].isdigit():
                    raise Unreadable(rf"a digit after a factor looks like an index: write \cdot {token}")
                text += rf" \cdot {self.factor()}"
            else:
                return text

    def again(self, divided: bool) -> bool:
        if divided:
            raise Unreadable(r"a/b followed by another factor has two readings: write \frac{a}{b}")
        return True

    def begins_factor(self, token: str) -> bool:
        if not token:
            return False
        return (
            token[0].isalnum()
            or token in BRACKETS
            or bool(_NAME.fullmatch(token))
            or token.startswith(r"\operatorname")
            or (token[0] == "\\" and token[1:] in GREEK | ACCENTS | ONE_ARGUMENT | FRACTIONS | BEGIN_FACTORS)
        )

    def factor(self) -> str:
        text = self.atom()
        while self.peek() in ("^", "!"):
            text = f"{{{text}}}" + (f"^{{{self.argument()}}}" if self.take() == "^" else "!")
        return text

    def argument(self) -> str:
        """What a command or ^ applies to: a group, one digit of a number, or one atom."""
        if self.peek() == "{":
            return self.group()
        token = self.peek()
        if token[:1].isdigit() and len(token) > 1:  # TeX takes one digit: \tfrac12
            self.tokens[self.at : self.at + 1] = [token[0], token[1:]]
        if token == "-":
            raise Unreadable("^- takes only the minus sign: write ^{-…}")
        return self.atom()

    def group(self) -> str:
        opening = self.take()
        text = self.expression()
        self.take(BRACKETS[opening])
        return text

    def arguments(self) -> list[str]:
        opening = self.take()
        if opening not in ("(", r"\{", "["):
            raise Unreadable(r"\max and \min take their arguments in brackets")
        found = [self.expression()]
        while self.peek() == ",":
            self.take()
            found.append(self.expression())
        self.take(BRACKETS[opening])
        return found

    def atom(self) -> str:
        token = self.peek()
        if not token:
            raise Unreadable("the formula ends too early")
        if token[0].isdigit():
            return self.number()
        if token in BRACKETS:
            return f"({self.group()})"
        if self.begins_symbol(token):
            return self.placeholder(self.symbol())
        self.take()
        command = token[1:]
        if command in FRACTIONS:
            top = self.argument()
            return rf"\frac{{{top}}}{{{self.argument()}}}"
        if command == "binom":
            top = self.argument()
            return rf"\binom{{{top}}}{{{self.argument()}}}"
        if command == "sqrt":
            root = f"[{self.group()}]" if self.peek() == "[" else ""
            return rf"\sqrt{root}{{{self.argument()}}}"
        if command in ("max", "min"):
            return rf"\{command}({', '.join(self.arguments())})"
        if command in ("lceil", "lfloor"):
            text, closing = self.expression(), rf"\r{command[1:]}"
            self.take(closing)
            return f"{token} {text} {closing}"
        if token in ("|", r"\lvert"):
            text = self.expression()
            self.take("|" if token == "|" else r"\rvert")
            return f"|{text}|"
        if command in ONE_ARGUMENT or command == "log":
            return self.function(command)
        if command in ("sum", "prod"):
            return self.series(command)
        raise Unreadable(f"{token} is not understood")

    def number(self) -> str:
        whole, _, decimals = self.take().replace("{,}", "").partition(".")
        return rf"\frac{{{int(whole + decimals)}}}{{{10 ** len(decimals)}}}" if decimals else str(int(whole))

    def function(self, command: str) -> str:
        base = ""
        if command == "log":
            if self.peek() != "_":
                raise Unreadable(r"\log has no base: write \ln, \lg or \log_{2}")
            self.take()
            base = f"_{{{self.argument()}}}"
        if self.peek() == "^":
            raise Unreadable(rf"\{command}^ has two readings: write (\{command} x)^{{…}}")
        bracketed = self.peek() in BRACKETS
        text = self.group() if bracketed else self.atom()
        if not bracketed and (self.peek() in ("^", "!", "/") or self.begins_factor(self.peek())):
            raise Unreadable(rf"\{command} a b has two readings: write \{command}(…)")
        return rf"(\{command}{base} {{{text}}})"

    def series(self, command: str) -> str:
        self.take("_")
        self.take("{")
        name = self.symbol()
        self.take("=")
        lower = self.number() if self.peek()[:1].isdigit() else self.placeholder(self.symbol())
        self.take("}")
        self.take("^")
        upper = self.argument()
        index = self.placeholder(name)
        self.bound.append(name)
        body = self.term()
        return rf"(\{command}_{{{index}={lower}}}^{{{upper}}} {{{body}}})"

    def begins_symbol(self, token: str) -> bool:
        return (
            (len(token) == 1 and token.isalpha() and token.isascii())
            or bool(_NAME.fullmatch(token))
            or (token[:1] == "\\" and token[1:] in GREEK | ACCENTS)
        )

    def symbol(self) -> str:
        r"""Name of the next symbol, as Python spells it: `d_{in}` d_in, `\tilde m_{ij}` m_ij_tilde, `I^*` I_star."""
        token = self.take()
        parts: list[str] = []
        if token[1:] in ACCENTS and token[0] == "\\":
            accent = token[1:].removeprefix("wide")
            bare = self.take("{") == "{" if self.peek() == "{" else False
            base = self.base(self.take())
            if bare:
                self.take("}")
            parts.append(accent)
        else:
            base = self.base(token)
        sub = sup = ""
        while self.peek() in ("_", "'", "^"):
            if self.peek() == "_" and not sub:
                self.take()
                sub = self.label()
            elif self.peek() == "'":
                self.take()
                parts.append("prime")
            elif self.peek() == "^" and not sup and (found := self.decoration()):
                sup = found
            else:
                break
        name = "_".join(filter(None, [base, sub, sup, *parts]))
        for index in self.bound:
            if index in re.split(r"_", name)[1:]:
                raise Unreadable(f"{name} depends on the index {index}: use test= for a sum over indexed values")
        return name + "_" if keyword.iskeyword(name) else name

    def base(self, token: str) -> str:
        if m := _NAME.fullmatch(token):
            return self.words(m[1])
        if token[:1] == "\\" and token[1:] in GREEK:
            return token[1:].removeprefix("var")
        if len(token) == 1 and token.isalpha():
            return token
        raise Unreadable(f"{token} is no symbol")

    def words(self, text: str) -> str:
        name = re.sub(r"\W+", "_", text.strip()).strip("_")
        if not name:
            raise Unreadable("a name without letters")
        return name

    def label(self) -> str:
        """Text of a subscript: letters, digits, names and commas; an expression such as i-1 is refused."""
        tokens = self.braced() if self.peek() == "{" else [self.take()]
        if len(tokens) == 1 and len(tokens[0]) > 1 and tokens[0].isdigit() and self.tokens[self.at - 1] != "}":
            raise Unreadable(f"_{tokens[0]} shows only {tokens[0][0]} as the index: write _{{{tokens[0]}}}")
        parts: list[str] = []
        run = ""
        for token in tokens:
            if token.isalnum() and token.isascii():
                run += token
                continue
            parts, run = [*parts, run], ""
            if m := _NAME.fullmatch(token):
                parts.append(self.words(m[1]))
            elif token[0] == "\\" and token[1:].isalpha():
                parts.append("star" if token[1:] in ("star", "ast") else token[1:].removeprefix("var"))
            elif token == "*":
                parts.append("star")
            elif token != ",":
                raise Unreadable(f"subscript {''.join(tokens)!r} is an expression, not a name")
        return "_".join(filter(None, [*parts, run]))

    def braced(self) -> list[str]:
        self.take("{")
        found = []
        while self.peek() != "}":
            found.append(self.take())
        self.take("}")
        return found

    def decoration(self) -> str:
        r"""A superscript that names instead of raising to a power: `^{\text{new}}`, `^*`; empty if it is a power."""
        rest = self.tokens[self.at + 1 : self.at + 4]
        inner, length = (rest[1:2], 4) if rest[:1] == ["{"] and rest[2:] == ["}"] else (rest[:1], 2)
        if not inner:
            return ""
        if m := _NAME.fullmatch(inner[0]):
            self.at += length
            return self.words(m[1])
        if inner[0] in ("*", r"\star", r"\ast", r"\prime"):
            self.at += length
            return "prime" if inner[0] == r"\prime" else "star"
        return ""

    def placeholder(self, name: str) -> str:
        if name not in self.symbols:
            n, letters = len(self.symbols), ""
            while n >= 0:
                n, letters = n // 26 - 1, chr(ord("a") + n % 26) + letters
            self.symbols[name] = f"x_{{{letters}}}"
        return self.symbols[name]


@functools.cache
def _lark() -> Any:
    """sympy's parser, with a transformer that never takes a symbol for a function."""
    from sympy.core.function import AppliedUndef
    from sympy.parsing.latex.lark import LarkLaTeXParser, TransformToSymPyExpr

    class OneReading(TransformToSymPyExpr):  # type: ignore[misc]
        def _ambig(self, readings: list[Any]) -> Any:
            left = {r for r in readings if not (hasattr(r, "has") and r.has(AppliedUndef))}
            if len(left) != 1:
                raise Unreadable("the formula has more than one reading")
            return left.pop()

        def function_applied(self, tokens: list[Any]) -> Any:
            raise Unreadable(f"{tokens[0]} is read as a function")

    return LarkLaTeXParser(transformer=OneReading)


def _side(tokens: list[str], symbols: dict[str, str], bound: list[str]) -> Any:
    import lark
    import sympy

    writer = _Writer(tokens, symbols)
    text = writer.whole()
    bound += writer.bound
    try:
        expression = _lark().doparse(text)
    except lark.exceptions.VisitError as error:
        raise Unreadable(str(error.orig_exc)) from None
    except lark.exceptions.LarkError as error:
        raise Unreadable(str(error).splitlines()[0]) from None
    if not isinstance(expression, sympy.Expr):
        raise Unreadable("the formula is not a number")
    return expression.xreplace({sympy.Symbol(mark): sympy.Symbol(name) for name, mark in symbols.items()})


def _statements(tokens: list[str]) -> list[list[str]]:
    r"""Statements: rows, or parts between commas outside brackets; a row without its own left side goes on."""
    found: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in BRACKETS) - (token in BRACKETS.values())
        if token == "\\\\" or (token == "," and depth == 0):
            found.append([])
        else:
            found[-1].append(token)
    joined: list[list[str]] = []
    for row in filter(None, found):
        goes_on = row[0] in RELATIONS or not any(token in RELATIONS for token in row)
        if goes_on and joined:
            joined[-1] += row
        else:
            joined.append(row)
    return joined


def _read(latex: str) -> Formula:
    symbols: dict[str, str] = {}
    bound: list[str] = []
    statements = []
    for tokens in _statements(tokenise(latex)):
        sides: list[list[str]] = [[]]
        relations = []
        depth = 0
        for token in tokens:
            depth += (token in BRACKETS) - (token in BRACKETS.values())
            if token in RELATIONS and depth == 0:
                relations.append(RELATIONS[token])
                sides.append([])
            else:
                sides[-1].append(token)
        if not relations:
            raise Unreadable(f"no relation; accepted: {' '.join(RELATIONS)}")
        statements.append(Statement(tuple(_side(s, symbols, bound) for s in sides), tuple(relations)))
    if not statements:
        raise Unreadable("the formula is empty")
    return Formula(tuple(statements), frozenset(symbols) - frozenset(bound))


@functools.lru_cache(maxsize=4096)
def parse(latex: str) -> Formula:
    """The statements of a display formula; parsing is slow, so what was read is kept on disk under its content.

    Raises:
        Unreadable: a command that is not read, or a formula with more than one reading; the message says which.
    """
    import sympy

    code = Path(__file__).read_bytes() + sympy.__version__.encode()
    kept = CACHE / f"{hashlib.sha256(code + latex.encode()).hexdigest()}.json"
    if kept.is_file():
        data = json.loads(kept.read_text(encoding="utf-8"))
        statements = tuple(
            Statement(tuple(map(sympy.sympify, sides)), tuple(relations)) for sides, relations in data["statements"]
        )
        return Formula(statements, frozenset(data["names"]))
    formula = _read(latex)
    data = {
        "latex": latex,
        "names": sorted(formula.names),
        "statements": [[[sympy.srepr(side) for side in s.sides], s.relations] for s in formula.statements],
    }
    with contextlib.suppress(OSError):  # a read-only checkout parses again
        CACHE.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")
        fresh.replace(kept)
    return formula
