"""Rules of a page's source that no other program would notice: includes, ids, links, typography, forbidden words."""

import functools
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from . import ROOT, pages
from .pages import Page, Problem

SOURCES = (".py", ".sh", ".cpp", ".cc", ".cu", ".h", ".cuh", ".c", ".toml", ".txt")
OUTPUT_TITLES = {"en": "Output", "zh": "输出"}
RUNNABLE = ("python", "sh", "bash")
OTHER_PYTHON = ("py", "python3", "py3", "pycon", "ipython", "ipython3", "sage")
GENERATED = ("api", "coursemap", "glossary", "report")  # blocks whose headings a program writes
# Glossary terms whose forms to avoid are wrong in every context; other such forms have a second, correct sense.
NEVER_RIGHT = ("false-sharing", "bank-conflict", "compute-bound", "memory-bound")
# Spellings and names that are wrong or were removed, with what to write instead.
FORBIDDEN = {
    r"\b[kKMGTPE]?FLOPS\b": "FLOPs for a count, FLOP/s for a rate",
    r"\b[KMGTP]Bps\b": "GB/s",
    r"\b[KMGTP]bps\b": "Gb/s",
    r"\bKB\b": "kB or KiB",
    r"μ": "µ (U+00B5), not the Greek letter",
    r"\btvm\.(?:relay|auto_scheduler|autotvm)\b": "Relax and MetaSchedule: removed from TVM",
    r"\bte\.create_schedule\b": "TensorIR schedules: removed from TVM",
    r"\btorch\.(?:symeig|eig|lstsq|matrix_rank|solve)\b": "torch.linalg: removed from PyTorch",
    r"\bnp\.(?:float_|infty|NaN|product|cumproduct|alltrue|sometrue)\b": "the names of NumPy 2: removed",
    r"\btensorboard_trace_handler\b": "export_chrome_trace: the TensorBoard plugin is retired",
}
_ALLOWED = re.compile(r"removed:\s*\S.*", re.S)

_CJK = "\u4e00-\u9fff"
_FULL = "，。；：？！、（）《》“”"
_SECTION = re.compile(r"-+8<-+\s+\[\s*(start|end)\s*:\s*([\w-]+)\s*\]")
_FORMAT = re.compile(r"(?<!\w)(?:(?:mx|nv)?fp\d|bf\d|tf\d|e\dm\d)\w*", re.I)
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_PLACE = "\ufffc"  # stands for an inline formula, a code span or a chip


@functools.lru_cache(maxsize=4096)
def _sections(path: Path, changed: int) -> frozenset[str]:
    """Sections that a file both starts and ends."""
    marks: dict[str, set[str]] = {}
    for kind, name in _SECTION.findall(path.read_text(encoding="utf-8")):
        marks.setdefault(name, set()).add(kind)
    return frozenset(name for name, kinds in marks.items() if len(kinds) == 2)


def sections(path: Path) -> frozenset[str]:
    return _sections(path, path.stat().st_mtime_ns)


def _include_faults(page: Page) -> Iterator[Problem]:
    for include in page.skeleton.includes:
        at = functools.partial(page.problem, include.line)
        path = page.root / include.path
        if include.tail:
            yield at(f"{include.tail!r} follows the include: the page would show the include line itself")
        if re.search(r"\d", include.section) and not re.search(r"[a-z]", include.section):
            yield at("lines are included by section name, never by number: past the end of the file nothing is shown")
        elif not include.fenced:
            yield at("an include stands in a code fence")
        elif not path.is_file():
            yield at(f"no file {include.path}")
        elif include.section and include.section not in sections(path):
            have = ", ".join(sorted(sections(path))) or "none"
            yield at(f"{include.path} has no section {include.section!r}; it has {have}")
        elif not include.section and path.suffix != ".out":
            yield at(f"include a named section of {include.path}, not the whole file")


