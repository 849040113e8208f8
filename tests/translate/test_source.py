"""Translated source against plain Python: same values in every mode, same gradients, errors that teach."""

import ast
import dataclasses
import inspect
import os
import random
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, nn, ops, set_context, trace
from minigraph.compilation import OpByOpWarning
from minigraph.core import location
from minigraph.core.context import GRAPH_MODE, PYNATIVE_MODE
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from minigraph.translate.control_flow import translate_function
from minigraph.translate.source import check_translatable, runs_as_written, translate
from tests.inspection import bits
from tests.structure import ROOT
from tests.tables import error_cases

jit = partial(ms.jit, capture_mode="ast")

X = Tensor([1.0, 2.0, 3.0])
VALUES = [X, -X, X * 40, X * 5, -X * 20, X * 0.1]


def early_return(x):
    if x.sum() > 100:
        return x * 100
    y = x + 1
    if y.sum() > 5 and not y.max() > 50:
        y = y * 2
        return y
    return y - 1


def return_out_of_nested_loops(x):
    while x.sum() < 100:
        i = 0
        while i < 3:
            x = x + i
            if x.max() > 60:
                break
            i += 1
        if x.min() > 40:
            return x * 0
    return x


def return_out_of_for(x):
    for e in x:
        if e > 1.5:
            return e
    return x[0] * 0


def continue_and_else(x):
    s = 0.0
    i = Tensor(0)
    while i < 5:
        i = i + 1
        if i == 2:
            continue
        s = s + x.sum() * i
    else:
        s = s + 1000
    return s


def returns_in_both_branches(x):
    if x.sum() > 0:
        if x.max() > 10:
            return x
    else:
        if x.min() < -10:
            return -x
    return x * 7


def expressions(x):
    return x if 0 < x.sum() < 10 else (x * 2 if x.sum() > 20 or x.max() > 9 else -x)


def augmented(x):
    y = x
    if x.sum() > 0:
        y += 1
        y *= x
    return y


def absolute(x):
    if x.sum() > 0:
        return x
    return -x


def calls_a_helper(x):
    return absolute(x) + absolute(-x)


def break_out_of_for(x):
    for _ in range(10):
        x = x * 2
        if x.sum() > 50:
            break
    return x


def inner_function(x):
    def bigger(a):
        if a.sum() > 3:
            return a
        return -a

    return bigger(x) + bigger(-x)


def plain_python(x, flag=True):
    while flag:
        x = x + 1
        if x.shape[0] == 3:
            break
    return x


def truths_of_other_kinds(x):
    total = x.sum()
    while total and not (total < 50 or x.shape[0] > 5):
        total = total - 40
    return x * total if total and x.max() > 2 and True else -x


def number_becomes_tensor(x):
    total, rounds = 0, 0
    while rounds < 3:
        total = total + x.sum()
        rounds += 1
    return total


PROGRAMS = [
    early_return, return_out_of_nested_loops, return_out_of_for, continue_and_else, returns_in_both_branches,
    expressions, augmented, calls_a_helper, break_out_of_for, inner_function, plain_python, number_becomes_tensor,
    truths_of_other_kinds,
]  # fmt: skip
RECORDED = Path(__file__).with_name("translations.txt").read_text()
each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda fn: fn.__name__)


@each_program
def test_a_translated_program_equals_python_and_the_recorded_text(program):
    """The recorded text is ``translation_of`` each program, one after the other."""
    compiled = jit(program)
    for value in VALUES:
        assert bits(compiled(value)) == bits(program(value))
    assert compiled.cache_info().misses == 1
    assert translation_of(program) + "\n" in RECORDED


@each_program
def test_gradients_equal_eager_mode_and_graphs_are_valid_and_read_back(program):
    def loss(x):
        out = program(x)
        return (out * out).sum()

    for value in VALUES[:4]:
        expected = grad(loss)(value).asnumpy()
        for gradient in (jit(grad(loss)), grad(jit(loss))):
            assert np.allclose(gradient(value).asnumpy(), expected, rtol=1e-5)
    for pipeline in ((), None):
        graph = jit(program).graph(X, pipeline=pipeline)
        verify(graph)
        assert str(parse(str(graph))) == str(graph)


def translation_of(program):
    return ast.unparse(translate_function(ast.parse(inspect.getsource(program)).body[0]))


def test_nodes_have_the_users_lines():
    first = early_return.__code__.co_firstlineno
    graph = jit(early_return).graph(X, pipeline=())
    node = next(node for node in graph if graph.regions(node))
    (loc,), body = graph.loc(node), graph.regions(node)[0]
    assert (str(loc), loc.text) == (f"test_source.py:{first + 1}", "x.sum() > 100")
    assert first + 2 in {loc.line for inner in body for loc in body.loc(inner)}


