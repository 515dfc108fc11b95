"""Records of measurements: what pages may say about speed. Pages read them, only `measure` makes them."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..units import Q, Quantity

ROOT = Path(__file__).parents[2]


class RecordError(ValueError):
    """A record that does not exist, lacks something, or cannot be true."""


@dataclass(frozen=True)
class Row:
    """One point: its sizes, and quartiles of its rate in the record's unit, at most `bound` if that is known."""

    sizes: Mapping[str, int]
    q1: float
    median: float
    q3: float
    bound: float | None = None


@dataclass(frozen=True)
class Record:
    """A measurement with its circumstances.

    Raises:
        RecordError: no rows, rows whose quartiles are out of order, or a rate above its physical bound.
    """

    what: str
    unit: str
    device: str
    threads: int
    clocks: str
    load: float  # processes that wanted to run in the minute before, 1 for each
    buffers: str
    runs: int
    statistic: str
    basis: str | None  # why no rate can exceed its bound
    versions: Mapping[str, str]
    commit: str | None
    command: str
    date: str
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        Q(1, self.unit)
        if not self.rows:
            raise RecordError("a record needs rows")
        for row in self.rows:
            if not 0 < row.q1 <= row.median <= row.q3:
                raise RecordError(f"{dict(row.sizes)}: quartiles {row.q1}, {row.median}, {row.q3} are not in order")
            if row.bound is not None and row.q3 > row.bound:
                raise RecordError(
                    f"{dict(row.sizes)}: {row.q3} {self.unit} is above {row.bound} {self.unit}, which is impossible "
                    f"({self.basis}): the work, the timer or the result is wrong"
                )

    def row(self, **sizes: int) -> Row:
        """The point with these sizes.

        Raises:
            RecordError: not measured; the message lists what was.
        """
        for row in self.rows:
            if row.sizes == sizes:
                return row
        measured = ", ".join(str(dict(row.sizes)) for row in self.rows)
        raise RecordError(f"{sizes} was not measured; measured: {measured}")

    def median(self, **sizes: int) -> Quantity:
        """Median rate at these sizes: `records.gemm_cpu.median(n=256)`."""
        return Q(self.row(**sizes).median, self.unit)

    def quartiles(self, **sizes: int) -> tuple[Quantity, Quantity]:
        """First and third quartile of the rate at these sizes."""
        row = self.row(**sizes)
        return Q(row.q1, self.unit), Q(row.q3, self.unit)

    def write(self, path: Path) -> None:
        """Write the file that `read` reads."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n"
        draft = path.with_suffix(".draft")
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)


def read(path: Path) -> Record:
    """A record from its file.

    Raises:
        RecordError: something is missing, unknown, or impossible.
    """
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    known = {field.name for field in fields(Record)}
    if data.keys() != known:
        differing = ", ".join(sorted(data.keys() ^ known))
        raise RecordError(f"{path.name}: missing or unknown fields: {differing}")
    try:
        return Record(**data | {"rows": tuple(Row(**row) for row in data["rows"])})
    except (TypeError, ValueError) as error:
        raise RecordError(f"{path.name}: {error}") from None


class Records:
    """All records by name: `records.gemm_cpu`."""

    def __init__(self, root: Path = ROOT) -> None:
        self._folder = root / "infra_ref" / "records"
        self._read: dict[str, Record] = {}

    def names(self) -> list[str]:
        """What has been measured."""
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def get(self, name: str) -> Record:
        """The record of that name.

        Raises:
            RecordError: there is none, or it cannot be true.
        """
        if name not in self._read:
            if name not in self.names():
                raise RecordError(f"no record {name!r}; there is {', '.join(self.names()) or 'none'}")
            self._read[name] = read(self._folder / f"{name}.json")
        return self._read[name]

    def planned(self, name: str) -> dict[str, str] | None:
        """What a measurement that was not made yet needs, and the command that makes it: `records/planned.toml`."""
        path = self._folder / "planned.toml"
        planned = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return None if name in self.names() else planned.get(name)

    def __getattr__(self, name: str) -> Record:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name)


records = Records()
