"""The course's Markdown: figures, terms, formulas, predictions, solutions, self-checks, charts.

    [65,504]{=formats.fp16.max}      a number and the expression that must give it
    [ridge point]{~ridge-point}      a glossary term
    {?gemm_ladder}  {@gemm_cpu}      not measured yet / measured, with the record
    ```math check="…"                a display formula; or test="…", cite="…"
    /// predict | question           and outcomes, questions, mistakes, solution, selfcheck, stack, chart, explore,
                                     coursemap, api, report, glossary

Markdown extensions only, no MkDocs hook: a page evaluates and counts itself as it is converted.
"""

from typing import Any

from markdown import Markdown
from markdown.extensions import Extension

from . import inline
from .blocks import CourseBlocks
from .context import PageContext
from .tree import Begin, Finish, Tree


class CourseExtension(Extension):
    """Options: `lang`, the language of the pages."""

    def __init__(self, **options: Any) -> None:
        self.config = {"lang": ["en", "language of the pages"]}
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        page = PageContext(self.getConfig("lang"))
        md.infra_ref = page  # type: ignore[attr-defined]
        CourseBlocks().extendMarkdown(md)
        md.preprocessors.register(Begin(md, page), "ir-begin", 35)  # snippets are included at 32
        inline.register(md, page)
        md.treeprocessors.register(Tree(md, page), "ir-tree", 4)  # after inline patterns (20) and ids (8)
        md.postprocessors.register(Finish(md, page), "ir-finish", 1)


def makeExtension(**options: Any) -> CourseExtension:
    """Entry point of Python-Markdown."""
    return CourseExtension(**options)