def defined_in_one_branch(x):
    if x.sum() > 0:
        z = x
    return z


def defined_in_the_loop(x):
    while x.sum() < 10:
        z = x
        x = x * 2
    return z


def other_dtype(x):
    y = x if x.sum() > 0 else Tensor([1, 2, 3])
    return y


def nothing_in_one_branch(x):
    if x.sum() > 0:
        return x
    return None


def a_vector_asks(x):
    if x > 1:
        return x
    return -x


def raises_under_a_tensor(x):
    if x.sum() > 0:
        raise ValueError("positive")
    return x


REFUSED = [
    (defined_in_one_branch, UnboundLocalError, "'z' is not defined in false branch, but defined in true branch."),
    (defined_in_the_loop, UnboundLocalError, "'z' is not defined before the loop"),
    (other_dtype, TypeError, "Cannot join the return values of different branches"),
    (nothing_in_one_branch, TypeError, "Cannot join the return values of different branches"),
    (a_vector_asks, ValueError, r"Only tensor which shape is \(\) or \(1,\) can be converted to bool"),
    (raises_under_a_tensor, RuntimeError, "raise: it depends on the value of a tensor"),
]


@pytest.mark.parametrize(("program", "error", "words"), REFUSED, ids=lambda item: getattr(item, "__name__", None))
def test_values_that_cannot_be_joined_are_refused_with_the_line(program, error, words):
    with pytest.raises(error, match=words) as caught:
        jit(program, fullgraph=True)(X)
    text = str(caught.value)
    assert "test_source.py:" in text
    assert "; " in text, "a way out"
    assert len(text.splitlines()) <= 3


def with_try(x):
    try:
        return x
    except ValueError:
        return -x


def with_walrus(x):
    if (n := x.shape[0]) > 2:
        return x * n
    return x


@pytest.mark.parametrize(("program", "words"), [(with_try, "statement 'Try'"), (with_walrus, "expression 'NamedExpr'")])
def test_unsupported_source_is_refused_and_traced_on_demand(program, words):
    with pytest.raises(RuntimeError, match=f"Unsupported {words}") as caught:
        jit(program, fullgraph=True)(X)
    assert ("capture_mode='trace'" in str(caught.value)) == (program is with_walrus)
    assert bits(jit(with_walrus, capture_mode="trace")(X)) == bits(with_walrus(X))


def other_shape(x):
    y = x
    if x.sum() > 0:
        y = x[0]
    return y


def test_branches_of_different_shapes_run_op_by_op_with_one_warning():
    compiled = jit(other_shape)
    with pytest.warns(OpByOpWarning, match="one branch"):
        assert compiled(X).shape == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(-X).shape == (3,)


class Net(nn.Cell):
    """Uses a private name, ``super`` in a branch, and a Parameter assigned under a condition."""

    def __init__(self):
        super().__init__()
        self.__scale = 2.0
        self.count = Parameter(Tensor([0.0]), name="count")

    def construct(self, x):
        if x.sum() > 0:
            self.count += 1
            out = x * self.__scale
        else:
            out = absolute(x)
        return out


@pytest.mark.parametrize("mode", [GRAPH_MODE, PYNATIVE_MODE])
def test_a_cell_branches_on_tensors_in_both_modes(mode):
    set_context(mode=mode)
    net = Net()
    assert [net(v).asnumpy().tolist() for v in (X, -X, X)] == [[2, 4, 6], [1, 2, 3], [2, 4, 6]]
    assert net.count.asnumpy().tolist() == [2.0]


def closed_over():
    limit = 3.0

    def inside(x):
        return x if x.sum() > limit else -x

    return inside


def test_closures_are_shared_and_functions_without_source_and_ours_are_unchanged():
    fn, function = closed_over(), {}
    copy = translate(fn)
    assert copy is not fn
    assert any(cell in fn.__closure__ for cell in copy.__closure__[:2])
    assert jit(fn)(-X).asnumpy().tolist() == [1, 2, 3]
    exec("def f(x): return x", function)
    assert translate(function["f"]) is function["f"]
    assert translate(trace) is trace
    check_translatable(ops.matmul)


class Switch:
    """Callable objects, and methods of every kind."""

    factor = 2.0

    def __call__(self, x):
        return self.still(x) + self.of_class(x) + self.method(x) if x.sum() > 0 else self.method(x)

    @staticmethod
    def still(x):
        return x if x.max() > 2 else -x

    @classmethod
    def of_class(cls, x):
        return x * cls.factor if x.min() > 0 else x

    def method(self, x):
        return x if x.sum() > 0 else x * self.factor


def calls_an_object(x):
    return SWITCH(x) * 2


