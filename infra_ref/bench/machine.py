"""The circumstances of a run: which machine, which versions, which commit."""

import functools
import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
CPU_CACHE = Path("/sys/devices/system/cpu/cpu0/cache")
CPU_FREQUENCY = Path("/sys/devices/system/cpu/cpu0/cpufreq")
ASSUMED_CLOCK = 6e9  # Hz, where the machine does not tell its highest: well above what servers are sold with
CACHE_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}


def _cpuinfo(name: str) -> str:
    """First value of a field of /proc/cpuinfo; "" where there is none."""
    try:
        text = CPUINFO.read_text(encoding="utf-8")
    except OSError:
        return ""
    found = re.search(rf"^{re.escape(name)}\s*:\s*(.*)$", text, re.M)
    return found[1].strip() if found else ""


def cpu() -> str:
    """The processor by its own name, and how many cores of it this machine has."""
    model = _cpuinfo("model name") or platform.processor() or platform.machine()
    cores = os.cpu_count() or 1
    return f"{model}, {cores} core{'s' if cores > 1 else ''}"


@functools.cache
def cuda() -> bool:
    """Whether torch finds a CUDA device; torch is not imported where there is no driver."""
    if shutil.which("nvidia-smi") is None:
        return False
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def place() -> str:
    """The kind of machine that a run of the tests vouches for."""
    return "GPU" if cuda() else "CPU"


def clocks() -> str:
    """The policy that set the processor's clock while measuring."""
    governor = CPU_FREQUENCY / "scaling_governor"
    return f"governor {governor.read_text(encoding='utf-8').strip()}" if governor.is_file() else "not controlled"


def last_level_cache() -> int:
    """Bytes of the largest cache that one core sees; 64 MiB where the machine does not tell."""
    sizes = [path.read_text(encoding="utf-8").strip() for path in CPU_CACHE.glob("index*/size")]
    known = [re.fullmatch(r"(\d+)([KMG]?)", size) for size in sizes]
    return max((int(m[1]) * CACHE_UNITS[m[2]] for m in known if m), default=64 * 2**20)


def fp32_bound() -> tuple[float, str] | None:
    r"""FLOP/s that no core of this machine can exceed in fp32, and why; None for an unknown instruction set.

    $$P \le 2 \cdot 2 \cdot \frac{w}{32} \cdot f$$

    Two pipes of $w$-bit fused multiply-adds a cycle, 2 FLOPs each in $w/32$ lanes, at the highest clock $f$.
    """
    flags = _cpuinfo("flags").split()
    width = 512 if "avx512f" in flags else 256 if {"avx2", "fma"} <= set(flags) else None
    if width is None:
        return None
    told = CPU_FREQUENCY / "cpuinfo_max_freq"  # kHz
    clock, source = ASSUMED_CLOCK, " (assumed)"
    if told.is_file():
        clock, source = int(told.read_text(encoding="utf-8")) * 1e3, ""
    return 4 * (
        width // 32
    ) * clock, f"two {width}-bit fused multiply-adds a cycle at no more than {clock / 1e9:g} GHz{source}"


def version(package: str) -> str | None:
    """Version of an installed package; None if it is not."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def commit(root: Path) -> str | None:
    """The commit that is checked out, with "+" if the tree differs from it; None where there is no commit."""

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
        except FileNotFoundError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    head = git("rev-parse", "--short=12", "HEAD")
    return head + ("+" if git("status", "--porcelain") else "") if head else None
