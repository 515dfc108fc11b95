"""A project folder with nothing in it but what a test writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[dict[str, str]], Path]


@pytest.fixture
def site(tmp_path: Path) -> Write:
    """A function that writes files, by their path below a new root, and returns the root."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write
