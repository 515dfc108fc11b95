"""`make bench` and the last part of `make gpu`: run the benchmarks of a device and write their records."""

import sys
from collections.abc import Callable

from . import gemm_cpu
from .records import Record

BENCHMARKS: dict[str, list[Callable[[], Record]]] = {"cpu": [gemm_cpu.run], "gpu": []}


def main() -> int:
    """Optional argument: the device, `cpu` unless given."""
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    if device not in BENCHMARKS:
        print(f"unknown device {device!r}; accepted: {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    for benchmark in BENCHMARKS[device]:
        made = benchmark()
        print(f"{made.what}: {made.device}, {made.threads} thread, load {made.load}")
        for row in made.rows:
            sizes = ", ".join(f"{name} = {n}" for name, n in row.sizes.items())
            print(f"  {sizes}: {row.median} {made.unit} (quartiles {row.q1} and {row.q3})")
    if not BENCHMARKS[device]:
        print(f"There is no benchmark for the {device} yet.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
