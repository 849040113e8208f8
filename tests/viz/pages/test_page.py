import base64
import hashlib
import re
from importlib.resources import files

import pytest

from tests.viz.graphs import HOSTILE, Tags, hostile
from viz.common.style import QUEUES
from viz.pages.blocks import Drawing, Files, Link, Note, Section, Sliders, Table, Text
from viz.pages.page import content_security_policy, page, save_page, stylesheet


def sections(text="plain"):
    return [
        Section(text, [Note(text), Text(text, text)], text),
        Section("Passes", [Table(("pass", text), [(Link(text, f"{text}.html", text), 3)])]),
        Section("Graph", [Drawing(hostile()), Files([(text, text)])]),
    ]


def sha(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_sections_are_linked_in_order():
    tags = Tags(page("A title", sections(), subtitle="below")).tags
    assert [attrs["href"] for tag, attrs in tags if tag == "a" and "href" in attrs][:3] == ["#s0", "#s1", "#s2"]
    assert [attrs["id"] for tag, attrs in tags if tag == "section"] == ["s0", "s1", "s2"]


@pytest.mark.parametrize("text", ["plain", HOSTILE])
def test_the_page_loads_nothing_and_runs_only_its_own_script(text):
    tags = Tags(page(text, sections(text), subtitle=text)).tags
    assert sum(tag == "script" for tag, _ in tags) == 1
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in tags}
    for tag, attrs in tags:
        assert not [name for name in attrs if name in ("src", "style") or name.startswith("on")]
        assert attrs.get("href", "#").startswith(("#", "./")), (tag, attrs)


def test_the_policy_has_the_hashes_of_style_and_script():
    text = page("t", sections())
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL).group(1)
    script = re.search(r"<script>(.*?)</script>", text, re.DOTALL).group(1)
    (content,) = [a["content"] for tag, a in Tags(text).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert content == content_security_policy(style, script)
    assert f"style-src '{sha(style)}'" in content
    assert f"script-src '{sha(script)}'" in content
    assert content.startswith("default-src 'none';")
    assert "unsafe" not in content


SCRIPT = (files("viz.pages") / "page.js").read_text("utf-8")


def test_style_and_script_cannot_end_early():
    assert "</" not in stylesheet()
    assert not re.search("</|innerHTML|http", SCRIPT)
    assert not re.search(r"@import|url\(", stylesheet())


def test_there_are_light_and_dark_themes():
    css = stylesheet()
    assert css.count("prefers-color-scheme: dark") == 3
    assert all(f".q-{queue} " in css for queue in QUEUES)
    assert css.count("{") == css.count("}")


def test_the_script_uses_the_attributes_of_the_sliders():
    html = Sliders([("mte2.lat", (1, 2), (3.0, 4.0), "us")], [0]).html()
    attributes = set(re.findall(r"\[(data-[a-z]+)\]", SCRIPT))
    assert attributes == {"data-results"} and all(name in html for name in attributes)


def test_the_page_is_saved_and_may_be_empty(tmp_path):
    path = save_page(tmp_path / "out" / "index.html", "t", sections(), subtitle="s")
    assert path.read_text("utf-8") == page("t", sections(), subtitle="s")
    assert "<h1>t</h1>" in page("t", [])
