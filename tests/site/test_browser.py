"""A reader's way through the built site, in Chromium: what must work for a pointer, a finger and a keyboard."""

import json
import re
import subprocess
import sys
import tempfile

import browsing
import pytest
from browsing import LANGUAGES, PAGES, ROOT, Watch, address
from playwright.sync_api import Browser, BrowserContext, Page, expect

from infra_ref.publish import execute

pytestmark = pytest.mark.browser

LECTURE = "lectures/math-first-principles/"
GEMM = LECTURE + "gemm/"
OTHER = {"en": "zh", "zh": "en"}
# What a page type is best shown by; every kind of block of the course is on one of them.
TYPES = [
    "",
    "conventions/",
    LECTURE,
    GEMM,
    "reference/functions/ledger/",
    "reference/glossary/",
    "reference/verification/",
    "404.html",
]
SAMPLED = {"en": "lectures/math-first-principles/gemm.md", "zh": "lectures/math-first-principles/numerics.md"}
# Typed by hand, and the page that must be among the results.
QUERIES = [
    ("en", "arithmetic intensity", GEMM),
    ("en", "stride", LECTURE + "layout/"),
    ("en", "low rank", LECTURE + "linear-algebra/"),
    ("en", "subnormal", LECTURE + "numerics/"),
    ("en", "ridge point", "reference/glossary/"),
    ("en", "GiB", "conventions/"),
    ("en", "min_bytes", "reference/functions/ledger/"),
    ("zh", "算术强度", GEMM),
    ("zh", "转置", LECTURE + "layout/"),
    ("zh", "低秩", LECTURE + "linear-algebra/"),
    ("zh", "次正规数", LECTURE + "numerics/"),
    ("zh", "脊点", "reference/glossary/"),
    ("zh", "单方向", "conventions/"),
    ("zh", "fp16", LECTURE + "numerics/"),
]
WIDTH = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
UNSEEN = """() => {
  const all = selector => [...document.querySelectorAll(selector)].filter(node => node.checkVisibility())
  const height = node => node.getBoundingClientRect().height
  const formulas = all(".katex").filter(node => !height(node) || !/KaTeX/.test(getComputedStyle(node).fontFamily))
  const charts = all(".ir-chart__art").filter(
    art => [...art.querySelectorAll("svg")].filter(svg => height(svg) > 50).length !== 1)
  const raw = [...document.querySelectorAll(".arithmatex")]
  return [...formulas, ...charts, ...raw].map(node => node.textContent.slice(0, 80))
}"""


def run_axe(page: Page, scheme: str) -> list[str]:
    """Serious and critical violations that axe-core finds, one line each; the scheme changes nothing but colours."""
    page.evaluate((browsing.CODE / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8"))
    options = {"resultTypes": ["violations"], "preload": False}
    if scheme == "dark":
        options["runOnly"] = ["color-contrast"]
    found = page.evaluate("options => axe.run(options)", options)
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:160]}"
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"][:3]
    ]


def stay(page: Page) -> None:
    """Leave a mark that only a full page load removes."""
    page.evaluate("window.stayed = true")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_page_loads_whole_and_fits_a_phone(shared: BrowserContext, base: str, lang: str, path: str) -> None:
    watch, page = Watch(shared, base), shared.new_page()
    page.goto(f"{base}/{lang}/{address(path)}")
    assert page.evaluate(UNSEEN) == []
    page.set_viewport_size(browsing.PHONE)
    page.wait_for_function("innerWidth === 390")
    assert page.evaluate(UNSEEN) == []
    scroll, client = page.evaluate(WIDTH)
    page.close()
    assert scroll <= client
    assert watch.take() == []


def test_missing_page_leads_home_from_any_depth(browser: Browser, base: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    for missing in ("/en/nothing/here/", "/nothing"):
        page.goto(base + missing)
        assert [link.get_attribute("href") for link in page.locator("a").all()] == ["/zh/", "/en/"]
    page.goto(f"{base}/zh/404.html")
    page.locator("article a").click()
    expect(page).to_have_url(f"{base}/zh/")
    context.close()


@pytest.mark.parametrize(("locale", "lang"), [("zh-CN", "zh"), ("zh-TW", "zh"), ("en-GB", "en"), ("fr-FR", "en")])
def test_root_chooses_by_the_browser_and_then_by_the_reader(
    browser: Browser, base: str, locale: str, lang: str
) -> None:
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"{base}/")
    expect(page).to_have_url(f"{base}/{lang}/")
    page.locator(".ir-lang").click()
    expect(page).to_have_url(f"{base}/{OTHER[lang]}/")
    page.goto(f"{base}/")
    expect(page).to_have_url(f"{base}/{OTHER[lang]}/")
    context.close()


