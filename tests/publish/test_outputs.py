"""Snippets run alone, and what is recorded beside them."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from infra_ref.publish import alone, outputs
from infra_ref.publish.alone import VARIANTS, Run, Runner
from infra_ref.units import UnitError

Write = Callable[[dict[str, str]], Path]


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    with alone.servers() as function:
        yield function


def script(tmp_path: Path, code: str) -> Path:
    path = tmp_path / "a.py"
    path.write_text(code, encoding="utf-8")
    return path


def only(runs: dict[alone.Variant, Run]) -> Run:
    """The run of every variant, which must agree in all but time."""
    first = next(iter(runs.values()))
    assert set(runs) == {VARIANTS[0], VARIANTS[-1]}  # no torch in it
    assert {(r.stdout, repr(r.results), r.error) for r in runs.values()} == {
        (first.stdout, repr(first.results), first.error)
    }
    return first


def test_a_snippet_runs_as_the_main_program_anywhere(run: Runner, tmp_path: Path) -> None:
    code = "import os, sys\nprint(__name__, os.listdir(), sys.argv == [__file__], '词元')\n"
    code += "results = {'n': 2, 't': (0.5, 'ms')}"
    done = only(run(script(tmp_path, code)))
    assert (done.stdout, done.error) == ("__main__ [] True 词元\n", "")
    assert done.results == {"n": 2, "t": {"value": 0.5, "unit": "ms"}}


def test_output_of_other_programs_counts(run: Runner, tmp_path: Path) -> None:
    done = only(run(script(tmp_path, "import os\nos.write(1, b'raw ')\nos.system('echo child')")))
    assert done.stdout == "raw child\n"


def test_without_results_there_are_none(run: Runner, tmp_path: Path) -> None:
    assert only(run(script(tmp_path, "print(1)"))).results is None


@pytest.mark.parametrize(
    "code", ["assert 2 == 3, 'hidden check'", "raise SystemExit(3)", "import os; os._exit(3)", "1 +"]
)
def test_a_failure_has_an_error_and_no_results(run: Runner, tmp_path: Path, code: str) -> None:
    runs = run(script(tmp_path, "results = {'n': 1}\n" + code))
    assert all(r.results is None and r.error for r in runs.values())
    assert len(outputs.faults(tmp_path / "a.py", runs)) == 2


def test_the_error_tells_what_happened(run: Runner, tmp_path: Path) -> None:
    (done, *_) = run(script(tmp_path, "assert 2 == 3, 'hidden check'")).values()
    assert "AssertionError: hidden check" in done.error


def test_leaving_by_exit_zero_is_no_failure_but_gives_no_results(run: Runner, tmp_path: Path) -> None:
    done = only(run(script(tmp_path, "print(1)\nresults = {'n': 1}\nraise SystemExit(0)")))
    assert (done.stdout, done.results, done.error) == ("1\n", None, "")


@pytest.mark.parametrize(
    ("code", "variants"),
    [
        ("import torch\nprint(torch.get_num_threads())", 2),
        ("import torch\nprint(torch.backends.cpu.get_cpu_capability())", 2),
        ("print(list({'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}))", 1),
        ("import torch\nprint(list({'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}))", 3),
        ("import torch\nresults = {'threads': torch.get_num_threads()}", 2),
    ],
)
def test_what_depends_on_the_processor_is_no_output(run: Runner, tmp_path: Path, code: str, variants: int) -> None:
    path = script(tmp_path, code)
    runs = run(path)
    assert all(not r.error for r in runs.values())
    assert len(outputs.faults(path, runs)) == variants


@pytest.mark.parametrize(
    "value", [True, None, float("nan"), float("inf"), [1], (1,), (True, "B"), ("1", "B"), (1, 2), {"value": 1}]
)
def test_results_hold_what_pages_can_read(value: object) -> None:
    with pytest.raises(alone.ResultsError, match="n"):
        alone.encode({"n": value})


@pytest.mark.parametrize("results", [{}, [], {"not a name": 1}, {3: 1}])
def test_results_are_named(results: object) -> None:
    with pytest.raises(alone.ResultsError):
        alone.encode(results)


def test_a_result_has_a_unit_of_the_course(tmp_path: Path) -> None:
    with pytest.raises(UnitError, match="GBps"):
        outputs.of_run(tmp_path / "a.py", Run("", {"n": {"value": 1, "unit": "GBps"}}, "", 0))


def alive(pid: int) -> bool:
    """Whether a process runs; one that waits to be reaped by a parent that is not ours does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_what_does_not_end_is_ended_and_nothing_is_left_running(tmp_path: Path) -> None:
    with alone.Server(VARIANTS[0], seconds=0.5) as server:
        late = server.run(script(tmp_path, "while True: pass"))
        parent = server.run(script(tmp_path, "import subprocess\nprint(subprocess.Popen(['sleep', '1009']).pid)"))
        left = int(parent.stdout)
        pid = server.pid
        assert alive(pid)
    assert (late.error, parent.error) == ("still running after 0.5 s", "")
    deadline = time.monotonic() + 5
    while (alive(pid) or alive(left)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(pid)
    assert not alive(left)


DRAW = """
from infra_ref.publish.svg import Canvas

def draw_line(lang, width):
    canvas = Canvas(width, 53, {"en": "A line", "zh": "一条线"}[lang], lang)
    canvas.line(0, 0, width, 53, "ink edge")
    return canvas

DRAWINGS = {"line": draw_line}
EXPLORERS = {"tile": lambda: {"rows": [{"edge": 7}], "marks": {}}}
"""
DRAWN = {f"line.{lang}.{width}.svg" for lang in ("en", "zh") for width in ("wide", "narrow")} | {"tile.json"}


def test_a_script_draws_every_language_and_width(site: Write) -> None:
    root = site({"snippets/s/draw_p.py": DRAW})
    files = {path.name: text for path, text in outputs.of_script(root / "snippets/s/draw_p.py").items()}
    assert files.keys() == DRAWN
    assert 'width="342"' in files["line.zh.narrow.svg"]
    assert 'aria-label="一条线"' in files["line.zh.narrow.svg"]
    assert json.loads(files["tile.json"]) == {"rows": [{"edge": 7}], "marks": {}}


def test_a_script_that_draws_nothing_is_an_error(site: Write) -> None:
    root = site({"snippets/s/draw_p.py": "x = 1\n"})
    with pytest.raises(outputs.DrawingError, match=r"draw_p\.py has neither DRAWINGS nor EXPLORERS"):
        outputs.of_script(root / "snippets/s/draw_p.py")


def fake(stdout: str = "", results: alone.Results | None = None, error: str = "") -> Runner:
    return lambda path: dict.fromkeys(VARIANTS, Run(stdout, results, error, 0.0))


def test_rewriting_makes_tests_pass_and_a_second_time_writes_nothing(site: Write) -> None:
    root = site({"snippets/s/a.py": "", "snippets/s/draw_p.py": DRAW, "snippets/s/a.json": "{}"})
    written = list(outputs.rewrite(fake("1\n"), root))
    assert set(written) == {
        "wrote snippets/s/a.out", "removed snippets/s/a.json", *(f"wrote snippets/s/{name}" for name in DRAWN)
    }  # fmt: skip
    assert list(outputs.rewrite(fake("1\n"), root)) == []
    path = root / "snippets/s/a.py"
    assert outputs.differences(outputs.of_run(path, Run("1\n", None, "", 0)), outputs.recorded(path)) == []
    assert outputs.differences(outputs.of_script(root / "snippets/s/draw_p.py")) == []
    assert outputs.orphans(root) == []


def test_rewriting_one_lecture_leaves_the_others(site: Write) -> None:
    root = site({"snippets/s/a.py": "", "snippets/t/b.py": "", "snippets/t/draw_q.py": DRAW})
    assert list(outputs.rewrite(fake("1\n"), root, slug="s")) == ["wrote snippets/s/a.out"]


def test_a_failed_run_writes_nothing(site: Write) -> None:
    root = site({"snippets/s/a.py": "", "snippets/s/a.out": "old\n"})
    (line, *_) = outputs.rewrite(fake("new\n", error="exit 1"), root)
    assert line.startswith("not written: a.py: ATEN_CPU_CAPABILITY=default, threads=1: exit 1")
    assert (root / "snippets/s/a.out").read_text() == "old\n"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "a.out is missing"),
        ({"a.out": "41\n", "a.json": '{\n "n": 7\n}\n'}, "a.out holds\n41\nbut should hold\n42\n"),
        ({"a.out": "42\n", "a.json": '{\n "n": 8\n}\n'}, 'a.json holds\n{\n "n": 8\n}\n'),
        ({"a.out": "42\n"}, "a.json is missing"),
    ],
)
def test_a_difference_is_told(site: Write, files: dict[str, str], told: str) -> None:
    root = site({"snippets/s/a.py": ""} | {f"snippets/s/{name}": text for name, text in files.items()})
    path = root / "snippets/s/a.py"
    found = outputs.differences(outputs.of_run(path, Run("42\n", {"n": 7}, "", 0)), outputs.recorded(path))
    assert any(line.startswith(told) for line in found), found


