"""Every snippet runs alone and prints on every kind of processor what is recorded beside it; drawings are as drawn."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra_ref.publish import ROOT, outputs, report
from infra_ref.publish.alone import Runner, servers


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    with servers() as function:
        yield function


@pytest.mark.parametrize("path", outputs.snippets(), ids=name)
def test_snippet(path: Path, run: Runner, request: pytest.FixtureRequest) -> None:
    runs = run(path)
    first = next(iter(runs.values()))
    seconds = max(r.seconds for r in runs.values())
    report.add(request.node, "snippet", name(path), state="executed", seconds=seconds)
    assert outputs.faults(path, runs) == []
    assert outputs.differences(outputs.of_run(path, first), outputs.recorded(path)) == []


@pytest.mark.parametrize("path", outputs.snippets(), ids=name)
def test_a_page_shows_the_snippet(path: Path) -> None:
    assert path in outputs.shown(), f"no page includes {name(path)}"


@pytest.mark.parametrize("script", outputs.drawing_scripts(), ids=name)
def test_drawing(script: Path) -> None:
    assert outputs.differences(outputs.of_script(script)) == []


def test_every_recorded_file_has_its_script() -> None:
    assert outputs.orphans() == []
