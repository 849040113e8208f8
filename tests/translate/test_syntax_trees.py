"""Functions whose source text is not what they run: they run as written, never as the text says."""

import os
import subprocess
import sys
import warnings
from functools import partial, wraps
from types import FunctionType

import pytest

import minigraph as ms
from minigraph import Tensor, nn
from minigraph.compilation import OpByOpWarning
from minigraph.translate.source import translate
from minigraph.translate.syntax_trees import has_other_source, tree_of
from tests.structure import ROOT

jit = partial(ms.jit, capture_mode="ast")
X, Y = Tensor([1.0, 2.0]), Tensor([-1.0, -2.0])

BRANCH = "def f(x):\n    if x.sum() > 0:\n        return x * {}\n    return x - {}\n"


def load(path, text, name="f"):
    path.write_text(text)
    table = {"__name__": path.stem}
    exec(compile(text, path, "exec"), table)
    return table[name]


# ---- edited files --------------------------------------------------------------------------------------

EDITS = {
    "a constant": BRANCH.format(3, 1),
    "a type of a constant": BRANCH.format("2.0", 1),
    "a name": BRANCH.format("x", 1),
    "an operator": BRANCH.format(2, 1).replace("x - ", "x + "),
    "a comparison": BRANCH.format(2, 1).replace(">", ">="),
    "a default": BRANCH.format(2, 1).replace("(x)", "(x, y=1)"),
    "a statement": BRANCH.format(2, 1).replace("    if", "    x = x + 1\n    if"),
    "a line above": "\n" + BRANCH.format(2, 1),
    "another function": BRANCH.format(2, 1).replace("f(", "g("),
    "an error": BRANCH.format(2, 1).replace("return", "returns"),
    "nothing is left": "",
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_function_whose_file_was_edited_runs_as_it_was(tmp_path, edit):
    f = load(tmp_path / "net.py", BRANCH.format(2, 1))
    (tmp_path / "net.py").write_text(edit)
    assert tree_of(f) is None
    with pytest.warns(OpByOpWarning, match=r"'f' runs op by op") as caught:
        compiled = jit(f)
        assert [compiled(v).tolist() for v in (X, Y, X)] == [[2, 4], [-2, -3], [2, 4]]
    assert len(caught) == 1
    assert "; " in str(caught[0].message)


def test_a_file_that_is_as_it_was_again_or_has_only_new_spaces_and_comments_is_translated(tmp_path):
    text = BRANCH.format(2, 1)
    f = load(tmp_path / "net.py", text)
    (tmp_path / "net.py").write_text(text.replace(" > ", ">").replace("\n    return", "  # times two\n    return"))
    compiled = jit(f)
    with warnings.catch_warnings(action="error"):
        assert [compiled(v).tolist() for v in (X, Y)] == [[2, 4], [-2, -3]]
    assert compiled.cache_info().entries == 1


def test_a_helper_a_method_and_a_nested_function_of_an_edited_file_run_as_they_were(tmp_path):
    text = "class A:\n    k = 2\n    def m(self, x):\n        return x * self.k\n"
    text += "def f(x):\n    g = lambda y: y * 2\n    return g(x)\n"
    A = load(tmp_path / "net.py", text, "A")
    f = load(tmp_path / "net.py", text)
    (tmp_path / "net.py").write_text(text.replace("* 2", "* 5").replace("* self.k", "+ self.k"))
    assert jit(lambda x: A().m(x) + f(x))(X).tolist() == [4, 8]


def test_the_reason_names_the_file(tmp_path):
    f = load(tmp_path / "net.py", BRANCH.format(2, 1))
    assert not has_other_source(f)
    (tmp_path / "net.py").write_text(EDITS["a constant"])
    assert has_other_source(f)
    with pytest.raises(Exception, match=r"net\.py:2\); import its file again: .*other source"):
        jit(f, fullgraph=True)(X)


# ---- replaced code -------------------------------------------------------------------------------------


def double(x):
    if x.sum() > 0:
        return x * 2
    return x


def triple(x, k=3):
    if x.sum() > 0:
        return x * k
    return x


def replace_constants(code, old, new):
    constants = [new if type(constant) is type(old) and constant == old else constant for constant in code.co_consts]
    return code.replace(co_consts=tuple(constants))


def rewrite_constant(fn):
    """A decorator that rewrites the code of a function."""
    return FunctionType(replace_constants(fn.__code__, 2, 7), fn.__globals__)


@rewrite_constant
def sevenfold(x):
    return x * 2


def test_code_that_a_decorator_rewrote():
    assert tree_of(sevenfold) is None
    assert jit(sevenfold)(X).tolist() == [7, 14]
    assert jit(lambda x: sevenfold(x) + 1)(X).tolist() == [8, 15]


def copy_function(fn):
    return FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


def prints(x):
    print("doubled")
    n = int(x.max())
    return x * n * 2


def prints_more(x):
    print("tripled")
    n = int(x.max())
    return x * n * 3


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("called", [True, False])
@pytest.mark.parametrize(("first", "second"), [(double, triple), (prints, prints_more)])
def test_replaced_code_is_captured_anew(first, second, called, mode, capsys):
    f = copy_function(first)
    compiled = ms.jit((lambda x: f(x)) if called else f, capture_mode=mode)
    observed = []
    for code in (first, second, second, first):
        f.__code__, f.__defaults__ = code.__code__, code.__defaults__
        observed.append([(compiled(v).tolist(), capsys.readouterr().out) for v in (X, Y)])
        expected = [(f(v).tolist(), capsys.readouterr().out) for v in (X, Y)]
        assert observed[-1] == expected


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("name", ["__defaults__", "__kwdefaults__"])
def test_defaults_of_a_function_that_runs_in_segments(name):
    def f(x, k=1, *, j=1):
        y = x + k
        n = int(x.max())
        return y * n * j

    compiled = jit(f)
    for value in (1, 2, 2, 3):
        setattr(f, name, (value,) if name == "__defaults__" else {"j": value})
        assert compiled(X).tolist() == f(X).tolist()


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_a_method_that_is_replaced_while_its_cell_runs_op_by_op(mode):
    class Net(nn.Cell):
        def construct(self, x):
            n = int(x.max())
            return x * n

    def other(self, x):
        return x + int(x.min())

    ms.set_context(mode=mode)
    net = Net()
    compiled = net if mode == ms.GRAPH_MODE else jit(net)
    observed = [compiled(X).tolist()]
    Net.construct = other
    observed += [compiled(X).tolist() for _ in range(2)]
    assert observed == [[2, 4], [2, 3], [2, 3]]


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_hooks_that_are_added_while_a_cell_runs_op_by_op():
    class Net(nn.Cell):
        def construct(self, x):
            n = int(x.max())
            return x * n

    ms.set_context(mode=ms.GRAPH_MODE)
    net = Net()
    observed = [net(X).tolist()]
    handle = net.register_forward_hook(lambda cell, inputs, output: output * 10)
    observed += [net(X).tolist() for _ in range(2)]
    handle.remove()
    assert [*observed, net(X).tolist()] == [[2, 4], [20, 40], [20, 40], [2, 4]]


# ---- source that is as it was --------------------------------------------------------------------------


def keeps_name(fn):
    @wraps(fn)
    def call(self, x):
        __scale = 2
        return fn(self, x) * __scale * __offset  # noqa: F821

    return call


globals()["__offset"] = 3.0


class Base:
    __factor = 2.0

    def scaled(self, x):
        return x * self.__factor if x.sum() > 0 else x


class Scaled(Base):
    __factor = 3.0

    def scaled(self, x):
        return x * self.__factor if x.sum() > 0 else x

    def inner(self):
        def call(x):
            return x * self.__factor if x.sum() > 0 else x

        return call

    @keeps_name
    def named(self, x):
        return x

    lambdas = (lambda self, x: x * 2 if x.sum() > 0 else x), (lambda self, x: x * 2 if x.sum() > 0 else -x)


def closure():
    k = 2.0
    return (lambda x: x * k if x.sum() > 0 else x), (lambda x: (lambda y: y * k if y.sum() > 0 else -y)(x))


def asserts(x, k=2):
    assert k > 1, f"{k}"
    return x * k if x.sum() > 0 else -x


FUNCTIONS = [
    double, triple, asserts, *closure(), Scaled().scaled, Scaled().inner(), Scaled().named,
    *(partial(fn, None) for fn in Scaled.lambdas), lambda x: (sum([y * 2 for y in [x]]) if x.sum() > 0 else x),
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_the_source_of_every_kind_of_function_is_recognised(fn):
    compiled = jit(fn)
    with warnings.catch_warnings(action="error"):
        assert [compiled(v).tolist() for v in (X, Y)] == [fn(v).tolist() for v in (X, Y)]
    assert compiled.cache_info().entries == 1


SCRIPT = """
from __future__ import annotations
import sys
import minigraph as ms
from minigraph import Tensor

def traced(frame, event, arg):
    return traced

if "trace" in sys.argv:
    sys.settrace(traced)
if "monitor" in sys.argv:
    events = sys.monitoring.events
    sys.monitoring.use_tool_id(2, "test")
    sys.monitoring.register_callback(2, events.LINE, lambda code, line: None)
    sys.monitoring.set_events(2, events.LINE | events.INSTRUCTION)

class Net:
    '''A docstring.'''
    @ms.jit
    def forward(self, x: Unknown, k: int = 2) -> Unknown:
        '''A docstring.'''
        assert k == 2 and __debug__ is (not sys.flags.optimize)
        def inner(y: Unknown):
            return y * k
        if x.sum() > 0:
            return inner(x)
        return -x

def helper(x):
    for _ in range(1000):
        k = 1 + 1.0
    return x * k

for _ in range(10):
    helper(1.0)  # its instructions are specialised

print(Net().forward(Tensor([1.0])), Net().forward(Tensor([-1.0])), ms.jit(helper)(Tensor([1.0])))
assert Net.forward.fn and ms.jit(helper).cache_info().entries == 0
"""
OPTIONS = [(), ("-O",), ("-OO",), ("-X", "no_debug_ranges"), ("trace",), ("monitor",)]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_source_is_recognised_under_every_option(tmp_path, options):
    if "monitor" in options and sys.version_info < (3, 12):
        pytest.skip("sys.monitoring is new in Python 3.12")
    (tmp_path / "net.py").write_text(SCRIPT)
    flags = [option for option in options if option[0] == "-" or option == "no_debug_ranges"]
    script_arguments = [option for option in options if option not in flags]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Old networkx is imported without this flag's compiled files, and has such strings.
    filters = ["-W", "error", "-W", "ignore:invalid escape sequence"]  # a DeprecationWarning before Python 3.12
    command = [sys.executable, *filters, *flags, tmp_path / "net.py", *script_arguments]
    process = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False, env=environment
    )
    assert (process.stdout, process.stderr) == ("[2.] [1.] [2.]\n", "")


def test_annotations_of_nested_functions_are_those_of_the_file():
    def f(x):
        def g(k: int):
            return k

        return x * g.__annotations__["k"](3.0)

    assert translate(f) is not f
    assert jit(f)(X).tolist() == [3, 6]
