"""pytest plugin of the project: pages are tests, skips have reasons, and each run leaves its trace in the report.

`pytest --codeblocks docs` runs the pages. Loaded by `-p` in pyproject.toml, so that it sees tests and pages alike.
"""

import datetime
import os
import platform
import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from ..bench import machine
from . import report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The browser that the browser tests drive: CHROMIUM, or the first known name on the path."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Pages of the course become ours; other Markdown files stay with pytest-codeblocks."""
    nodes = yield
    if not (parent.config.getoption("codeblocks", False) and file_path.suffix == ".md"):
        return nodes
    from .execute import Page, is_page

    if is_page(file_path, parent.config.rootpath):
        nodes = [Page.from_parent(parent, path=file_path)]
    return nodes


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # workers send their test reports to the process that writes
        config.pluginmanager.register(Recorder(config.rootpath), "infra_ref_recorder")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not machine.cuda():
        pytest.skip("needs a CUDA device")
    if item.get_closest_marker("browser") and chromium() is None:
        pytest.skip("needs Chromium")


class Recorder:
    """Gathers what tests report and writes it once, at the end of the run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.found: dict[str, dict[str, report.Fields]] = {}
        self.phases: dict[str, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.phases.setdefault(report.nodeid, []).append(report)
        if report.when == "teardown":
            self.record(self.phases.pop(report.nodeid))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped and report.nodeid.endswith(".py"):
            self.note("test", report.nodeid, {"state": "skipped", "reason": reason_of(report.longrepr)})

    def record(self, phases: list[pytest.TestReport]) -> None:
        """Take in one test: its own outcome, and the entries it added."""
        last = phases[-1]
        skips = [phase for phase in phases if phase.skipped]
        fields: report.Fields = {"state": "passed", "seconds": sum(phase.duration for phase in phases)}
        if any(phase.failed for phase in phases):
            fields["state"] = "failed"
        elif skips:
            reason = getattr(skips[0], "wasxfail", None) or reason_of(skips[0].longrepr)
            fields |= {"state": "skipped", "reason": reason}
        key = last.nodeid.split("[")[0]
        is_block = report.source(key).endswith(".md")
        if not is_block:
            self.note("test", key, fields)
        elif fields["state"] == "skipped":
            self.note("page", report.source(key), fields | {"state": "never", "blocks": 1})
        for name, entry in last.user_properties:
            if name == report.PROPERTY and isinstance(entry, dict):
                own = {k: v for k, v in entry.items() if k not in ("kind", "key")}
                state = fields["state"] if fields["state"] == "failed" else own.get("state", fields["state"])
                self.note(entry["kind"], entry["key"], own | {"state": state})

    def note(self, kind: str, key: str, fields: report.Fields) -> None:
        fields = {"sha256": report.digest(key, self.root)} | fields
        keys = self.found.setdefault(kind, {})
        keys[key] = report.combine(keys[key], fields) if key in keys else fields

    def pytest_sessionfinish(self) -> None:
        if not self.found:
            return
        circumstances = {
            "date": datetime.date.today().isoformat(), "commit": machine.commit(self.root),
            "python": platform.python_version(), "torch": machine.version("torch"),
        }  # fmt: skip
        for keys in self.found.values():
            for fields in keys.values():
                fields |= circumstances
                if "seconds" in fields:
                    fields["seconds"] = round(fields["seconds"], 3)
        report.merge(self.found, machine.place(), self.root)


def reason_of(longrepr: object) -> str:
    """The reason in a skipped test's report."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return str(text).removeprefix("Skipped").removeprefix(": ")
