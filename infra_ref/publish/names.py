"""The names that a page may use in a figure or a formula's check, and what they refer to."""

import ast
import functools
import importlib
import json
import math
import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..units import Q
from . import ROOT

MODULES = {
    "algebra": "infra_ref.tensor.algebra",
    "block_scale": "infra_ref.numerics.block_scale",
    "clipping": "infra_ref.numerics.clipping",
    "conditioning": "infra_ref.numerics.conditioning",
    "formats": "infra_ref.numerics.formats",
    "gemm": "infra_ref.ledger.gemm",
    "gradients": "infra_ref.numerics.gradients",
    "hardware": "infra_ref.hardware",
    "layout": "infra_ref.tensor.layout",
    "linear": "infra_ref.ledger.linear",
    "loss_scaling": "infra_ref.numerics.loss_scaling",
    "normalisation": "infra_ref.numerics.normalisation",
    "optimizer": "infra_ref.ledger.optimizer",
    "probability": "infra_ref.numerics.probability",
    "roofline": "infra_ref.ledger.roofline",
    "rowwise": "infra_ref.ledger.rowwise",
    "sampling": "infra_ref.numerics.sampling",
    "softmax": "infra_ref.numerics.softmax",
    "statistics": "infra_ref.numerics.statistics",
    "summation": "infra_ref.numerics.summation",
    "updates": "infra_ref.numerics.updates",
}
RECORDED = ("run", "records")
HELPERS = {
    "Q": Q, "math": math, "Fraction": Fraction, "abs": abs, "float": float, "int": int, "len": len,
    "max": max, "min": min, "range": range, "round": round, "sum": sum,
}  # fmt: skip
RUN = re.compile(r"\brun\.([a-z0-9-]+)(?=\.)")


class UnknownName(ValueError):
    """An expression reads a name that pages do not have."""


class Lookup:
    """Attribute access over a mapping, with an error that lists what there is."""

    def __init__(self, what: str, values: dict[str, Any]) -> None:
        self._what, self._values = what, values

    def __getattr__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        raise UnknownName(f"{self._what} has no {name!r}; it has {', '.join(sorted(self._values)) or 'nothing'}")


class Runs:
    """`run.<slug>.<snippet>.<name>`: what a snippet's last checked run put into its `results`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __getattr__(self, slug: str) -> "_Lecture":
        return _Lecture(self._root / "snippets" / slug.replace("_", "-"))


class _Lecture:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getattr__(self, snippet: str) -> Lookup:
        path = self._folder / f"{snippet}.json"
        if not path.is_file():
            raise UnknownName(f"no recorded run {path.relative_to(self._folder.parents[1])}")
        data = json.loads(path.read_text(encoding="utf-8"))
        values = {k: Q(v["value"], v["unit"]) if isinstance(v, dict) else v for k, v in data.items()}
        return Lookup(path.name, values)


def given_values(slug: str, page: str, root: Path = ROOT) -> dict[str, Any]:
    """Inputs of one page: the top level of `snippets/<slug>/given.toml` and the page's own table in it."""
    path = root / "snippets" / slug / "given.toml"
    if not slug or not path.is_file():
        return {}
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    shared = {k: v for k, v in data.items() if not isinstance(v, dict)}
    own: dict[str, Any] = data.get(page, {})
    return shared | own


@functools.cache
def _modules() -> dict[str, Any]:
    return {name: importlib.import_module(path) for name, path in MODULES.items()}


def namespace(slug: str = "", page: str = "", root: Path = ROOT) -> dict[str, Any]:
    """Everything an expression on this page may read."""
    from ..bench.records import Records

    given = Lookup(f"given.toml of {slug}/{page}", given_values(slug, page, root))
    return {**_modules(), **HELPERS, "run": Runs(root), "records": Records(root), "given": given}


def normalise(expression: str) -> str:
    """Make Python of the spelling on pages: a slug's hyphens after `run.` become underscores."""
    return RUN.sub(lambda m: "run." + m[1].replace("-", "_"), expression.strip())


def evaluate(expression: str, names: dict[str, Any]) -> Any:
    """The value of an expression that may read `names` and nothing else.

    Raises:
        UnknownName: a name that pages do not have.
        ValueError: not an expression, or a name that starts with an underscore.
    """
    try:
        tree = ast.parse(normalise(expression), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"not an expression: {expression!r} ({error.msg})") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            raise ValueError(f"private name {node.attr!r} in {expression!r}")
    try:
        return eval(compile(tree, "<page>", "eval"), {"__builtins__": {}, **names})
    except NameError as error:
        raise UnknownName(f"unknown name in {expression!r}: {error}") from None
    except AttributeError as error:
        raise UnknownName(f"unknown name in {expression!r}: {error}") from None


def chains(expression: str) -> list[str]:
    """Dotted chains that an expression reads, outermost first: `gemm.flops(m=given.m).x` gives gemm.flops, given.m."""
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        parts: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            found.append(".".join([inner.id, *reversed(parts)]))
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(normalise(expression), mode="eval"))
    return found


def published(expression: str) -> list[str]:
    """The chains that read this package or a record of it: what makes an expression more than a bare literal."""
    return [c for c in chains(expression) if c.split(".")[0] in (*MODULES, *RECORDED)]


def reference(expression: str) -> str:
    """Place in the function reference of what an expression reads first: `gemm.flops(…)` gives ledger/#gemm-flops."""
    for chain in chains(expression):
        head, *rest = chain.split(".")
        if head in MODULES and rest:
            page = MODULES[head].split(".")[1]
            return f"{page}/#{head}-{rest[0]}".replace("_", "-")
    return ""
