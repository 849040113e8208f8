"""networkx is imported with the first graph; eager programs do not need it."""

import pickle

import networkx

import minigraph as ms
from tests.inspection import run_program

EAGER = """
import sys
import minigraph as ms

x = ms.Tensor([1.0, 2.0])
loss, slope = ms.value_and_grad(lambda x: (x * ms.ops.tanh(x)).sum())(x)
print([name for name in ("networkx", "passes", "viz", "graphviz", "rich", "email", "logging") if name in sys.modules])
"""
FIRST = """
import pickle, sys
import minigraph as ms

MADE = {made}
import networkx
print(isinstance(MADE, networkx.MultiDiGraph), ms.Graph.__mro__.count(networkx.MultiDiGraph))
"""


def test_an_eager_program_loads_neither_networkx_nor_modules_of_graph_mode() -> None:
    assert run_program(EAGER) == "[]"


def test_the_first_graph_derives_from_networkxs_class() -> None:
    assert run_program(FIRST.format(made="ms.Graph()")) == "True 1"
    assert run_program(FIRST.format(made='ms.Graph(title="mine")')) == "True 1"
    assert run_program(FIRST.format(made="ms.Graph.__new__(ms.Graph)")) == "True 1"
    assert run_program(FIRST.format(made="ms.trace(lambda x: x + 1, ms.Tensor(1.0))")) == "True 1"
    assert run_program(FIRST.format(made='type("Mine", (ms.Graph,), {})()')) == "True 1"


def test_graphs_of_a_networkx_whose_classes_have_no_new_of_their_own() -> None:
    """networkx 3.2 to 3.5 inherit ``object.__new__``, which refuses arguments once a base class had another."""
    older = (
        "import networkx\n"
        "for base in networkx.MultiDiGraph.__mro__[:-1]:\n"
        "    if '__new__' in vars(base): del base.__new__\n"
        "assert networkx.MultiDiGraph.__new__ is object.__new__\n"
    )
    for made in ("ms.Graph()", 'ms.Graph(title="mine")', 'type("Mine", (ms.Graph,), {})(title="mine")'):
        assert run_program(older + FIRST.format(made=made)) == "True 1"
    assert run_program(older + FIRST.format(made="ms.trace(lambda x: x + 1, ms.Tensor(1.0)).clone()")) == "True 1"


def test_a_graph_that_is_unpickled_first_derives_from_networkxs_class() -> None:
    dumped = pickle.dumps(ms.Graph(title="sent"))
    assert run_program(FIRST.format(made=f"pickle.loads({dumped!r})")) == "True 1"


def test_classes_that_networkx_derives_are_its_own() -> None:
    graph = ms.trace(lambda x: x + 1, ms.Tensor(1.0))
    assert type(graph.copy()) is networkx.MultiDiGraph
    assert graph.to_undirected_class() is networkx.MultiGraph
    assert type(graph.to_undirected()) is networkx.MultiGraph
