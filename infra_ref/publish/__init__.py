"""Everything that turns checked values into pages, and pages into checks."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "zh")
