"""Numbers that nobody computed: every quantity in prose is a figure, a declared input, or exempted with a reason."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from . import ROOT, names, pages
from .pages import Page, Problem

EXEMPTIONS = 5  # a page

# What looks like a number and names something. A test holds an example of each.
IDENTIFIERS = tuple(re.compile(pattern) for pattern in (
    r"\b(?:arXiv:)?\d{4}\.\d{4,5}(?:v\d+)?\b",
    r"\b\d{4}-\d{2}-\d{2}\b",
    r"(?<![\d.,])(?:19[5-9]\d|20[0-3]\d)(?!\d|,\d|\.\d|\s*%)(?:\s*年(?:\s*\d+\s*月(?:\s*\d+\s*日)?)?)?",
    r"\b(?:IEEE|ISO|IEC|RFC|PEP|ECMA|JEDEC|GB/T|ISO/IEC)[\s-]*\d[\d.:–-]*(?:\s*clause\s*[\d.]+)?",
    r"§+\s*\d+(?:\.\d+)*(?:\s*[–～,、]\s*\d+(?:\.\d+)*)*",
    r"第\s*\d+(?:\.\d+)*\s*[章节页条版卷]",
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Ff]igures?|[Tt]ables?|[Aa]lgorithms?|[Ee]quations?|[Ee]q\.|[Ff]ig\.|pp?\.|[Pp]ages?|[Vv]ol(?:ume|\.)"
    r"|[Ii]ssue|[Pp]ull request|PR)\s*#?\d+(?:\.\d+)*(?:\s*(?:–|-|～|,|and)\s*\d+(?:\.\d+)*)*",
    r"[图表]\s*\d+(?:\.\d+)*",
    r"(?<!\S)#\d+\b",
    r"\bv?\d+(?:\.\d+){2,}\w*",
    r"\b(?:[Vv]ersion|版本|CUDA|PTX|PyTorch|torch|NumPy|Python|CPython|Triton|CUTLASS|CuTe|TVM|ONNX"
    r"|ONNX Runtime|ONNX opset|opset|GCC|gcc|Clang|LLVM"
    r"|glibc|libstdc\+\+|Linux|Ubuntu|Debian|cuDNN|cuBLAS|NCCL|MPI|OpenMP|PCIe|NVLink|DDR|JAX|Pallas|ml_dtypes|MkDocs|Node|Chromium"
    r"|[Cc]ompute capability|计算能力)\s*v?\d+(?:\.\d+)*\w*",
    r"\b\d:\d\b",  # 2:4 sparsity
    r"\b\d+(?:\.\d+)?[BT](?=[\s-]*(?:参数|权重|模型|词元|parameter|param|weight|model|token))",
    r"\b0[xb][0-9a-fA-F_]+\b",
    r"(?<!× )(?<!×)(?<!\d)(?:10|2)[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+",  # 10⁹ B, 2³⁰ B
    r"[A-Za-z_][\w.+-]*\d[\w.+-]*",  # fp16, sm_90a, H100, e4m3, Llama-3-8B, x86-64
))  # fmt: skip

_SYMBOLS = (
    r"(?:[kKMGTPE]i?)?(?:FLOPs?|FLOPS|bits?(?=/)|bps|Bps|B|b)(?:/(?:s|FLOP|B|token|cycle|clock|step))?|[kKMGTPE]i?bits?"
    r"|[kMGTPE]?(?:tokens?|requests?|FLOPs?)/s|[mnpuµμ]?s|[kMG]?Hz|[kM]?W|GT/s|°C|KB|kB"
)
_ALWAYS = (
    r"毫秒|微秒|纳秒|(?:milli|micro|nano)seconds?"
    r"|(?:kilo|mega|giga|tera|peta|kibi|mebi|gibi|tebi)(?:bytes?|bits?|hertz|flops?|watts?)|watts?|joules?|hertz"
    r"|[千兆吉太拍](?:字节|比特|赫兹?|瓦)|瓦(?!片)|焦耳|赫兹"
)
_WORDS = (
    r"字节|比特|位|秒|词元|倍|天|小时|分钟|×(?!\s*[\d$\\])"
    r"|[Bb]ytes?|bits?|seconds?|tokens?|times|days?|hours?|minutes?|-?fold"
)
_NUMBER = r"(?:\d{1,3}(?:(?:,|\{,\})\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_POWER = r"(?:\s*(?:×|\\times)\s*10(?:[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^\{?-?\d+\}?))?"
_SPACE = r"(?:\s|\\,|\\;|~|-)*"
_QUANTITY = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<number>{_NUMBER})(?P<power>{_POWER})"
    rf"(?:{_SPACE}(?P<percent>\\?%|per\s?cent\b|percentage points?|个百分点)"
    rf"|{_SPACE}(?P<unit>{_SYMBOLS})(?![A-Za-z])|{_SPACE}(?P<always>{_ALWAYS})|{_SPACE}(?P<word>{_WORDS}))?"
)
_UNIT_DEFINITION = re.compile(rf"(?<![\d.,])1\s*(?:{_SYMBOLS})(?=\s*(?:=|是|为|等于|is\b|means\b|equals\b))")
_PER_CENT_WORDS = re.compile(r"百分之[一二三四五六七八九十百\d]")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
MATH = re.compile(r"(?<!\\)\$([^$]+)\$")
_TEXT = re.compile(r"\\(?:text|textrm|mathrm)\s*\{([^{}]*)\}")
CODE = re.compile(r"(`+)(.+?)\1")
_EMPHASIS = re.compile(r"\*\*|(?<![\w*$^])\*(?=\d)|(?<=\d)\*(?![\w*$])")  # **80** GB is 80 GB
_EXEMPT = re.compile(r"literal:\s*(.*)", re.S)


@dataclass(frozen=True)
class Found:
    """A number that readers would take for a result."""

    text: str
    value: Fraction


def significant(number: str) -> int:
    """Significant digits of a decimal numeral; zeros at the end of an integer count as rounding."""
    digits = number.replace(",", "").replace("{}", "")
    digits = digits.replace(".", "").lstrip("0") if "." in digits else digits.lstrip("0").rstrip("0")
    return len(digits)


def _value(number: str, power: str) -> Fraction:
    exponent = re.search(r"10\^?\{?([-⁻]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)", power)
    scale = Fraction(10) ** int(exponent[1].translate(_SUPERSCRIPT)) if exponent else Fraction(1)
    return Fraction(Decimal(number)) * scale


def _blank(text: str) -> str:
    for identifier in (*IDENTIFIERS, _UNIT_DEFINITION):
        text = identifier.sub(lambda m: " " * len(m[0]), text)
    return text


def _in_math(tex: str) -> str:
    r"""Formula text in which only \text{} can be a unit: in $2B$ the B is a symbol."""
    tex = _TEXT.sub(lambda m: "\x01" + m[1] + "\x02", tex)
    return re.sub(r"\x01[^\x02]*\x02|\\times|\\[,;%]|[A-Za-z\\]", lambda m: m[0] if len(m[0]) > 1 else "|", tex)


def _code(m: re.Match[str]) -> str:
    """A code span names something, unless it is nothing but a number; strings of bits are names too."""
    inner = m[2].strip()
    if re.fullmatch(rf"[-−]?{_NUMBER}\s*(?:{_SYMBOLS}|%)?", inner) and re.search(r"[2-9]", inner):
        return f" {inner} "
    return " "


def find(text: str) -> list[Found]:
    """Numbers in a line of source that must be figures: with a unit, a percent, or three or more significant digits."""
    text = _EMPHASIS.sub("", pages.reader_text(CODE.sub(_code, text)))
    parts: list[tuple[str, bool]] = []
    at = 0
    for m in MATH.finditer(text):
        parts += [(text[at : m.start()], False), (_in_math(m[1]), True)]
        at = m.end()
    parts.append((text[at:], False))
    found = [Found(m[0], Fraction(-1)) for m in _PER_CENT_WORDS.finditer(text)]
    for part, is_math in parts:
        clean = part.replace("{,}", ",") if is_math else _blank(part)
        clean = clean.replace("\x01", " ").replace("\x02", " ")
        for m in _QUANTITY.finditer(clean):
            number = m["number"].replace(",", "")
            wordy = m["word"] and "." in number
            if m["percent"] or m["unit"] or m["always"] or wordy or significant(number) >= 3:
                value = _value(number, m["power"])
                shown = re.sub(r"(?:\s|\\[,;])+", " ", m[0]).strip()
                found.append(Found(shown, value / 100 if m["percent"] else value))
    return found


def declared(page: Page) -> set[Fraction]:
    """Values of the page's declared inputs."""

    def fraction(value: Any) -> list[Fraction]:
        if isinstance(value, bool):
            return []
        if isinstance(value, int):
            return [Fraction(value)]
        if isinstance(value, float):
            return [Fraction(Decimal(repr(value)))]
        return [x for item in value for x in fraction(item)] if isinstance(value, list) else []

    given = names.given_values(page.slug, page.name, page.root)
    return {abs(x) for value in given.values() for x in fraction(value)}


