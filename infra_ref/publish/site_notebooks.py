"""MkDocs hook: the pages listed in `extra.notebooks` of mkdocs.yml also appear as notebooks.

    docs/en/lectures/slug/gemm.md   ->   en/lectures/slug/gemm/notebook/   rendered by mkdocs-jupyter with our template
                                         en/lectures/slug/gemm.ipynb       the file to download

It is a hook because a Markdown extension cannot add files to the site. mkdocs-jupyter leaves formulas to a script from
elsewhere and gives Chinese headings no anchors: here its page gets what our own pages have.
"""

import html
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import AnchorLink, TableOfContents
from mkdocs_jupyter.config import settings
from pymdownx.snippets import SnippetMissingError

from infra_ref.publish import notebook, svg
from infra_ref.publish.markdown import katex
from infra_ref.publish.markdown.context import LOG
from infra_ref.publish.notebook import NotebookError
from infra_ref.publish.pages import Heading, Page

NAME = "notebook.ipynb"  # mkdocs.yml names it too: for mkdocs-jupyter, and as a page outside the navigation
TITLES = {"en": "{}, notebook", "zh": "{}（notebook）"}
STYLES = re.compile(r"<style>[^<]*</style>\s*$")  # appended after the template
HEADING = re.compile(r'<h([1-6])[^>]*>(.*?)(?:<a class="anchor-link"[^>]*>[^<]*</a>)?</h\1>', re.S)
PICTURE = re.compile(r'<p><img [^>]*src="data:image/svg\+xml;base64,[^"]*"[^>]*/?></p>\s*<p>(.*?)</p>', re.S)
FORMULA = re.compile(r"<(pre|code)\b.*?</\1>|<[^>]*>|\$\$(?P<display>.+?)\$\$|\$(?P<inline>[^$]+)\$", re.S)
SECTION = re.compile(r'<h([12]) id="([^"]*)">(.*?)<a class="headerlink"', re.S)

settings.templates_dir = str(Path(__file__).with_name("templates"))
_folder = tempfile.TemporaryDirectory()  # mkdocs-jupyter reads files; these last as long as the process
_pages: dict[str, Page] = {}  # by the path of the notebook among the site's sources


@event_priority(50)  # before mkdocs-jupyter looks for notebooks
def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    _pages.clear()
    root = Path(config.config_file_path).absolute().parent
    for rel in config.extra.get("notebooks", []):
        source = files.get_file_from_path(rel)
        if source is None or source.abs_src_path is None:
            LOG.warning("extra.notebooks lists %r, but %s has no such page", rel, config.docs_dir)
            continue
        path = Path(source.abs_src_path)
        page = Page(root, path, path.read_text(encoding="utf-8"))
        try:
            built = notebook.build(page, site_url=config.site_url or "/", repo_url=config.repo_url or "")
        except (NotebookError, SnippetMissingError) as error:
            LOG.warning("no notebook of %s: %s", page.where, error)
            continue
        text, sources = notebook.dumps(built), Path(_folder.name) / page.lang
        stem = notebook.address(rel).rstrip("/")
        place = sources / stem / NAME
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        _pages[f"{stem}/{NAME}"] = page
        files.append(File(f"{stem}/{NAME}", str(sources), config.site_dir, config.use_directory_urls))
        files.append(File.generated(config, f"{stem}.ipynb", content=text))
    return files


def on_page_markdown(markdown: str, *, page: SitePage, config: MkDocsConfig, files: Files) -> str:
    """A notebook's page has no front matter, nothing to edit, and nothing to find that its lecture page has not."""
    if source := _pages.get(page.file.src_uri):
        title = TITLES[source.lang].format(source.skeleton.headings[0].text)
        file = f"../../{Path(notebook.address(source.rel)).name}.ipynb"
        page.meta = {"title": title, "search": {"exclude": True}, "notebook": file}
        page.edit_url = None
        lecture = files.get_file_from_path(source.rel)
        if lecture and lecture.page:
            page.parent = lecture.page.parent  # so that the navigation shows where this is
    return markdown


def on_page_content(text: str, *, page: SitePage, config: MkDocsConfig, files: Files) -> str:
    if source := _pages.get(page.file.src_uri):
        try:
            text = finish(text, source, site_url=config.site_url or "/", home="../" * page.url.count("/"))
        except NotebookError as error:
            LOG.warning("notebook of %s: %s", source.where, error)
        page.toc = contents(text)
    return text


def finish(text: str, source: Page, *, site_url: str, home: str) -> str:
    """The notebook's HTML with what our own pages have: anchors, drawings for both schemes and widths, formulas.

    Args:
        site_url: what links into the site begin with.
        home: the relative address that takes its place.
    Raises:
        NotebookError: headings or pictures got lost on the way, or a formula that KaTeX cannot read.
    """
    charts = [block.argument for block in source.skeleton.blocks if block.name == "chart"]
    text = STYLES.sub("", text)
    text = _in_order(HEADING, text, source.skeleton.headings, _anchored)
    text = _in_order(PICTURE, text, charts, lambda m, stem: _drawn(m, source, stem))
    text = text.replace("<details>", '<details class="ir-solution">')
    try:
        text = FORMULA.sub(_rendered, text)
    except katex.FormulaError as error:
        raise NotebookError(str(error)) from None
    return text.replace(f'href="{site_url}', f'href="{home}')


def contents(text: str) -> TableOfContents:
    """Title and sections."""
    links = [AnchorLink(name, id, int(level)) for level, id, name in SECTION.findall(text)]
    if links:
        links[0].children = links[1:]
    return TableOfContents(links[:1])


def _in_order(pattern: re.Pattern[str], text: str, items: list[Any], put: Callable[[re.Match[str], Any], str]) -> str:
    """Replace the first match by what the first item gives, and so on; there must be as many of both."""
    found = len(pattern.findall(text))
    if found != len(items):
        raise NotebookError(f"{len(items)} of {items[:1]}… on the page, {found} in the HTML of its notebook")
    left = iter(items)
    return pattern.sub(lambda m: put(m, next(left)), text)


def _anchored(m: re.Match[str], heading: Heading) -> str:
    link = f'<a class="headerlink" href="#{heading.id}" title="Permanent link">¶</a>'
    return f'<h{m[1]} id="{heading.id}">{m[2]}{link}</h{m[1]}>'


def _drawn(m: re.Match[str], source: Page, stem: str) -> str:
    files = {width: source.root / f"{stem}.{source.lang}.{width}.svg" for width in svg.WIDTHS}
    art = "".join(svg.inline(path.read_text(encoding="utf-8"), width) for width, path in files.items())
    caption = f"<figcaption><p>{m[1]}</p></figcaption>"
    return f'<figure class="ir-chart"><div class="ir-chart__art">{art}</div>{caption}</figure>'


def _rendered(m: re.Match[str]) -> str:
    if m["display"]:
        body = katex.render(html.unescape(m["display"]).strip(), True)
        return f'<div class="ir-math"><div class="ir-math__body">{body}</div></div>'
    if m["inline"]:
        return f'<span class="ir-im">{katex.render(html.unescape(m["inline"]).strip(), False)}</span>'
    return m[0]
