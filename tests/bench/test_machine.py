"""The circumstances of a run, read from machines made of files."""

import os
from pathlib import Path

import pytest

from infra_ref.bench import machine


@pytest.fixture
def cpuinfo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A processor that is described by a file."""
    path = tmp_path / "cpuinfo"
    monkeypatch.setattr(machine, "CPUINFO", path)
    monkeypatch.setattr(machine, "CPU_FREQUENCY", tmp_path / "cpufreq")
    monkeypatch.setattr(machine, "CPU_CACHE", tmp_path / "cache")
    return path


def test_a_processor_goes_by_its_own_name(cpuinfo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Imaginary 7313P\nprocessor\t: 1\nmodel name\t: other\n")
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert machine.cpu() == "Imaginary 7313P, 2 cores"


@pytest.mark.parametrize(
    ("flags", "flops"),
    [("fma avx2", 8 * 2 * 2 * 6e9), ("fma avx2 avx512f", 16 * 2 * 2 * 6e9), ("avx2", None), ("neon", None)],
)
def test_the_bound_counts_lanes_pipes_and_clock(cpuinfo: Path, flags: str, flops: float | None) -> None:
    cpuinfo.write_text(f"flags\t\t: fpu {flags} sse\n")
    bound = machine.fp32_bound()
    assert (bound and bound[0]) == flops


def test_the_clock_is_the_machines_own_where_it_tells(cpuinfo: Path) -> None:
    cpuinfo.write_text("flags : fma avx2\n")
    machine.CPU_FREQUENCY.mkdir()
    (machine.CPU_FREQUENCY / "cpuinfo_max_freq").write_text("3500000\n")  # kHz
    (machine.CPU_FREQUENCY / "scaling_governor").write_text("performance\n")
    assert machine.fp32_bound() == (32 * 3.5e9, "two 256-bit fused multiply-adds a cycle at no more than 3.5 GHz")
    assert machine.clocks() == "governor performance"


def test_clocks_that_nobody_controls(cpuinfo: Path) -> None:
    assert machine.clocks() == "not controlled"


def test_the_largest_cache_is_the_last(cpuinfo: Path) -> None:
    for n, size in enumerate(["32K", "512K", "24M"]):
        folder = machine.CPU_CACHE / f"index{n}"
        folder.mkdir(parents=True)
        (folder / "size").write_text(size + "\n")
    assert machine.last_level_cache() == 24 * 2**20


def test_versions_and_commits_that_do_not_exist_are_none(tmp_path: Path) -> None:
    assert machine.version("no-such-package-here") is None
    assert machine.commit(tmp_path) is None