def exemptions(page: Page) -> dict[int, str]:
    """Line and reason of every `<!-- literal: reason -->`."""
    return {line: m[1].strip() for line, text in page.skeleton.comments if (m := _EXEMPT.fullmatch(text))}


def problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every quantity that readers see is a figure, an input or exempt; exemptions are few, needed and reasoned."""
    out = []
    for page in pages.load(root, slug):
        inputs, exempt = declared(page), exemptions(page)
        used = set()
        sources = page.sections().get("sources")
        source_lines = range(sources[0], sources[0] + sources[1].count("\n") + 1) if sources else range(0)
        for prose in page.skeleton.prose:
            for number in find(prose.text):
                if number.value in inputs or (number.value * 100 in inputs and "%" in number.text):
                    continue
                if prose.line in source_lines and not re.search(r"[^\d.,]", number.text):
                    continue
                if prose.line in exempt:
                    used.add(prose.line)
                    continue
                out.append(page.problem(
                    prose.line,
                    f"{number.text!r} is not computed: write [{number.text}]{{=…}}, declare the input in "
                    f"snippets/{page.slug or '<slug>'}/given.toml, or exempt the line with <!-- literal: reason -->",
                ))  # fmt: skip
        for line, reason in exempt.items():
            if not reason:
                out.append(page.problem(line, "an exemption needs a reason: <!-- literal: reason -->"))
            elif line not in used:
                out.append(page.problem(line, "this exemption exempts nothing"))
        if len(exempt) > EXEMPTIONS:
            first = sorted(exempt)[EXEMPTIONS]
            out.append(page.problem(first, f"{len(exempt)} exemptions; a page may have {EXEMPTIONS}"))
    return sorted(out)


def _texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and value of every string of a script, but for docstrings and bare digits."""
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    for node in strings:
        if node not in docstrings and re.search(r"[^\d\s-]", str(node.value)):
            yield node.lineno, str(node.value)


