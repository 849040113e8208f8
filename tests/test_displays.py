"""Every object has a display in Jupyter and marimo; tested by their protocols, without either installed."""

import importlib

import pytest

import minigraph as ms
import passes
import viz
from minigraph import Parameter, Tensor, nn, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import op_named, record_on
from minigraph.npu import chip_named
from minigraph.npu.reports import task_sheet

X = Tensor([1.0, 2.0])


def program(x):
    return ops.tanh(x) * x


def recorded_tape():
    tape = Tape()
    tape.watch(X)
    with record_on(tape):
        program(X)
    return tape


def records():
    return passes.as_pipeline("default").run(ms.trace(program, X), snapshots=True)


def called_function():
    fn = ms.jit(program)
    fn(X)
    return fn


PICTURES = {
    "graph": lambda: ms.trace(program, X),
    "function under @jit": called_function,
    "tape": recorded_tape,
    "Cell": lambda: nn.Dense(2, 3),
    "what a pass did": lambda: next(record for record in records() if record.changed),
    "what passes did": records,
    "report": lambda: ms.simulate(program, X),
    "dot": lambda: viz.dot(ms.trace(program, X)),
    "diff": lambda: viz.diff(next(record for record in records() if record.changed)),
    "diff of several": lambda: viz.diff(*[ms.trace(program, X)] * 3),
    "dynamic graph": lambda: viz.tape(program, X),
    "timeline": lambda: viz.timeline(ms.simulate(program, X)),
    "animation": lambda: viz.animation(ms.simulate(program, X)),
    "launches": lambda: viz.launches(ms.simulate(program, X)),
    "memory plan": lambda: viz.memory_plan(ms.jit(program), X),
    "pass_animation": lambda: viz.pass_animation(records()),
}
TABLES = {
    "operator": lambda: op_named("relu"),
    "chip": lambda: chip_named("ascend910b1"),
    "pipeline": lambda: passes.as_pipeline("default"),
    "pass": lambda: passes.pass_named("cse"),
    "rule": lambda: next(rule for _, rule in passes.every_rule() if not rule.is_fusion),
    "fusion": lambda: next(rule for _, rule in passes.every_rule() if rule.is_fusion),
    "group": lambda: passes.fuse_groups(passes.is_cheap, name="cheap"),
    "sheet": lambda: task_sheet(ms.simulate(program, X)),
}
TEXTS = {
    "tensor": lambda: X,
    "Parameter": lambda: Parameter(X, name="w"),
    "function never called": lambda: ms.jit(program),
}


EVERYTHING = PICTURES | TABLES | TEXTS
PACKAGES = (
    "minigraph",
    "passes",
    "viz",
    "minigraph.npu",
    "minigraph.npu.reports",
    "minigraph.dataset",
    "minigraph.train",
)
# Classes without a display: settings, parts of other objects, and plain records.
PLAIN = {
    "AmpLevel", "Callback", "CheckpointConfig", "BatchInfo", "Choice", "ConvertModelUtils", "COOTensor", "CSRTensor",
    "Dataset", "DatasetHelper", "Digits", "DSCallback", "Dump", "FixedPoint", "Generator", "JitConfig",
    "LossScaleManager", "RowTensor",
    "SummaryRecord", "GradOperation", "Metric", "Model", "Options", "ParallelMode", "ParameterTuple", "RuleStats",
    "RunContext", "Schema", "Shuffle", "AbstractType", "Type",
    "Sampler", "Schedule", "Statistics", "Validation", "ScatterPoint",
    "Bars", "Block", "Drawing", "Figures", "Files", "Link", "Note", "Section", "Sliders", "Table", "Text",
    "EdgeGain", "HardwareParameter", "Level", "Occupancy", "Roof", "Roofline", "RooflinePoint", "Slider",
}  # fmt: skip
PROTOCOLS = ("_repr_html_", "_repr_svg_", "_repr_mimebundle_")


def public_classes():
    packages = map(importlib.import_module, PACKAGES)
    named = [getattr(package, name) for package in packages for name in getattr(package, "__all__", dir(package))]
    package_names = ("minigraph", "passes", "viz")
    classes = {value for value in named if isinstance(value, type) and value.__module__.split(".")[0] in package_names}
    return sorted((class_ for class_ in classes if not issubclass(class_, BaseException)), key=str)


@pytest.mark.parametrize("kind", public_classes(), ids=lambda kind: kind.__name__)
def test_every_public_class_shows_itself_or_is_plain(kind):
    plain = any(base.__name__ in PLAIN and not base.__module__.startswith("graphviz") for base in kind.__mro__)
    assert any(hasattr(kind, name) for name in PROTOCOLS) != plain


EXPECTED_DISPLAY = (
    dict.fromkeys(PICTURES, "<svg") | dict.fromkeys(TABLES, "<table><caption>") | dict.fromkeys(TEXTS, "<pre>")
)


@pytest.mark.parametrize("name", EXPECTED_DISPLAY)
def test_a_picture_a_table_or_a_text_is_shown(name):
    text = display_text(EVERYTHING[name]())
    assert text.startswith(EXPECTED_DISPLAY[name]) or (name in PICTURES and "<svg" in text)
    assert name not in TABLES or ("<tr><td>" in text and "<script" not in text)


def display_text(value):
    """The representation that a notebook shows: the first available one in the order of Jupyter and marimo."""
    bundle = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
    html = value._repr_html_() if hasattr(value, "_repr_html_") else None
    svg = value._repr_svg_() if hasattr(value, "_repr_svg_") else None
    return html or svg or bundle.get("text/html") or bundle.get("image/svg+xml")


@pytest.mark.parametrize("name", ["timeline", "animation", "launches", "memory plan"])
def test_pictures_that_are_texts_have_a_label(name):
    """marimo shows a text as text unless its MIME type is declared."""
    picture = PICTURES[name]()
    assert isinstance(picture, str)
    assert (picture._mime_(), picture._repr_svg_()) == (("image/svg+xml", picture), picture)


@pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES)
def test_in_jupyter(make):
    """The output of IPython's formatter, if IPython is installed."""
    formatters = pytest.importorskip("IPython.core.formatters")
    kinds, _ = formatters.DisplayFormatter().format(make())
    assert {"image/svg+xml", "text/html"} & set(kinds)


@pytest.mark.parametrize("make", EVERYTHING.values(), ids=EVERYTHING)
def test_in_marimo(make):
    """The output of marimo, if it is installed."""
    formatting = pytest.importorskip("marimo._output.formatting")
    formatted = formatting.try_format(make())
    assert formatted.mimetype != "text/plain"
    assert any(sign in str(formatted.data) for sign in ("<svg", "<pre", "<table"))
