"""Serve a built site on a loopback port and drive Chromium over it, with every other host out of reach."""

import contextlib
import functools
import http.server
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from infra_ref.publish import notebook, pytest_plugin

CODE = Path(__file__).parents[2]
ROOT = Path(os.environ.get("INFRA_REF_ROOT") or CODE)  # another checkout, with its built site
SITE = ROOT / "site"
LANGUAGES = ("en", "zh")
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1440, "height": 900}
TIMEOUT = 10_000  # milliseconds that a reader's action may take
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
NOTEBOOKS = notebook.listed(ROOT)
PAGES = sorted(path.relative_to(ROOT / "docs/en").as_posix() for path in (ROOT / "docs/en").rglob("*.md"))
ORIGIN = re.compile(r"(<loc>)[^<]*?(/(?:en|zh)/)")


def address(page: str) -> str:
    """Where a page of docs/<lang> lies below the root of its language: `lectures/x/gemm.md` at `lectures/x/gemm/`."""
    stem = page.removesuffix(".md")
    folder = stem.removesuffix("index").rstrip("/") if stem == "index" or stem.endswith("/index") else stem
    return f"{folder}/" if folder else ""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Static files. The theme navigates without reloading only between addresses of the sitemap, so the sitemap is
    answered as if the site had been built for this port; a missing page is answered as a host would, by 404.html."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.name == "sitemap.xml" and path.is_file():
            host = f"http://{self.headers['Host']}"
            self.answer(200, "text/xml", ORIGIN.sub(rf"\g<1>{host}\g<2>", path.read_text(encoding="utf-8")).encode())
        elif not path.exists():
            self.answer(404, "text/html", (Path(self.directory) / "404.html").read_bytes())
        else:
            super().do_GET()

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


@contextlib.contextmanager
def served(root: Path = SITE) -> Iterator[str]:
    """The address of a server that stops when the block is left."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, with a profile of its own that is thrown away."""
    executable = pytest_plugin.chromium()
    if executable is None:
        raise RuntimeError("no chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Watch:
    """What a context did that a reader must never see: errors on the console, requests to other hosts."""

    def __init__(self, context: BrowserContext, base: str) -> None:
        self.found: list[str] = []
        ours = (f"{base}/", "data:", "blob:")
        context.on("request", lambda r: r.url.startswith(ours) or self.note(f"request to {r.url}"))
        context.on("console", lambda m: m.type in ("error", "warning") and self.note(f"console: {m.text}"))
        context.on("weberror", lambda e: self.note(f"exception: {e.error}"))

    def note(self, what: str) -> None:
        self.found.append(what)

    def take(self) -> list[str]:
        """What was found since the last call."""
        found, self.found = self.found, []
        return found
