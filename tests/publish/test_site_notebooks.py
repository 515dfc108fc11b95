"""What the site makes of mkdocs-jupyter's HTML: our anchors, drawings, formulas and links, or a reason why not."""

import logging

import pytest
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files

from infra_ref.publish import site_notebooks
from infra_ref.publish.notebook import NotebookError
from infra_ref.publish.pages import Page

URL = "https://course.example/en/"
PAGE = "# Top { #top }\n\n## 段 { #part }\n\n/// chart | snippets/s/box\nCaption.\n///\n"
HTML = (
    '<h1 id="x">Top<a class="anchor-link" href="#x">¶</a></h1>'
    '<h2 id="">段 $K$<a class="anchor-link" href="#">¶</a></h2>'
    '<p><img alt="Costs $5" src="data:image/svg+xml;base64,AAAA"/></p>\n<p>Caption.</p>'
    f'<pre><code>"$a$"</code></pre><p>$a &lt; b$ and <code>$c$</code>, <a href="{URL}p/#part">there</a></p>'
    "<p>$$\nF = 2MNK\n$$</p><details><summary>Solution</summary></details>\n<style>['.a {}']</style>\n"
)


@pytest.fixture
def page(site):
    files = {f"snippets/s/box.en.{width}.svg": f'<svg class="ir-svg">{width}</svg>' for width in ("wide", "narrow")}
    root = site({**files, "docs/en/lectures/s/p.md": PAGE})
    path = root / "docs/en/lectures/s/p.md"
    return Page(root, path, path.read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def katex(monkeypatch):
    monkeypatch.setattr(site_notebooks.katex, "render", lambda tex, display: f"[{'D' if display else 'I'}:{tex}]")


def test_html_gets_what_our_own_pages_have(page):
    text = site_notebooks.finish(HTML, page, site_url=URL, home="../../")
    link = '<a class="headerlink" href="#{0}" title="Permanent link">¶</a>'
    assert f'<h1 id="top">Top{link.format("top")}</h1>' in text
    assert f'<h2 id="part">段 <span class="ir-im">[I:K]</span>{link.format("part")}</h2>' in text
    assert '<svg class="ir-svg ir-svg--wide">wide</svg><svg class="ir-svg ir-svg--narrow">narrow</svg>' in text
    assert "<figcaption><p>Caption.</p></figcaption>" in text
    assert '<pre><code>"$a$"</code></pre>' in text
    assert '<span class="ir-im">[I:a < b]</span> and <code>$c$</code>, <a href="../../p/#part">' in text
    assert '<div class="ir-math__body">[D:F = 2MNK]</div>' in text
    assert '<details class="ir-solution">' in text
    assert "<style" not in text
    assert "base64" not in text


def test_contents_are_title_and_sections(page):
    ((title,),) = [list(site_notebooks.contents(site_notebooks.finish(HTML, page, site_url=URL, home="")))]
    assert (title.id, title.title) == ("top", "Top")
    assert [(link.id, link.level) for link in title.children] == [("part", 2)]


@pytest.mark.parametrize("lost", ['<h1 id="x">Top<a class="anchor-link" href="#x">¶</a></h1>', "<p>Caption.</p>"])
def test_what_got_lost_is_noticed(page, lost):
    with pytest.raises(NotebookError, match=r"on the page, [01] in the HTML"):
        site_notebooks.finish(HTML.replace(lost, ""), page, site_url=URL, home="")


def test_formula_that_cannot_be_read_is_noticed(page, monkeypatch):
    def fail(tex, display):
        raise site_notebooks.katex.FormulaError("no such command")

    monkeypatch.setattr(site_notebooks.katex, "render", fail)
    with pytest.raises(NotebookError, match="no such command"):
        site_notebooks.finish(HTML, page, site_url=URL, home="")


def test_listed_page_that_does_not_exist_fails_a_strict_build(site, caplog):
    config = MkDocsConfig()
    config.load_dict({"site_name": "x", "docs_dir": "docs/en", "extra": {"notebooks": ["lectures/s/lost.md"]}})
    config.config_file_path = str(site({"mkdocs.yml": ""}) / "mkdocs.yml")
    with caplog.at_level(logging.WARNING, logger="mkdocs"):
        assert len(site_notebooks.on_files(Files([]), config=config)) == 0
    assert "extra.notebooks lists 'lectures/s/lost.md'" in caplog.text
