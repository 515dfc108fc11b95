"""The runner sees every Python block that readers see; the blocks themselves are run by `pytest --codeblocks docs`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from infra_ref.publish import LANGUAGES, ROOT, execute

PAGES = sorted(
    set.intersection(
        *(
            {path.relative_to(ROOT / "docs" / lang) for path in (ROOT / "docs" / lang).rglob("*.md")}
            for lang in LANGUAGES
        )
    )
)  # a page that is missing in one language is the parity check's to tell


def test_each_block_is_collected_once() -> None:
    command = [sys.executable, "-m", "pytest", "--codeblocks", "--collect-only", "-q", "-p", "no:cacheprovider", "docs"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    collected = re.findall(r"^(docs/\S+\.md)::", done.stdout, re.M)
    pages = [path for lang in LANGUAGES for path in sorted((ROOT / "docs" / lang).rglob("*.md"))]
    expected = {p.relative_to(ROOT).as_posix(): len(execute.blocks(p, ROOT)) for p in pages}
    assert {page: collected.count(page) for page in expected} == expected, done.stdout + done.stderr


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_both_languages_show_the_same_blocks(page: Path) -> None:
    en, zh = (
        [(block.code, block.expected_output) for block in execute.blocks(ROOT / "docs" / lang / page, ROOT)]
        for lang in LANGUAGES
    )
    assert en == zh
