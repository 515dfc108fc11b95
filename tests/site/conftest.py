"""The built site, a server for it and one browser, shared by all tests of this folder."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

sys.path.insert(0, str(Path(__file__).parent))
import browsing

if not (browsing.SITE / "en" / "index.html").is_file():
    raise pytest.UsageError(f"no built site in {browsing.SITE}: run `make build` first")


@pytest.fixture(scope="session")
def base() -> Iterator[str]:
    """Address of a server of the built site."""
    with browsing.served() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with browsing.chromium() as running:
        yield running


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[BrowserContext]:
    """A context for tests that leave nothing behind in it."""
    context = browser.new_context(viewport=browsing.DESKTOP)
    context.set_default_timeout(browsing.TIMEOUT)
    yield context
    context.close()


@pytest.fixture
def fresh(browser: Browser, base: str) -> Iterator[Page]:
    """A page of a reader who was never here; the test fails on anything that must never happen."""
    context = browser.new_context(viewport=browsing.DESKTOP)
    context.set_default_timeout(browsing.TIMEOUT)
    watch = browsing.Watch(context, base)
    yield context.new_page()
    found = watch.take()
    context.close()
    assert not found
