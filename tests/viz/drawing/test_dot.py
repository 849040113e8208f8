import re
import sys

import graphviz
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.viz.graphs import HOSTILE, SVG, chain, fused_step, hostile, parse_svg, step, texts
from viz.common.backends import graphviz_bytes
from viz.drawing.diff import diff
from viz.drawing.dot import MAX_LABELED_BOXES, dot, dot_of, quote_dot, scene_svg
from viz.drawing.scene import MAX_DRAWN_BOXES, Box, Scene, scene_of
from viz.drawing.svg import svg_of

drawn_by_graphviz = pytest.mark.skipif(graphviz_bytes("digraph {}", "svg") is None, reason="no Graphviz here")


def draw(scene):
    return graphviz_bytes(dot_of(scene).source, "svg").decode()


def test_every_node_edge_and_output_is_written_into_a_digraph_of_the_graphviz_package():
    picture = dot(step())
    assert isinstance(picture, graphviz.Digraph)
    source = picture.source
    assert source.startswith("digraph {")
    assert len(re.findall(r"^\tn\d\w* \[|^\tnout\d \[", source, re.MULTILINE)) == 16
    for expected in ('n3 [label="%3 matmul"', 'n0 -> n3 [label=" f32[64,64] "', "nout0", "label=train_step"):
        assert expected in source
    assert re.search(r'n3 \[.*tooltip="%3 = matmul\(%0, %1\)[^"]*graphs.py:\d+', source), "the user's line"


def test_fused_bodies_are_clusters():
    source = dot(fused_step()).source
    assert "subgraph cluster_n14g0 {" in source
    assert 'label="%14 bias_relu"' in source


def test_order_edges_are_dashed_and_named():
    lines = [line for line in dot(step()).source.splitlines() if "n12 ->" in line or "n3 -> n12" in line]
    assert sum("style=dashed" in line and "class=order" in line for line in lines) == 2
    assert any('" effect "' in line for line in lines)


def test_title_values_and_highlight_are_arguments():
    source = dot(step(), title="my title", values={3: 1.25}, highlight=[4]).source
    assert 'label="my title"' in source
    assert r'label="%3 matmul\n1.25"' in source
    assert [line[:4] for line in source.splitlines() if "penwidth=2.6" in line] == ["\tn4 "]


@pytest.mark.parametrize("length", [MAX_DRAWN_BOXES + 1, 20_000])
def test_large_graphs_are_drawn_as_summaries(length):
    source = dot(chain(length)).source
    assert "summary: " in source
    assert f"{length + 1:,} nodes" in source
    assert len(source) < 20_000


def test_the_limit_is_an_argument_and_large_drawings_use_xlabel():
    assert "summary" in dot(step(), limit=5).source
    assert dot(chain(MAX_DRAWN_BOXES + 50), limit=1000).source.count("->") == MAX_DRAWN_BOXES + 51
    assert "xlabel=" not in dot(chain(MAX_LABELED_BOXES - 10)).source
    assert "xlabel=" in dot(chain(MAX_LABELED_BOXES + 10)).source


def test_removed_parts_are_dashed_in_the_source_too():
    lines = dot_of(diff(step(), fused_step()).scene).source.splitlines()
    removed = [line for line in lines if 'class="k-vector removed"' in line]
    assert len(removed) == 4
    assert all("dashed" in line for line in removed)


@drawn_by_graphviz
def test_a_picture_that_graphviz_needs_long_for_has_our_own_layout(monkeypatch):
    scene = scene_of(step())
    assert scene_svg(scene) != svg_of(scene)
    monkeypatch.setattr("viz.drawing.dot.SVG_TIMEOUT_S", 0.001)
    assert scene_svg(scene) == svg_of(scene)


# ---- quoting ---------------------------------------------------------------------------------------


LITERALLY = [
    "<b>bold</b>",
    "<lambda> <map>",
    r"\N \G \L \l \n \\",
    'a "quote_dot" word',
    '\\"',
    "ends with \\",
    "&amp; &lt; &#60; &",
    "}; evil [label=x]",
    "]]> --> <!--",
    "é 深 ×",
    "%d %s {0}",
    "",
]


@drawn_by_graphviz
@pytest.mark.parametrize("text", LITERALLY)
def test_text_is_drawn_as_it_is(text):
    scene = Scene(boxes={"n0": Box("n0", (text or " ",), "vector", tooltip=text)})
    shown = [line.replace("\xa0", " ").strip() for line in texts(draw(scene))]
    assert text.strip() in shown or not text


@drawn_by_graphviz
@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20))
def test_any_printable_text_is_drawn_as_it_is(text):
    scene = Scene(boxes={"n0": Box("n0", (text,), "vector")})
    assert [line.replace("\xa0", " ") for line in texts(draw(scene))] == [text]


@given(st.text())
def test_no_text_leaves_its_quotes(text):
    source = dot_of(Scene(boxes={"n0": Box("n0", (text,), "vector", tooltip=text)})).source
    unquoted = re.sub(r'"(?:[^"\\]|\\.)*"', '""', source, flags=re.DOTALL)
    assert '"' not in unquoted.replace('""', "")
    assert "=<" not in unquoted
    assert source.count("->") == text.count("->") * 2


def test_lines_stay_lines():
    assert str(quote_dot("one\ntwo")) == r"one\ntwo"
    assert str(quote_dot("tab\tbell\x07")) == "tab bell "


def test_hostile_text_makes_no_markup_links_or_ids():
    source = dot(hostile()).source
    assert not re.search(r"\b(URL|href|image|shapefile)=", source)
    assert re.findall(r"^\t+(n(?:\d\w*|out\d)) \[", source, re.MULTILINE) == [
        "n4g0title", "n4_0_2", "n4_0_3", "n0", "n1", "nout0",
    ]  # fmt: skip


@drawn_by_graphviz
def test_a_hostile_graph_is_drawn_without_new_elements():
    svg = draw(scene_of(hostile()))
    tags = {element.tag.removeprefix(SVG) for element in parse_svg(svg).iter()}
    assert tags <= {"svg", "g", "title", "polygon", "path", "ellipse", "text", "a", "polyline"}
    assert HOSTILE[:8] not in svg


# ---- showing ---------------------------------------------------------------------------------------


def test_it_is_displayed_without_graphviz_and_never_raises(monkeypatch):
    monkeypatch.setattr(sys.modules["viz.drawing.dot"], "graphviz_bytes", lambda source, format, seconds=60: None)
    picture = dot(step())
    assert "%3 matmul" in texts(picture._repr_mimebundle_()["image/svg+xml"])
    picture.scene = None
    assert texts(picture._repr_mimebundle_()["image/svg+xml"])[0].startswith("cannot draw this picture")


def test_svg_starts_with_its_root_and_holds_no_comments():
    svg = scene_svg(scene_of(step()))
    assert svg.startswith("<svg")
    assert "<!--" not in svg
    assert "<!DOCTYPE" not in svg
    assert parse_svg(svg).tag == f"{SVG}svg"
    assert 'class="graph"' in scene_svg(scene_of(chain(2 * MAX_DRAWN_BOXES + 10))), "huge scenes have our own layout"
