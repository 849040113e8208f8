from hypothesis import given
from hypothesis import strategies as st

from tests.tables import results
from tests.viz.graphs import HOSTILE, parse_svg, texts
from viz.common.elements import (
    Svg,
    document,
    element,
    escape,
    label,
    message_svg,
    rectangle,
    svg_or_error,
    tooltip,
)
from viz.common.style import WAIT


@given(st.text())
def test_any_text_is_well_formed_in_content_and_attributes(text):
    tree = parse_svg(element("a", escape(text), title=text))
    content = "".join(tree.itertext())
    assert len(tree) == 0
    assert content.replace("\r", "\n") == tree.text.replace("\r", "\n") if tree.text else content == ""


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=0xD7FF)))
def test_printable_text_survives(text):
    assert "".join(parse_svg(f"<a>{escape(text)}</a>").itertext()) == text


def test_characters_xml_cannot_hold_become_spaces():
    assert {escape(f"a{char}b") for char in "\x00\x0b\x1b\ud800\udfff\ufffe\uffff"} == {"a b"}


def test_attributes_are_named_as_svg_names_them():
    markup = element("path", d="M0,0", stroke_width=1.25, class_="edge order", fill=None)
    assert markup == '<path d="M0,0" stroke-width="1.25" class="edge order"/>'


test_values_are_short_and_safe = results(
    lambda value: element("a", x=value),
    (1.0, '<a x="1"/>'),
    (0.125, '<a x="0.12"/>'),
    (0, '<a x="0"/>'),
    (-3.5, '<a x="-3.5"/>'),
    ("a&b", '<a x="a&amp;b"/>'),
)


test_labels_and_tooltips = results(
    lambda build: build(),
    (
        lambda: label("<x>", 1, 2, "#000000", anchor="end"),
        '<text x="1" y="2" text-anchor="end" fill="#000000">&lt;x&gt;</text>',
    ),
    (lambda: tooltip(""), ""),
    (lambda: tooltip("a < b"), "<title>a &lt; b</title>"),
)


def test_rectangles():
    assert f'fill="{WAIT.fill}"' in rectangle(0, 0, 1, 1, WAIT)
    assert 'fill="red"' in rectangle(0, 0, 1, 1, WAIT, fill="red")


def test_a_document_has_its_size_and_one_root():
    root = parse_svg(document(100.4, 50, [label("a", 0, 0, "#000000")]))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("100", "50", "0 0 100 50")


def test_a_message_shows_its_first_lines():
    assert texts(message_svg("one\ntwo")) == ["one", "two"]
    assert len(texts(message_svg("line\n" * 100))) == 6
    assert parse_svg(message_svg("")) is not None


def test_a_display_never_raises():
    def fail():
        raise ValueError(HOSTILE)

    lines = texts(svg_or_error(fail))
    assert lines[0] == "cannot draw this picture: ValueError"
    assert lines[1].startswith("<script>")
    assert svg_or_error(lambda: "fine") == "fine"


def test_a_drawing_is_a_text_that_notebooks_show():
    markup = svg_or_error(lambda: document(10, 10, []))
    assert markup == markup._repr_svg_() == markup._mime_()[1]
    assert isinstance(markup, Svg) and isinstance(svg_or_error(lambda: 1 / 0), Svg)
