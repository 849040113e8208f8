import pytest

from tests.tables import results
from tests.viz.graphs import HOSTILE, Report, Span, Tags, parse_svg, step
from viz.pages.blocks import (
    MAX_EXPANDED_LINES,
    Bars,
    Drawing,
    Figures,
    Files,
    Note,
    Section,
    Sliders,
    Table,
    Text,
    bar,
    cell,
)


def blocks(text):
    return [
        Figures([(text, text, text)]),
        Table((text, "n"), [(text, 1)], text, ("n",)),
        Bars([(text, 1.0, text, text)], text),
        Text(text, text),
        Text(text + "\n" * 2 * MAX_EXPANDED_LINES, text),
        Note(text),
        Files([(text, text)]),
        Drawing(step(), text),
        Sliders([(text, (1.0, 2.0), (3.0, 4.0), text)], [1], text),
    ]


@pytest.mark.parametrize("block", blocks(HOSTILE), ids=lambda block: type(block).__name__)
def test_text_never_becomes_markup(block):
    page = Tags(block.html())
    known = {
        "div", "b", "span", "small", "table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "rect", "figure",
        "figcaption", "pre", "details", "summary", "p", "ul", "li", "a", "g", "title", "polygon", "path", "ellipse",
        "text", "polyline", "input",
    }  # fmt: skip
    assert {tag for tag, _ in page.tags} <= known
    assert not any(name.startswith("on") or name == "style" for _, attrs in page.tags for name in attrs)


test_cells = results(
    cell,
    (0, "0"),
    (1234567, "1,234,567"),
    (1234.5678, "1,235"),
    (0.000123456, "0.0001235"),
    (True, "True"),
    (None, ""),
    ("a & b", "a &amp; b"),
)


def widths(text):
    """The widths of all bars."""
    return [attrs["width"] for tag, attrs in Tags(text).tags if tag == "rect"]


def test_numbers_are_aligned_right_and_may_have_bars():
    table = Table(("operator", "cycles"), [("matmul", 200), ("add", 50), ("total", "n/a")], bars=("cycles",)).html()
    assert table.count('class="number"') == 4
    assert widths(table) == ["100.00", "25.00"]
    assert "number" not in Table(("a",), [("x",)]).html()
    assert "<tbody></tbody>" in Table(("a",), [], bars=("a",)).html()


test_bars_are_shares_and_small_ones_stay_visible = results(
    lambda value, longest: widths(bar(value, longest)),
    (5, 10, ["50.00"]),
    (0, 10, ["0.00"]),
    (20, 10, ["100.00"]),
    (1, 1e9, ["0.40"]),
    (1, 0, ["0.00"]),
)


def test_bars_share_one_scale():
    html = Bars([("a", 10.0, "10 us", "a"), ("b", 40.0, "40 us", "b")]).html()
    assert widths(html) == ["25.00", "100.00"]
    assert "q-a" in html and "40 us" in html
    assert Bars([]).html().startswith("<figure")


def test_long_text_is_collapsed_and_a_section_keeps_its_arguments():
    assert Text("line\n" * MAX_EXPANDED_LINES).html().startswith("<figure>")
    collapsed = Text("line\n" * (MAX_EXPANDED_LINES + 1), "the log").html()
    assert collapsed.startswith("<details>") and "the log (32 lines)" in collapsed
    section = Section("title", [Note("x")], "lead")
    assert (section.title, section.lead, section.blocks[0].html()) == ("title", "lead", "<p>x</p>")


@pytest.mark.parametrize("name", ["a b.csv", "javascript:alert(1)", "https://example.org/x", "x?y#z", "../up"])
def test_files_are_relative_to_the_page(name):
    ((_, attrs),) = [tag for tag in Tags(Files([(name, "")]).html()).tags if tag[0] == "a"]
    assert attrs["href"].startswith("./")
    assert not any(sign in attrs["href"] for sign in ' :?#"<>')


def test_drawings_take_graphs_reports_and_svg_text():
    report = Report([Span("M", "MMAD", 0, 90, "queue", 0, 0, -1)])
    for source, sign in ((step(), "%3 matmul"), (report, "MMAD"), ("<svg/>", "<svg/>")):
        assert sign in Drawing(source, "a caption").html()
    start = '<figure><div class="picture" tabindex="0">'
    inner = Drawing(step()).html().removeprefix(start).removesuffix("</div></figure>")
    assert parse_svg(inner) is not None


def test_a_slider_starts_at_its_value_and_has_every_result():
    text = Sliders([("mte2.lat", (150, 190, 240), (1000.0, 1.5, 2.25), "us")], [1], "what if").html()
    assert 'min="0" max="2" value="1" aria-label="mte2.lat"' in text
    assert 'data-results="150 → 1,000.00 us|190 → 1.50 us|240 → 2.25 us"' in text
    assert "<b>190 → 1.50 us</b>" in text
