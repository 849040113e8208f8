"""The text of loops: axes that go together, what each operand has of them, one line per step."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.run.loops import loop_of
from minigraph.run.plan import planned


def loop_for(fn, *shapes):
    plan = planned(trace(fn, *[Tensor(np.ones(shape, np.float32)) for shape in shapes]))
    types = {source.value: source.type for source in plan.sources}
    operands = [value for value in types if any(value in step.ins for step in plan.steps)]
    return loop_of(plan.steps, operands, [types[value] for value in operands])


def test_the_text_of_a_loop():
    assert loop_for(lambda x, y: x * y + x, (3, 1), (3, 4)).text == (
        "def loop(a0, a1, out):\n"
        "    for i in range(out.shape[0]):\n"
        "        x0 = a0[i]\n"
        "        for j in range(out.shape[1]):\n"
        "            x1 = a1[i, j]\n"
        "            t0 = float32(x0 * x1)\n"
        "            out[i, j] = float32(t0 + x0)\n"
    )


@pytest.mark.parametrize(
    ("shapes", "wanted"),
    [
        (((2, 3), (2, 3)), [(-1,), (-1,), (-1,)]),
        (((2, 3), (3,)), [(-1, 3), (3,), (-1, 3)]),
        (((2, 3, 4), (4,)), [(-1, 4), (4,), (-1, 4)]),
        (((2, 3, 4), (3, 1)), [(-1, 3, 4), (3,), (-1, 3, 4)]),
        (((2, 3, 4), ()), [(-1,), (), (-1,)]),
        (((2, 1), (1, 3)), [(-1,), (3,), (-1, 3)]),
        (((1, 3), (1, 3)), [(3,), (3,), (3,)]),
        (((1, 1), (1,)), [(), (), ()]),
        (((), ()), [(), (), ()]),
    ],
)
def test_axes_that_go_together_are_one(shapes, wanted):
    loop = loop_for(lambda x, y: x * y, *shapes)
    assert list(loop.shapes) == wanted
    assert loop.signature == tuple(("float32", len(shape)) for shape in wanted)


def test_as_plain_python_it_computes_the_same():
    x, y = np.float32([[1.0], [-2.0]]), np.float32([[0.5, 3.0, -1.0]])
    loop = loop_for(lambda x, y: (x * y).maximum(y) - x, x.shape, y.shape)
    space = {"float32": np.float32}
    exec(loop.text, space)
    out = np.empty((2, 3), np.float32)
    space["loop"](*[a.reshape(shape) for a, shape in zip((x, y), loop.shapes, strict=False)], out)
    assert out.tolist() == (np.maximum(x * y, y) - x).tolist()
