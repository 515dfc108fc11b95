"""Measurements that were made, and those that are planned: the only source of measured numbers on pages."""

import functools
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..units import Q, Quantity, magnitude

FOLDER = Path(__file__).parents[1] / "records"


class NoRecord(ValueError):
    """Nothing was measured under this name, or not for these parameters."""


@dataclass(frozen=True)
class Record:
    """One measurement with its circumstances; each row holds its parameters, `median`, `q1` and `q3` in `unit`.

    `bound` is the physical upper bound of the values in the same unit, or None where it is not known.
    """

    name: str
    what: str
    device: str
    threads: int
    clocks: str
    versions: dict[str, str]
    commit: str
    command: str
    date: str
    runs: int
    unit: str
    bound: float | None
    rows: tuple[dict[str, Any], ...]

    def __post_init__(self) -> None:
        if not self.rows or self.runs < 1:
            raise ValueError(f"record {self.name}: no rows or no runs")
        for row in self.rows:
            if not row["q1"] <= row["median"] <= row["q3"]:
                raise ValueError(f"record {self.name}: quartiles do not enclose the median in {row}")
            if self.bound is not None and row["q3"] > self.bound:
                raise ValueError(f"record {self.name}: {row['q3']} {self.unit} is above the bound {self.bound}")

    def row(self, **parameters: Any) -> dict[str, Any]:
        """The row measured for these parameters.

        Raises:
            NoRecord: there is not exactly one.
        """
        found = [row for row in self.rows if all(row.get(k) == v for k, v in parameters.items())]
        if len(found) != 1:
            raise NoRecord(f"record {self.name} has {len(found)} rows for {parameters}")
        return found[0]

    def median(self, **parameters: Any) -> Quantity:
        return Q(self.row(**parameters)["median"], self.unit)

    def quartiles(self, **parameters: Any) -> tuple[Quantity, Quantity]:
        row = self.row(**parameters)
        return Q(row["q1"], self.unit), Q(row["q3"], self.unit)

    def ratio(self, a: dict[str, Any], b: dict[str, Any]) -> float:
        """Median at parameters `a` over median at parameters `b`."""
        return float(magnitude(self.median(**a) / self.median(**b), "dimensionless"))


@functools.lru_cache(maxsize=256)
def _load(path: Path, changed: int) -> Record:
    data = json.loads(path.read_text(encoding="utf-8"))
    return Record(**{**data, "name": path.stem, "rows": tuple(data["rows"])})


class Records:
    """All records of a checkout, by name: `records.gemm_cpu.median(n=256)`."""

    def __init__(self, root: Path | None = None) -> None:
        self._folder = root / "infra_ref" / "records" if root else FOLDER

    def get(self, name: str) -> Record:
        """The record of that name.

        Raises:
            NoRecord: there is none.
        """
        path = self._folder / f"{name}.json"
        if not path.is_file():
            raise NoRecord(f"no record {name!r}: nothing was measured under this name")
        return _load(path, path.stat().st_mtime_ns)

    def planned(self, name: str) -> dict[str, str] | None:
        """What a measurement that does not exist yet needs (`needs`, `command`), or None if it is not planned."""
        path = self._folder / "planned.toml"
        table = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return table.get(name)

    def __getattr__(self, name: str) -> Record:
        return self.get(name)
