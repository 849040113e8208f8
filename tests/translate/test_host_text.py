"""Strings with tensors: formatted as in eager mode, at every run."""

# ruff: noqa: UP031, UP032, RUF010 - every way of writing is the point

import traceback
import warnings

import pytest

from minigraph import Tensor, jit
from minigraph.compilation import OpByOpWarning
from minigraph.core.errors import TraceError
from minigraph.translate.host_text import HostText, deferred_text, format_value, join_texts, percent_format

X, WIDTH = Tensor([1.0, 2.0]), 8

PROGRAMS = {
    "an f-string": lambda x: f"x is {x}, of shape {x.shape}",
    "conversions and formats": lambda x: f"{x!r} {x[0]!s:>{WIDTH}} {3.14159:.2f} {'a'!r}",
    "debugging": lambda x: f"{x=} {WIDTH = }",
    "braces": lambda x: f"{{}} {x}",
    "modulo": lambda x: "%s and %d %.1f" % (x, 3, 0.25),
    "modulo of one": lambda x: "x is %s" % x,
    "format": lambda x: "{} {name!r:>40}".format(x, name=x),
    "str and repr": lambda x: str(x) + " " + repr(x) + format("a", ">3"),
    "join": lambda x: ", ".join([str(value) for value in x]),
    "texts in texts": lambda x: f"<{f'{x}'} {str(x)}>",
    "arrays": lambda x: f"{x.asnumpy()} {x.asnumpy().sum():.3f}",
    "in a structure": lambda x: {"a": [f"{x}", 1]},
    "nothing to wait for": lambda x: f"{x.shape} {x.dtype}" + "%d %%" % 3 + "{}".format(2),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_strings_equal_eager_mode_at_every_call(program):
    compiled = jit(program)
    for x in (X, -X, X * 1e9):
        assert compiled(x) == program(x)
    assert compiled.cache_info().misses == 1


def test_printed_texts(capsys):
    def shows(x):
        print(f"loss {x.sum()}", "after %s" % x)
        return x

    compiled = jit(shows)
    compiled(X), compiled(-X)
    assert capsys.readouterr().out == "loss 3.0 after [1. 2.]\nloss -3.0 after [-1. -2.]\n"


def test_strings_of_known_values_are_formatted_at_once_and_others_deferred():
    assert join_texts("a", format_value(1.5, -1, ".2f"), format_value("b", ord("r"), "")) == "a1.50'b'"
    assert (percent_format("%d", 3), deferred_text(str, (X,))) == ("3", "[1. 2.]")
    text = HostText(str, (X,))
    assert repr(text) == "<text, known when the graph runs>"
    with pytest.raises(TraceError, match=r"in `str\(text\)` \(test_host_text.py:\d+\); print it or return it"):
        str(text)


DECIDING = [
    lambda x: x if f"{x}" == "a" else -x,
    lambda x: x if str(x) else -x,
    lambda x: {f"{x}": 1},
    lambda x: [f"{x}"].index("a"),
]


@pytest.mark.parametrize("program", DECIDING)
def test_python_cannot_branch_on_it(program):
    with pytest.raises(TypeError, match=r"a string with a tensor in it is formatted when the graph runs|unhashable"):
        jit(program).graph(X)


USES = {
    "len": lambda text: len(text),
    "iter": lambda text: list(text)[:1],
    "getitem": lambda text: text[0],
    "contains": lambda text: "1" in text,
    "mul": lambda text: text * 2,
    "rmul": lambda text: 2 * text,
}


@pytest.mark.parametrize("use", USES)
def test_uses_that_need_the_text_run_op_by_op_or_are_refused_with_their_line(use):
    def program(x):
        text = str(x)
        return text, USES[use](text)

    x = Tensor([1.0, 2.0])
    with pytest.raises(TraceError, match=r"formatted when the graph runs.*\n?.*\(test_host_text.py:\d+\)"):
        jit(program, fullgraph=True)(x)
    with pytest.warns(OpByOpWarning, match="formatted when the graph runs"):
        assert jit(program)(x) == program(x)


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_each_value_is_formatted_before_the_next_one_is_evaluated(mode):
    def pops(x):
        stack = [1, 2, 3]
        return f"{stack} pop {stack.pop()} left {stack}"

    assert jit(pops, capture_mode=mode)(X) == pops(X) == "[1, 2, 3] pop 3 left [1, 2]"


def converts_to_int(x):
    y = x * 2
    s = "%d" % y
    return y + len(s)


def returns_text(x):
    y = x * 2
    return "%d" % y


def prints_text(x):
    y = x * 2
    print("%d" % y)
    return y


def formats(x):
    y = x * 2
    return f"{y:d}", "{:.3f}".format(y), format(y, "d")


def adds_number(x):
    y = x * 2
    return str(y) + 5


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", [converts_to_int, returns_text, prints_text, formats, adds_number])
def test_an_error_of_a_format_has_the_line_and_the_frames_of_eager_mode(function, mode):
    def error_and_frames(fn):
        with pytest.raises((ValueError, TypeError)) as caught:
            fn(X)
        frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
        return type(caught.value), str(caught.value), [(frame.name, frame.lineno) for frame in frames]

    assert error_and_frames(jit(function, capture_mode=mode)) == error_and_frames(function)
    if function is not adds_number and mode == "ast":
        with pytest.raises(TraceError, match=r"(?s)cannot be formatted: .* \(test_host_text.py:\d+\); format"):
            jit(function, fullgraph=True)(X)


def test_an_error_of_a_format_that_values_cause_has_a_note_with_the_line():
    def infinite(x):
        y = x.sum() / 0
        return "%d %s" % (y, y + 1)

    with pytest.raises(OverflowError, match="infinity") as caught, warnings.catch_warnings(action="ignore"):
        jit(infinite)(X)  # the division may warn
    assert caught.value.__notes__ == [
        f'in `"%d %s" % (y, y + 1)` (test_host_text.py:{infinite.__code__.co_firstlineno + 2})'
    ]