def test_without_script_the_language_link_and_the_text_work(browser: Browser, base: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}/en/{GEMM}")
    assert page.locator(".katex").first.is_visible()
    assert not page.locator(".ir-predict__options").first.is_visible()
    page.locator(".ir-predict summary").first.click()
    assert page.locator(".ir-predict__answer p").first.is_visible()
    page.locator(".ir-lang").click()
    expect(page).to_have_url(f"{base}/zh/{GEMM}")
    context.close()


def test_instant_navigation_and_language_switch_bring_everything_along(fresh: Page, base: str) -> None:
    fresh.goto(f"{base}/en/")
    fresh.wait_for_load_state("networkidle")  # the theme has read the sitemap
    stay(fresh)
    fresh.locator(f".ir-map__wide a[href$='{LECTURE}']").click()
    fresh.wait_for_url(f"{base}/en/{LECTURE}")
    fresh.locator(f".md-nav--primary a[href$='{GEMM}']").click()
    fresh.wait_for_url(f"{base}/en/{GEMM}")
    expect(fresh.locator("article h1")).to_be_visible()
    assert fresh.evaluate("window.stayed"), "the page was loaded anew: this was no instant navigation"
    expect(fresh.locator(".ir-math .katex").first).to_be_visible()
    assert fresh.evaluate(UNSEEN) == []
    figure = fresh.locator("article .ir-figure[role]:visible").first
    figure.click()
    expect(fresh.locator("#ir-pop")).to_be_visible()
    fresh.keyboard.press("Escape")
    fresh.locator(".ir-predict button").first.click()
    expect(fresh.locator(".ir-predict__answer").first).to_have_attribute("open", "")

    fresh.evaluate("location.hash = '#exercises'")
    fresh.locator(".ir-lang").click()
    fresh.wait_for_url(f"{base}/zh/{GEMM}#exercises")
    assert fresh.locator("html").get_attribute("lang") == "zh"
    assert fresh.evaluate(UNSEEN) == []
    assert fresh.locator(".ir-lang").get_attribute("hreflang") == "en"


def test_popover_by_pointer(fresh: Page, base: str) -> None:
    fresh.goto(f"{base}/en/{GEMM}")
    pop, figure = fresh.locator("#ir-pop"), fresh.locator("article p .ir-figure[role]:visible").first
    figure.hover()
    expect(pop).to_be_visible()
    expect(figure).to_have_attribute("aria-expanded", "true")
    assert pop.locator("code").inner_text() == figure.get_attribute("data-expr")
    exact = f"{figure.get_attribute('data-exact')} {figure.get_attribute('data-unit')}".strip()
    assert pop.locator("b").inner_text() == exact
    pop.hover()  # it can be entered
    fresh.wait_for_timeout(400)
    expect(pop).to_be_visible()
    fresh.mouse.move(1, 1)
    expect(pop).to_be_hidden()
    figure.click()
    fresh.mouse.move(1, 1)
    fresh.wait_for_timeout(400)
    expect(pop).to_be_visible()  # a click keeps it
    pop.locator("a").click()
    fresh.wait_for_url(re.compile(r"/en/reference/functions/[a-z]+/#[a-z]"))
    expect(fresh.locator(":target")).to_have_count(1)


def test_popover_by_keyboard(fresh: Page, base: str) -> None:
    fresh.goto(f"{base}/zh/conventions/")
    pop, figures = fresh.locator("#ir-pop"), fresh.locator("article .ir-figure[role]")
    fresh.locator(".md-skip").focus()
    while not fresh.evaluate("document.activeElement.matches('.ir-figure')"):
        fresh.keyboard.press("Tab")
    expect(pop).to_be_visible()  # focus shows it
    fresh.keyboard.press("Enter")
    assert fresh.evaluate("document.activeElement.closest('#ir-pop') !== null")
    fresh.keyboard.press("Escape")
    expect(pop).to_be_hidden()
    expect(figures.nth(0)).to_be_focused()
    fresh.keyboard.press("Enter")
    fresh.keyboard.press("Tab")  # from inside, on to the next mark
    expect(figures.nth(1)).to_be_focused()
    chip = fresh.locator("article .ir-open")
    chip.focus()
    fresh.keyboard.press("Space")
    expect(pop).to_contain_text(chip.get_attribute("data-command"))


