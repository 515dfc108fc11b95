"""The page that lists what was checked: every snippet, formula and figure, where and when."""

import html
from pathlib import Path

from . import ROOT, pages, report

WORDS = {
    "en": {
        "none": "Not verified in this build: there is no report.", "environment": "Runs on",
        "snippets": "Snippets, each run alone", "snippet": "Snippet",
        "state": "State", "where": "Where", "when": "When",
        "pages": "Pages", "page": "Page", "blocks": "Blocks run", "figures": "Figures",
        "check": "Formulas compared", "test": "held by a test", "cite": "cited", "exempt": "Exempt numbers",
        "claims": "Every formula and figure", "claim": "On the page", "how": "What must give it",
        "skips": "Tests that did not run", "reason": "Reason", "name": "Test", "named": "Tests that formulas name",
        "executed": "executed", "same block": "same block as in the other language", "passed": "passed",
        "never": "never", "failed": "failed", "skipped": "skipped",
    },
    "zh": {
        "none": "这次构建未经验证：没有验算报告。", "environment": "运行于",
        "snippets": "代码片段，逐个单独运行", "snippet": "代码片段",
        "state": "状态", "where": "设备", "when": "日期",
        "pages": "页面", "page": "页面", "blocks": "运行的代码块", "figures": "数字",
        "check": "与代码比对的公式", "test": "由测试核对", "cite": "引自资料", "exempt": "豁免的数字",
        "claims": "全部公式与数字", "claim": "页面上", "how": "必须由它给出",
        "skips": "没有运行的测试", "reason": "原因", "name": "测试", "named": "公式所指的测试",
        "executed": "已运行", "same block": "与另一语言同一代码块", "passed": "通过",
        "never": "尚未核对", "failed": "失败", "skipped": "跳过",
    },
}  # fmt: skip
COLUMNS = ("blocks", "figures", "check", "test", "cite", "exempt")


def render(lang: str, root: Path = ROOT) -> str:
    """What the last test runs executed and checked, as tables; or the sentence that there was none."""
    found, words = report.load(root), WORDS[lang]
    if found is None:
        return f"<p>{words['none']}</p>"
    own = [page for page in pages.load(root) if page.lang == lang]
    named = sorted({f.how for page in own for f in page.skeleton.formulas if f.kind == "test"})
    outcomes = ("state", "where", "when")
    parts = [
        f"<p>{words['environment']} {found.where} · {found.date}</p>",
        table("pages", words["pages"], [words[w] for w in ("page", *COLUMNS, *outcomes)], [
            [code(page.rel), *counts(found.entry("page", page.where)), *outcome(found.entry("page", page.where), lang)]
            for page in own
        ]),
        table("snippets", words["snippets"], [words[w] for w in ("snippet", *outcomes)], [
            [code(key), *outcome(entry, lang)] for key, entry in found.snippets().items()
        ]),
        table("tests", words["named"], [words[w] for w in ("name", *outcomes)], [
            [code(test), *outcome(found.entry("test", test), lang)] for test in named
        ]),
    ]  # fmt: skip
    if skips := found.skips():
        rows = [[code(key), html.escape(reason)] for key, reason in skips.items()]
        parts.append(table("skips", words["skips"], [words["name"], words["reason"]], rows))
    parts.append(f'<h2 id="claims">{words["claims"]}</h2>')
    parts += [claims(page, found.entry("page", page.where), lang) for page in own]
    return "".join(parts)


def claims(page: pages.Page, entry: report.Entry | None, lang: str) -> str:
    """The formulas and figures of a page, folded, under what its last check says of all of them."""
    rows = [[code(" ".join(f.latex.split())), f"{f.kind}: {code(f.how)}"] for f in page.skeleton.formulas]
    rows += [[html.escape(f.literal), code(f.expression)] for f in page.skeleton.figures]
    if not rows:
        return ""
    head = " · ".join(filter(None, [code(page.rel), *outcome(entry, lang)]))
    body = rows_of([WORDS[lang]["claim"], WORDS[lang]["how"]], rows)
    return f'<details class="ir-claims"><summary>{head}</summary>{body}</details>'


def counts(entry: report.Entry | None) -> list[str]:
    return [str(entry.fields.get(column, 0)) if entry else "" for column in COLUMNS]


def outcome(entry: report.Entry | None, lang: str) -> list[str]:
    """State, place and date of an entry, in words."""
    if entry is None:
        return [WORDS[lang]["never"], "", ""]
    return [WORDS[lang][entry.state], entry.where, entry.date]


def code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def table(key: str, title: str, heads: list[str], rows: list[list[str]]) -> str:
    return f'<h2 id="{key}">{title}</h2>{rows_of(heads, rows)}'


def rows_of(heads: list[str], rows: list[list[str]]) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="ir-scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