@pytest.mark.parametrize("name", ["a.out", "a.json"])
def test_recorded_output_of_a_silent_snippet_should_not_be_there(site: Write, name: str) -> None:
    root = site({"snippets/s/a.py": "", f"snippets/s/{name}": ""})
    path = root / "snippets/s/a.py"
    (line,) = outputs.differences(outputs.of_run(path, Run("", None, "", 0)), outputs.recorded(path))
    assert line.startswith(f"{name} should not be there")


@pytest.mark.parametrize("name", ["b.out", "b.json", "line.fr.wide.svg"])
def test_a_file_without_a_script_is_an_orphan(site: Write, name: str) -> None:
    root = site({"snippets/s/a.py": "", "snippets/s/draw_p.py": DRAW, f"snippets/s/{name}": ""})
    assert outputs.orphans(root) == [f"snippets/s/{name}: no script makes it"]


def test_two_scripts_cannot_make_the_same_file(site: Write) -> None:
    root = site({"snippets/s/tile.py": "", "snippets/s/draw_p.py": DRAW})
    assert outputs.orphans(root) == ["snippets/s/tile.json: made by tile.py and draw_p.py"]


def test_shown_are_the_snippets_that_some_page_includes(site: Write) -> None:
    root = site(
        {
            "docs/en/p.md": '```python\n--8<-- "snippets/s/a.py:part"\n```\n```text\n--8<-- "snippets/s/b.out"\n```\n',
            "docs/zh/p.md": '/// solution\n    --8<-- "snippets/s/c.py"\n///\n',
        }
    )
    assert outputs.shown(root) == {root / "snippets/s/a.py", root / "snippets/s/c.py"}
