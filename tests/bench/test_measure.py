"""Timing against a clock that is a counter, so that every rate is known beforehand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra_ref.bench import machine, measure
from infra_ref.bench.records import RecordError, Row, read
from infra_ref.units import Q


class Device:
    """Runs calls later, as an accelerator does: time passes when one waits for it."""

    def __init__(self, seconds: list[float]) -> None:
        self.now, self.queued, self.seconds, self.calls = 0.0, 0, seconds, []  # type: ignore[var-annotated]

    def call(self, *arguments: int) -> int:
        self.calls.append(arguments)
        self.queued += 1
        return 42

    def synchronize(self) -> None:
        while self.queued:
            self.now += self.seconds[len(self.calls) % len(self.seconds)]
            self.queued -= 1

    def measure(self, *, check: Callable[[Any], None] = lambda result: None, **options: object) -> Row:
        return measure.measure(
            self.call, work=Q(6, "MFLOP"), unit="GFLOP/s", check=check, sizes={"n": 7},
            synchronize=self.synchronize, clock=lambda: self.now, **options,  # type: ignore[arg-type]
        )  # fmt: skip


def test_a_rate_is_work_over_time_waited_for() -> None:
    row = Device([0.003]).measure()
    assert (row.q1, row.median, row.q3, row.bound) == (2.0, 2.0, 2.0, None)


def test_short_calls_are_timed_in_groups() -> None:
    device = Device([2**-13])
    row = device.measure(runs=3, warm_up=0, least_seconds=2**-7)
    assert row.median == 49.15  # 6 MFLOP · 2^13 / s, to four digits
    assert len(device.calls) == 1 + 1 + 64 + 3 * 64


def test_quartiles_of_a_rate() -> None:
    """Runs of 1, 2, 3, 4 and 6 ms, one call each: 6, 3, 2, 1.5 and 1 GFLOP/s."""
    device = Device([0.001, 0.002, 0.003, 0.004, 0.006])
    row = device.measure(runs=5, warm_up=0, least_seconds=0.0001)
    assert (row.q1, row.median, row.q3) == (1.5, 2.0, 3.0)


def test_a_wrong_result_is_not_timed() -> None:
    device = Device([0.003])

    def check(result: object) -> None:
        raise ArithmeticError(f"{result} is not 43")

    with pytest.raises(ArithmeticError, match="42 is not 43"):
        device.measure(check=check)
    assert len(device.calls) == 1


def test_buffers_rotate() -> None:
    device = Device([0.003])
    device.measure(arguments=[(2,), (3,), (5,)], runs=4, warm_up=1)
    assert device.calls[:5] == [(2,), (2,), (3,), (5,), (2,)]


def test_a_rate_above_its_bound_is_refused() -> None:
    assert Device([0.003]).measure(bound=Q(2, "GFLOP/s")).bound == 2.0
    with pytest.raises(RecordError, match=r"above the bound of 1\.99 GFLOP/s, which is impossible"):
        Device([0.003]).measure(bound=Q(1990, "MFLOP/s"))


def test_one_run_has_no_spread() -> None:
    with pytest.raises(RecordError, match="runs must be at least 2, not 1"):
        Device([0.003]).measure(runs=1)


@given(st.integers(2**14, 2**24), st.integers(1, 2**24))
def test_copies_overflow_the_cache_twice(nbytes: int, cache: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "last_level_cache", lambda: cache)
        made = len(measure.copies(lambda: (), nbytes=nbytes))
    assert made * nbytes >= 2 * cache
    assert made == 2 or (made - 1) * nbytes < 2 * cache


def test_a_record_tells_its_circumstances(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "ROOT", tmp_path)
    (tmp_path / "infra_ref" / "records").mkdir(parents=True)
    made = measure.record(
        "x",
        what="a test",
        unit="GFLOP/s",
        rows=[Row({"n": 7}, 1.0, 2.0, 3.0)],
        threads=1,
        runs=5,
        packages=["pint", "nothing"],
    )
    assert read(tmp_path / "infra_ref/records/x.json") == made
    assert made.versions.keys() == {"python", "pint"}
    assert (made.commit, made.device, made.command) == (None, machine.cpu(), "make bench")
