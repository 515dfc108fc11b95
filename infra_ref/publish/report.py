"""The verification report: what test runs executed and checked, where and when.

`build/report.json` (another path in INFRA_REF_REPORT) holds kind -> key -> place -> fields:

    {"snippet": {"snippets/slug/ridge_point.py": {"CPU": {"state": "executed", "sha256": "…", "seconds": 0.02, …}}}}

Kinds are snippet, page, test, and what checks add themselves (figure, formula). A key is a file of the project, or
begins with one (`tests/…/test_x.py::test_name`). A place is CPU, or GPU for a machine with a CUDA device. An entry
speaks only for the bytes it was made from: once a source changes, it vouches for nothing, and the next run drops it.
"""

import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..bench import machine
from . import LANGUAGES, ROOT

if TYPE_CHECKING:
    import pytest

PROPERTY = "infra_ref"  # name of the pytest user property that carries one entry
STATES = ("failed", "never", "skipped", "executed", "same block", "passed")  # the first of two is what holds for both
INCLUDE = re.compile(r'^\s*-+8<-+\s+"([^":]+)', re.M)
PYTHON_FENCE = re.compile(r"^\s*```python\b", re.M)

Fields = dict[str, Any]
Data = dict[str, dict[str, dict[str, Fields]]]


def add(item: "pytest.Item", kind: str, key: str, **fields: str | int | float) -> None:
    """Let a test that is running put an entry into the report.

    Entries of one kind and key within a run become one: numbers add up, the worst state holds, the last text stays.

    Args:
        item: the running test, `request.node` in a fixture or test.
        kind: what is reported, "figure" for example.
        key: a file of the project, or a string that begins with one before "::" or "#".
        fields: `state` is the test's own outcome unless given; a failed test makes it "failed".
    Raises:
        ValueError: a key that names no file.
    """
    entry = {"kind": kind, "key": key, "sha256": digest(key, item.config.rootpath), **fields}
    item.user_properties.append((PROPERTY, entry))


def source(key: str) -> str:
    """The file that a key begins with."""
    return re.split("::|#", key, maxsplit=1)[0]


def digest(key: str, root: Path = ROOT) -> str:
    """SHA-256 of a key's file and of what is published with it.

    A page counts with the files it includes, a snippet with its recorded output and results.

    Raises:
        ValueError: no such file.
    """
    path = root / source(key)
    if not path.is_file():
        raise ValueError(f"{key!r} names no file of the project")
    files = [path]
    if path.suffix == ".md":
        files += [root / name for name in INCLUDE.findall(path.read_text(encoding="utf-8"))]
    elif root / "snippets" in path.parents:
        files += [path.with_suffix(".out"), path.with_suffix(".json")]
    whole = hashlib.sha256()
    for file in files:
        whole.update(_hash(file, file.stat().st_mtime_ns) if file.is_file() else b"-")
    return whole.hexdigest()


@functools.lru_cache(maxsize=4096)
def _hash(file: Path, changed: int) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()


def combine(a: Fields, b: Fields) -> Fields:
    """One entry of two with the same kind and key."""
    out = a | b
    for name in a.keys() & b.keys():
        if name == "state":
            out[name] = min(a[name], b[name], key=STATES.index)
        elif isinstance(a[name], int | float) and isinstance(b[name], int | float):
            out[name] = a[name] + b[name]
    return out


@dataclass(frozen=True)
class Entry:
    """What is known of one key: the fields of its newest run, and every place that holds for the present bytes."""

    key: str
    where: str
    fields: Mapping[str, Any]

    @property
    def state(self) -> str:
        return str(self.fields["state"])

    @property
    def seconds(self) -> float:
        return float(self.fields.get("seconds", 0))

    @property
    def date(self) -> str:
        return str(self.fields["date"])

    @property
    def vouches(self) -> bool:
        """Whether it ran and was right."""
        return STATES.index(self.state) >= STATES.index("executed")


def _weight(fields: Fields) -> tuple[bool, int, str]:
    """Order of what several places say of one key; the greatest speaks for all."""
    return fields["state"] == "failed", STATES.index(fields["state"]), fields["date"]


@dataclass(frozen=True)
class Report:
    """A report as read; entries whose sources have changed since are left out everywhere."""

    data: Data
    root: Path = ROOT

    @property
    def where(self) -> str:
        """The places of all runs: "CPU", "GPU" or "CPU, GPU"."""
        return ", ".join(sorted({place for _, _, places in self._all() for place in places}))

    @property
    def date(self) -> str:
        """The day of the newest run."""
        return max((fields["date"] for _, _, places in self._all() for fields in places.values()), default="")

    def _all(self) -> Iterator[tuple[str, str, dict[str, Fields]]]:
        for kind, keys in self.data.items():
            for key, places in keys.items():
                yield kind, key, places

    def entry(self, kind: str, key: str) -> Entry | None:
        """The entry of one key, or None without one for its present bytes.

        Of several places a failure speaks for all, else the best: what was skipped here may have run there.
        """
        places = self.data.get(kind, {}).get(key, {})
        try:
            now = digest(key, self.root)
        except ValueError:
            return None
        current = {place: fields for place, fields in places.items() if fields["sha256"] == now}
        if not current:
            return None
        best = max(current.values(), key=_weight)
        good = sorted(place for place, fields in current.items() if fields["state"] == best["state"])
        return Entry(key, ", ".join(good), best)

    def entries(self, kind: str) -> dict[str, Entry]:
        """All present entries of a kind."""
        found = {key: self.entry(kind, key) for key in sorted(self.data.get(kind, {}))}
        return {key: entry for key, entry in found.items() if entry is not None}

    def snippets(self) -> dict[str, Entry | None]:
        """Every snippet of the tree; None where it never ran as it now is."""
        return {key: self.entry("snippet", key) for key in snippet_keys(self.root)}

    def skips(self) -> dict[str, str]:
        """Every test that ran nowhere, with the reason."""
        skipped = {key: entry for key, entry in self.entries("test").items() if entry.state == "skipped"}
        return {key: str(entry.fields.get("reason", "")) for key, entry in skipped.items()}

    def total(self, kind: str, field: str) -> int:
        """A number added up over all entries of a kind: `total("formula", "check")`."""
        return sum(int(entry.fields.get(field, 0)) for entry in self.entries(kind).values())


