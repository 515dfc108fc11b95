import xml.etree.ElementTree as etree

import pytest

from infra_ref.publish import svg


def drawing(lang, width):
    canvas = svg.Canvas(width, 40, "a <label> & more", lang)
    canvas.text(1.26, 2, "x < y", "strong", "end", rotate=90)
    canvas.arrow(0, 0, 10, 0, "memory edge")
    return canvas


def test_one_script_gives_both_languages_and_both_widths():
    files = svg.render(drawing)
    assert sorted(files) == ["en.narrow", "en.wide", "zh.narrow", "zh.wide"]
    for name, text in files.items():
        root = etree.fromstring(text)
        assert root.get("lang") == name[:2]
        assert root.get("width") == str(svg.WIDTHS[name[3:]])
        assert root.get("aria-label") == "a <label> & more"


def test_inlined_drawing_has_no_style_sheet_and_keeps_text_as_text():
    text = svg.inline(svg.render(drawing)["en.wide"], "wide")
    assert "<style>" not in text
    assert 'class="ir-svg ir-svg--wide"' in text
    assert "x &lt; y" in text


@pytest.mark.parametrize(("x", "text"), [(0, "0"), (-0.01, "0"), (1.25, "1.2"), (10, "10"), (100.04, "100")])
def test_coordinates_are_short_and_stable(x, text):
    assert svg.num(x) == text


def test_scales_map_ends_to_ends():
    linear, log = svg.Linear(2, 4, 10, 20), svg.Log(1, 100, 0, 50)
    assert (linear(2), linear(3), linear(4)) == (10, 15, 20)
    assert (log(1), log(10), log(100)) == pytest.approx((0, 25, 50))