def test_popover_by_finger(browser: Browser, base: str) -> None:
    context = browser.new_context(viewport=browsing.PHONE, has_touch=True, is_mobile=True)
    watch, page = Watch(context, base), context.new_page()
    page.goto(f"{base}/zh/{GEMM}")
    pop = page.locator("#ir-pop")
    for mark in ("p .ir-term[role]", "p .ir-figure[role]", ".ir-tick", ".ir-open"):
        target = page.locator(f"article {mark} >> visible=true").last
        target.tap()
        expect(pop).to_be_visible()
        box = pop.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= browsing.PHONE["width"]
        target.tap()
        expect(pop).to_be_hidden()
    assert watch.take() == []
    context.close()


def test_prediction_comes_before_the_derivation(fresh: Page, base: str) -> None:
    fresh.goto(f"{base}/en/{GEMM}")
    box = fresh.locator(".ir-predict").first
    right = int(box.get_attribute("data-answer"))
    wrong = 1 if right != 1 else 2
    answer, buttons = box.locator("details"), box.locator("button")
    expect(answer.locator("p").first).to_be_hidden()
    buttons.nth(wrong - 1).click()
    expect(answer.locator("p").first).to_be_visible()
    expect(buttons.nth(wrong - 1)).to_have_css("text-decoration-line", "line-through")
    expect(buttons.nth(right - 1)).to_contain_text("correct")
    buttons.nth(right - 1).click(force=True)  # too late
    assert box.locator("[aria-pressed=true]").count() == 1
    skipped = fresh.locator(".ir-predict").nth(1)
    skipped.locator("summary").click()
    expect(skipped.locator("[data-right]")).to_have_count(1)
    assert skipped.locator("[aria-pressed=true]").count() == 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_explorer_shows_the_computed_rows(fresh: Page, base: str, lang: str) -> None:
    source = (ROOT / "docs" / lang / "lectures/math-first-principles/gemm.md").read_text(encoding="utf-8")
    file = re.search(r"^/// explore \| (\S+)", source, re.M)[1]
    rows = json.loads((ROOT / file).read_text(encoding="utf-8"))["rows"]
    fresh.goto(f"{base}/{lang}/{GEMM}")
    panel = fresh.locator(".ir-explore__panel")
    slider = panel.locator("input")
    slider.focus()
    fresh.keyboard.press("Home")
    for row in rows:
        said = slider.get_attribute("aria-valuetext")
        for cell in panel.locator("[data-k]").all():
            value = row[cell.get_attribute("data-k")]
            expected = str(value[lang] if isinstance(value, dict) else value)
            assert cell.inner_text() == expected
            assert expected in said
        fresh.keyboard.press("ArrowRight")
    assert slider.input_value() == str(len(rows) - 1)


def test_self_check_survives_a_reload_and_the_other_language(fresh: Page, base: str) -> None:
    fresh.goto(f"{base}/en/{LECTURE}")
    boxes, words = fresh.locator(".ir-selfcheck input"), fresh.locator(".ir-selfcheck [role=status]")
    total = boxes.count()
    assert total >= 3
    for n in (0, 2):
        fresh.locator(".ir-selfcheck label").nth(n).click(position={"x": 5, "y": 5})
    for _ in range(2):
        assert [box.is_checked() for box in boxes.all()] == [n in (0, 2) for n in range(total)]
        expect(words).to_contain_text(f"2 of {total}")
        fresh.reload()
    fresh.locator(".ir-lang").click()
    fresh.wait_for_url(re.compile(f"{base}/zh/{LECTURE}(#.*)?$"))  # the switch keeps the section
    assert boxes.evaluate_all("nodes => nodes.map(node => node.checked)") == [n in (0, 2) for n in range(total)]
    expect(words).to_contain_text(f"2 / {total}")
    expect(fresh.locator(".md-nav--primary a > .ir-ring")).to_have_attribute("aria-label", re.compile(f"2 / {total}$"))
    fresh.goto(f"{base}/zh/")
    expect(fresh.locator(".ir-resume a")).to_have_attribute("href", f"{base}/zh/{LECTURE}#self-check")
    fresh.goto(f"{base}/zh/{LECTURE}")
    for box in boxes.all():
        box.check()
    fresh.goto(f"{base}/en/")
    expect(fresh.locator(".ir-resume")).to_be_hidden()
    expect(fresh.locator(".ir-map__wide .ir-ring[data-full]")).to_have_count(1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_copied_text_is_the_tested_text_and_runs_alone(browser: Browser, base: str, lang: str) -> None:
    context = browser.new_context(viewport=browsing.DESKTOP)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=base)
    page = context.new_page()
    page.goto(f"{base}/{lang}/{address(SAMPLED[lang])}")
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    tested = [b for b in execute.blocks(ROOT / "docs" / lang / SAMPLED[lang], ROOT) if b.syntax == "python"]
    buttons = page.locator("div.language-python [data-clipboard-target]")
    assert buttons.count() == len(tested) > 3
    copied = []
    for button, block in zip(buttons.all(), tested, strict=True):
        button.click(force=True)
        copied.append(page.evaluate("navigator.clipboard.readText()"))
        assert copied[-1].rstrip() == block.code.rstrip()
    assert page.locator(".ir-output [data-clipboard-target]:visible").count() == 0
    context.close()
    with tempfile.TemporaryDirectory() as folder:
        for text, block in zip(copied[:2], tested[:2], strict=True):  # all of them are run elsewhere, as tested text
            done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            assert done.stdout.rstrip() == (block.expected_output or "").rstrip()


