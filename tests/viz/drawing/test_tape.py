"""Pictures of eager execution."""

from functools import reduce

import numpy as np

from minigraph import Parameter, Tensor, jit, nn, ops, value_and_grad
from minigraph.core.autodiff.tape import Tape
from minigraph.core.errors import RenderError
from minigraph.core.op import op_named, record_on
from tests.tables import error_cases, results
from tests.viz.graphs import parse_svg, texts
from viz.drawing.tape import Calls, tape, value_text
from viz.output.render import render, svg


def lines(picture):
    """The lines of all boxes by title."""
    return {box.lines[0]: list(box.lines[1:]) for box in picture.scene.boxes.values()}


def arrows(picture):
    return [(arrow.tail, arrow.head) for arrow in picture.scene.arrows.values()]


def test_calls_in_order_with_values_and_gradients():
    picture = tape(lambda x, y: (x * y + x).sum(), Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert lines(picture) == {
        "%0 input x": ["[1. 2.]", "gradient [4. 5.]"],
        "%1 input y": ["[3. 4.]", "gradient [1. 2.]"],
        "%2 mul": ["[3. 8.]", "gradient [1. 1.]"],
        "%3 add": ["[ 4. 10.]", "gradient [1. 1.]"],
        "%4 sum axis 0": ["14", "gradient 1"],
        "output": [],
    }
    assert arrows(picture) == [
        ("n0", "n2"), ("n1", "n2"), ("n2", "n3"), ("n0", "n3"), ("n3", "n4"), ("n4", "nout0"),
    ]  # fmt: skip


def test_gradients_equal_the_tape():
    fn, x = lambda x: (ops.tanh(x @ x) * 0.5).mean(), Tensor(np.array([[0.1, 0.2], [0.3, 0.4]], np.float32))
    expected = value_text(value_and_grad(fn)(x)[1].asnumpy())
    assert lines(tape(fn, x))["%0 input x"][1] == f"gradient {expected}"


def test_without_gradients_there_is_no_backward_pass():
    shown = lines(tape(lambda x: x * x, Tensor(3.0), gradients=False))
    assert shown == {"%0 input x": ["3"], "%1 mul": ["9"], "output": []}


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.factor = Parameter(Tensor([2.0]))
        self.steps = Parameter(Tensor(0), requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.steps, 1)
        return x * self.factor + self.steps


def test_parameters_of_cells_and_assignments():
    shown = lines(tape(Scale(), Tensor([3.0])))
    assert shown["%0 input x"] == ["[3.]", "gradient [2.]"]
    assert next(lines for title, lines in shown.items() if title.endswith(" factor")) == ["[2.]", "gradient [3.]"]
    assert shown["%1 steps"] == ["0"]
    assert [title for title in shown if "steps :=" in title and shown[title] == ["1"]]


def test_a_parameter_that_is_assigned_shows_the_gradient_of_the_value_it_had():
    weight = Parameter(Tensor([2.0]), name="weight")

    def fn(x):
        y = x * weight
        ops.assign(weight, weight * 10.0)
        return y + weight

    shown = lines(tape(fn, Tensor([3.0])))
    assert shown["%1 weight"] == ["[2.]", "gradient [4.]"]
    assert next(lines for title, lines in shown.items() if "weight :=" in title) == ["[20.]", "gradient [1.]"]


def test_writing_into_a_tensor_is_a_call_like_others():
    def fn(x):
        y = x * 2.0
        y[0] = 5.0
        return y.sum()

    shown = lines(tape(fn, Tensor([1.0, 1.0])))
    assert shown["%0 input x"] == ["[1. 1.]", "gradient [0. 2.]"]
    assert shown["%2 mul"] == ["[2. 2.]", "gradient [0. 1.]"]


def test_a_compiled_function_runs_op_by_op_and_a_gradient_inside_is_part_of_the_picture():
    shown = lines(tape(jit(lambda x: ops.exp(x) * 2.0), Tensor(0.0)))
    assert [title.split(" ")[1] for title in shown if title[0] == "%"] == ["input", "exp", "2.", "mul"]
    shown = lines(tape(lambda x: value_and_grad(lambda y: y * y * y)(x)[1], Tensor(2.0)))
    assert shown["%0 input x"][1] == "gradient 12"
    assert sum("mul" in title for title in shown) > 3


def test_results_without_gradient_have_none():
    assert not any("gradient" in line for shown in lines(tape(lambda x: x > 1, Tensor(2.0))).values() for line in shown)
    assert lines(tape(lambda: Tensor(2.0))) == {"%0 2.": [], "output": []}


def test_the_same_tensor_twice_is_one_input_and_structures_come_in_by_name():
    x = Tensor(3.0)
    assert lines(tape(lambda a, b: a * b, x, x))["%0 input a"] == ["3", "gradient 6"]
    shown = lines(tape(lambda pair, scale: pair[0] * pair[1] * scale, (Tensor(1.0), Tensor(2.0)), scale=x))
    assert list(shown)[:3] == ["%0 input pair.0", "%1 input pair.1", "%2 input scale"]


def test_a_tape_draws_itself_also_if_it_is_empty():
    recorded, x = Tape(), Tensor(3.0)
    recorded.watch(x)
    with record_on(recorded):
        y = x * x
        _ = y + 1.0
    labels = texts(recorded._repr_svg_())
    assert labels == texts(svg(recorded)) == texts(render(recorded).decode())
    assert {"%0 input x0", "%1 mul", "%3 add"} <= set(labels)
    assert len(recorded.entries) == 2, "drawing does not consume the tape"
    assert parse_svg(Tape()._repr_svg_()) is not None


def test_many_calls_become_a_summary():
    picture = tape(lambda x: reduce(lambda total, _: total + 1.0, range(1000), x), Tensor(0.0))
    assert "summary" in picture.scene.note and len(picture.scene) < 200


test_what_cannot_be_called_is_refused = error_cases(
    *(None, 3, "x * x", Tensor(1.0)),
    by=tape,
    error=RenderError,
    text="is neither a function nor a tape; pass one of them",
)


test_short_texts_of_values = results(
    lambda array: value_text(np.asarray(array)),
    (np.float32(0.5), "0.5"),
    (np.array(True), "True"),
    (np.array([1, 2]), "[1 2]"),
    (np.zeros((0, 3)), "[]"),
    (np.arange(10), "0 to 9, mean 4.5"),
    (np.full((3, 3), np.nan), "nan to nan, mean nan"),
    (np.array([np.inf, -np.inf] * 5), "-inf to inf, mean nan"),
    (np.zeros(10, complex), "[0.+0.j 0.+0.j ... 0.+0.j 0.+0.j]"),
)


def test_calls_keep_their_tensors():
    """Otherwise an id reused by another tensor would merge two values."""
    calls = Calls("net")
    for _ in range(100):
        calls.add(op_named("identity"), [Tensor(1.0)], {}, [Tensor(1.0)])
    assert len(calls.graph) == 200
