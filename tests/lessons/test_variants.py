"""Every checker, on at least five right answers and five wrong ones (including the solutions file)."""

import contextlib
import io
import itertools
from functools import cache

import pytest

import passes
from minigraph import lessons, ops
from minigraph.lessons import WrongAnswerError, lesson_named
from minigraph.lessons.check_passes import ORDER
from minigraph.lessons.grading import _run_cell
from minigraph.lessons.lesson_files import EXERCISE

pytestmark = pytest.mark.filterwarnings("ignore::minigraph.capture.side_effects.SideEffectWarning")
FEWEST = 5  # right answers, and wrong ones


def function(header, *bodies):
    """Answers that are one function each."""
    return [f"def {header}:\n    " + body.replace("\n", "\n    ") + "\n" for body in bodies]


def predictions(**changed):
    return str({"eager_prints": 3, "jit_prints": 2, "graph_operators": 6, "compiles": 2} | changed)


def parameters(*lines):
    entries = [f'{line.partition("=")[0]} = {{v = {line.partition("=")[2]}, src = "x", grade = "U"}}' for line in lines]
    return "\n".join(entries)


DCE_END = "graph.erase(set(graph) - needed)"
RIGHT = {
    "tape": function(
        "tanh_rule(g, out, x)",
        "return g - g * out * out",
        "return g - g * (out * out)",
        "return g * (1 - out**2)",
        "return (1 - ops.square(out)) * g",
        "return ops.mul(g, ops.sub(1, ops.mul(out, out)))",
    ),
    "tracing": [
        f"answers = {predictions()}",
        "answers = dict(eager_prints=3, jit_prints=2, graph_operators=6, compiles=2)",
        "answers = {'compiles': 2, 'graph_operators': 2 * 3, 'jit_prints': 2, 'eager_prints': 3}",
        f"answers = {predictions(eager_prints=3.0)}",
        f"answers = {predictions()} | {{'more': 1}}",
        f"import collections\nanswers = collections.ChainMap({predictions()})",
    ],
    "source": function(
        "gcd(a, b)",
        "while b > 0:\n    a, b = b, a % b\nreturn a",
        "while not b == 0:\n    a, b = b, a % b\nreturn a",
        "while b != 0:\n    rest = a % b\n    a = b\n    b = rest\nreturn a",
        "while b != 0:\n    a, b = b, ops.floor_mod(a, b)\nreturn a",
        "x, y = a, b\nwhile y != 0:\n    x, y = y, x % y\nreturn x",
    ),
    "passes": [f"ORDER = {text!r}" for text in (
        ", ".join(ORDER), " ,".join(ORDER), ",\n".join(ORDER), " " + ",".join(ORDER) + " ", ",\t".join(ORDER),
        ORDER, [*ORDER],
    )],
    "depend": function(
        "dce(graph, *, options)",
        "passes.pass_named('dce')(graph)",
        "needed, new = set(), {*map(producer, graph.outs), *graph.inputs}\n"
        "while new:\n    needed |= new\n"
        "    new = {n for k in new for n in (*map(producer, graph.ins(k)), *graph.before(k))} - needed\n" + DCE_END,
        "needed = {*map(producer, graph.outs), *graph.inputs}\n"
        "for node in reversed(graph.topological()):\n    if node in needed:\n"
        "        needed.update(map(producer, graph.ins(node)), graph.before(node))\n" + DCE_END,
        "import networkx as nx\nouts = {*map(producer, graph.outs), *graph.inputs}\n"
        "needed = outs.union(*(nx.ancestors(graph, node) for node in outs))\n" + DCE_END,
        "needed = {*map(producer, graph.outs), *graph.inputs}\n"
        "def visit(node):\n"
        "    for one in (*map(producer, graph.ins(node)), *graph.before(node)):\n"
        "        if one not in needed:\n            needed.add(one)\n            visit(one)\n"
        "for node in list(needed):\n    visit(node)\n"
        "dead = [node for node in graph if node not in needed]\nif dead:\n    graph.erase(dead)",
    ),
    "fusion_rule": [f"SCORES = fuse('Scores', {pattern})" for pattern in (
        "lambda a, b, c: ops.softmax(a @ b * c)",
        "lambda q, k, s: ops.softmax(s * (q @ k))",
        "lambda q, k, s: ops.softmax(ops.matmul(q, k) * s, -1)",
        "lambda s, k, q: ops.softmax(ops.mul(q @ k, s), axis=-1)",
    )] + [function("scores(q, k, s)", "return ops.softmax(q @ k * s)")[0] + "SCORES = fuse('Scores', scores)"],
    "operator": [f"vjp_of_hypot = {text}" for text in (
        "(lambda g, out, x, y: g / out * x, lambda g, out, x, y: g / out * y)",
        "(lambda g, out, x, y: x / out * g, lambda g, out, x, y: y / out * g)",
        "[lambda g, out, x, y: g * (x / out), lambda g, out, x, y: g * (y / out)]",
        "(lambda g, out, *xy: g * xy[0] / out, lambda g, out, *xy: g * xy[1] / out)",
        "(lambda g, out, x, y: ops.div(g * x, out), lambda g, out, x, y: ops.div(g * y, out))",
    )],
    "cube": [f"SCHEDULE = Schedule(base={base}, buffers=2)" for base in (
        "(128, 256, 64)", "(256, 128, 64)", "(128, 128, 128)", "(128, 256, 48)", "(128, 128, 64)",
    )],
    "host": function(
        "fast(x, w)",
        "return ops.split(x @ w, 64, 1)",
        "y = x @ w\nreturn [y[:, 64 * i : 64 * i + 64] for i in range(3)]",
        "return tuple(ops.chunk(ops.matmul(x, w), 3, 1))",
        "y = x @ w\nq, k, v = y[:, :64], y[:, 64:128], y[:, -64:]\nreturn q, k, v",
        "y = x @ w\nreturn tuple(ops.narrow(y, 1, start, 64) for start in (0, 64, 128))",
    ),
    "graph_kernel": function(
        "standardize(x)",
        *("mean = x.mean(-1, keep_dims=True)\n" + rest for rest in (
            "return (x - mean) / ops.sqrt(ops.square(x).mean(-1, keep_dims=True) - mean**2 + 1e-5)",
            "v = (x**2).mean(-1, keep_dims=True) - ops.square(mean)\nreturn (x - mean) / ops.sqrt(v + 1e-5)",
            "v = ops.mean(x * x, -1, True) - mean * mean\nreturn (x - mean) * ops.rsqrt(v + 1e-5)",
            "v = (x * x).sum(-1, keepdims=True) / x.shape[-1] - mean * mean\nreturn (x - mean) / (v + 1e-5) ** 0.5",
            "second = (x * x).mean(-1, keep_dims=True)\nreturn (x - mean) / ops.sqrt(1e-5 + second - mean * mean)",
        )),
    ),
    "chip": [f'PARAMETERS = """{text}"""' for text in (
        "[pool]\n" + parameters("gm=3.0", "gm_roof=3.6"),
        "[pool]\n" + parameters("gm=5", "gm_roof=5"),
        "[pool]\n" + parameters("gm_roof=4.0", "gm=2.9"),
        "[buf]\n" + parameters("l2=1610612736"),
        "[buf]\n" + parameters("l2=3221225472") + "\n[cores]\n" + parameters("freq_mhz=1900"),
    )],
    "higher_order": function(
        "hvp(f, x, v)",
        "return ms.grad(lambda y: (v * ms.grad(f)(y)).sum())(x)",
        "slope = ms.grad(f)\nreturn ms.grad(lambda z: ops.sum(slope(z) * v))(x)",
        "return ms.grad(lambda x: ops.reduce_sum(ms.grad(f)(x) * v))(x)",
        "return ms.value_and_grad(lambda x: (ms.grad(f)(x) * v).sum())(x)[1]",
        "return ms.jvp(ms.grad(f), x, v)[1]",
        "return ms.vjp(ms.grad(f), x)[1](v)[0]",
        "def along(x):\n    return ops.tensor_dot(ms.grad(f)(x), v, 1)\nreturn ms.grad(along)(x)",
    ),
    "own_model": [f'NORM = fuse("RMSNorm", lambda {text})' for text in (
        "x, w, e: x * ops.rsqrt(ops.mean(x * x, -1, True) + e) * w",
        "a, b, c: a * ops.rsqrt(ops.mean(a * a, -1, True) + c) * b",
        "x, w, e: ops.mul(x * ops.rsqrt((x * x).mean(-1, keep_dims=True) + e), w)",
        "x, w, e: w * (x * ops.rsqrt(ops.mean(x * x, -1, True) + e))",
        "x, w, e: x * ops.rsqrt(e + ops.mean(ops.mul(x, x), -1, True)) * w",
    )],
    "kernel": [f"KERNEL = {text}" for text in (
        "Schedule(base=(160, 160, 64))", "Schedule(base=(128, 128, 128))", "Schedule(base=(160, 96, 96))",
        "Schedule(base=(160, 160, 96), unit_flag=True, buffers=2)", "Schedule(base=(160, 160, 96), grid=(3, 8))",
    )],
    "transformer": function(
        "patches(images)",
        "return images.reshape(-1, 4, 2, 4, 2).swapaxes(2, 3).reshape(-1, 16, 4)",
        "n = images.shape[0]\nreturn images.reshape(n, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(n, 16, 4)",
        "x = images.reshape(-1, 1, 4, 2, 4, 2)\nreturn x.transpose(0, 2, 4, 3, 5, 1).reshape(-1, 16, 4)",
        "return images.squeeze(1).reshape(-1, 4, 2, 4, 2).permute(0, 1, 3, 2, 4).reshape(-1, 16, 4)",
        "x = images.reshape((-1, 4, 2, 4, 2))\nreturn ms.ops.transpose(x, (0, 1, 3, 2, 4)).reshape((-1, 16, 4))",
    ),
}  # fmt: skip
WRONG = {
    "tape": function(
        "tanh_rule(g, out, x)", "return g * (1 - out)", "return g * (1 + out * out)", "return None",
        "return g * ops.ones_like(out) - g * out * out * 1.0",
    ),
    "tracing": [
        f"answers = {predictions(eager_prints=1)}", f"answers = {predictions(compiles=3)}",
        "answers = {'eager_prints': 3}", f"answers = {predictions(jit_prints=None)}",
        "answers = None", "answers = [3, 2, 6, 2]", f"answers = {predictions(jit_prints='2')}",
    ],
    "source": function(
        "gcd(a, b)", "return None", "return a - b", "while b > 6:\n    a, b = b, a % b\nreturn a", "return a, b",
        "while a != b:\n    if a > b:\n        a = a - b\n    else:\n        b = b - a\nreturn a", "return a.value",
    ),
    "passes": ["ORDER = None", "ORDER = ''", "ORDER = 'cse'", "ORDER = 3"],
    "depend": function(
        "dce(graph, *, options)", "pass", "graph.erase([producer(graph.outs[0])] if False else [])",
        "for node in reversed(graph.topological()):\n"
        "    if not graph.use_count(node) and not graph.after(node) and not graph.op(node).is_leaf:\n"
        "        graph.erase([node])\n        break",
    ),
    "fusion_rule": [
        "SCORES = None", "SCORES = 3", "SCORES = lambda q, k, s: ops.softmax(q @ k * s)",
        "SCORES = fuse('Scores', lambda q, k, s: ops.softmax(q @ k / s))",
        "SCORES = fuse('Scores', lambda q, k, s: ops.softmax(q @ k * s, axis=0))",
        "SCORES = fuse('Scores', lambda q, k, s: ops.softmax(q @ k * s), recompute=True)",
        "SCORES = fuse('A', lambda q, k: ops.softmax(q @ k * 0.125) | ops.softmax(q @ k * 0.3))",
        "SCORES = fuse('A', lambda q, k, s: ops.softmax(q @ k * s), where=lambda m: m.q.shape[0] >= 8)",
        "SCORES = fuse('A', lambda q, k, s: ops.softmax(q @ k * s), where=lambda m: m.s.shape == ())",
    ],
    "operator": [f"vjp_of_hypot = {text}" for text in (
        "(None, None)", "()", "(lambda g, out, x, y: g * x, lambda g, out, x, y: g * y)",
        "(lambda g, out, x, y: g * x / out,)", "(lambda g, out, x, y: g * y / out, lambda g, out, x, y: g * x / out)",
        "lambda g, out, x, y: g * x / out", "(lambda g, x: g, lambda g, y: g)", "(lambda *operands: 3.0, None)",
    )],
    "cube": ["SCHEDULE = None", "SCHEDULE = Schedule(base=(16, 16, 16), buffers=2)",
             "SCHEDULE = (128, 256, 64)", "SCHEDULE = Schedule(base=(100, 256, 64), buffers=2)"],
    "host": function(
        "fast(x, w)", "return None", "y = x @ w\nreturn y[:, :64], y[:, :64], y[:, :64]",
        "y = x @ w\nreturn y[:, :96], y[:, 96:128], y[:, 128:]",
        "y = x @ w\nfor _ in range(8):\n    y = y + ops.softmax(y) * 0.0\nreturn y[:, :64], y[:, 64:128], y[:, 128:]",
    ),
    "graph_kernel": function("standardize(x)", "return None", "return x", "return x - x.mean(-1, keep_dims=True)"),
    "chip": ["PARAMETERS = None", 'PARAMETERS = "[pool"', f'PARAMETERS = """[vector]\n{parameters("bytes=512")}"""'],
    "higher_order": function(
        "hvp(f, x, v)", "return None", "return v", "return v[:3]", "return f.hessian @ v",
        "return (ms.grad(f)(x + 1e-3 * v) - ms.grad(f)(x)) / 1e-3",
        "return (ms.grad(f)(x + 1e-2 * v) - ms.grad(f)(x - 1e-2 * v)) / 2e-2",
        "return ms.grad(lambda x: (ms.grad(f)(x) * v).sum())(x) * 2.0",
    ),
    "own_model": ["NORM = None", "NORM = lambda x, w, e: x * w"],
    "kernel": ["KERNEL = None", "KERNEL = (160, 160, 96)", "KERNEL = Schedule(base=(16, 16, 16))"],
    "transformer": function(
        "patches(images)", "return None", "return images", "return 3",
        "return images.reshape(3, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(3, 16, 4)",
    ),
}  # fmt: skip


