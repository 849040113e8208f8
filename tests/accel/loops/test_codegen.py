"""Code generation of loops: collapsed axes, the axes of each operand, one line per step."""

import numpy as np

from minigraph import Tensor, trace
from minigraph.accel.loops.codegen import Body, loop_of
from minigraph.accel.schedule.plan import make_plan
from tests.tables import cases


def loop_for(fn, *shapes, trailing=0):
    """The loop of a function of tensors of these shapes, which may reduce its last ``trailing`` axes."""
    plan = make_plan(trace(fn, *[Tensor(np.ones(shape, np.float32)) for shape in shapes]))
    types = {source.value: source.type for source in plan.sources}
    operands = [value for value in types if any(value in step.ins for step in plan.steps)]
    return loop_of(Body(tuple(plan.steps), tuple(operands), plan.outs, plan.steps[-1].types[0].shape, trailing), types)


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


@cases(
    (((2, 3), (2, 3)), [(-1,), (-1,), (-1,)]),
    (((2, 3), (3,)), [(-1, 3), (3,), (-1, 3)]),
    (((2, 3, 4), (4,)), [(-1, 4), (4,), (-1, 4)]),
    (((2, 3, 4), (3, 1)), [(-1, 3, 4), (3,), (-1, 3, 4)]),
    (((2, 3, 4), ()), [(-1,), (), (-1,)]),
    (((2, 1), (1, 3)), [(-1,), (3,), (-1, 3)]),
    (((1, 3), (1, 3)), [(3,), (3,), (3,)]),
    (((1, 1), (1,)), [(), (), ()]),
    (((), ()), [(), (), ()]),
)
def test_axes_are_collapsed(shapes, expected):
    loop = loop_for(lambda x, y: x * y, *shapes)
    assert list(loop.shapes) == expected
    assert loop.signature == tuple(("float32", len(shape)) for shape in expected)


def test_as_plain_python_it_computes_the_same():
    x, y = np.float32([[1.0], [-2.0]]), np.float32([[0.5, 3.0, -1.0]])
    loop = loop_for(lambda x, y: (x * y).maximum(y) - x, x.shape, y.shape)
    result = run_as_python(loop, [x, y], np.empty((2, 3), np.float32))
    assert result.tolist() == (np.maximum(x * y, y) - x).tolist()


def test_a_reduction_and_its_readers_are_separate_sweeps():
    loop = loop_for(soft, (2, 3), trailing=1)
    assert loop.text == (
        "def loop(a0, out, s0):\n"
        "    for i in range(out.shape[0]):\n"
        "        f0 = float32(-inf)\n"
        "        for j in range(out.shape[1]):\n"
        "            x0 = a0[i, j]\n"
        "            f0 = float32(maximum(f0, float32(x0)))\n"
        "        t0 = float32(f0)\n"
        "        f3 = float64(0)\n"
        "        for j in range(out.shape[1]):\n"
        "            x0 = a0[i, j]\n"
        "            t1 = float32(x0 - t0)\n"
        "            t2 = float32(exp(t1))\n"
        "            s0[j] = t2\n"
        "            f3 = float64(add(f3, float64(t2)))\n"
        "        t3 = float32(f3)\n"
        "        for j in range(out.shape[1]):\n"
        "            t2 = s0[j]\n"
        "            out[i, j] = float32(t2 / t3)\n"
    )
    assert loop.rows == (((3,), "float32"),)
    x = np.float32([[1, 2, 3], [0, -1, 5]])
    result = run_as_python(loop, [x], np.empty_like(x))
    assert np.allclose(result, np.exp(x) / np.exp(x).sum(1, keepdims=True), rtol=1e-6)


def soft(x):
    powers = (x - x.amax(-1, keepdims=True)).exp()
    return powers / powers.sum(-1, keepdims=True)


def run_as_python(loop, operands, out):
    names = {"float32": np.float32, "float64": np.float64, "inf": np.inf, "exp": np.exp, "tanh": np.tanh}
    space = names | {"maximum": np.maximum, "add": np.add}
    exec(loop.text, space)
    rows = [np.empty(shape, dtype) for shape, dtype in loop.rows]
    arrays = [a.reshape(shape) for a, shape in zip((*operands, out), loop.shapes, strict=True)]
    space.get("strips", space["loop"])(*arrays, *rows)
    return out


def test_dependent_polynomials_are_computed_in_strips():
    loop = loop_for(lambda x: (x * 2.0).tanh().tanh(), (3, 1000))
    assert loop.text.splitlines()[-3:] == [
        "def strips(a0, a1, out, s0):",
        "    for i in range(0, out.shape[0], 2048):",
        "        loop(a0[i:i + 2048], a1, out[i:i + 2048], s0)",
    ]
    assert loop.rows == (((2048,), "float32"),)
    x, two = np.linspace(-2, 2, 3000, dtype=np.float32).reshape(3, 1000), np.float32(2)
    result = run_as_python(loop, [x, np.asarray(two)], np.empty_like(x))
    assert np.array_equal(result, np.tanh(np.tanh(x * two)))


def test_one_polynomial_needs_no_strips():
    assert "strips" not in loop_for(lambda x: (x * 2.0).tanh() + x, (3, 1000)).text


def test_several_results_are_stored_where_they_are_computed():
    loop = loop_for(lambda x: (x * x, x * x + x), (3,))
    assert loop.results == 2
    assert "        out0[i] = float32(x0 * x0)\n" in loop.text