SWITCH = Switch()
CALLED = [
    *(SWITCH, SWITCH.method, Switch.still, Switch.of_class, calls_an_object, partial(lambda k, x: k(x), SWITCH)),
    lambda x: x if x.sum() > 0 else -x,
    lambda x: x * 2 if x.sum() > 9 else (lambda y: y if y.max() > 0 else -y)(x),
]


@pytest.mark.parametrize("fn", CALLED)
def test_every_kind_of_callable_is_translated(fn):
    compiled = jit(fn)
    for value in VALUES:
        assert compiled(value).tolist() == fn(value).tolist()
    assert compiled.cache_info().misses == 1


def test_equal_functions_of_two_files_keep_their_own_file(tmp_path):
    """Code objects that differ only in their file are equal, but locations name the file."""
    functions = []
    for name in ("one", "two"):
        file = tmp_path / f"{name}.py"
        file.write_text("def fails(x):\n    return (lambda: x.no_such_thing)()\n")
        namespace = {}
        exec(compile(file.read_text(), file, "exec"), namespace)
        functions.append(namespace["fails"])
    assert functions[0].__code__ == functions[1].__code__
    files = [translate(fn).__code__.co_filename for fn in functions]
    assert [Path(file).stem for file in files] == ["one", "two"]


WITHOUT_COLUMNS = """
from minigraph import Tensor, jit

x = Tensor([1.0, 2.0])
print(jit(lambda x: 1.0)(x))
print(jit(lambda x: x + 1 if x.sum() > 0 else x)(x))
one, two = jit(lambda x: 1.0), jit(lambda x: 2.0)
print(one(x), two(x))
twice = jit(lambda x: x * 2); three = jit(lambda x: 3.0)
print(twice(x), three(x))

@jit
def branch(x):
    if x.sum() > 0:
        return x * 2
    return x

print(branch(x))
"""


def test_code_without_columns_is_translated_where_its_lambda_is_the_only_one_of_its_line(tmp_path):
    """``-X no_debug_ranges`` leaves all columns out; Python 3.12 the columns of ``lambda x: 1.0``."""
    (tmp_path / "net.py").write_text(WITHOUT_COLUMNS)
    command = [sys.executable, "-X", "no_debug_ranges", tmp_path / "net.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (process.stdout.split("\n"), process.stderr) == (
        ["1.0", "[2. 3.]", "1.0 2.0", "[2. 4.] 3.0", "[2. 4.]", ""],
        "",
    )


test_errors = error_cases(
    (lambda: jit(early_return, capture_mode="trace", fullgraph=True)(X), TypeError, "capture_mode='ast'"),
    (lambda: jit(absolute, capture_mode="foo"), ValueError, "must be in"),
)


def test_functions_that_run_as_written():
    @dataclasses.dataclass(frozen=True)
    class Pair:
        a: int

    def deletes(x):
        y = x
        del y
        return x

    assert runs_as_written(deletes)
    assert not any(map(runs_as_written, (Pair.__setattr__, random.seed, lambda x: x)))


def test_type_in_a_function_of_an_installed_library_is_that_of_eager_mode(tmp_path, monkeypatch):
    monkeypatch.setattr(location, "_INSTALLED", (*location._INSTALLED, str(tmp_path)))
    (tmp_path / "library.py").write_text("def name(x):\n    return x * len(type(x).__name__)\n")
    table = {}
    exec(compile((tmp_path / "library.py").read_text(), tmp_path / "library.py", "exec"), table)
    for function in (table["name"], lambda x: table["name"](x)):
        with pytest.warns(OpByOpWarning):
            assert jit(function)(Tensor([1.0])).tolist() == [6.0]


# ---- definitions inside of a function ------------------------------------------------------------------


def double(fn):
    return lambda y: fn(y) * 2


def decorated(x):
    @double
    def inner(y):
        return y + 1

    return inner(x)


def decorated_by_a_transformation(x):
    @grad
    def slope(v):
        return (v**3).sum()

    return slope(x)


def registered(x):
    table = {}

    @partial(table.setdefault, "inner")
    def inner(y):
        return y - 1

    return table["inner"](x), len(table)


def annotated(x):
    def inner(y: int, *rest: str) -> float:
        return y

    return inner.__annotations__, inner(x)


def rebinds_nothing(x):
    undefined: int
    return x + undefined  # noqa: F821 - a local name without a value


undefined = 11


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", [decorated, decorated_by_a_transformation, registered, annotated])
def test_nested_definitions_are_those_of_eager_mode(function, mode):
    compiled = jit(function, capture_mode=mode, fullgraph=True)
    for value in ([1.0], [2.0], [3.0]):
        assert str(compiled(Tensor(value))) == str(function(Tensor(value)))


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_an_annotation_without_a_value_makes_a_local_name(mode):
    with pytest.raises(UnboundLocalError, match="undefined"):
        jit(rebinds_nothing, capture_mode=mode)(Tensor([1.0]))
