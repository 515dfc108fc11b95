"""Facts that cannot be computed: each carries its value, unit, kind, source and date, and unknown stays unknown."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

from infra_ref.units import Number, Q, Quantity, UnitError

KINDS = {
    "vendor": "printed by the maker",
    "derived": "computed from printed figures; the note says how",
    "measured": "read from a device; the note says how",
    "published": "a result of a paper",
}
_FIELDS = {"value", "unit", "kind", "source", "date", "note"}


class DataError(ValueError):
    """A data file breaks its own rules."""


class UnknownValue(LookupError):
    """A fact that nobody has published, asked for as if it were known."""


@dataclass(frozen=True)
class Source:
    """A document that was opened. `formulas` holds the LaTeX of formulas quoted from it and not computed here."""

    id: str
    title: str
    url: str
    opened: date
    formulas: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """One value with its evidence. `value` is None where the source leaves it open."""

    name: str
    value: Number | None
    unit: str
    kind: str
    source: str
    date: date
    note: str = ""

    @property
    def quantity(self) -> Quantity:
        """The value with its unit.

        Raises:
            UnknownValue: nobody has published it.
        """
        if self.value is None:
            raise UnknownValue(f"{self.name} is unknown: {self.note}")
        return Q(self.value, self.unit)


def read(name: str) -> dict[str, Any]:
    """The tables of a data file; decimal figures become exact fractions."""
    text = resources.files(__name__).joinpath(name).read_text(encoding="utf-8")
    return tomllib.loads(text, parse_float=Fraction)


def as_source(id: str, table: Mapping[str, Any]) -> Source:
    """Validate one table of sources.toml.

    Raises:
        DataError: a missing or empty field, an unknown field, or a date that is no date.
    """
    if unknown := set(table) - {"title", "url", "opened", "formulas"}:
        raise DataError(f"source {id}: unknown fields {sorted(unknown)}")
    for field in ("title", "url"):
        if not isinstance(table.get(field), str) or not table[field]:
            raise DataError(f"source {id}: {field} must be a text")
    if not isinstance(table.get("opened"), date):
        raise DataError(f"source {id}: opened must be a date such as 2026-11-30")
    return Source(id, table["title"], table["url"], table["opened"], tuple(table.get("formulas", ())))


def as_fact(name: str, table: Mapping[str, Any], known_sources: Mapping[str, Source]) -> Fact:
    """Validate one fact.

    Args:
        name: what the fact is called in messages.
        table: value ("unknown" where the source leaves it open), unit, kind, source, date and, if useful, note.
        known_sources: the sources that a fact may name.
    Raises:
        DataError: a missing or unknown field, kind, source or unit, a date after the source was opened, a value that is
            no number, an unknown value without a note that says why, or a derived one without a note that says how.
    """
    if unknown := set(table) - _FIELDS:
        raise DataError(f"{name}: unknown fields {sorted(unknown)}")
    if missing := _FIELDS - {"note"} - set(table):
        raise DataError(f"{name}: missing fields {sorted(missing)}")
    if table["kind"] not in KINDS:
        raise DataError(f"{name}: kind must be one of {', '.join(KINDS)}, not {table['kind']!r}")
    if table["source"] not in known_sources:
        raise DataError(f"{name}: no source {table['source']!r} in sources.toml")
    if not isinstance(table["date"], date):
        raise DataError(f"{name}: date must be a date such as 2026-11-30")
    if table["date"] > (opened := known_sources[table["source"]].opened):
        raise DataError(f"{name}: read on {table['date']}, but {table['source']} was last opened on {opened}")
    value = None if table["value"] == "unknown" else table["value"]
    if isinstance(value, bool) or not isinstance(value, int | Fraction | None):
        raise DataError(f"{name}: value must be a number or 'unknown', not {table['value']!r}")
    note = table.get("note", "")
    if not note and (value is None or table["kind"] in ("derived", "measured")):
        raise DataError(f"{name}: an unknown, derived or measured value needs a note that says why or how")
    try:
        Q(0, table["unit"])
    except UnitError as error:
        raise DataError(f"{name}: {error}") from None
    return Fact(name, value, table["unit"], table["kind"], table["source"], table["date"], note)


@cache
def sources() -> Mapping[str, Source]:
    """Every source, by id."""
    return {id: as_source(id, table) for id, table in read("sources.toml").items()}