def answers_of(table):
    return [(lesson, text) for name, texts in table.items() for lesson in [lesson_named(name)] for text in texts]


@cache
def names_before_exercise(lesson):
    """The names that a lesson defines before its exercise."""
    namespace = {"__name__": "__main__"}
    for cell in itertools.takewhile(lambda cell: cell.heading != EXERCISE, lesson.cells):
        _run_cell(lesson, cell, None, namespace)
    return namespace


def check(lesson, answer):
    """The output of the checker of a lesson for an answer."""
    namespace = names_before_exercise(lesson) | {"ops": ops, "passes": passes}
    _run_cell(lesson, lesson.exercise, answer, namespace)
    with contextlib.redirect_stdout(io.StringIO()):
        return _run_cell(lesson, lesson.cells[-1], None, namespace).printed


@pytest.fixture(autouse=True)
def pictures(monkeypatch, tmp_path):
    monkeypatch.setattr("minigraph.lessons.picture.folder", lambda: tmp_path)


def test_every_checker_has_enough_right_and_wrong_answers():
    every = lessons.lessons()
    assert {lesson_named(name) for name in RIGHT} == {lesson_named(name) for name in WRONG} == set(every)
    for name in RIGHT:
        lesson = lesson_named(name)
        assert len({*RIGHT[name], lesson.solution}) >= FEWEST, name
        assert len({*WRONG[name], *(text for _, text in lesson.wrong)}) >= FEWEST, name


@pytest.mark.parametrize(("lesson", "answer"), answers_of(RIGHT))
def test_a_right_answer_passes(lesson, answer):
    assert check(lesson, answer).startswith("Right: ")


@pytest.mark.parametrize(("lesson", "answer"), answers_of(WRONG))
def test_a_wrong_answer_gets_its_reason(lesson, answer):
    with pytest.raises(WrongAnswerError) as raised:
        check(lesson, answer)
    assert len(str(raised.value)) > 20 and "\n" not in str(raised.value)
    assert "the answer fails" not in str(raised.value)


def test_only_orders_with_the_fewest_cycles_are_accepted():
    lesson, passed = lesson_named("passes"), []
    for order in itertools.permutations(ORDER):
        with contextlib.suppress(WrongAnswerError):
            check(lesson, f"ORDER = {','.join(order)!r}")
            passed.append(order)
    assert ORDER in passed and len(passed) < 12
