"""A section that changed on one side alone is told, until both were accepted."""

import json

import pytest

from infra_ref.publish import lock

ZH = (
    "---\ntitle: 标题\n---\n# 标题 { #top }\n\n第一段。\n\n## 一节 { #one }\n\n第二段。\n\n```python\n# 不是标题\n```\n"
)
EN = (
    "---\ntitle: Title\n---\n# Title { #top }\n\nFirst.\n\n## One { #one }\n\nSecond.\n\n```python\n# no heading\n```\n"
)
ZH_PATH, EN_PATH = "docs/zh/lectures/s/p.md", "docs/en/lectures/s/p.md"


@pytest.fixture
def root(site):
    root = site({ZH_PATH: ZH, EN_PATH: EN})
    assert lock.accept("s", root) == [f"lectures/s/p#{x}" for x in ("front-matter", "top", "one")]
    return root


def shown(root):
    return [str(p) for p in lock.problems(root)]


def test_accepted_pages_have_no_problem(root):
    assert shown(root) == []
    content = json.loads((root / "docs/locks/lectures/s/p.json").read_text())
    assert list(content) == ["front-matter", "top", "one"]
    assert all(set(h) == {"en", "zh"} for h in content.values())


def test_what_was_never_accepted(site):
    root = site({ZH_PATH: ZH, EN_PATH: EN})
    assert shown(root)[1] == (
        f"{EN_PATH}:4: section #top was never accepted; "
        "read it in both languages, then: infra-ref pages accept lectures/s/p#top"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("path", "old", "new", "problem"),
    [
        (ZH_PATH, "第二段", "第三段", f"{ZH_PATH}:8: section #one changed in zh alone"),
        (EN_PATH, "First", "Last", f"{EN_PATH}:4: section #top changed in en alone"),
        (EN_PATH, "title: Title", "title: Other", f"{EN_PATH}:1: section #front-matter changed in en alone"),
        (EN_PATH, "# no heading", "# still none", f"{EN_PATH}:8: section #one changed in en alone"),
    ],
)
def test_a_change_on_one_side(root, site, path, old, new, problem):
    before = ZH if path == ZH_PATH else EN
    site({path: before.replace(old, new)})
    ((found),) = shown(root)
    assert found.startswith(problem)
    assert "infra-ref pages accept lectures/s/p#" in found


def test_a_change_on_both_sides_was_not_read_either(root, site):
    site({ZH_PATH: ZH.replace("第二段", "第三段"), EN_PATH: EN.replace("Second", "Third")})
    ((found),) = shown(root)
    assert "section #one changed in en and zh;" in found
    assert lock.accept("p#one", root) == ["lectures/s/p#one"]
    assert shown(root) == []


def test_white_space_is_no_change(root, site):
    site({ZH_PATH: ZH.replace("第二段。\n", "第 二 段。  \n\n\n")})
    assert shown(root) == []


def test_accepting_one_section_leaves_the_others(root, site):
    site({ZH_PATH: ZH.replace("第一段", "开头").replace("第二段", "第三段")})
    assert len(shown(root)) == 2
    assert lock.accept("s/p#one", root) == ["lectures/s/p#one"]
    ((found),) = shown(root)
    assert "#top" in found


def test_a_section_in_one_language(root, site):
    site({ZH_PATH: ZH + "\n## 二节 { #two }\n"})
    ((found),) = shown(root)
    assert found == f"{ZH_PATH}:16: section #two is missing in docs/en/lectures/s/p.md"
    with pytest.raises(lock.UnknownSection, match="exists in zh only"):
        lock.accept("p#two", root)
    assert shown(root) == [found]


def test_a_section_that_is_gone(root, site):
    site({ZH_PATH: ZH[: ZH.index("## ")], EN_PATH: EN[: EN.index("## ")]})
    assert any("section #one is gone from both languages" in text for text in shown(root))
    lock.accept("p", root)
    assert shown(root) == []
    assert "one" not in lock.read(root, "lectures/s/p.md")


def test_a_gone_section_is_accepted_by_its_id(root, site):
    site({ZH_PATH: ZH[: ZH.index("\n## ")], EN_PATH: EN[: EN.index("\n## ")]})
    assert lock.accept("p#one", root) == ["lectures/s/p#one"]
    assert shown(root) == []


def test_the_lock_of_a_page_that_is_gone(root):
    for path in (ZH_PATH, EN_PATH):
        (root / path).unlink()
    assert shown(root) == ["docs/locks/lectures/s/p.json:1: there is no such page: delete this file"]


def test_nothing_is_renewed_twice(root):
    before = (root / "docs/locks/lectures/s/p.json").read_bytes()
    assert lock.accept("lectures/s/p#one", root) == []
    assert (root / "docs/locks/lectures/s/p.json").read_bytes() == before


@pytest.mark.parametrize(
    "target", ["p", "p#one", "s/p#one", "s#one", "lectures/s/p.md#one", "docs/zh/lectures/s/p.md#one"]
)
def test_ways_to_name_a_section(root, target):
    assert list(lock.find(root, target)[0]) == ["lectures/s/p.md"]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("none#one", "no page 'none'; pages: lectures/s/p, lectures/s/q"),
        ("p#none", "no section #none in p; it has front-matter, top, one"),
        ("s#top", "in several pages: lectures/s/p, lectures/s/q; name one"),
    ],
)
def test_what_cannot_be_accepted(root, site, target, message):
    site({"docs/zh/lectures/s/q.md": "# 另一页 { #top }\n", "docs/en/lectures/s/q.md": "# Other { #top }\n"})
    with pytest.raises(lock.UnknownSection) as error:
        lock.accept(target, root)
    assert message in str(error.value)


def test_a_whole_path_is_that_page_alone(tmp_path):
    for lang in ("en", "zh"):
        for rel in ("index", "lectures/s/index"):
            path = tmp_path / f"docs/{lang}/{rel}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("# T { #top }\n", encoding="utf-8")
    assert lock.accept("index", tmp_path) == ["index#front-matter", "index#top"]
    assert "index#top" not in lock.accept("lectures/s/index", tmp_path)
