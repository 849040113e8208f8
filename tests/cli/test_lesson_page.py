import re

from minigraph.cli.lesson_page import Prose, write_lesson_page
from minigraph.lessons import lesson_named
from tests.tables import cases


@cases(
    ("one\ntwo\n\nthree", "<p>one\ntwo</p><p>three</p>"),
    ("`a*b*c` and *stressed* and **strong**", "<code>a*b*c</code> and <em>stressed</em> and <strong>strong"),
    ("2 * 3 * 4, x**2**", "2 * 3 * 4"),
    ("- one\n- `two`", "<ul><li>one</li><li><code>two</code></li></ul>"),
    ("<script>`<b>`", "&lt;script&gt;<code>&lt;b&gt;</code>"),
)
def test_prose(text, html):
    assert html in Prose(text).html()


def test_the_page_has_prose_code_outputs_the_picture_and_the_verdict(tmp_path, monkeypatch):
    monkeypatch.setattr("minigraph.lessons.picture.folder", lambda: tmp_path)
    lesson = lesson_named("tape")
    page = write_lesson_page(lesson, tmp_path / "page.html").read_text()
    for part in ("<h1>1. A tape is a list</h1>", "def tanh_rule(g, out, x):", "tanh_rule returns nothing yet"):
        assert part in page
    assert re.findall("<h2>(.*?)</h2>", page)[0] == lesson.title
    assert "on the tape:" in page.replace(lesson.path.read_text(), "")
    assert page.count("<svg") == 1
    assert str(tmp_path) not in page
