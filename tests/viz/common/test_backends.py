import os
import stat
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from minigraph.core.errors import RenderError
from tests.tables import cases, results
from viz.common.backends import FORMATS, graphviz_bytes, has_wheel, normalize_format

backends = sys.modules["viz.common.backends"]
SOURCE = "digraph { a -> b }"
MAGIC = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
with_wheel = pytest.mark.skipif(not has_wheel(), reason="no pygraphviz here")
on_posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in program is a shell script")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Puts a stand-in for ``dot``, a shell script, on PATH."""

    def put(script):
        path = tmp_path / "dot"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return put


@pytest.fixture
def no_program(monkeypatch):
    monkeypatch.setattr(backends.shutil, "which", lambda name: None)


test_known_formats = results(normalize_format, ("svg", "svg"), ("SVG", "svg"), (".png", "png"), ("Pdf", "pdf"))


@pytest.mark.parametrize("name", ["webp", "", "svg:cairo", "dot", None, 3, "../svg"])
def test_unknown_formats_never_reach_a_renderer(name, monkeypatch):
    monkeypatch.setattr(backends, "_run", lambda *args: pytest.fail("a renderer was called"))
    with pytest.raises(RenderError, match="formats: svg, png, pdf"):
        graphviz_bytes(SOURCE, name)
    with pytest.raises(RenderError, match="did you mean 'svg'"):
        normalize_format("svgz")


@with_wheel
@pytest.mark.parametrize("format", FORMATS)
def test_the_wheel_draws_every_format_silently(format, no_program, capfd):
    assert MAGIC[format] in graphviz_bytes(SOURCE, format)[:1000]
    assert capfd.readouterr().err == ""


@with_wheel
def test_bad_source_is_refused_by_the_wheel(no_program, capfd):
    with pytest.raises(RenderError, match="^pygraphviz: .*; check the DOT source$"):
        graphviz_bytes("digraph {", "svg")
    assert graphviz_bytes(SOURCE, "svg")
    assert capfd.readouterr().err == ""


@with_wheel
def test_prints_of_other_threads_while_the_wheel_draws_are_kept(no_program, capfd):
    """Standard error belongs to all threads, so nothing may redirect it."""
    with ThreadPoolExecutor(1) as thread:
        picture, lines = thread.submit(graphviz_bytes, SOURCE, "png"), 0
        while not picture.done():
            os.write(2, b"line\n")
            lines += 1
    assert capfd.readouterr().err == "line\n" * lines


@with_wheel
def test_the_wheel_draws_the_same_from_several_threads(no_program):
    with ThreadPoolExecutor(8) as threads:
        outputs = [*threads.map(lambda _: graphviz_bytes(SOURCE, "svg"), range(8))]
    assert len(outputs) == 8
    assert len(set(outputs)) == 1


@on_posix
def test_the_program_is_preferred(program):
    program('echo "$1"; cat')
    assert graphviz_bytes(SOURCE, "png") == f"-Tpng\n{SOURCE}".encode()


COMPLAINING = "echo 'Warning: first' >&2; echo 'Error: syntax error in line 1' >&2; exit 1"


@on_posix
@cases(
    pytest.param(COMPLAINING, "dot: Error: syntax error in line 1; check the DOT source", id="failing"),
    pytest.param("exit 3", "no picture", id="silent"),
    pytest.param("exec sleep 30", "timed out after 0.2 s", id="too long"),
)
def test_a_failing_program_is_quoted_and_a_slow_one_is_stopped(program, script, message):
    program(script)
    with pytest.raises(RenderError, match=message):
        graphviz_bytes(SOURCE, "svg", 0.2 if "sleep" in script else 60)


def test_without_any_graphviz_there_is_no_picture(no_program, monkeypatch):
    monkeypatch.setattr(backends, "has_wheel", lambda: False)
    assert graphviz_bytes(SOURCE, "svg") is None
