from minigraph.core.html_tables import facts_html, operator_html, table_html
from minigraph.core.op import op_named
from tests.viz.graphs import HOSTILE, Tags


def test_tables_hold_text_alone():
    told = table_html(HOSTILE, [(HOSTILE, 1)], (HOSTILE,)) + facts_html(HOSTILE, [(HOSTILE, HOSTILE), ("left out", "")])
    assert not {"script", "img"} & {tag for tag, _ in Tags(told).tags} and "left out" not in told


def test_a_heading_is_there_when_columns_have_names_and_an_operator_tells_what_it_is():
    assert "<th>unit</th>" in table_html("t", [("cube",)], ("unit",)) and "<thead>" not in table_html("t", [("cube",)])
    told = operator_html(op_named("matmul"))
    assert "<caption>operator matmul</caption>" in told and told.count("cube") == 1 and "effects" not in told
