import os
import stat
import sys
import threading

import pytest

from minigraph.core.errors import RenderError
from viz.common.backends import FORMATS, checked_format, graphviz_bytes, pygraphviz

backends = sys.modules["viz.common.backends"]
SOURCE = "digraph { a -> b }"
MAGIC = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
with_wheel = pytest.mark.skipif(pygraphviz is None, reason="no pygraphviz here")
on_posix = pytest.mark.skipif(os.name != "posix", reason="the stand-in program is a shell script")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that puts a stand-in for ``dot`` on PATH, a shell script."""

    def put(script):
        path = tmp_path / "dot"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return put


@pytest.fixture
def no_program(monkeypatch):
    monkeypatch.setattr(backends.shutil, "which", lambda name: None)


@pytest.mark.parametrize("name", ["svg", "SVG", ".png", "Pdf"])
def test_known_formats(name):
    assert checked_format(name) in FORMATS


@pytest.mark.parametrize("name", ["webp", "", "svg:cairo", "dot", None, 3, "../svg"])
def test_unknown_formats_never_reach_a_renderer(name, monkeypatch):
    def never(*args):
        raise AssertionError("a renderer was asked")

    monkeypatch.setattr(backends, "_by_program", never)
    monkeypatch.setattr(backends, "_by_wheel", never)
    with pytest.raises(RenderError, match="formats: svg, png, pdf"):
        graphviz_bytes(SOURCE, name)


def test_the_nearest_format_is_named():
    with pytest.raises(RenderError, match="did you mean 'svg'"):
        checked_format("svgz")


@with_wheel
@pytest.mark.parametrize("format", FORMATS)
def test_the_wheel_draws_every_format(format, no_program):
    assert MAGIC[format] in graphviz_bytes(SOURCE, format)[:1000]


@with_wheel
def test_the_wheel_draws_the_same_from_several_threads(no_program):
    drawn = []
    threads = [threading.Thread(target=lambda: drawn.append(graphviz_bytes(SOURCE, "svg"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 8
    assert len(set(drawn)) == 1


@with_wheel
def test_the_wheel_is_silent(no_program, capfd):
    backends._warm_up.cache_clear()
    graphviz_bytes(SOURCE, "png")
    assert capfd.readouterr().err == ""


@with_wheel
def test_bad_source_is_refused_by_the_wheel(no_program, capfd):
    with pytest.raises(RenderError, match="check the DOT source"):
        graphviz_bytes("digraph {", "svg")
    assert graphviz_bytes(SOURCE, "svg")


@on_posix
def test_the_program_is_asked_first(program):
    program('echo "$1"; cat')
    assert graphviz_bytes(SOURCE, "png") == f"-Tpng\n{SOURCE}".encode()


@on_posix
def test_a_failing_program_is_quoted(program):
    program("echo 'Warning: first' >&2; echo 'Error: syntax error in line 1' >&2; exit 1")
    with pytest.raises(RenderError, match="dot: Error: syntax error in line 1; check the DOT source"):
        graphviz_bytes(SOURCE, "svg")


@on_posix
def test_a_silent_failure_is_an_error_too(program):
    program("exit 3")
    with pytest.raises(RenderError, match="no picture"):
        graphviz_bytes(SOURCE, "svg")


@on_posix
def test_a_program_that_takes_too_long_is_stopped(program, monkeypatch):
    monkeypatch.setattr(backends, "SECONDS", 0.2)
    program("exec sleep 30")
    with pytest.raises(RenderError, match="no picture after 0.2 s"):
        graphviz_bytes(SOURCE, "svg")


def test_without_any_graphviz_there_is_no_picture(no_program, monkeypatch):
    monkeypatch.setattr(backends, "pygraphviz", None)
    assert graphviz_bytes(SOURCE, "svg") is None
