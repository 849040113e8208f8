import pytest

from minigraph.core.errors import ModelError
from minigraph.importers.model import Input, Model, Ref, Step, all_models, all_steps, printable
from tests.tables import cases, results


def step(text, attrs=()):
    """A step from text such as ``c = add a b``."""
    outputs, _, call = text.partition(" = ")
    kind, *args = call.split()
    return Step(kind, outputs, lambda *xs: xs, tuple(map(Ref, args)), dict(attrs), tuple(outputs.split(",")))


def model(*lines, outputs=("y",), is_body=False, attrs=()):
    steps = [step(line, attrs if line == lines[-1] else ()) for line in lines]
    return Model("net", [Input("x")], {}, steps, outputs, is_body)


@cases(
    (["y = relu a", "a = relu x"], "relu node 'y' uses 'a' before relu node 'a' defines it; sort the nodes"),
    (["a = relu b", "b = relu a", "y = relu x"], "relu node 'a' uses 'b' before relu node 'b' defines it"),
    (["y = relu y"], "relu node 'y' uses 'y' before relu node 'y' defines it"),
    (["y = relu x", "y = relu x"], "relu node 'y' defines 'y' again; rename one"),
    (["x = relu x"], "relu node 'x' defines 'x' again"),
    (["y = relu xx"], "nothing defines 'xx', which relu node 'y' uses; did you mean 'x'?"),
    (["z = relu x"], "nothing defines 'y', which an output uses"),
)
def test_names_that_are_not_defined_once_and_before_their_use(lines, message):
    with pytest.raises(ModelError) as error:
        model(*lines)
    assert str(error.value).startswith(f"net: {message}")


def test_a_body_may_use_values_of_the_enclosing_model():
    body = model("y = add x outer", is_body=True)
    assert body.free == ("outer",)
    outer = model("outer = relu x", "y = if x", attrs={"body": body})
    assert [s.kind for s in all_steps(outer)] == ["relu", "if", "add"] and all_models(outer) == [outer, body]


def test_values_are_freed_after_their_last_use():
    assert model("a = relu x", "b = relu a", "y = add a b").last_uses == [["x"], [], ["a", "b"]]


test_names_from_files_are_shown_as_one_short_line = results(
    printable,
    ("conv1", "conv1"),
    ("a\nb", "a\\nb"),
    (b"\xff", "�"),
    ("\u202e", "\\u202e"),
    ("x" * 100_000, "x" * 77 + "..."),
    ("\n" * 100, ("\\n" * 40)[:77] + "..."),
)
