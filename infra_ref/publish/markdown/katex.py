"""Formulas rendered while the site is built, by one Node process; a formula that KaTeX cannot read is an error."""

import atexit
import functools
import json
import shutil
import subprocess
import sys
from pathlib import Path

from .. import ROOT

SCRIPT = """
const katex = require("katex")
require("readline").createInterface({ input: process.stdin }).on("line", line => {
  const { tex, display } = JSON.parse(line)
  let reply
  try { reply = { html: katex.renderToString(tex, { displayMode: display, strict: "error", trust: false }) } }
  catch (e) { reply = { error: e.message } }
  process.stdout.write(JSON.stringify(reply) + "\\n")
})
"""


class FormulaError(ValueError):
    """KaTeX cannot render a formula, or is not there."""


@functools.cache
def _node() -> "subprocess.Popen[str]":
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    if node is None or not (ROOT / "node_modules" / "katex").is_dir():
        raise FormulaError("formulas need Node and KaTeX: run `make build`, which installs both")
    process = subprocess.Popen(
        [node, "-e", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=ROOT
    )
    assert process.stdin is not None
    atexit.register(process.wait)
    atexit.register(process.stdin.close)
    return process


@functools.cache
def render(tex: str, display: bool) -> str:
    """HTML and MathML of one formula.

    Raises:
        FormulaError: KaTeX's own message, or what is missing to run it.
    """
    process = _node()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
    process.stdin.flush()
    reply = json.loads(process.stdout.readline())
    if "error" in reply:
        raise FormulaError(reply["error"])
    html: str = reply["html"]
    return html