def _constants(tree: ast.Module) -> set[Fraction]:
    """Numbers of a script's assignments at module level: what it declares, as given.toml does for pages."""
    assigned = (node for statement in tree.body if isinstance(statement, ast.Assign) for node in ast.walk(statement))
    numbers = (node.value for node in assigned if isinstance(node, ast.Constant))
    return {Fraction(Decimal(repr(n))) for n in numbers if isinstance(n, int | float) and not isinstance(n, bool)}


def elsewhere(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Quantities in pictures are computed or declared by the script that draws; definitions of terms have none."""
    out = []
    for path in sorted((root / "snippets").glob(f"{slug or '*'}/draw_*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        where, declared = path.relative_to(root).as_posix(), _constants(tree)
        for line, text in _texts(tree):
            for number in find(text):
                if number.value not in declared:
                    why = f"{number.text!r} in a text of a picture is not computed: insert the value with format()"
                    out.append(Problem(where, line, why))
    path = root / "infra_ref" / "data" / "glossary.toml"
    definitions = path.read_text(encoding="utf-8").splitlines() if path.is_file() and not slug else []
    for line, text in enumerate(definitions, 1):
        for number in find(text) if text.startswith("def_") else ():
            why = f"{number.text!r} in a definition is not computed: define without it"
            out.append(Problem(path.relative_to(root).as_posix(), line, why))
    return out
