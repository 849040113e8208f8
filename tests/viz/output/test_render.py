import sys

import pytest

from minigraph.core.errors import RenderError
from minigraph.ir.graph import Graph
from tests.tables import cases, error_cases
from tests.viz.graphs import Report, Span, chain, fused_step, hostile, parse_svg, step, texts
from viz.common.backends import graphviz_bytes
from viz.drawing.diff import diff
from viz.drawing.dot import dot
from viz.output.render import picture_of, render, save, svg

HAS_GRAPHVIZ = graphviz_bytes("digraph {}", "svg") is not None
needs_graphviz = pytest.mark.skipif(not HAS_GRAPHVIZ, reason="no Graphviz here")
REPORT = Report([Span("M", "MMAD", 0, 90, "queue", 0, 0, -1)])


@pytest.fixture
def no_graphviz(monkeypatch):
    """A machine without any Graphviz."""
    for module in ("viz.drawing.dot", "viz.output.render"):
        monkeypatch.setattr(sys.modules[module], "graphviz_bytes", lambda source, format, seconds=60: None)


SOURCES = {
    "graph": step(),
    "picture": dot(step()),
    "diff": diff(step(), fused_step()),
    "fused": fused_step(),
    "report": REPORT,
    "empty": Graph(),
    "hostile": hostile(),
    "big": chain(3000),
}


@pytest.mark.parametrize("name", SOURCES)
def test_everything_drawable_is_drawn_as_svg(name):
    picture = render(SOURCES[name], "svg").decode()
    assert parse_svg(picture).tag.endswith("svg")
    assert svg(SOURCES[name]) == picture


@pytest.mark.parametrize("name", SOURCES)
def test_everything_is_drawn_without_graphviz(name, no_graphviz):
    assert texts(render(SOURCES[name]).decode()) or name == "empty"


@needs_graphviz
@pytest.mark.parametrize(("format", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
@pytest.mark.parametrize("name", ["graph", "picture", "diff"])
def test_png_and_pdf(name, format, magic):
    assert render(SOURCES[name], format).startswith(magic)


@needs_graphviz
def test_dot_source_is_rendered_as_it_is():
    assert "hello" in texts(render("digraph { hello }").decode())


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_without_graphviz_the_error_has_the_install_command(format, no_graphviz):
    with pytest.raises(RenderError, match="pip install pygraphviz"):
        render(step(), format)
    with pytest.raises(RenderError, match="format 'svg' needs Graphviz, which is not installed"):
        render("digraph {}", "svg")


test_unknown_formats_are_refused = error_cases(
    *("webp", "jpeg", ""), by=lambda format: render(step(), format), error=RenderError, text="formats: svg, png, pdf"
)


@pytest.mark.parametrize("thing", [None, 3, object()])
def test_objects_that_cannot_be_drawn_are_refused_by_render_and_shown_by_svg(thing):
    with pytest.raises(RenderError, match="cannot be drawn; pass a graph"):
        render(thing)
    assert "cannot be drawn" in texts(svg(thing))[1]


@cases(
    (REPORT, "report.dot", "drawn without Graphviz; use svg, png or pdf"),
    *((step(), name, "save: no format") for name in ("net", "net.jpg", "net.svgg", "net.sv")),
)
def test_a_wrong_suffix_writes_nothing(tmp_path, thing, name, message):
    with pytest.raises(RenderError, match=message):
        save(thing, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_svg_never_raises_on_a_broken_graph():
    graph = step()
    with graph.unsafe():
        graph.add_edge(13, 0, key=7)
    del graph.nodes[5]["types"]
    assert texts(svg(graph))[0].startswith("cannot draw this picture")


def test_drawing_is_deterministic():
    assert render(step()) == render(step())
    assert "%3 matmul" in texts(step()._repr_svg_())
    assert "image/svg+xml" in step()._repr_mimebundle_()


# ---- files -----------------------------------------------------------------------------------------


@needs_graphviz
@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "dot", "gv"])
def test_the_suffix_is_the_format(tmp_path, suffix):
    path = save(step(), tmp_path / f"net.{suffix}")
    assert path.stat().st_size > 100
    assert (path.read_bytes()[:8] == b"digraph ") == (suffix in ("dot", "gv"))


def test_svg_is_saved_without_any_graphviz_and_dot_source_as_it_is(tmp_path, no_graphviz):
    assert "%3 matmul" in texts(save(step(), tmp_path / "net.svg").read_text("utf-8"))
    assert save("digraph { a }", tmp_path / "net.dot").read_text() == "digraph { a }"


def test_a_picture_that_fails_leaves_the_old_file(tmp_path):
    path = tmp_path / "net.svg"
    path.write_text("old")
    with pytest.raises(RenderError):
        save(None, path)
    assert path.read_text() == "old"


def test_pictures_and_sources_are_distinguished():
    picture = dot(step())
    assert (picture_of(picture), picture_of("digraph {}")) == (picture, "digraph {}")
    assert picture_of(diff(step(), step())).source.startswith("digraph")
