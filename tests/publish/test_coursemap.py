import itertools

import pytest
from bs4 import BeautifulSoup

from infra_ref.publish import ROOT, coursemap, svg

NODES = coursemap.load().nodes
ARROWS = [(need, slug) for slug, node in NODES.items() for need in node.needs]
FONT, PADDING, RING = 14.1, 11.3, 25  # pixels, of a box: .88 em of 16 px, .8 em either side, ring with its gap


def test_the_course_has_eleven_lectures_and_four_labs():
    labs = [node for node in NODES.values() if node.title["en"].startswith("Lab: ")]
    assert (len(NODES), len(labs)) == (15, 4)


def test_every_prerequisite_exists_and_comes_from_an_earlier_stage():
    assert all(NODES[need].stage < NODES[slug].stage for need, slug in ARROWS)
    assert {node.stage for node in NODES.values()} == set(range(len(coursemap.load().stages)))


def test_no_two_boxes_share_a_cell():
    cells = [(node.stage, node.row) for node in NODES.values()]
    assert len(set(cells)) == len(cells)


@pytest.mark.parametrize(("start", "end"), ARROWS)
def test_no_arrow_passes_behind_a_box(start, end):
    between = [node for node in NODES.values() if NODES[start].stage < node.stage < NODES[end].stage]
    assert all(node.row != NODES[start].row for node in between)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_labels_fit_their_boxes(lang):
    for node in NODES.values():
        room = coursemap.BOX_WIDTH - 2 * PADDING - (RING if node.page else 0)
        for line in node.label[lang]:
            assert svg.text_width(line, FONT) <= room


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_only_what_can_be_read_is_a_link(lang):
    soup = BeautifulSoup(coursemap.page(lang), "html.parser")
    available = {node.page for node in NODES.values() if node.page}
    for part in ("ir-map__wide", "ir-map__list"):
        boxes = soup.find(class_=part).find_all(class_="ir-node")
        assert len(boxes) == len(NODES)
        assert {box["href"] for box in boxes if box.name == "a"} == available
        planned = [box for box in boxes if box.name != "a"]
        assert len(planned) == len(NODES) - len(available)
        assert all(coursemap.TEXT[lang]["planned"] in box.get_text() for box in planned)
    assert all((ROOT / "docs" / lang / page / "index.md").is_file() for page in available)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_list_names_what_each_entry_needs(lang):
    items = BeautifulSoup(coursemap.listing(lang), "html.parser").find_all(class_="ir-node__name")
    order = sorted(NODES.values(), key=lambda node: node.stage)
    for item, node in zip(items, order, strict=True):
        wanted = [NODES[need].title[lang] for need in node.needs]
        assert all(title in item.get_text() for title in [node.title[lang], *wanted])


def test_arrows_end_at_the_boxes_they_name():
    for start, end in ARROWS:
        (x1, y1), *_, (x2, y2) = coursemap.edge(NODES[start], NODES[end])
        assert x1 == NODES[start].left + coursemap.BOX_WIDTH
        assert NODES[end].left - 5 < x2 < NODES[end].left
        assert NODES[start].top < y1 < NODES[start].top + coursemap.BOX_HEIGHT
        assert NODES[end].top < y2 < NODES[end].top + coursemap.BOX_HEIGHT


def test_stages_and_titles_exist_in_both_languages():
    named = itertools.chain(
        coursemap.load().stages, (n.title for n in NODES.values()), (n.label for n in NODES.values())
    )
    assert all(set(names) == {"en", "zh"} and all(names.values()) for names in named)
