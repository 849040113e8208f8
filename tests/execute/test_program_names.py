"""Names in programs: unique, and none chosen by the user."""

from minigraph import Tensor, trace
from minigraph.execute.codegen import Names
from minigraph.execute.compile import compile_graph
from minigraph.execute.memory import as_writeable

X = Tensor([1.0, 2.0])


def names_of(fn):
    return Names(compile_graph(trace(fn, X)).plan)


def test_helpers_and_constants_are_in_the_namespace_and_colliding_names_get_a_number():
    names = names_of(lambda x: x * x * Tensor([3.0, 4.0]))
    (constant,) = (source for source in names.plan.sources if source.role == "const")
    assert names.namespace[f"v{constant.value}"].tolist() == [3.0, 4.0]
    assert names.namespace["as_writeable"] is as_writeable
    free_names = [names.free_name(name) for name in ("add", "as_writeable", "v1")]
    assert free_names == ["add", "as_writeable_0", "operator"]
    type = names.plan.types[0]
    assert [names.buffer((k, type)) for k in (3, 5, 3)] == ["b0", "b1", "b0"], "one name as each type"
    assert names.slots == [(3, type), (5, type)]


def test_steps_without_attributes_share_a_name_and_others_have_their_own():
    names = names_of(lambda x: ((x * x) * x).sum(0) + x.sum(0, keepdims=True))
    function_names = [names.kernel_name(s.op.name, names.kernel(s), s.attrs) for s in names.plan.steps]
    assert function_names[0] == function_names[1] == "mul"
    assert len({*function_names}) == len(function_names) - 1
