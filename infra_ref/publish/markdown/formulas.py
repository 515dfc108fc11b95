"""Display formulas: a `math` fence that says how its formula is held true."""

import html
from typing import Any

from markdown import Markdown

from .. import names
from . import katex
from .context import PageContext

TAGS = ("check", "test", "cite")
TICK = (
    '<svg viewBox="0 0 16 16" aria-hidden="true">'
    '<path d="M3 8.5l3.2 3.2L13 4.8" fill="none" stroke="currentColor" stroke-width="2"/></svg>'
)


def validate(
    language: str, inputs: dict[str, str], options: dict[str, Any], attrs: dict[str, Any], md: Markdown
) -> bool:
    """Accept every attribute: `render` knows the page and can say what is wrong."""
    options.update(inputs)
    return True


def render(source: str, language: str, class_name: str, options: dict[str, Any], md: Markdown, **kwargs: Any) -> str:
    """The formula as HTML and MathML, with a mark that opens what holds it."""
    page: PageContext = md.infra_ref  # type: ignore[attr-defined]
    tags = {k: v for k, v in options.items() if k in TAGS}
    if len(tags) != 1 or set(options) - {*tags, "where"}:
        page.problem(f"a formula needs exactly one of check=, test=, cite=: {source!r}", page.line_of(source))
        return ""
    kind, how = next(iter(tags.items()))
    page.count[f"formula_{kind}"] += 1
    try:
        body = katex.render(source, True)
    except katex.FormulaError as error:
        page.problem(f"{source!r}: {error}", page.line_of(source))
        return ""
    ref = ""
    if kind == "check":
        try:
            ref = names.reference(how)
        except SyntaxError:
            page.problem(f"check={how!r} is not an expression", page.line_of(source))
    mark = (
        f'<span class="ir-tick ir-tick--{kind}" role="button" tabindex="0" aria-haspopup="dialog" '
        f'aria-expanded="false" aria-label="{page.text[kind]}" data-kind="{kind}" '
        f'data-how="{html.escape(how, quote=True)}" data-ref="{ref}">'
        f"{'§' if kind == 'cite' else TICK}</span>"
    )
    return f'<div class="ir-math" data-search-exclude><div class="ir-math__body">{body}</div>{mark}</div>'
