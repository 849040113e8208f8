from minigraph.core.html_tables import operator_html, properties_html, table_html
from minigraph.core.op import op_named
from tests.viz.graphs import HOSTILE, Tags


def test_tables_escape_all_text():
    html = table_html(HOSTILE, [(HOSTILE, 1)], (HOSTILE,)) + properties_html(
        HOSTILE, [(HOSTILE, HOSTILE), ("left out", "")]
    )
    assert not {"script", "img"} & {tag for tag, _ in Tags(html).tags} and "left out" not in html


def test_named_columns_have_a_heading_and_an_operator_lists_its_properties():
    assert "<th>unit</th>" in table_html("t", [("cube",)], ("unit",)) and "<thead>" not in table_html("t", [("cube",)])
    html = operator_html(op_named("matmul"))
    assert "<caption>operator matmul</caption>" in html and html.count("cube") == 1 and "effects" not in html
