"""Both languages carry the same skeleton: what is checked in one holds for the other."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

import yaml

from . import LANGUAGES, ROOT, figures, formula, literals, pages
from .pages import Page, Problem

# One unit, written as each language writes it.
UNITS = {"倍": "×", "x": "×", "词元": "token", "tokens": "token", "天": "day", "days": "day", "小时": "h", "hours": "h"}

Entry = tuple[int, Hashable, str]  # line, what must be equal, how to show it


def _unit(unit: str) -> str:
    return "/".join(UNITS.get(part, part) for part in unit.split("/"))


def _figure(literal: str) -> Hashable:
    try:
        read = figures.parse(literal)
    except figures.Mismatch:
        return literal
    return read.value, read.step, _unit(read.unit)


def _headings(page: Page) -> Iterable[Entry]:
    for h in page.skeleton.headings:
        yield h.line, (h.level, h.id, h.attributes), f"{'#' * h.level} {{ #{h.id} }} {dict(h.attributes) or ''}".strip()


def _includes(page: Page) -> Iterable[Entry]:
    for i in page.skeleton.includes:
        yield i.line, (i.path, i.section), f"{i.path}:{i.section}"


def _fences(page: Page) -> Iterable[Entry]:
    for f in page.skeleton.fences:
        yield f.line, f.language, f"```{f.language}"


def _formulas(page: Page) -> Iterable[Entry]:
    for f in page.skeleton.formulas:
        text = formula.without_words(f.latex)
        yield f.line, (f.kind, f.how, f.where, text), f"{f.kind}={f.how!r} {' '.join(f.latex.split())}"


def _figures(page: Page) -> Iterable[Entry]:
    for f in page.skeleton.figures:
        key = (re.sub(r"\s+", "", f.expression), _figure(f.literal))
        yield f.line, key, f"[{f.literal}]{{={f.expression}}}"


# Names with digits (fp16, H100), and numbers of two digits or more: a lone digit may be a word in the other language.
NUMERAL = re.compile(r"[A-Za-z][\w.-]*\d(?:[\w.-]*\w)?|\d+(?:,\d{3})*(?:\.\d+)?")


def _inline_formulas(page: Page) -> Iterable[Entry]:
    for prose in page.skeleton.prose:
        for m in literals.MATH.finditer(pages.without_code(pages.reader_text(prose.text))):
            yield prose.line, formula.without_words(m[1]), m[0]


def _numerals(page: Page) -> Iterable[Entry]:
    for prose in page.skeleton.prose:
        text = pages.reader_text(prose.text)
        for m in literals.CODE.finditer(text):
            if re.search(r"\d", m[2]):
                yield prose.line, m[2], m[0]
        for m in NUMERAL.finditer(literals.MATH.sub(" ", literals.CODE.sub(" ", text))):
            if m[0][0].isalpha() or sum(c.isdigit() for c in m[0]) > 1:
                yield prose.line, m[0].replace(",", ""), m[0]


def _paragraphs(page: Page) -> Iterable[Entry]:
    for paragraph in page.skeleton.paragraphs:
        yield paragraph.line, "", ""


def _items(page: Page) -> Iterable[Entry]:
    for item in page.skeleton.items:
        yield item.line, "", ""


def _terms(page: Page) -> Iterable[Entry]:
    for t in page.skeleton.terms:
        yield t.line, t.id, f"{{~{t.id}}}"


def _chips(page: Page) -> Iterable[Entry]:
    for c in page.skeleton.chips:
        yield c.line, (c.kind, c.name), f"{{{c.kind}{c.name}}}"


def _links(page: Page) -> Iterable[Entry]:
    for link in page.skeleton.links:
        yield link.line, (link.target, link.image), f"({link.target})"


def _blocks(page: Page) -> Iterable[Entry]:
    for b in page.skeleton.blocks:
        shape: dict[str, Hashable] = {}
        for key, value in b.options.items():
            if key == "answer" or isinstance(value, int):
                shape[key] = str(value)
            elif isinstance(value, list):
                shape[key] = len(value)
            elif isinstance(value, dict):
                shape[key] = tuple(value)
            else:
                shape[key] = value if key == "key" else ""
        argument = b.argument if b.name in ("chart", "explore", "api") else ""
        yield b.line, (b.name, argument, tuple(shape.items())), f"/// {b.name} {argument} {shape or ''}".strip()


def _tables(page: Page) -> Iterable[Entry]:
    for t in page.skeleton.tables:
        yield t.line, t.columns, f"table of {len(t.columns)} rows with {t.columns[0]} columns {t.columns}"


def _self_checks(page: Page) -> Iterable[Entry]:
    for i in page.skeleton.items:
        if i.id:
            yield i.line, i.id, f"{{ #{i.id} }}"


def _front_matter(page: Page) -> Iterable[Entry]:
    meta = yaml.safe_load("\n".join(page.lines[: page.offset]).strip().strip("-")) if page.offset else {}
    for key, value in (meta or {}).items():
        yield 1, (key, "" if key in ("title", "description") else repr(value)), f"{key}: {value}"


Reader = Callable[[Page], Iterable[Entry]]
IN_ORDER: dict[str, Reader] = {
    "heading": _headings, "code block": _fences, "include": _includes, "formula": _formulas, "block": _blocks,
    "table": _tables, "self-check item": _self_checks, "front matter": _front_matter,
}  # fmt: skip
# Sentences put these in the order of their language, so within a section only what there is counts.
PER_SECTION: dict[str, Reader] = {"figure": _figures, "term": _terms, "chip": _chips, "link": _links}
# What one language may repeat and the other not, but neither may have alone.
IN_BOTH: dict[str, Reader] = {"inline formula": _inline_formulas, "number": _numerals}
COUNTED: dict[str, Reader] = {"paragraph": _paragraphs, "list item": _items}


def _compare_order(kind: str, read: Reader, zh: Page, en: Page) -> Iterable[Problem]:
    ours, theirs = list(read(zh)), list(read(en))
    for (line, key, text), (other_line, other_key, other_text) in zip(ours, theirs, strict=False):
        if key != other_key:
            yield zh.problem(line, f"{kind} differs from {en.where}:{other_line}: {text} | {other_text}")
            return
    if len(ours) > len(theirs):
        line, _, text = ours[len(theirs)]
        yield zh.problem(line, f"{kind} {text} is not in {en.where}:{len(en.lines)}")
    elif len(theirs) > len(ours):
        line, _, text = theirs[len(ours)]
        yield zh.problem(len(zh.lines), f"{kind} {text} of {en.where}:{line} is missing")


def _sections_of(page: Page, read: Reader) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    headings = page.skeleton.headings
    for entry in read(page):
        section = next((h.id for h in reversed(headings) if h.line <= entry[0]), pages.FRONT)
        found.setdefault(section, []).append(entry)
    return found


def _compare_sections(kind: str, read: Reader, zh: Page, en: Page) -> Iterable[Problem]:
    ours, theirs = _sections_of(zh, read), _sections_of(en, read)
    starts = {page.lang: {h.id: h.line for h in page.skeleton.headings} for page in (zh, en)}
    for section in dict.fromkeys([*ours, *theirs]):
        left, right = ours.get(section, []), theirs.get(section, [])
        surplus = Counter(key for _, key, _ in left) - Counter(key for _, key, _ in right)
        lacking = Counter(key for _, key, _ in right) - Counter(key for _, key, _ in left)
        only_ours = [e for e in left if e[1] in surplus]
        only_theirs = [e for e in right if e[1] in lacking]
        for n in range(max(len(only_ours), len(only_theirs))):
            mine = only_ours[n] if n < len(only_ours) else (starts["zh"].get(section, 1), "", "nothing")
            other = only_theirs[n] if n < len(only_theirs) else (starts["en"].get(section, 1), "", "nothing")
            yield zh.problem(mine[0], f"{kind} differs from {en.where}:{other[0]}: {mine[2]} | {other[2]}")


def _compare_presence(kind: str, read: Reader, zh: Page, en: Page) -> Iterable[Problem]:
    entries = {page.lang: _sections_of(page, read) for page in (zh, en)}
    for page, other in ((zh, en), (en, zh)):
        for section, own in entries[page.lang].items():
            there = {key for _, key, _ in entries[other.lang].get(section, ())}
            for line, key, text in {key: (line, key, text) for line, key, text in reversed(own)}.values():
                if key not in there:
                    yield page.problem(line, f"{kind} {text} is not in section #{section} of {other.where}")


def _compare_counts(kind: str, read: Reader, zh: Page, en: Page) -> Iterable[Problem]:
    ours, theirs = _sections_of(zh, read), _sections_of(en, read)
    for section, (line, _) in zh.sections().items():
        mine, other = len(ours.get(section, ())), len(theirs.get(section, ()))
        if mine != other:
            yield zh.problem(line, f"{kind}s of section #{section}: {mine}, in {en.where}: {other}")


def compare(zh: Page, en: Page) -> list[Problem]:
    """Where the skeletons of a page's two languages differ; each message names the line in both files."""
    found: list[Problem] = []
    for kind, read in IN_ORDER.items():
        found += _compare_order(kind, read, zh, en)
    for kind, read in PER_SECTION.items():
        found += _compare_sections(kind, read, zh, en)
    for kind, read in IN_BOTH.items():
        found += _compare_presence(kind, read, zh, en)
    for kind, read in COUNTED.items():
        found += _compare_counts(kind, read, zh, en)
    return sorted(found)


def problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every page exists in both languages with one skeleton."""
    found: list[Problem] = []
    for rel, both in pages.pairs(root, slug):
        if missing := set(LANGUAGES) - set(both):
            page = next(iter(both.values()))
            found.append(page.problem(1, f"docs/{missing.pop()}/{rel} is missing"))
        else:
            found += compare(both["zh"], both["en"])
    return found
