"""Records: complete, possible, and read by name."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infra_ref.bench.records import ROOT, Record, RecordError, Records, Row, read
from infra_ref.units import Q

GOOD: dict[str, Any] = {
    "what": "C = A B", "unit": "GFLOP/s", "device": "Imaginary, 2 cores", "threads": 1, "clocks": "not controlled",
    "load": 0.5, "buffers": "rotated", "runs": 31, "statistic": "median and quartiles", "basis": "by hand",
    "versions": {"python": "3.11.7"}, "commit": None, "command": "make bench", "date": "2026-11-30",
    "rows": [
        {"sizes": {"n": 31}, "q1": 11.0, "median": 13.0, "q3": 17.0, "bound": 192.0},
        {"sizes": {"n": 67}, "q1": 19.0, "median": 23.0, "q3": 29.0, "bound": None},
    ],
}  # fmt: skip
PLANNED = '[ladder]\nneeds = "H100"\ncommand = "make gpu"\n[gemm]\nneeds = "a CPU"\ncommand = "make bench"\n'
Course = Callable[..., Records]


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Records in a folder of their own, of GOOD with some fields changed or left out (None)."""

    def write(**changes: Any) -> Records:
        folder = tmp_path / "infra_ref" / "records"
        folder.mkdir(parents=True)
        data = {key: value for key, value in (GOOD | changes).items() if value != "absent"}
        (folder / "gemm.json").write_text(json.dumps(data))
        (folder / "planned.toml").write_text(PLANNED)
        return Records(tmp_path)

    return write


def test_a_point_is_read_by_its_sizes(course: Course) -> None:
    record = course().gemm
    assert record.median(n=31) == Q(13.0, "GFLOP/s")
    assert record.quartiles(n=67) == (Q(19.0, "GFLOP/s"), Q(29.0, "GFLOP/s"))
    assert record.row(n=67).bound is None


def test_what_was_not_measured_is_unknown(course: Course) -> None:
    records = course()
    with pytest.raises(RecordError, match=r"'n': 37} was not measured; measured: {'n': 31}, {'n': 67}"):
        records.gemm.median(n=37)
    with pytest.raises(RecordError, match="no record 'ladder'; there is gemm"):
        _ = records.ladder


def test_planned_is_what_has_no_record_yet(course: Course) -> None:
    records = course()
    assert records.planned("ladder") == {"needs": "H100", "command": "make gpu"}
    assert records.planned("gemm") is None
    assert records.planned("other") is None


@pytest.mark.parametrize("field", GOOD)
def test_a_record_lacks_nothing(course: Course, field: str) -> None:
    with pytest.raises(RecordError, match=f"missing or unknown fields: {field}"):
        course(**{field: "absent"}).get("gemm")


def test_an_unknown_field_is_refused(course: Course) -> None:
    with pytest.raises(RecordError, match="missing or unknown fields: colour"):
        course(colour="red").get("gemm")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"sizes": {"n": 31}, "q1": 150.0, "median": 180.0, "q3": 193.0, "bound": 192.0}, "which is impossible"),
        ({"sizes": {"n": 31}, "q1": 13.0, "median": 11.0, "q3": 17.0}, "not in order"),
        ({"sizes": {"n": 31}, "q1": 0.0, "median": 11.0, "q3": 17.0}, "not in order"),
    ],
)
def test_a_record_that_cannot_be_true_is_refused(course: Course, row: dict[str, Any], told: str) -> None:
    with pytest.raises(RecordError, match=told):
        course(rows=[row]).get("gemm")


@pytest.mark.parametrize("changes", [{"rows": []}, {"unit": "GFLOPS"}])
def test_a_record_has_rows_and_a_unit_of_the_course(course: Course, changes: dict[str, Any]) -> None:
    with pytest.raises(RecordError):
        course(**changes).get("gemm")


def test_writing_and_reading_agree(tmp_path: Path) -> None:
    rows = (Row({"n": 31}, 2.0, 3.0, 5.0, 7.0), Row({"n": 37, "k": 41}, 2.0, 3.0, 5.0))
    record = Record(**GOOD | {"rows": rows})
    record.write(tmp_path / "x.json")
    assert read(tmp_path / "x.json") == record
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("name", Records(ROOT).names())
def test_every_record_of_the_course_is_complete_and_possible(name: str) -> None:
    record = Records(ROOT).get(name)
    assert record.date <= "2100"
    assert record.device
