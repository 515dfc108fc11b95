"""Reference pages that the program writes: functions and glossary."""

import html
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from . import names
from .markdown.context import glossary as terms

SECTION = re.compile(r"^([A-Z][a-z]+):\n", re.M)
FORMULA = re.compile(r"\$\$(.*)\$\$", re.S)
QUALIFIER = re.compile(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])")


def public(module: Any) -> Iterator[tuple[str, Any]]:
    """Public functions, classes and documented instances of a module, in the order they are written."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value) or inspect.isclass(value) or type(value).__module__ == module.__name__:
            yield name, value


def api(alias: str, formula: Callable[[str], str]) -> list[str]:
    """Markdown blocks that document the module which pages call `alias`.

    Args:
        formula: turns the LaTeX of a display formula into a block.
    Raises:
        KeyError: pages have no module of that name.
    """
    module = importlib.import_module(names.MODULES[alias])
    blocks = [f"## {alias} {{ #{anchor(alias)} }}", summary(module)]
    for name, value in public(module):
        blocks.append(f"### `{alias}.{name}` {{ #{anchor(alias, name)} }}")
        if inspect.isfunction(value):
            blocks.append(f"`{name}{signature(value)}`")
        elif not inspect.isclass(value):
            blocks.append(f"`{value!r}`")  # its class has its own entry
            continue
        blocks.extend(docstring(value, formula))
    return blocks


def signature(function: Any) -> str:
    """Parameters and result, types without the modules they come from."""
    return QUALIFIER.sub("", str(inspect.signature(function)))


def anchor(alias: str, name: str = "") -> str:
    return "-".join(filter(None, (alias, name))).replace("_", "-")


def summary(module: Any) -> str:
    return (inspect.getdoc(module) or "").split("\n\n")[0]


def docstring(value: Any, formula: Callable[[str], str]) -> list[str]:
    """A docstring as Markdown blocks; `Args:` and the other sections become a definition list."""
    text, *sections = SECTION.split(inspect.getdoc(value) or "")
    blocks = []
    for part in text.strip().split("\n\n"):
        display = FORMULA.fullmatch(part)
        blocks.append(formula(display[1]) if display else part)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        items = [" ".join(item) for item in entries(body.splitlines())]
        if title == "Shapes":
            items = [f"`{item.rstrip('.')}`" for item in items]
        items = [re.sub(r"^([a-z_]+):", r"`\1`:", item) for item in items]
        blocks.append("\n".join([title, *(f":   {item}" for item in items)]))
    return blocks


def entries(lines: list[str]) -> list[list[str]]:
    """Group the lines of a section: a deeper line belongs to the entry above it."""
    out: list[list[str]] = []
    for line in lines:
        if line.startswith("     ") and out:
            out[-1].append(line.strip())
        else:
            out.append([line.strip()])
    return out


def glossary(lang: str) -> str:
    """All terms as a definition list, each with its word in the other language."""
    other = "zh" if lang == "en" else "en"
    esc = html.escape
    rows = []
    for key, term in sorted(terms().items(), key=lambda item: str(item[1][lang]).lower()):
        shown = term["in_text"] if lang == "zh" else term["en"]
        rows.append(
            f'<dt id="{key}">{esc(shown)} <span lang="{other}">{esc(term[other])}</span></dt>'
            f"<dd>{esc(term[f'def_{lang}'])}</dd>"
        )
    return f"<dl>{''.join(rows)}</dl>"
