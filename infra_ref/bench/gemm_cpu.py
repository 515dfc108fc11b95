"""Square fp32 matrix products with torch on one thread of the processor."""

from ..ledger import gemm
from ..units import Q
from . import machine
from .measure import copies, measure, record
from .records import Record

EDGES = (32, 64, 128, 256, 512, 1024, 2048)
RUNS = 31
UNIT = "GFLOP/s"


def run(edges: tuple[int, ...] = EDGES, name: str = "gemm_cpu") -> Record:
    """Measure $C = A B$ for each edge and write the record.

    A result counts as right if it differs from the float64 product by at most $n u\\,|A||B|$, $u = 2^{-24}$: to first
    order, what any order of rounded additions of $n$ terms may be off by.
    """
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    known = machine.fp32_bound()
    bound, basis = (Q(known[0], "FLOP/s"), known[1]) if known else (None, None)
    rows = []
    try:
        for n in edges:

            def make(n: int = n) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
                a, b = torch.randn(2, n, n, generator=generator)
                return a, b, torch.empty(n, n)

            arguments = copies(make, nbytes=3 * n * n * 4)
            a, b, _ = arguments[0]

            def check(c: torch.Tensor, a: torch.Tensor = a, b: torch.Tensor = b) -> None:
                allowed = a.shape[0] * 2.0**-24 * (a.double().abs() @ b.double().abs())
                if not bool(((c.double() - a.double() @ b.double()).abs() <= allowed).all()):
                    raise ArithmeticError(f"wrong product at n = {a.shape[0]}")

            rows.append(
                measure(
                    lambda a, b, c: torch.mm(a, b, out=c),
                    work=gemm.flops(m=n, n=n, k=n),
                    unit=UNIT,
                    check=check,
                    sizes={"n": n},
                    arguments=arguments,
                    bound=bound,
                    runs=RUNS,
                )
            )
    finally:
        torch.set_num_threads(threads)
    return record(
        name, what="C = A B, fp32, square, torch.mm", unit=UNIT, rows=rows, threads=1, runs=RUNS, packages=["torch"],
        basis=basis,
    )  # fmt: skip
