"""The graph: operands and edges, kept consistent by its primitives."""

from collections.abc import Callable
from typing import Any

import pytest

from minigraph.core.errors import GraphError, ShapeError
from minigraph.core.location import Loc
from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32, float64
from minigraph.ir.compare import equal
from minigraph.ir.graph import Edit, Graph
from minigraph.ir.structural_ops import INPUT
from minigraph.ir.verify import verify

F32 = TensorType((2,), float32)
ADD, NEG, SPLIT = TABLE["add"], TABLE["neg"], TABLE["split"]


@pytest.fixture
def graph() -> Graph:
    """x and y, x + y, and its negative, which is the output."""
    result = Graph(title="f")
    result.inputs = [result.emit(INPUT, (), {"name": name}, [F32]) for name in "xy"]
    result.emit(ADD, (0, 1), loc=(Loc("net.py", 3),))
    result.set_outs([result.emit(NEG, (2,), loc=(Loc("net.py", 4),))])
    return result


def test_emit_infers_types_and_refuses_invalid_operands(graph: Graph) -> None:
    assert graph.types(2) == (F32,)
    wide = graph.emit(INPUT, (), {"name": "z"}, [TensorType((3,), float32)])
    before = graph.next_id
    with pytest.raises(ShapeError):
        graph.emit(ADD, (0, wide))
    assert len(graph) == before == graph.next_id


def test_ids_increase_a_value_used_twice_has_two_edges_and_edges_name_the_result(graph: Graph) -> None:
    twice = graph.emit(ADD, (0, 0))
    assert set(graph[0][twice]) == {0, 1}
    graph.erase([twice])
    split = graph.emit(SPLIT, (0,), {"axis": 0, "sizes": (1, 1)})
    assert split == twice + 1, "ids are never used again"
    user = graph.emit(NEG, ((split, 1),))
    assert graph[split][user][0] == {"kind": "data", "result": 1}
    verify(graph)


def test_a_new_node_takes_every_use_of_another_with_edges_outputs_and_journal(graph: Graph) -> None:
    twice = graph.emit(ADD, (2, 2))
    graph.set_outs([3, 2, twice, 2])
    new = graph.emit(ADD, (1, 0))
    graph.journal = []
    graph.replace_node(2, new)
    assert graph.ins(3) == (new,) and graph.ins(twice) == (new, new)
    assert graph.outs == (3, new, twice, new) and not graph.users(2)
    assert sorted({edit.node for edit in graph.journal if edit.verb == "operands"}) == [3, twice]
    graph.erase([2])
    verify(graph)


