"""Snippets run alone: each as `__main__` in a process of its own, forked from one that has imported torch.

Importing torch takes longer than most snippets, so one server process a variant imports it once and forks for each
snippet. The variants differ in what a published output may not depend on: the instructions that torch chooses, the
number of threads, and the order of sets of strings.

Pure Python has no such instructions and threads, so a snippet that names neither torch nor NumPy runs in two variants.

Run as a module this file is the server: a path a line on standard input, a JSON object a line on standard output.
"""

import contextlib
import json
import multiprocessing
import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from . import ROOT

SECONDS = 60.0
Results = dict[str, int | float | str | dict[str, Any]]


@dataclass(frozen=True)
class Variant:
    """What differs between two servers."""

    capability: str
    threads: int
    hash_seed: int

    @property
    def name(self) -> str:
        return f"ATEN_CPU_CAPABILITY={self.capability}, threads={self.threads}"

    @property
    def environment(self) -> dict[str, str]:
        threads = str(self.threads)
        return {
            "ATEN_CPU_CAPABILITY": self.capability, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads, "PYTHONHASHSEED": str(self.hash_seed), "PYTHONUTF8": "1",
            "OMP_WAIT_POLICY": "PASSIVE", "KMP_BLOCKTIME": "0",  # idle threads leave the cores to the other variants
        }  # fmt: skip


VARIANTS = tuple(
    Variant(capability, threads, seed)
    for seed, (capability, threads) in enumerate((c, t) for c in ("default", "avx2") for t in (1, 2))
)


@dataclass(frozen=True)
class Run:
    """What a snippet did: standard output, its `results` if it has any, and what went wrong if something did."""

    stdout: str
    results: Results | None
    error: str
    seconds: float


Runner = Callable[[Path], dict[Variant, Run]]


class ResultsError(ValueError):
    """`results` holds what a page cannot read."""


def encode(results: object) -> Results:
    """`results` as JSON keeps it: pairs of a value and a unit become {"value": …, "unit": …}.

    Raises:
        ResultsError: not a dict of int, finite float, str and (value, "unit") pairs under names.
    """

    def number(value: object) -> bool:
        return type(value) is int or (type(value) is float and abs(value) < float("inf"))

    if not isinstance(results, dict) or not results:
        raise ResultsError(f"results must be a dict with entries, not {results!r}")
    out: Results = {}
    for name, value in results.items():
        if not (isinstance(name, str) and name.isidentifier()):
            raise ResultsError(f"results[{name!r}]: a name must be an identifier")
        if number(value) or type(value) is str:
            out[name] = value
        elif isinstance(value, tuple) and len(value) == 2 and number(value[0]) and type(value[1]) is str:
            out[name] = {"value": value[0], "unit": value[1]}
        else:
            raise ResultsError(f'results[{name!r}]: {value!r} is no int, finite float, str or (value, "unit") pair')
    return out


class Server:
    """A process that has imported torch and runs snippets one after another; close it, or use it as a context."""

    def __init__(self, variant: Variant, seconds: float = SECONDS) -> None:
        self.variant = variant
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8", cwd=ROOT, env={**os.environ, **variant.environment}, start_new_session=True,
        )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, path: Path) -> None:
        """Ask for a run; `receive` waits for it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path.resolve()}\n")
        self._process.stdin.flush()

    def receive(self) -> Run:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server of {self.variant.name} ended (exit {self._process.wait()})")
        return Run(**json.loads(line))

    def run(self, path: Path) -> Run:
        self.send(path)
        return self.receive()

    def close(self) -> None:
        """End the process and whatever is left of what it started."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            kill_group(self._process.pid)
            self._process.stdout.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


@contextlib.contextmanager
def servers() -> Iterator[Runner]:
    """A function that runs a snippet in every variant that could matter to it, all at once."""
    with contextlib.ExitStack() as stack:
        running = [stack.enter_context(Server(variant)) for variant in VARIANTS]

        def run(path: Path) -> dict[Variant, Run]:
            native = re.search(r"\b(?:torch|numpy)\b", path.read_text(encoding="utf-8"))
            chosen = running if native else [running[0], running[-1]]
            for server in chosen:
                server.send(path)
            return {server.variant: server.receive() for server in chosen}

        yield run


def kill_group(leader: int) -> None:
    """End what is left of the process group that a process has led."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _snippet(path: str, out: IO[str], err: IO[str], answer: IO[str]) -> None:
    """In the forked process: run the snippet as `python path` would, from a folder that holds nothing."""
    os.setsid()
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    sys.argv = [path]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        module = runpy.run_path(path, run_name="__main__")
        sys.stdout.flush()
    if "results" in module:
        json.dump(encode(module["results"]), answer)
    answer.flush()


def _fork(path: str, seconds: float) -> Run:
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8")) for _ in range(3)]
        child = multiprocessing.get_context("fork").Process(target=_snippet, args=(path, *files))
        start = time.perf_counter()
        child.start()
        assert child.pid is not None
        child.join(seconds)
        late = child.is_alive()
        kill_group(child.pid)
        child.join()
        duration = time.perf_counter() - start
        for file in files:
            file.seek(0)
        stdout, stderr, answer = (file.read() for file in files)
    error = (
        f"still running after {seconds:g} s" if late else f"exit {child.exitcode}\n{stderr}" if child.exitcode else ""
    )
    return Run(stdout, json.loads(answer) if answer and not error else None, error, duration)


def serve(seconds: float) -> None:
    """Answer until standard input ends."""
    with contextlib.suppress(ImportError):
        import torch  # noqa: F401
    for line in sys.stdin:
        sys.stdout.write(json.dumps(asdict(_fork(line.rstrip("\n"), seconds))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(float(sys.argv[1]))
    os._exit(0)  # nothing is left to do, and torch takes its time to unload