def _fence_faults(page: Page) -> Iterator[Problem]:
    by_line = {include.line: include for include in page.skeleton.includes}
    before: pages.Fence | None = None
    for fence in page.skeleton.fences:
        at = functools.partial(page.problem, fence.line)
        shown = [by_line[n] for n in range(fence.line + 1, fence.end) if n in by_line]
        if fence.language == "math":
            continue
        if fence.mark[0] != "`":
            yield at("open a fence with ```: what ~~~ opens is not run")
        if fence.language.lower() in OTHER_PYTHON or fence.language.lower() == "python" != fence.language:
            yield at(f"open a Python fence with ```python: what ```{fence.language} opens is not run")
        if len(shown) != 1 or len(fence.body) != 1:
            yield at("a code block is one include of a file that is run or built; code is never typed into a page")
        elif fence.title in OUTPUT_TITLES.values():
            yield from _output_faults(page, fence, shown[0], before, by_line)
        elif fence.title != shown[0].path:
            yield at(f'the title is the path of the include: title="{shown[0].path}"')
        before = fence


def _output_faults(
    page: Page, fence: pages.Fence, shown: pages.Include, before: pages.Fence | None, by_line: dict[int, pages.Include]
) -> Iterator[Problem]:
    at = functools.partial(page.problem, fence.line)
    if fence.title != OUTPUT_TITLES[page.lang]:
        yield at(f'the title of an output is "{OUTPUT_TITLES[page.lang]}" on this page')
    if before is None or before.language not in RUNNABLE or before.end != fence.line - 1:
        yield at("an output stands directly below the block that prints it; nothing would compare this one")
        return
    code = next((by_line[n].path for n in range(before.line, before.end) if n in by_line), "")
    if shown.path.rsplit(".", 1)[0] != code.rsplit(".", 1)[0] or not shown.path.endswith(".out"):
        yield at(f"{shown.path} is not the recorded output of {code or 'the block above'}")