REFUSED: dict[str, tuple[Callable[[Graph], object], str]] = {
    "emit": (lambda g: g.emit(NEG, (99,)), "emit neg: operand %99 is not in graph 'f'"),
    "emit result": (lambda g: g.emit(NEG, ((0, 5),), types=[F32]), "emit neg: operand %0 = input has no result 5"),
    "set_operands": (lambda g: g.set_operands(3, (99,)), "set_operands of %3: %99 is not in graph 'f'"),
    "set_operands result": (lambda g: g.set_operands(3, ((2, 1),)), "set_operands of %3: %2 = add has no result 1"),
    "set_operands nowhere": (lambda g: g.set_operands(99, (0,)), "set_operands of %99: %99 is not in graph 'f'"),
    "replace_uses": (lambda g: g.replace_uses({0: 1, 99: 1}), "replace_uses: %99 is not in graph 'f'"),
    "replace_uses by": (lambda g: g.replace_uses({0: 1, 2: 99}), "replace_uses: %99 is not in graph 'f'"),
    "replace_uses in a circle": (
        lambda g: g.replace_uses({0: 1, 1: 2, 2: 0}),
        "replace_uses: .* a cycle through %0",
    ),
    "erase": (lambda g: g.erase([3, 99]), "erase: %99 is not in graph 'f'"),
    "erase what is used": (lambda g: g.erase([2]), "erase %2: %3 still uses it"),
    "erase an output": (lambda g: g.erase([3]), "erase %3: it is an output of 'f'"),
    "erase an input": (lambda g: g.erase([0, 2, 3]), "erase %0: it is an input of 'f'"),
    "order": (lambda g: g.order(0, 99), "order: %99 is not in graph 'f'"),
    "order nothing": (lambda g: g.order(0), "order: %-1 is not in graph 'f'"),
    "set_outs": (lambda g: g.set_outs([2, 99]), "set_outs: %99 is not in graph 'f'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_edit_changes_nothing(graph: Graph, name: str) -> None:
    edit, message = REFUSED[name]
    if name == "erase an input":
        graph.set_outs([1])
    before, graph.journal = graph.clone(), []
    with pytest.raises(GraphError, match=message):
        edit(graph)
    assert equal(graph, before) and graph.journal == [] and graph.next_id == before.next_id
    verify(graph)


def test_replacing_uses_follows_chains_keeps_some_users_and_checks_types(graph: Graph) -> None:
    a, b = graph.emit(NEG, (0,)), graph.emit(NEG, (1,))
    graph.replace_uses({2: a, a: b})
    assert graph.ins(3) == (b,)
    graph.replace_uses({3: 2})
    assert graph.outs == (2,)
    graph.replace_uses({0: 1}, keep=[2])
    assert graph.ins(2) == (0, 1) and graph.ins(a) == (1,)
    other = graph.emit(TABLE["cast"], (0,), {"dtype": float64})
    with pytest.raises(GraphError, match=r"replace %2 by %\d+: types differ, f32\[2\] and f64\[2\]"):
        graph.replace_uses({1: 0, 2: other})
    assert graph.ins(a) == (1,)
    verify(graph)


def test_replacements_keep_their_own_operands(graph: Graph) -> None:
    clone = graph.clone()
    new = clone.emit(NEG, (2,))
    clone.replace_uses({2: new})
    assert clone.ins(new) == (2,) and clone.ins(3) == (new,)
    first = graph.emit(ADD, (0, 1))
    second = graph.emit(NEG, (first,))
    third = graph.emit(NEG, (second,))
    graph.replace_uses({first: 2, second: 3})
    assert graph.ins(second) == (2,) and graph.ins(third) == (3,)


def test_a_chain_of_replacements_is_followed_in_linear_time(graph: Graph) -> None:
    news = [graph.emit(NEG, (0,)) for _ in range(50_000)]
    graph.replace_uses(dict(zip([2, *news], news, strict=False)))
    assert graph.ins(3) == (news[-1],)


def test_many_outputs_are_redirected_one_by_one_and_not_copied_for_each(graph: Graph) -> None:
    copied: list[int] = []

    class Counted(list[Any]):
        def __iter__(self) -> Any:
            copied.append(len(self))
            return super().__iter__()

    olds, news = ([graph.emit(NEG, (0,)) for _ in range(600)] for _ in range(2))
    graph.set_outs([*olds, *news])
    graph._outs = Counted(graph._outs)
    graph.replace_uses(dict(zip(olds, news, strict=True)))
    assert graph.outs == (*news, *news)
    assert len(copied) <= 2


def test_every_edit_is_journaled_with_its_editor_and_replacements_inherit_source_lines(
    graph: Graph,
) -> None:
    graph.journal, graph.by = [], "me"
    node = graph.emit(NEG, (0,))
    graph.set_operands(node, (1,))
    graph.order(2, node)
    graph.set_outs([node])
    graph.erase([3])
    verbs = [("emit", node), ("operands", node), ("order", node), ("outs", -1), ("erase", 3)]
    assert graph.journal == [Edit(verb, which, "me") for verb, which in verbs]
    new = graph.emit(NEG, (0,))
    graph.replace_uses({2: new})
    assert ([str(loc) for loc in graph.loc(new)], graph.prov(new)) == (["net.py:3"], ("me", (2,)))


def test_effects_are_erased_only_where_the_graph_does_not_keep_them(graph: Graph) -> None:
    printing = graph.emit(TABLE["print"], (0,), {"texts": (None,)})
    with pytest.raises(GraphError, match=r"print has an effect, and 'f' keeps effects"):
        graph.erase([printing])
    graph.keep_effects = False
    graph.erase([printing])
    assert printing not in graph


def test_a_node_and_its_operands_are_erased_together(graph: Graph) -> None:
    before = graph.clone()
    a = graph.emit(NEG, (2,))
    b = graph.emit(ADD, (a, a))
    c = graph.emit(ADD, (b, a))
    graph.order(a, c)
    graph.erase([b, c, a])
    verify(graph)
    graph.next_id = before.next_id
    assert equal(graph, before) and dict(graph._succ[2]).keys() == {3}


def test_order_edges_are_unique_survive_erased_nodes_and_depend_replaces_effect(graph: Graph) -> None:
    graph.journal = []
    for _ in range(2):
        graph.order(2, 3, "effect")
    graph.order(2, 2)
    assert len(graph.journal) == 1
    graph.order(2, 3, "depend")
    graph.order(2, 3, "effect")
    assert graph.order_kind(2, 3) == "depend" and len(graph[2][3]) == 2
    verify(graph)
    first, middle, last = (graph.emit(NEG, (0,)) for _ in range(3))
    graph.order(first, middle, "effect")
    graph.order(middle, last, "depend")
    graph.erase([middle])
    assert graph.order_kind(first, last) == "depend"


def test_a_clone_is_equal_and_independent(graph: Graph) -> None:
    graph.order(2, 3)
    clone = graph.clone()
    assert clone.same_as(graph) and clone.next_id == graph.next_id
    clone.erase([clone.emit(NEG, (0,))])
    clone.set_operands(3, (0,))
    assert graph.ins(3) == (2,) and graph.order_kind(2, 3) == "depend"
    verify(graph)
    verify(clone)
