"""What stands around the package: the commands, the locks, the workflows."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.M)


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | environment)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def test_a_taken_port_gets_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run(sys.executable, "scripts/serve.py", "--free", str(port))
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr == f"Port {port} cannot be used (Address already in use); try another: make site PORT={port + 1}\n"
    )


@pytest.mark.parametrize("port", ["0", "65536", "eighty", "-1", "٣"])
def test_a_port_is_a_number(port: str) -> None:
    done = run(sys.executable, "scripts/serve.py", "--free", port)
    assert done.returncode == 2
    assert done.stderr.startswith("PORT must be a number from 1 to 65535, not ")


def test_the_site_is_served_until_interrupted(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("found")
    server = shutil.copy(ROOT / "scripts" / "serve.py", tmp_path / "scripts")
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, server, str(port)], stdout=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == f"The site is at http://127.0.0.1:{port}/ until you press Ctrl-C.\n"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            assert answer.read() == b"found"
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
    assert process.returncode == 0


def test_a_part_prints_its_seconds_and_a_failing_one_a_sentence() -> None:
    start = time.monotonic()
    good = run("scripts/part", "a nap", "sleep", "1")
    assert good.returncode == 0
    assert re.fullmatch(r"\n== a nap\n== a nap: \d+ s\n", good.stdout)
    assert abs(int(good.stdout.split()[-2]) - (time.monotonic() - start)) <= 1
    bad = run("scripts/part", "lint", "sh", "-c", "exit 3")
    assert bad.returncode == 3
    assert 'make test stopped: the part "lint" failed after 0 s, and no later part was run.' in bad.stderr


def test_without_chromium_the_command_that_installs_it_is_told(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    assert bash is not None
    done = run(bash, "scripts/need_chromium", PATH=str(tmp_path), CHROMIUM="")
    assert done.returncode == 1
    assert "apt-get install chromium fonts-noto-cjk" in done.stderr
    (tmp_path / "chromium").symlink_to(bash)
    assert run(bash, "scripts/need_chromium", PATH=str(tmp_path), CHROMIUM="").returncode == 0


def test_an_old_python_gets_a_sentence(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = run("make", "build", f"VENV={tmp_path / 'venv'}", f"PYTHON={old}")
    assert done.returncode != 0
    assert "Python 3.11.5 or newer is needed" in done.stderr
    assert not (tmp_path / "venv").exists()


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github/workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_call_only_make(workflow: Path) -> None:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert commands
    assert all(re.fullmatch(r"make [a-z]+", command.strip()) for command in commands)
    made = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert {command.split()[1] for command in commands} <= made


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_pin_has_its_hash_and_no_host(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.M)[1:]
    assert all(PIN.match(block) and "--hash=sha256:" in block for block in blocks)
    assert "://" not in text
    assert "+" not in "".join(version for _, version in PIN.findall(text))
    assert "torch" not in dict(PIN.findall(text))


def test_locks_agree_with_each_other_and_with_what_is_asked_for() -> None:
    pins = {path.stem: dict(PIN.findall(path.read_text(encoding="utf-8"))) for path in LOCKS}
    assert pins.keys() == {"site", "test", "node"}
    assert pins["site"].items() <= pins["test"].items()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in pins:
        asked = project["dependencies"] + project["optional-dependencies"][extra]
        names = {re.split(r"[=<>\[ ]", item)[0].lower().replace("_", "-"): item for item in asked}
        names.pop("infra-ref", None)
        assert names.keys() <= pins[extra].keys()
        exact = {name: item.split("==")[1] for name, item in names.items() if "==" in item and "*" not in item}
        assert exact.items() <= pins[extra].items()


def test_the_npm_lock_names_no_registry() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    assert all("resolved" not in package for package in lock["packages"].values())
    assert all("integrity" in package for name, package in lock["packages"].items() if name)
