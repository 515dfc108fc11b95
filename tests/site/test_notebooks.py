"""The notebooks of the built site: complete, ours alone, readable on a phone; what is downloaded is what was tested."""

import functools
import gzip
import json
import re
from pathlib import Path

import browsing
import nbformat
import pytest
from browsing import LANGUAGES, NOTEBOOKS, ROOT, SITE, Watch, address
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, expect

from infra_ref.publish import execute

EVERY = [(lang, rel) for lang in LANGUAGES for rel in NOTEBOOKS]
BUDGET = 100 * 1024  # bytes, compressed: that of a lecture page
OURS = re.compile(r"https?://(?:www\.w3\.org/(?:1998/Math/MathML|2000/svg)\b|[^/\s\"']+/(?:en|zh)/)")
LEFT_OVER = re.compile(r"\$|\*\*|\]\(|\]\{|\{\s*[:#.=~?@]|8<--|^#{1,6} |^/{3,}|literal:", re.M)
WIDTH = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNSEEN = """() => [
  ...[...document.querySelectorAll("article .katex")].filter(node => node.checkVisibility()
    && (!node.getBoundingClientRect().height || !/KaTeX/.test(getComputedStyle(node).fontFamily))),
  ...[...document.querySelectorAll("article .ir-chart__art")].filter(
    art => [...art.querySelectorAll("svg")].filter(svg => svg.getBoundingClientRect().height > 50).length !== 1),
].map(node => node.textContent.slice(0, 80))"""
every_notebook = pytest.mark.parametrize(("lang", "rel"), EVERY)


def place(lang: str, rel: str) -> Path:
    return SITE / lang / address(rel) / "notebook" / "index.html"


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS
    files = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*.ipynb")}
    assert files == {f"{lang}/{address(rel).rstrip('/')}.ipynb" for lang, rel in EVERY}


@every_notebook
def test_links_lead_to_the_notebook_its_other_language_and_its_file(lang: str, rel: str) -> None:
    lecture, notebook = place(lang, rel).parents[1], place(lang, rel).parent
    (link,) = soup(lecture / "index.html").select("a[href='notebook/']")
    assert link.get_text() == "Notebook"
    switch = soup(notebook / "index.html").select_one("a.ir-lang")
    assert (notebook / switch["href"]).resolve() == place(switch["hreflang"], rel).parent.resolve()
    assert switch["hreflang"] != lang
    (download,) = soup(notebook / "index.html").select("a[download]")
    found = nbformat.reads((notebook / download["href"]).read_text(encoding="utf-8"), as_version=4)
    nbformat.validate(found)
    assert found.metadata.language == lang
    tested = [block.code.strip("\n") for block in execute.python_blocks(ROOT / "docs" / lang / rel, ROOT)]
    assert [cell.source for cell in found.cells if cell.cell_type == "code"] == tested


@every_notebook
def test_nothing_comes_from_elsewhere_and_little_comes_at_all(lang: str, rel: str) -> None:
    text = place(lang, rel).read_text(encoding="utf-8")
    host = soup(place(lang, rel)).find("link", rel="canonical")["href"].split("/")[2]
    addresses = re.findall(r"https?://[^\s\"'<>]+", text)
    assert addresses
    assert not [url for url in addresses if not OURS.match(url) or (host not in url and "www.w3.org" not in url)]
    assert not re.search(r"(?:src|href)=\"//|<style|requirejs|mathjax|mermaid|jupyter-widgets", text, re.I)
    assert len(gzip.compress(text.encode())) <= BUDGET


@every_notebook
def test_text_is_rendered_and_has_the_anchors_of_its_page(lang: str, rel: str) -> None:
    article = soup(place(lang, rel)).find("article")
    lecture = soup(place(lang, rel).parents[1] / "index.html").find("article")
    headings = ["h1", "h2", "h3", "h4"]
    ids = [(tag.name, tag["id"]) for tag in article.find_all(headings)]
    assert ids == [(tag.name, tag["id"]) for tag in lecture.find_all(headings)]
    for kind in (".katex-display", ".ir-chart svg", "pre"):
        assert len(article.select(kind)) == len(lecture.select(kind)) > 0
    formulas = ["".join(tag.stripped_strings) for tag in article.select("annotation")]
    assert formulas == ["".join(tag.stripped_strings) for tag in lecture.select("annotation")]
    apart = {id(text) for tag in article.select("pre, code, .katex, svg") for text in tag.find_all(string=True)}
    prose = "".join(text for text in article.find_all(string=True) if id(text) not in apart)
    assert len(prose) > 1000
    assert not LEFT_OVER.search(prose)


@pytest.mark.browser
@every_notebook
def test_reader_reads_the_notebook_on_a_phone_and_takes_it_along(
    browser: Browser, base: str, lang: str, rel: str
) -> None:
    scheme = {"en": "light", "zh": "dark"}[lang]
    context = browser.new_context(viewport=browsing.PHONE, color_scheme=scheme, accept_downloads=True)
    context.set_default_timeout(browsing.TIMEOUT)
    watch, page = Watch(context, base), context.new_page()
    page.goto(f"{base}/{lang}/{address(rel)}notebook/")
    page.locator("article details summary").first.click()
    expect(page.locator("article details p").first).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    assert page.evaluate(UNSEEN) == []
    assert page.evaluate(WIDTH) <= 0
    with page.expect_download() as download:
        page.locator("article a[download]").click()
    assert download.value.suggested_filename == f"{Path(address(rel)).name}.ipynb"
    assert json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["nbformat"] == 4
    assert watch.take() == []
    context.close()
