"""What is recorded beside snippets: outputs, results, drawings. Tests compare what `make outputs` rewrites.

ridge_point.py     ridge_point.out (standard output, if any)   ridge_point.json (its `results`, if any)
draw_gemm.py       <stem>.<lang>.<width>.svg for each of DRAWINGS, <stem>.json for each of EXPLORERS
"""

import json
import re
import runpy
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from ..units import Q
from . import ROOT, report, svg
from .alone import Results, Run, Runner, Variant, servers

RECORDED = (".out", ".json", ".svg")
REFUSED = "not written:"
SHOWN = re.compile(r'^\s*-+8<-+\s+"(snippets/[^":]+\.py)', re.M)


class DrawingError(ValueError):
    """A script that draws nothing, or writes where another does."""


def snippets(root: Path = ROOT) -> list[Path]:
    """Every script that pages show, in order."""
    return [root / key for key in report.snippet_keys(root)]


def drawing_scripts(root: Path = ROOT) -> list[Path]:
    """Every script that draws, in order."""
    return sorted((root / "snippets").rglob("draw_*.py"))


def shown(root: Path = ROOT) -> set[Path]:
    """The snippets that some page includes."""
    pages = (root / "docs").rglob("*.md")
    return {root / name for page in pages for name in SHOWN.findall(page.read_text(encoding="utf-8"))}


def of_run(path: Path, run: Run) -> dict[Path, str]:
    """The files that belong beside a snippet that has run like this.

    Raises:
        UnitError: a result with a unit that `units` does not know.
    """
    files = {}
    if run.stdout:
        files[path.with_suffix(".out")] = run.stdout
    if run.results is not None:
        check_units(run.results)
        files[path.with_suffix(".json")] = as_json(run.results)
    return files


def check_units(results: Results) -> None:
    for value in results.values():
        if isinstance(value, dict):
            Q(value["value"], value["unit"])


def as_json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def of_script(script: Path) -> dict[Path, str]:
    """The files that a drawing script makes.

    Raises:
        DrawingError: neither DRAWINGS nor EXPLORERS.
    """
    module = runpy.run_path(str(script))
    drawings, explorers = module.get("DRAWINGS", {}), module.get("EXPLORERS", {})
    if not drawings and not explorers:
        raise DrawingError(f"{script.name} has neither DRAWINGS nor EXPLORERS")
    files = {}
    for stem, draw in drawings.items():
        for name, text in svg.render(draw).items():
            files[script.with_name(f"{stem}.{name}.svg")] = text
    for stem, rows in explorers.items():
        files[script.with_name(f"{stem}.json")] = as_json(rows())
    return files


def faults(path: Path, runs: Mapping[Variant, Run]) -> list[str]:
    """What keeps a snippet's output from being published: a failed run, or runs that differ."""
    failed = [f"{path.name}: {variant.name}: {run.error}" for variant, run in runs.items() if run.error]
    if failed:
        return failed
    out = []
    (base, first), *others = runs.items()
    for variant, run in others:
        for what, a, b in (("prints", first.stdout, run.stdout), ("results are", first.results, run.results)):
            if a != b:
                out.append(f"{path.name}: {what}\n{a}\nwith {base.name}, but\n{b}\nwith {variant.name}")
    return out


def recorded(path: Path) -> list[Path]:
    """Where a snippet's output and results lie, if it has any."""
    return [path.with_suffix(".out"), path.with_suffix(".json")]


def differences(files: Mapping[Path, str], places: Iterable[Path] = ()) -> list[str]:
    """How the files that are there differ from those that should be.

    Args:
        files: what should be there.
        places: where nothing else may be.
    """
    out = []
    for path, text in files.items():
        if not path.is_file():
            out.append(f"{path.name} is missing")
        elif (found := path.read_text(encoding="utf-8")) != text:
            out.append(f"{path.name} holds\n{found}but should hold\n{text}")
    out += [f"{path.name} should not be there" for path in places if path.is_file() and path not in files]
    return [f"{line}\n`make outputs` mends this; review the difference." for line in out]


def claimed(root: Path = ROOT) -> dict[Path, list[Path]]:
    """Every recorded file that some script accounts for, with the scripts."""
    owners: dict[Path, list[Path]] = {}
    for script in snippets(root):
        for path in recorded(script):
            owners.setdefault(path, []).append(script)
    for script in drawing_scripts(root):
        for path in of_script(script):
            owners.setdefault(path, []).append(script)
    return owners


def orphans(root: Path = ROOT) -> list[str]:
    """Recorded files that no script makes, and files that two scripts make."""
    owners = claimed(root)
    found = sorted(p for p in (root / "snippets").rglob("*") if p.suffix in RECORDED and p not in owners)
    out = [f"{path.relative_to(root)}: no script makes it" for path in found]
    for path, scripts in owners.items():
        if len(scripts) > 1:
            out.append(f"{path.relative_to(root)}: made by {' and '.join(s.name for s in scripts)}")
    return out


def rewrite(run: Runner, root: Path = ROOT, slug: str = "") -> Iterator[str]:
    """Write every recorded file anew, of one lecture or of all; yields what was done and what could not be."""
    for path in snippets(root):
        if slug and slug not in path.parts:
            continue
        runs = run(path)
        found = faults(path, runs)
        yield from (f"{REFUSED} {fault}" for fault in found)
        if not found:
            yield from _write(root, of_run(path, next(iter(runs.values()))), recorded(path))
    for script in drawing_scripts(root):
        if not slug or slug in script.parts:
            yield from _write(root, of_script(script), ())


def _write(root: Path, files: Mapping[Path, str], places: Iterable[Path]) -> Iterator[str]:
    for path, text in files.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            yield f"wrote {path.relative_to(root)}"
    for path in places:
        if path not in files and path.is_file():
            path.unlink()
            yield f"removed {path.relative_to(root)}"


def main() -> int:
    """`make outputs`: optional argument, the slug of one lecture."""
    failed = False
    with servers() as run:
        for line in rewrite(run, slug=sys.argv[1] if len(sys.argv) > 1 else ""):
            failed |= line.startswith(REFUSED)
            print(line, flush=True)
    for line in orphans():
        failed = True
        print(line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
