"""Facts and sources: every field is required, unknown stays unknown, figures stay exact."""

from datetime import date
from fractions import Fraction

import pytest

from infra_ref import data
from infra_ref.units import Q

FACT = {"value": 7, "unit": "GB", "kind": "vendor", "source": "sheet", "date": date(2026, 11, 30)}
SOURCE = {"title": "A data sheet", "url": "https://example.org/", "opened": date(2026, 11, 30)}
KNOWN = {"sheet": data.as_source("sheet", SOURCE)}


def test_a_complete_fact():
    fact = data.as_fact("memory", FACT, KNOWN)
    assert fact.quantity == Q(7_000_000_000, "B")
    assert (fact.kind, fact.source, fact.date, fact.note) == ("vendor", "sheet", date(2026, 11, 30), "")


@pytest.mark.parametrize("field", ["value", "unit", "kind", "source", "date"])
def test_no_field_may_be_missing(field):
    table = {name: value for name, value in FACT.items() if name != field}
    with pytest.raises(data.DataError, match=rf"memory: missing fields \['{field}'\]"):
        data.as_fact("memory", table, KNOWN)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"typo": 1}, r"unknown fields \['typo'\]"),
        ({"kind": "guess"}, "kind must be one of vendor, derived, measured, published"),
        ({"source": "memory"}, "no source 'memory'"),
        ({"date": "2026-11-30"}, "date must be a date"),
        ({"date": date(2026, 12, 1)}, "read on 2026-12-01, but sheet was last opened on 2026-11-30"),
        ({"unit": "GBps"}, "unknown unit 'GBps'"),
        ({"value": "7"}, "value must be a number or 'unknown', not '7'"),
        ({"value": True}, "value must be a number"),
        ({"value": "unknown"}, "needs a note"),
        ({"kind": "derived"}, "needs a note"),
        ({"kind": "measured"}, "needs a note"),
    ],
)
def test_faulty_facts_are_refused(change, message):
    with pytest.raises(data.DataError, match=message):
        data.as_fact("memory", FACT | change, KNOWN)


def test_unknown_stays_unknown():
    fact = data.as_fact("memory", FACT | {"value": "unknown", "note": "not disclosed"}, KNOWN)
    assert fact.value is None
    with pytest.raises(data.UnknownValue, match="memory is unknown: not disclosed"):
        fact.quantity  # noqa: B018


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"title": ""}, "title must be a text"),
        ({"url": None}, "url must be a text"),
        ({"opened": "today"}, "opened must be a date"),
        ({"author": "x"}, "unknown fields"),
    ],
)
def test_faulty_sources_are_refused(change, message):
    with pytest.raises(data.DataError, match=message):
        data.as_source("sheet", SOURCE | change)


def test_the_sources_file_is_valid():
    for source in data.sources().values():
        assert source.url.startswith("https://")
        assert source.opened <= date.today()


def test_decimal_figures_are_read_exactly():
    rows = data.read("accelerators.toml")["h100-sxm"]["peak"]
    assert [row["value"] for row in rows if row["dtype"] == "bf16"] == [Fraction(4947, 5), Fraction(19789, 10)]
