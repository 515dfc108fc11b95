"""Built HTML, written by hand: what shows, what can be copied, where links go."""

import pytest

from infra_ref.publish import built

SOURCE = """# Title {{ #top }}

```python
print(1)
```

[there]({target})
"""
HTML = """<html><body><h1 id="top">Title</h1><script>var x = "{{=no}}"</script>
<div class="language-python highlight"><pre><code><a id="l1"></a>print(<span>1</span>)
</code></pre></div><p>{text} &lt;b&gt; <code>--x</code></p><a href="{href}">there</a><a href="https://example.org/x">out</a>
</body></html>"""
OTHER = '<html><body><h2 id="here">Here</h2><dt id="a-term">x</dt></body></html>'
CONFIG = "site_name: x\nmarkdown_extensions: {pymdownx.snippets: {base_path: [.]}}\n"


def problems(site, text="Plain.", href="q/#here", html=HTML):
    root = site({
        "mkdocs.yml": CONFIG,
        "docs/en/p.md": SOURCE.format(target="q.md"),
        "site/en/p/index.html": html.format(text=text, href=href),
        "site/en/p/q/index.html": OTHER,
        "site/zh/p/index.html": OTHER,
    })  # fmt: skip
    return [str(problem).removeprefix("docs/en/p.md:") for problem in built.problems(root)]


def test_a_page_as_it_should_be(site):
    assert problems(site) == []


@pytest.mark.parametrize(
    "text",
    [
        '--8<-- "x"',
        "[start:part]",
        "[1]{=a.b}",
        "{?ladder}",
        "{@cpu}",
        "Heading { #id }",
        "\n/// predict",
        "\ue00012\ue001",
        "\x02wzxhzdk:3\x03",
    ],
)
def test_source_that_shows(site, text):
    assert any("shows on the built page" in problem for problem in problems(site, text=text))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("print(", "printf(", "3: what the copy button gives is not what was run"),
        ("language-python", "language-cpp", "1: 1 Python blocks are run, 0 are on the built page"),
        ("</code></pre>", "# --8<-- [end:x]</code></pre>", "1: '--8<--' shows on the built page"),
        ("<code>--x</code>", "<code>[1]{{=a.b}}</code>", "1: ']{=a.b}' shows on the built page"),
    ],
)
def test_code_that_is_not_what_was_run(site, old, new, problem):
    assert problem in problems(site, html=HTML.replace(old, new))


@pytest.mark.parametrize(
    "href", ["q/", "q/#here", "q/#a-term", "#top", "../../zh/p/", "../../zh/p/#here", "mailto:a@example.org"]
)
def test_links_that_arrive(site, href):
    assert problems(site, href=href) == []


@pytest.mark.parametrize(
    ("href", "what"),
    [("q/#nowhere", "no anchor"), ("#nowhere", "no anchor"), ("r/", "no page"), ("../../zh/q/", "no page")],
)
def test_links_that_do_not_arrive(site, href, what):
    assert problems(site, href=href) == [f"1: built link {href} reaches {what}"]


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("ledger/#here", []),
        ("ledger/#gone", ["1: a mark leads to ledger/#gone, which the function reference does not have"]),
        ("gone/#here", ["1: a mark leads to gone/#here, which the function reference does not have"]),
    ],
)
def test_marks_lead_to_the_function_reference(site, ref, found):
    site({"site/en/reference/functions/ledger/index.html": OTHER})
    assert problems(site, text=f'<data data-ref="{ref}">1</data>') == found


def test_the_notebook_of_a_page(site):
    good = HTML.format(text="Plain.", href="../q/#here")
    site({"site/en/p/notebook/index.html": good})
    assert problems(site) == []
    site({"site/en/p/notebook/index.html": good.replace("Plain.", "[1]{=a.b}").replace("../q/", "q/")})
    found = problems(site)
    assert any("shows on the built page" in problem for problem in found)
    assert any("built link q/#here reaches no page" in problem for problem in found)


def test_a_site_that_was_not_built(site):
    root = site({"docs/en/p.md": "# A { #top }\n", "site/zh/index.html": OTHER})
    assert [str(p) for p in built.problems(root)] == ["site/en:1: the site is not built: run `make build`"]
    site({"site/en/index.html": OTHER})
    assert [str(p) for p in built.problems(root)] == ["docs/en/p.md:1: en/p/index.html was not built"]
