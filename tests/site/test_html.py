"""The built HTML: every page in both languages, whole, ours alone, within its budget."""

import functools
import gzip
import json
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

import pytest
from browsing import LANGUAGES, NOTEBOOKS, PAGES, ROOT, SITE, address
from bs4 import BeautifulSoup, Comment, Tag

from infra_ref.publish import built

EVERY = [(lang, page) for lang in LANGUAGES for page in PAGES]
ASSETS = ROOT / "overrides" / "assets"
BUDGET = {"html": 100 * 1024, "css": 10 * 1024, "js": 6 * 1024}  # bytes, compressed
LEFT_OVER = {  # what `infra_ref.publish.built` does not look for
    "a formula": re.compile(r"\$|\\[(\[)\]]|\\(?:frac|text|times|begin)\b"),
    "a figure": re.compile(r"\]\{"),
    "an attribute list": re.compile(r"\{\s*[:#.][\w-]"),
    "Markdown": re.compile(r"\*\*|\]\(|^#{1,6} |^```", re.M),
    "a hidden marker": re.compile(r"pytest-codeblocks|literal:"),
}
HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]

every_page = pytest.mark.parametrize(("lang", "page"), EVERY)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


def html(lang: str, page: str) -> Path:
    return SITE / lang / address(page) / "index.html"


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def article(lang: str, page: str) -> Tag:
    found = soup(html(lang, page)).find("article")
    assert isinstance(found, Tag)
    return found


def prose(lang: str, page: str) -> str:
    """The text of a page without code, drawings and rendered formulas."""

    def text(tag: Tag) -> str:
        if tag.name in ("pre", "code", "svg", "script", "style") or "katex" in tag.get("class", ()):
            return " "
        parts = (text(part) if isinstance(part, Tag) else "" if isinstance(part, Comment) else part for part in tag)
        return "".join(parts)

    return text(article(lang, page))


def target(link: str, source: Path) -> tuple[Path, str]:
    """File and fragment that a link of a built file leads to."""
    url, fragment = urldefrag(urljoin(f"/{source.relative_to(SITE).as_posix()}", link))
    file = SITE / unquote(url).lstrip("/")
    return (file / "index.html" if file.is_dir() else file), unquote(fragment)


def test_every_source_has_a_page_and_every_page_a_source():
    pages = {path.relative_to(SITE).as_posix() for path in SITE.rglob("index.html")}
    expected = {html(lang, page).relative_to(SITE).as_posix() for lang, page in EVERY}
    expected |= {f"{lang}/{address(page)}notebook/index.html" for lang in LANGUAGES for page in NOTEBOOKS}
    assert pages == expected | {"index.html"}


@every_page
def test_language_is_declared(lang, page):
    assert soup(html(lang, page)).html["lang"] == lang


def test_no_marker_shows_copies_are_what_was_run_and_links_arrive():
    assert [str(problem) for problem in built.problems(ROOT)] == []


@every_page
def test_language_switch_leads_to_the_same_page(lang, page):
    other = next(other for other in LANGUAGES if other != lang)
    switch = soup(html(lang, page)).select_one("a.ir-lang")
    assert switch["hreflang"] == switch["lang"] == other
    assert target(switch["href"], html(lang, page))[0] == html(other, page)


@every_page
def test_nothing_of_the_source_is_left_in_the_text(lang, page):
    text = prose(lang, page)
    assert not {name: found[0] for name, pattern in LEFT_OVER.items() if (found := pattern.search(text))}
    assert not article(lang, page).find_all(string=lambda text: isinstance(text, Comment))


@every_page
def test_ids_are_unique_and_every_heading_has_one(lang, page):
    found = [tag["id"] for tag in soup(html(lang, page)).find_all(id=True)]
    assert len(found) == len(set(found))
    headings = [tag for tag in article(lang, page).find_all(HEADINGS) if not tag.find_parent(class_="ir-map")]
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", tag.get("id", "")) for tag in headings)
    assert [tag.name for tag in headings].count("h1") == 1


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_have_the_same_anchors_in_the_same_order(page):
    en, zh = ([(tag.name, tag["id"]) for tag in article(lang, page).find_all(id=True)] for lang in LANGUAGES)
    if page == "reference/glossary.md":  # its terms are sorted by language
        en, zh = sorted(en), sorted(zh)
    assert en == zh


@every_page
def test_nothing_is_loaded_from_elsewhere(lang, page):
    attributes = {"src", "srcset", "poster", "data", "action", "xlink:href"}
    loaded = [
        value
        for tag in soup(html(lang, page)).find_all(True)
        for name, value in tag.attrs.items()
        if name in attributes or (name == "href" and tag.name not in ("a", "link"))
    ]
    relations = {"stylesheet", "icon", "modulepreload", "preload", "preconnect", "manifest"}
    loaded += [tag["href"] for tag in soup(html(lang, page)).find_all("link") if relations & set(tag["rel"])]
    assert loaded
    assert not [value for value in loaded if re.match(r"(https?:)?//", value)]


def test_style_sheets_and_scripts_name_no_other_host():
    ours = [*ASSETS.rglob("*.css"), *ASSETS.rglob("*.js"), *(SITE / "en/assets").rglob("*.min.css")]
    foreign = re.compile(r"""(?:url\(|@import|\bimport\b|\bfrom\b|fetch\()\s*["']?(?:https?:)?//""")
    assert ours
    assert not [path for path in ours if foreign.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("lang", "page"), [item for item in EVERY if item[1].startswith("lectures/")])
def test_lecture_page_keeps_its_budget(lang, page):
    assert len(gzip.compress(html(lang, page).read_bytes())) <= BUDGET["html"]


@pytest.mark.parametrize("kind", ["css", "js"])
def test_assets_keep_their_budget(kind):
    files = [path for path in (ASSETS / kind).iterdir() if path.suffix == f".{kind}"]
    assert files
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= BUDGET[kind]


@every_language
def test_missing_page_is_answered_in_its_language(lang):
    page = soup(SITE / lang / "404.html")
    assert page.html["lang"] == lang
    assert page.find("article").h1.get_text() == {"en": "There is no such page", "zh": "没有这个页面"}[lang]
    assert page.find("article").find("a")["href"]


@pytest.mark.parametrize("name", ["index.html", "404.html"])
def test_root_pages_lead_to_both_languages(name):
    links = {tag["hreflang"] for tag in soup(SITE / name).find_all("a")}
    assert links == set(LANGUAGES)


@every_language
def test_search_index_holds_words_and_no_formula_source(lang):
    index = json.loads((SITE / lang / "search/search_index.json").read_text(encoding="utf-8"))
    text = "\n".join(entry["text"] + entry["title"] for entry in index["docs"])
    assert not re.search(r"katex|annotation|\\frac|\\text|--8<--|\{=", text)
    locations = {urldefrag(entry["location"])[0] for entry in index["docs"]}
    assert locations == {address(page) for page in PAGES} - {"reference/verification/"}  # a list of files and formulas


@every_language
def test_terms_of_the_glossary_are_marked_with_their_language(lang):
    other = next(other for other in LANGUAGES if other != lang)
    terms = article(lang, "reference/glossary.md").select("dt[id]")
    assert len(terms) > 100
    assert all(term.find("span")["lang"] == other for term in terms)
