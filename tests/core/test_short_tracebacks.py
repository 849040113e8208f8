"""Tracebacks in notebooks: the user's frames, and the user's line last."""

import linecache
import sys

import pytest

import minigraph as ms
from minigraph.core.errors import ShapeError
from minigraph.core.short_tracebacks import short_traceback
from tests.core.notebooks import CELL, Shell


def test_a_traceback_in_a_notebook_ends_with_the_users_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", Shell())
    source = "import minigraph as ms\ndef f(x):\n    return ms.ops.matmul(x, x)\nms.jit(f)(ms.Tensor([[1.0, 2.0]]))\n"
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    with pytest.raises(ShapeError) as raised:
        exec(compile(source, CELL, "exec"), {})
    raised.value.__traceback__ = raised.value.__traceback__.tb_next
    lines = raised.value._render_traceback_()
    frames = [line.strip() for line in lines if line.startswith("  File")]
    assert frames == ['File "In[3]", line 4, in <module>', 'File "In[3]", line 3, in f']
    assert lines[-1].startswith("minigraph.errors.ShapeError: matmul") and "(In[3]:3)" in lines[-1]
    assert len(lines) < 12


FOREIGN = """
import minigraph as ms
from passes import graph_pass
def f(x):
    return x / 0 if isinstance(x, int) else {}["missing"]
@graph_pass(f"broken_{len(ms.__name__)}")
def broken(graph):
    raise KeyError("missing")
"""
CALLS = {
    "jit": "ms.jit(f)(ms.Tensor([1.0]))", "grad": "ms.grad(f)(ms.Tensor([1.0]))",
    "pass": "ms.jit(lambda x: x + 1, pipeline=[broken])(ms.Tensor([1.0]))",
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_error_of_a_user_function_is_short_too(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", Shell())
    source = FOREIGN + call + "\n"
    linecache.cache[CELL] = (len(source), None, source.splitlines(keepends=True), CELL)
    with pytest.raises(KeyError) as raised:
        exec(compile(source, CELL, "exec"), {})
    raised.value.__traceback__ = raised.value.__traceback__.tb_next
    lines = raised.value._render_traceback_()
    files = [line.split('"')[1] for line in lines if line.startswith("  File")]
    assert [file for file in files if file != "conftest.py"] == ["In[3]", "In[3]"]  # which checks passes
    assert len(lines) < 12 and "2356373881" not in "".join(lines)


def test_a_traceback_without_a_line_of_the_user_is_whole():
    try:
        linecache.getlines(1)
    except Exception as error:
        error.__traceback__ = error.__traceback__.tb_next
        assert any("linecache" in line for line in short_traceback(error))


def test_the_errors_of_a_group_are_short_too(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", Shell())
    errors = []
    for _ in range(2):
        with pytest.raises(ShapeError) as raised:
            ms.jit(lambda x: ms.ops.matmul(x, x))(ms.Tensor([[1.0, 2.0]]))
        errors.append(raised.value)
    with pytest.raises(ExceptionGroup) as raised:
        raise ExceptionGroup("two tasks", [errors[0], ExceptionGroup("inner", errors[1:])])
    frames = [line for line in short_traceback(raised.value) if "File" in line]
    assert frames and all("test_short_tracebacks.py" in line for line in frames)