def snippet_keys(root: Path = ROOT) -> list[str]:
    """Every script under `snippets/` that pages show: all but `draw_*.py`."""
    scripts = (root / "snippets").rglob("*.py")
    return sorted(path.relative_to(root).as_posix() for path in scripts if not path.name.startswith("draw_"))


def location(root: Path = ROOT) -> Path:
    """Where the report of a project lies."""
    return Path(os.environ.get("INFRA_REF_REPORT") or root / "build" / "report.json")


@functools.lru_cache(maxsize=4)
def _read(path: Path, changed: int, root: Path) -> Report:
    return Report(json.loads(path.read_text(encoding="utf-8")), root)


def load(root: Path = ROOT) -> Report | None:
    """The report, or None where no test run has written one."""
    path = location(root)
    return _read(path, path.stat().st_mtime_ns, root) if path.is_file() else None


def entry_for(path: str, root: Path = ROOT) -> Entry | None:
    """The run that vouches for a snippet, a page or a test as it now is; None if there is none."""
    report = load(root)
    if report is None:
        return None
    kind = "page" if path.endswith(".md") else "test" if "::" in path else "snippet"
    entry = report.entry(kind, path)
    return entry if entry is not None and entry.vouches else None


def merge(found: dict[str, dict[str, Fields]], place: str, root: Path = ROOT) -> None:
    """Write what a run found into the report, keeping what earlier runs and other places found for unchanged sources.

    Args:
        found: kind -> key -> fields.
        place: "CPU" or "GPU".
    """
    old = load(root)
    data: Data = {kind: dict(keys) for kind, keys in old.data.items()} if old else {}
    for kind, keys in found.items():
        for key, fields in keys.items():
            places = data.setdefault(kind, {}).get(key, {})
            before = places.get(place, {})
            same = before.get("sha256") == fields["sha256"]
            data[kind][key] = places | {place: before | fields if same else fields}
    _write(data, root)


def _write(data: Data, root: Path) -> None:
    """Replace the report at once, without the entries whose sources have changed."""
    for keys in data.values():
        for key in list(keys):
            now = digest(key, root) if (root / source(key)).is_file() else ""
            keys[key] = {place: fields for place, fields in keys[key].items() if fields["sha256"] == now}
            if not keys[key]:
                del keys[key]
    path = location(root)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path)


def faults(report: Report) -> list[str]:
    """What a complete report may not have: failures, things that nothing tried to run, skips without a reason."""
    out = [
        f"{key}: failed"
        for kind in sorted(report.data)
        for key, entry in report.entries(kind).items()
        if entry.state == "failed"
    ]
    out += [f"{key}: never run as it now is" for key, entry in report.snippets().items() if entry is None]
    for lang in LANGUAGES:
        for path in sorted((report.root / "docs" / lang).rglob("*.md")):
            key = path.relative_to(report.root).as_posix()
            entry = report.entry("page", key)
            ran = entry is not None and "blocks" in entry.fields
            if PYTHON_FENCE.search(path.read_text(encoding="utf-8")) and not ran:
                out.append(f"{key}: its blocks never ran as they now are")
    out += [f"{key}: skipped without a reason" for key, reason in report.skips().items() if not reason]
    return out


def summary(report: Report) -> Iterator[str]:
    """The report in a few lines, then every skip with its reason."""
    snippets = report.snippets()
    ran = sum(entry is not None and entry.vouches for entry in snippets.values())
    yield f"{ran} of {len(snippets)} snippets executed alone, on {report.where}, newest run {report.date}"
    blocks, pages = report.total("page", "blocks"), report.entries("page")
    yield f"{blocks} blocks of {len(pages)} pages executed"
    for kind in sorted(report.data.keys() - {"page", "snippet", "test"}):
        numbers: Fields = {}
        for entry in report.entries(kind).values():
            own = {name: n for name, n in entry.fields.items() if isinstance(n, int) and name != "seconds"}
            numbers = combine(numbers, own)
        listed = ", ".join(f"{name} {n}" for name, n in sorted(numbers.items()))
        yield f"{kind}: {listed or len(report.entries(kind))}"
    yield f"{len(report.entries('test'))} tests, {len(report.skips())} of them skipped"
    yield from (f"  skipped: {key}: {reason}" for key, reason in report.skips().items())


def forget(place: str, root: Path = ROOT) -> None:
    """Drop what earlier runs found at a place: a complete run begins with a clean sheet."""
    report = load(root)
    if report is None:
        return
    data = {
        kind: {key: {where: f for where, f in places.items() if where != place} for key, places in keys.items()}
        for kind, keys in report.data.items()
    }
    _write(data, root)


def main() -> int:
    """Print the report and fail where it has a fault; with the argument `forget`, begin a new one for this machine."""
    if sys.argv[1:] == ["forget"]:
        forget(machine.place())
        return 0
    report = load()
    if report is None:
        print(f"There is no verification report at {location()}; `make test` writes it.", file=sys.stderr)
        return 1
    print("\n".join(summary(report)))
    found = faults(report)
    for fault in found:
        print(fault, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
