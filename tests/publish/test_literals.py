"""Which numbers must be figures, and which name something."""

from fractions import Fraction

import pytest

from infra_ref.publish import literals


def texts(line):
    return [found.text for found in literals.find(line)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("It holds 1365 elements.", ["1365"]),
        ("共 12,582,912 个元素", ["12,582,912"]),
        ("about 0.0625 of it", ["0.0625"]),
        ("takes 35 µs", ["35 µs"]),
        ("takes 3 ms and 4 s.", ["3 ms", "4 s"]),
        ("显存 80 GB，即 75 GiB", ["80 GB", "75 GiB"]),
        ("带宽 3.35 TB/s", ["3.35 TB/s"]),
        ("峰值 989 TFLOP/s", ["989 TFLOP/s"]),
        ("每次乘加 2 FLOP", ["2 FLOP"]),
        ("ridge at 295 FLOP/B", ["295 FLOP/B"]),
        ("400 Gb/s links, 1.4 GHz, 700 W", ["400 Gb/s", "1.4 GHz", "700 W"]),
        ("90 token/s", ["90 token/s"]),
        ("40 Gbit/s, 9 bits/s, 8 Mbit", ["40 Gbit/s", "9 bits/s", "8 Mbit"]),
        ("4.25 bits per value, 128 bits", ["4.25 bits", "128 bits"]),
        ("占 35 % 或 40%", ["35 %", "40%"]),
        ("40 per cent", ["40 per cent"]),
        ("高 5 个百分点", ["5 个百分点"]),
        ("百分之三十", ["百分之三"]),
        ("快 4.7 倍，慢 1.5×", ["4.7 倍", "1.5×"]),
        ("2.5 times as fast", ["2.5 times"]),
        ("每次 20 微秒", ["20 微秒"]),
        ("$4096$", ["4096"]),
        ("$K=4096$ 时", ["4096"]),
        (r"$65{,}504$", ["65,504"]),
        (r"$80\,\text{GB}$", ["80 GB"]),
        (r"$12\%$", [r"12\%"]),
        ("`4096`", ["4096"]),
        ("`80 GB`", ["80 GB"]),
        ('    options: ["约 1450", "约 11"]', ["1450"]),
        ("| 7.25 | 12 |", ["7.25"]),
        ("3.8 × 10²⁵ of them", []),
        ("3.82 × 10²⁵ of them", ["3.82 × 10²⁵"]),
        ("a 128² tile", ["128"]),
        ("at least 1.25-fold", ["1.25-fold"]),
        ("80 gigabytes, 5 kilowatts, 7 hertz", ["80 gigabytes", "5 kilowatts", "7 hertz"]),
        ("80 吉字节，5 千瓦，7 焦耳", ["80 吉字节", "5 千瓦", "7 焦耳"]),
        ("takes **80** GB, *7* ms and 8**0** GB", ["80 GB", "7 ms", "80 GB"]),
    ],
)
def test_a_quantity_is_found(line, found):
    assert texts(line) == found


@pytest.mark.parametrize(
    "line",
    [
        "fp16, bf16, FP8 E4M3, fp8_e4m3fn, e8m0",
        "an H100 SXM, A100-80, sm_90a, RTX4090, x86-64",
        "Llama-3-8B 与 GPT-3，DeepSeek-V3",
        "IEEE 754-2019, ISO 80000-2, RFC 9293, GB/T 15835",
        "2022 年，2026 年 3 月 25 日，2026-11-30，in 2009, (2017)",
        "PyTorch 2.13, CUDA 12.8, Python 3.11.7, version 1.25, PCIe 5.0, v1.2.3",
        "compute capability 10.0，计算能力 12.0",
        "arXiv:2205.14135v2 and 1805.02867",
        "§3.1.4, section 4.11, Table 128, Figure 3.14, pp. 123–456, 第 128 页, 图 3.14, 表 128",
        "pull request 178817",
        "2:4 稀疏",
        "7B 参数，70B 权重, a 405B model, 15T tokens",
        "0x7fff and 0b1010",
        "1 GB 等于 10⁹ B, 1 GiB = 2³⁰ B",
        "64 requests, 12 次, 8 位, 2 字节, 4-byte elements, 16 bits, “4-bit”, 8 倍, 4 ×, 3 × 5",
        "about 1400 of them, 300 or 20000",
        "$2^{-24}$ and $10^{12}$ and $2MNK$ and $\\tfrac12$",
        "$2B$ and $3s$ are products",
        "`torch.zeros(1024, 4096)` and `x[:4096]`",
        "`10000011` and `1111 110`",
        "[65,504]{=formats.fp16.max} and [3.35 TB/s]{=hardware.x}",
        "[text](https://example.org/2024/4096)",
        "{@gemm_4096}",
        "reading 50 minutes, 15 分钟",
        "2 焦点, $I^*$ of 3 and $K^*$, 2*3 *by* 4",
    ],
)
def test_what_names_or_counts_is_no_quantity(line):
    assert texts(line) == []


