"""Which text of one language was read against which text of the other.

`docs/locks/<page>.json` holds, for each section, a hash of its source in each language, white space ignored. It is
renewed by `infra-ref pages accept` after both were read; until then a section changed on either side is a problem.
"""

import hashlib
import json
import re
from pathlib import Path

from . import LANGUAGES, ROOT, pages
from .pages import Page, Problem

Hashes = dict[str, dict[str, str]]  # section -> language -> hash


class UnknownSection(ValueError):
    """A page or a section that does not exist in both languages."""


def digest(text: str) -> str:
    return hashlib.sha256(re.sub(r"\s+", "", text).encode()).hexdigest()[:16]


def path_of(root: Path, rel: str) -> Path:
    return root / "docs" / "locks" / rel.replace(".md", ".json")


def read(root: Path, rel: str) -> Hashes:
    path = path_of(root, rel)
    data: Hashes = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return data


def hashes(both: dict[str, Page]) -> Hashes:
    """Hashes of a page as it stands: section -> language -> hash."""
    found: Hashes = {}
    for lang in LANGUAGES:
        for section, (_, text) in both[lang].sections().items() if lang in both else ():
            found.setdefault(section, {})[lang] = digest(text)
    return found


def _command(rel: str, section: str) -> str:
    return f"read it in both languages, then: infra-ref pages accept {rel.removesuffix('.md')}#{section}"


def compare(root: Path, rel: str, both: dict[str, Page]) -> list[Problem]:
    """Sections of one page that were not accepted as they stand; a page that lacks a language is parity's problem."""
    if len(both) < len(LANGUAGES):
        return []
    locked, now = read(root, rel), hashes(both)
    lines = {lang: {s: line for s, (line, _) in page.sections().items()} for lang, page in both.items()}
    found = []
    for section, current in now.items():
        old = locked.get(section, {})
        if len(current) < len(LANGUAGES):
            (lang,) = current
            other = next(x for x in LANGUAGES if x != lang)
            found.append(
                both[lang].problem(lines[lang][section], f"section #{section} is missing in docs/{other}/{rel}")
            )
            continue
        changed = [lang for lang in LANGUAGES if current[lang] != old.get(lang)]
        if not changed:
            continue
        lang = changed[0]
        what = (
            "was never accepted" if not old else f"changed in {' and '.join(changed)}" + " alone" * (len(changed) == 1)
        )
        found.append(both[lang].problem(lines[lang][section], f"section #{section} {what}; {_command(rel, section)}"))
    for section in locked.keys() - now.keys():
        found.append(both["zh"].problem(1, f"section #{section} is gone from both languages; {_command(rel, section)}"))
    return found


def problems(root: Path = ROOT, slug: str = "") -> list[Problem]:
    """Every section of every page was accepted as it stands in both languages."""
    found: list[Problem] = []
    known = set()
    for rel, both in pages.pairs(root, slug):
        known.add(path_of(root, rel))
        found += compare(root, rel, both)
    for path in sorted((root / "docs" / "locks").rglob("*.json")):
        if not slug and path not in known:
            found.append(Problem(path.relative_to(root).as_posix(), 1, "there is no such page: delete this file"))
    return found


def find(root: Path, target: str) -> tuple[dict[str, dict[str, Page]], str]:
    """Pages and section that `PAGE#ID`, `PAGE` or a lecture's slug names; a page may be named by the end of its path.

    Raises:
        UnknownSection: no such page, or none that has the section.
    """
    name, _, section = target.partition("#")
    name = re.sub(r"^docs/(?:en|zh)/", "", name.removesuffix(".md"))
    everything = dict(pages.pairs(root))
    whole = f"{name}.md"
    matching = {
        rel: both
        for rel, both in everything.items()
        if rel == whole
        or (whole not in everything and (rel.endswith(f"/{whole}") or name == next(iter(both.values())).slug))
    }
    if not matching:
        have = ", ".join(rel.removesuffix(".md") for rel in everything) or "none"
        raise UnknownSection(f"no page {name!r}; pages: {have}")
    if section:
        having = {r: b for r, b in matching.items() if section in hashes(b) or section in read(root, r)}
        if not having:
            have = ", ".join(dict.fromkeys(s for b in matching.values() for s in hashes(b)))
            raise UnknownSection(f"no section #{section} in {name}; it has {have}")
        if len(having) > 1:
            have = ", ".join(r.removesuffix(".md") for r in having)
            raise UnknownSection(f"#{section} is in several pages: {have}; name one of them")
        matching = having
    return matching, section


def accept(target: str, root: Path = ROOT) -> list[str]:
    """Record that both languages of a section (or of every section of a page or a lecture) were read together.

    Returns:
        What was renewed or dropped, as PAGE#ID.
    Raises:
        UnknownSection: no such page or section, or it exists in one language only.
    """
    matching, wanted = find(root, target)
    renewed: list[str] = []
    files: dict[Path, Hashes] = {}
    for rel, both in matching.items():
        locked, now = read(root, rel), hashes(both)
        for section in [wanted] if wanted else [*now, *(locked.keys() - now.keys())]:
            current = now.get(section)
            if current is not None and len(current) < len(LANGUAGES):
                raise UnknownSection(
                    f"{rel}#{section} exists in {', '.join(current)} only: write the other language first"
                )
            if locked.get(section) != current:
                renewed.append(f"{rel.removesuffix('.md')}#{section}")
            if current is None:
                locked.pop(section, None)
            else:
                locked[section] = current
        files[path_of(root, rel)] = {s: locked[s] for s in [*now, *(locked.keys() - now.keys())] if s in locked}
    for path, content in files.items():  # only once nothing can fail any more
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = ",\n".join(f" {json.dumps(s)}: {json.dumps(h, sort_keys=True)}" for s, h in content.items())
        path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    return renewed
