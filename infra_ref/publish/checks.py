"""All checks of the source of pages, by name; each takes the project's root and, where it can, one lecture's slug."""

from collections.abc import Callable
from pathlib import Path

from . import ROOT, formula, lint, literals, lock, oracles, parity
from .pages import Problem

CHECKS: dict[str, Callable[[Path, str], list[Problem]]] = {
    "structure": lint.structure,
    "includes": lint.includes,
    "unshown files": lambda root, slug: [] if slug else lint.unshown(root),
    "links": lint.links,
    "literals": literals.problems,
    "literals in pictures and definitions": literals.elsewhere,
    "figures": oracles.figure_problems,
    "oracles": oracles.name_problems,
    "inputs": oracles.given_problems,
    "formulas": formula.problems,
    "parity": parity.problems,
    "lock": lock.problems,
    "Chinese typography": lint.chinese,
    "forbidden words": lint.forbidden,
    "number formats": lint.number_formats,
}


def run(root: Path = ROOT, slug: str = "") -> dict[str, list[Problem]]:
    """The problems that each check finds."""
    return {name: check(root, slug) for name, check in CHECKS.items()}
