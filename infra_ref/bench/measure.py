"""Timing: correctness first, then warm-up, then medians of runs over buffers that no cache holds."""

import datetime
import itertools
import math
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..units import Quantity, magnitude
from . import machine
from .records import ROOT, Record, RecordError, Row

DIGITS = 4


def measure(
    fn: Callable[..., object],
    *,
    work: Quantity,
    unit: str,
    check: Callable[[Any], None],
    sizes: Mapping[str, int],
    arguments: Sequence[tuple[Any, ...]] = ((),),
    bound: Quantity | None = None,
    runs: int = 31,
    warm_up: int = 3,
    least_seconds: float = 0.002,
    synchronize: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    r"""Rate of a function: quartiles of $r = w / t$ over the runs, $w$ the work of one call.

    A run is a group of calls long enough for the clock, each on the next of `arguments`; the clock is read with nothing
    left to wait for.

    Args:
        fn: called with one tuple of `arguments`.
        work: what one call does, in FLOP or B.
        unit: of the rate, such as "GFLOP/s".
        check: raises unless it is given the right result of `fn(*arguments[0])`; called before anything is timed.
        sizes: names the point in the record.
        arguments: equal in shape, different in memory; see `copies`.
        bound: a rate that is physically impossible to exceed.
        least_seconds: length of a run.
        synchronize: waits until the device is idle.
    Raises:
        RecordError: a rate above its bound, or fewer than two runs.
    """
    if runs < 2:
        raise RecordError(f"runs must be at least 2, not {runs}")
    check(fn(*arguments[0]))
    rotation = itertools.cycle(arguments)
    whole = magnitude(work, unit.split("/")[0])

    def seconds(calls: int) -> float:
        synchronize()
        start = clock()
        for _ in range(calls):
            fn(*next(rotation))
        synchronize()
        return clock() - start

    calls = 1
    while (taken := seconds(calls)) < least_seconds:
        calls *= 2 if taken <= 0 else max(2, math.ceil(least_seconds / taken))
    for _ in range(warm_up):
        seconds(calls)
    rates = [float(whole) * calls / seconds(calls) for _ in range(runs)]
    q1, median, q3 = (_rounded(q) for q in statistics.quantiles(rates, n=4, method="inclusive"))
    limit = None if bound is None else float(magnitude(bound, unit))
    if limit is not None and q3 > limit:
        raise RecordError(f"{dict(sizes)}: {q3} {unit} is above the bound of {limit} {unit}, which is impossible")
    return Row(dict(sizes), q1, median, q3, limit)


def _rounded(x: float) -> float:
    return float(f"{x:.{DIGITS}g}")


def copies(make: Callable[[], tuple[Any, ...]], *, nbytes: int) -> list[tuple[Any, ...]]:
    """Argument tuples of `nbytes` each, enough of them to overflow the last-level cache twice: at least two."""
    return [make() for _ in range(max(2, math.ceil(2 * machine.last_level_cache() / nbytes)))]


def record(
    name: str, *, what: str, unit: str, rows: Sequence[Row], threads: int, runs: int, packages: Sequence[str],
    basis: str | None = None, device: str | None = None, command: str = "make bench",
) -> Record:  # fmt: skip
    """Write `infra_ref/records/<name>.json`: the rows and the circumstances under which they were measured.

    Args:
        packages: whose versions matter, beside Python's.
        basis: why no rate can exceed its bound.
        device: the processor unless given.
    """
    versions = {"python": platform.python_version()} | {p: v for p in packages if (v := machine.version(p))}
    made = Record(
        what=what, unit=unit, device=device or machine.cpu(), threads=threads, clocks=machine.clocks(),
        load=round(os.getloadavg()[0], 2), buffers="rotated, twice the last-level cache", runs=runs,
        statistic="median and quartiles", basis=basis, versions=versions, commit=machine.commit(ROOT), command=command,
        date=datetime.date.today().isoformat(), rows=tuple(rows),
    )  # fmt: skip
    made.write(ROOT / "infra_ref" / "records" / f"{name}.json")
    return made