def includes(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Code blocks are single includes of named sections that exist; outputs stand below what prints them."""
    found = []
    for page in pages.load(root, slug):
        found += [*_include_faults(page), *_fence_faults(page)]
    return sorted(found)


def unshown(root: Path = ROOT) -> list[Problem]:
    """Every snippet, section of a snippet, recorded output, picture and explorer is shown by some page."""
    shown: set[str] = set()
    named: dict[str, set[str]] = {}
    for page in pages.load(root):
        for include in page.skeleton.includes:
            shown.add(include.path)
            named.setdefault(include.path, set()).add(include.section)
        for block in page.skeleton.blocks:
            if block.name in ("chart", "explore"):
                shown.add(block.argument)
    found = []
    for path in sorted((root / "snippets").glob("*/*")):
        where = path.relative_to(root).as_posix()
        if not path.is_file() or path.name.startswith(("draw_", "_", "given.")):
            continue
        if path.suffix == ".svg":
            known = where.rsplit(".", 3)[0] in shown
        elif path.suffix == ".json":  # results of a run are read by expressions; an explorer's rows by a block
            known = where in shown or path.with_suffix(".py").is_file()
        elif path.suffix == ".out" or path.suffix in SOURCES:
            known = where in shown
        else:
            continue
        if not known:
            found.append(Problem(where, 1, "no page shows this file"))
            continue
        if path.suffix in SOURCES:
            text = path.read_text(encoding="utf-8")
            for m in _SECTION.finditer(text):
                if m[1] == "start" and m[2] not in named.get(where, ()):
                    found.append(Problem(where, text.count("\n", 0, m.start()) + 1, f"no page shows section {m[2]!r}"))
    return found


def structure(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Fences and blocks close; headings have ids of their own and levels without gaps; tasks have solutions."""
    found = []
    for page in pages.load(root, slug):
        found += [page.problem(line, message) for line, message in page.skeleton.faults]
        seen: dict[str, int] = {}
        level = 0
        for heading in page.skeleton.headings:
            at = functools.partial(page.problem, heading.line)
            if not heading.id:
                found.append(at(f"heading {heading.text!r} has no explicit id: write {{ #id }} behind it"))
            elif not _ID.fullmatch(heading.id):
                found.append(at(f"id {heading.id!r} is not lower-case ASCII words with hyphens"))
            elif heading.id in seen:
                found.append(at(f"id {heading.id!r} is that of line {seen[heading.id]} too"))
            seen.setdefault(heading.id, heading.line)
            if heading.level > level + 1:
                found.append(at(f"a heading of level {heading.level} follows one of level {level}"))
            level = heading.level
        top = [h for h in page.skeleton.headings if h.level == 1]
        if len(top) != 1 or top[0] is not page.skeleton.headings[0]:
            found.append(page.problem(page.offset + 1, "a page begins with its only heading of level 1"))
        for key, (line, text) in page.sections().items():
            lines = range(line, line + text.count("\n") + 1)
            solutions = sum(block.name == "solution" and block.line in lines for block in page.skeleton.blocks)
            if key.startswith(("ex-", "wb-")) and solutions != 1:
                found.append(page.problem(line, f"#{key} has {solutions} solutions, not one"))
        for item in page.skeleton.items:
            if item.id and item.id in seen:
                found.append(page.problem(item.line, f"id {item.id!r} is that of line {seen[item.id]} too"))
            elif item.id:
                seen[item.id] = item.line
    return found


def anchors(page: Page) -> set[str]:
    """Ids that a link may point to."""
    skeleton = page.skeleton
    inline = {m for line in page.lines for m in re.findall(r'\bid="([\w-]+)"', line)}
    return {h.id for h in skeleton.headings} | {i.id for i in skeleton.items if i.id} | inline


def links(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Links between pages reach a file and an anchor that exist."""
    everything = {page.path: page for page in pages.load(root)}
    targets = functools.cache(anchors)
    found = []
    for page in pages.load(root, slug):
        for link in page.skeleton.links:
            at = functools.partial(page.problem, link.line)
            if re.match(r"[a-z][a-z0-9+.-]*:", link.target):
                continue
            file, _, anchor = link.target.partition("#")
            target = Path(os.path.normpath(page.path.parent / file)) if file else page.path
            other = everything.get(target)
            if link.target.startswith("/"):
                found.append(at(f"{link.target}: write a link relative to this file"))
            elif not target.is_file():
                found.append(at(f"link to {link.target}: no such file"))
            elif root / "docs" / page.lang not in target.parents:
                found.append(at(f"link to {link.target}: outside the pages of this language"))
            elif anchor and other and anchor not in targets(other) and not _is_generated(other):
                found.append(at(f"link to {link.target}: no such anchor"))
    return found


def _is_generated(page: Page) -> bool:
    return any(block.name in GENERATED for block in page.skeleton.blocks)


def _plain(text: str) -> str:
    """Chinese text as it is printed: marks removed, formulas and code as one character each that counts as Latin."""
    text = re.sub(r"(`+)(.+?)\1", _PLACE, text)
    text = re.sub(r"(?<!\\)\$[^$]+\$", _PLACE, text)
    text = re.sub(r"\[([^\[\]\n]+)\]\{[=~][^{}\n]+\}", r"\1", text)
    text = re.sub(r"\{[?@][^{}\n]+\}", "测", text)
    text = re.sub(r"!?\[((?:[^\[\]])*)\]\((?:[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)", r"\1", text)
    text = re.sub(r"\{:?\s*[#.][^{}]*\}", "", text)
    return re.sub(r"</?[a-zA-Z][^<>]*>", "", text)


_CHINESE = (
    (re.compile(rf"[{_CJK}]\s?[,;:!?]\s?(?=[{_CJK}])"), "half-width punctuation between Chinese characters"),
    (re.compile(rf"[{_CJK}]\.(?:\s|$)"), "half-width full stop after a Chinese character"),
    (re.compile(rf"[{_CJK}]\(|\)[{_CJK}]"), "half-width brackets beside a Chinese character"),
    (re.compile(rf'[{_CJK}]"|"[{_CJK}]'), "straight quotation marks beside a Chinese character: “ ”"),
    (re.compile(rf"[{_CJK}](?=[A-Za-z0-9{_PLACE}])|[A-Za-z0-9%{_PLACE}](?=[{_CJK}])"),
     "no space between a Chinese character and Latin letters, digits, code or formula"),
    (re.compile(rf"[{_FULL}]\s+(?=\S)|\S\s+[{_FULL}]"), "a space beside full-width punctuation"),
)  # fmt: skip


def _parts(kind: str, line: str) -> list[str]:
    """Texts of a line: cells of a table row, words of an option without YAML's own punctuation."""
    if kind == "option":
        return re.split(r'["\[\]{}]|^\s*[\w-]+:|,(?=\s*["\w])|[\w-]+:(?=\s)', line)
    return line.split("|") if kind == "table" else [line]


def chinese(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Typography of the Chinese pages, as far as it can be told exactly."""
    avoided = _avoided(root)
    found = []
    for page in pages.load(root, slug):
        if page.lang != "zh":
            continue
        for prose in page.skeleton.prose:
            at = functools.partial(page.problem, prose.line)
            text = _plain(prose.text)
            for n, part in enumerate(text.split("**")):
                if n % 2 and (part != part.strip()):
                    found.append(at(f"space inside bold: **{part.replace(_PLACE, '…')}**"))
            for part in map(str.strip, _parts(prose.kind, text.replace("**", ""))):
                for pattern, message in _CHINESE:
                    for m in pattern.finditer(part):
                        near = part[max(0, m.start() - 6) : m.end() + 6].replace(_PLACE, "…")
                        found.append(at(f"{message}: {near!r}"))
            for word, instead in avoided.items():
                if word in prose.text:
                    found.append(at(f"{word}: the glossary says {instead}"))
    return found


@functools.cache
def _avoided(root: Path) -> dict[str, str]:
    path = root / "infra_ref" / "data" / "glossary.toml"
    terms = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {word: terms[key]["zh"] for key in NEVER_RIGHT if key in terms for word in terms[key].get("avoid", [])}


@functools.cache
def _formats() -> frozenset[str]:
    """Number formats by every name in use: fp8_e4m3fn is FP8, e4m3fn and e4m3 too."""
    from ..numerics.block_scale import BLOCK_FORMATS
    from ..numerics.formats import FORMATS

    names = {part for id in (*FORMATS, *BLOCK_FORMATS) for part in (id, *id.split("_"))}
    return frozenset(names | {m[0] for name in names if (m := re.match(r"e\dm\d", name))})


def number_formats(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """What looks like the name of a number format is one: a wrong digit in bf16 is no number to the literal lint."""
    found = []
    for page in pages.load(root, slug):
        for prose in page.skeleton.prose:
            for m in _FORMAT.finditer(pages.reader_text(prose.text)):
                if m[0].lower() not in _formats():
                    found.append(page.problem(prose.line, f"{m[0]} is no number format of infra_ref.numerics"))
    return found


def forbidden(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Spellings that are never right and names that were removed, on pages and in snippets."""
    found = []
    patterns = [(re.compile(pattern), instead) for pattern, instead in FORBIDDEN.items()]
    for page in pages.load(root, slug):
        allowed = {line for line, comment in page.skeleton.comments if _ALLOWED.fullmatch(comment)}
        for prose in page.skeleton.prose:
            for pattern, instead in patterns:
                if prose.line not in allowed and (m := pattern.search(prose.text)):
                    found.append(page.problem(prose.line, f"{m[0]}: write {instead}"))
    for path in sorted((root / "snippets").glob(f"{slug or '*'}/*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for pattern, instead in patterns:
                if m := pattern.search(line):
                    found.append(Problem(path.relative_to(root).as_posix(), number, f"{m[0]}: write {instead}"))
    return found
