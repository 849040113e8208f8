"""Every object that a cell can end with shows itself in Jupyter and marimo: their protocols, asked without either."""

import pytest

import minigraph as ms
import passes
import viz
from minigraph import Parameter, Tensor, nn, ops
from minigraph.autodiff.tape import Tape
from minigraph.op import listening

X = Tensor([1.0, 2.0])


def program(x):
    return ops.tanh(x) * x


def recorded():
    tape = Tape()
    tape.watch(X)
    with listening(tape):
        program(X)
    return tape


def records():
    return passes.as_pipeline("default").run(ms.trace(program, X), snapshots=True)


def called():
    fn = ms.jit(program)
    fn(X)
    return fn


PICTURES = {
    "graph": lambda: ms.trace(program, X),
    "function under @jit": called,
    "tape": recorded,
    "Cell": lambda: nn.Dense(2, 3),
    "what a pass did": lambda: next(record for record in records() if record.changed),
    "what passes did": records,
    "report": lambda: ms.simulate(program, X),
    "dot": lambda: viz.dot(ms.trace(program, X)),
    "diff": lambda: viz.diff(next(record for record in records() if record.changed)),
    "dynamic graph": lambda: viz.tape(program, X),
    "timeline": lambda: viz.timeline(ms.simulate(program, X)),
    "animation": lambda: viz.animation(ms.simulate(program, X)),
    "launches": lambda: viz.launches(ms.simulate(program, X)),
    "memory plan": lambda: viz.memory_plan(ms.jit(program), X),
}
TEXTS = {
    "tensor": lambda: X,
    "Parameter": lambda: Parameter(X, name="w"),
    "function never called": lambda: ms.jit(program),
}


def shown(thing):
    """What a notebook takes, the first that there is, as Jupyter and marimo ask for it."""
    bundle = thing._repr_mimebundle_() if hasattr(thing, "_repr_mimebundle_") else {}
    html = thing._repr_html_() if hasattr(thing, "_repr_html_") else None
    drawn = thing._repr_svg_() if hasattr(thing, "_repr_svg_") else None
    return html or drawn or bundle.get("text/html") or bundle.get("image/svg+xml")


@pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_shown(make):
    assert "<svg" in shown(make())


@pytest.mark.parametrize("make", TEXTS.values(), ids=TEXTS)
def test_where_there_is_no_picture_a_text_is_shown(make):
    assert shown(make()).startswith("<pre>")


@pytest.mark.parametrize("name", ["timeline", "animation", "launches", "memory plan"])
def test_pictures_that_are_texts_say_what_they_are(name):
    """marimo shows a text as a text, unless it is told."""
    drawn = PICTURES[name]()
    assert isinstance(drawn, str)
    assert drawn._mime_() == ("image/svg+xml", drawn)
    assert drawn._repr_svg_() == drawn


@pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES)
def test_in_jupyter(make):
    """Where IPython is installed: what its formatter makes of it."""
    formatters = pytest.importorskip("IPython.core.formatters")
    kinds, _ = formatters.DisplayFormatter().format(make())
    assert {"image/svg+xml", "text/html"} & set(kinds)


@pytest.mark.parametrize("make", [*PICTURES.values(), *TEXTS.values()], ids=[*PICTURES, *TEXTS])
def test_in_marimo(make):
    """Where marimo is installed: what it makes of it."""
    formatting = pytest.importorskip("marimo._output.formatting")
    formatted = formatting.try_format(make())
    assert formatted.mimetype != "text/plain"
    assert any(sign in str(formatted.data) for sign in ("<svg", "<pre", "<table"))