@pytest.fixture(scope="module")
def search(shared: BrowserContext, base: str):
    """A function that types a query as a reader does and gives the pages that it finds."""
    pages = {}
    for lang in LANGUAGES:
        pages[lang] = shared.new_page()
        pages[lang].goto(f"{base}/{lang}/")

    def find(lang: str, query: str) -> list[str]:
        page = pages[lang]
        field = page.locator(".md-search__input")
        field.click()
        field.fill("")
        field.press_sequentially(query)
        field.press("End")  # an input method ends with a key, and the theme listens for keys
        expect(page.locator(".md-search-result__meta")).to_contain_text(re.compile(r"\d"))
        page.wait_for_timeout(150)
        links = page.locator(".md-search-result__link").evaluate_all("nodes => nodes.map(node => node.href)")
        return [link.removeprefix(f"{base}/{lang}/").split("#")[0].split("?")[0] for link in links]

    return find


@pytest.mark.parametrize(("lang", "query", "wanted"), QUERIES)
def test_search_finds_typed_words(search, lang: str, query: str, wanted: str) -> None:
    assert wanted in search(lang, query)


@pytest.mark.parametrize("path", TYPES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(shared: BrowserContext, base: str, scheme: str, path: str) -> None:
    lang = "zh" if (TYPES.index(path) % 2 == 0) == (scheme == "light") else "en"  # each type in both languages
    page = shared.new_page()
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{base}/{lang}/{path}")
    expected = {"light": "default", "dark": "slate"}[scheme]
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", expected)
    if page.locator("article .ir-figure[role]:visible").count():
        page.locator("article .ir-figure[role]:visible").first.click()
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")
    found = run_axe(page, scheme)
    page.close()
    assert found == []


# Marks what a pointer can use on a page, then notes what focus reaches and whether it shows.
FOCUS = """() => {
  const seen = node => node.checkVisibility({visibilityProperty: true})
    && !node.matches(".headerlink, .ir-output *, details:not([open]) > :not(summary) *")
  const controls = "a[href], button, input, summary, [role=button]"
  const wanted = new Set([...document.querySelectorAll("article")].flatMap(
    article => [...article.querySelectorAll(controls)].filter(seen)))
  window.missed = () => [...wanted].map(node => node.outerHTML.slice(0, 120))
  window.unmarked = []
  document.addEventListener("focusin", ({target}) => {
    if (!wanted.delete(target)) return
    if (getComputedStyle(target).outlineStyle === "none") unmarked.push(target.outerHTML.slice(0, 120))
  })
  return wanted.size
}"""
UNREACHABLE = """() => [...document.querySelectorAll("pre > code, .ir-math__body, .md-typeset__scrollwrap")].filter(
  box => box.checkVisibility() && box.scrollWidth > box.clientWidth + 1 && box.tabIndex < 0).length"""


@pytest.mark.parametrize(("lang", "path"), [("en", GEMM), ("zh", LECTURE), ("en", "")])
def test_keyboard_reaches_everything(shared: BrowserContext, base: str, lang: str, path: str) -> None:
    page = shared.new_page()
    page.goto(f"{base}/{lang}/{path}")
    page.wait_for_function("document.querySelector('.md-code__nav, .ir-home, .ir-selfcheck progress') !== null")
    wanted = page.evaluate(FOCUS)
    assert wanted > 5
    for n in range(2 * wanted + 100):
        page.keyboard.press("Tab")
        if n % 20 == 0 and not page.evaluate("missed()"):
            break
    missed, unmarked = page.evaluate("[missed(), unmarked]")
    page.set_viewport_size(browsing.PHONE)
    page.wait_for_timeout(200)
    unreachable = page.evaluate(UNREACHABLE)
    page.close()
    assert missed == []
    assert unmarked == []
    assert unreachable == 0