@pytest.mark.parametrize(
    ("number", "digits"),
    [
        ("4096", 4),
        ("1400", 2),
        ("1000", 1),
        ("0.05", 1),
        ("0.050", 2),
        ("1.50", 3),
        ("12,500", 3),
        ("007", 1),
        ("100.0", 4),
    ],
)
def test_significant_digits(number, digits):
    assert literals.significant(number) == digits


@pytest.mark.parametrize(
    ("line", "value"),
    [("1365.3", Fraction(13653, 10)), ("12,288", 12288), ("25%", Fraction(1, 4)), ("3.82 × 10⁻³", Fraction(382, 10**5)),
     (r"$3.82 \times 10^{-3}$", Fraction(382, 10**5))],
)  # fmt: skip
def test_value(line, value):
    assert [f.value for f in literals.find(line)] == [value]


GIVEN = """
shared = 2048
[p]
edge = 4096
rate = 3.35
share = 0.25
sizes = [1237, 0b1_0000_0001]
[q]
other = 999
"""


def problems(site, *lines):
    text = "# Title { #top }\n" + "\n".join(lines) + "\n"
    root = site({"docs/en/lectures/s/p.md": text, "snippets/s/given.toml": GIVEN})
    return [str(p).removeprefix("docs/en/lectures/s/p.md:") for p in literals.problems(root)]


def test_declared_inputs_of_the_page_may_be_written(site):
    assert problems(site, "$K=4096$, 2048, 3.35 TB/s, 25%, 1237, 257.") == []


def test_inputs_of_other_pages_may_not(site):
    (problem,) = problems(site, "Not 999 here.")
    assert problem.startswith("2: '999' is not computed")
    assert "snippets/s/given.toml" in problem


def test_an_exemption_holds_for_its_line(site):
    assert problems(site, "Not 999 here.<!-- literal: a wrong belief -->") == []
    (problem,) = problems(site, "Not 999 here.<!-- literal: a wrong belief -->", "Nor 998 there.")
    assert problem.startswith("3: '998'")


def test_an_option_is_exempted_in_its_own_language(site):
    block = [
        "/// predict | How many?",
        '    options: ["999", "2"] # literal: a wrong answer',
        "    answer: 2",
        "",
        "text",
        "///",
    ]
    assert problems(site, *block) == []


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        (["Not 999.<!-- literal: -->"], 2, "needs a reason"),
        (["Not 12.<!-- literal: because -->"], 2, "exempts nothing"),
        (["Not 999.<!-- literal: because -->"] * 6, 7, "6 exemptions; a page may have 5"),
    ],
)
def test_exemptions_are_reasoned_needed_and_few(site, lines, line, why):
    (problem,) = problems(site, *lines)
    assert problem.startswith(f"{line}: ")
    assert why in problem


def test_bibliography_keeps_its_volumes_but_claims_nothing(site):
    lines = ["## Sources { #sources }", "- A. Author. Journal 1234, 567–589, 2009.", "- It ran at 35 ms."]
    assert [p.split(" is")[0] for p in problems(site, *lines)] == ["4: '35 ms'"]


@pytest.mark.parametrize(
    "place", ["# 999 { #x }", "- 999", "| a | 999 |\n|---|---|", "term\n:   999", "description: 999"]
)
def test_every_place_is_read(site, place):
    if place.startswith("description"):
        root = site({"docs/en/p.md": f"---\n{place}\n---\n# A {{ #a }}\n"})
        assert [p.line for p in literals.problems(root)] == [2]
    else:
        assert len(problems(site, "", place)) == 1


DRAWING = '''"""A picture 4097 wide."""
EDGE, SHARES = 4096, (0.25, 3.5)
DIGITS = "0123456789-"
TEXT = {"zh": {"note": "N = 4096，共 132 个"}, "en": {"note": "N = 4096, 25%, 3.5 GB, {0} SMs"}}


def draw(c, rate):
    """Draws 97%."""
    edge = 1237
    c.text(f"{rate} TB/s", "at most 97%", "1237 × 1237")
'''


def test_numbers_in_pictures_are_computed_or_declared(site):
    found = [
        (p.page, p.line, p.message.split()[0]) for p in literals.elsewhere(site({"snippets/s/draw_p.py": DRAWING}))
    ]
    where = "snippets/s/draw_p.py"
    assert found == [(where, 4, "'132'"), (where, 10, "'97%'"), (where, 10, "'1237'"), (where, 10, "'1237'")]


def test_definitions_of_terms_hold_no_quantity(site):
    text = '[a]\nen = "4096"\ndef_en = "Some 64 B."\ndef_zh = "P99 的 2 个。"\n'
    root = site({"infra_ref/data/glossary.toml": text})
    ((problem),) = literals.elsewhere(root)
    assert (problem.line, problem.message.startswith("'64 B' in a definition")) == (3, True)
    assert literals.elsewhere(root, "s") == []
