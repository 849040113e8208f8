"""Captured graphs as text: Parameters read, assigned and read again, and the order of effects."""

from minigraph import Parameter, Tensor, jit, ops, trace
from minigraph.ir.verify import verify

X = Tensor([1.0, 2.0])


def weight(*values, name="w"):
    return Parameter(Tensor(list(values or (1.0, 2.0))), name=name)


def body(graph):
    """The lines of the operators, Parameters and results, without source lines."""
    lines = [line.partition("  # ")[0].strip() for line in str(graph).strip().splitlines()[1:]]
    return [line for line in lines if " = input(" not in line]


def test_read_assign_read():
    p = weight()

    def function(x):
        before = p + x
        ops.assign(p, before)
        return before, p * x, p

    assert body(trace(function, X)) == [
        "%1 = parameter() {name=\"w\"} : f32[2]",
        "%2 = add(%1, %0) : f32[2]",
        "%3 = new_value(%2, %1) : f32[2]",
        "%4 = assign(%1, %3) {name=\"w\"} : f32[2]",
        "%5 = mul(%4, %0) : f32[2]",
        "return %2, %5, %4",
    ]  # fmt: skip


def test_the_value_of_a_parameter_is_read_when_the_graph_runs():
    p = weight()

    def function(x):
        before = p.value()
        ops.assign(p, p + x)
        return before + 0, p.data + 0

    compiled = jit(function)
    assert [out.tolist() for out in compiled(X)] == [[1.0, 2.0], [2.0, 4.0]]
    assert [out.tolist() for out in compiled(X)] == [[2.0, 4.0], [3.0, 6.0]]
    assert p.value().tolist() == [3.0, 6.0]


def test_two_parameters_of_one_name_stay_distinct_also_if_names_look_generated():
    first, second = weight(1.0, 1.0), weight(2.0, 2.0)

    def function(x):
        ops.assign(second, second + x)
        ops.assign(first, first * x)
        return first + second

    graph = trace(function, X)
    verify(graph)
    assert graph.params == {"w": second, "w#1": first}
    assert jit(function)(X).tolist() == [4.0, 6.0]
    assert (first.tolist(), second.tolist()) == ([1.0, 2.0], [3.0, 4.0])
    named = [weight(float(i), name=name) for i, name in enumerate(("w#1", "w", "w", "w#1"))]
    assert list(trace(lambda: sum(named, Tensor(0.0))).params.values()) == named
    assert jit(lambda: sum(named, Tensor(0.0)))().tolist() == [6.0]


def test_assignments_to_one_parameter_follow_each_other_by_their_operands():
    p = weight()

    def function(x):
        ops.assign(p, x)
        ops.assign(p, p + x)

    assert body(trace(function, X))[1:] == [
        "%2 = new_value(%0, %1) : f32[2]",
        "%3 = assign(%1, %2) {name=\"w\"} : f32[2]",
        "%4 = add(%3, %0) : f32[2]",
        "%5 = new_value(%4, %3) : f32[2]",
        "%6 = assign(%3, %5) {name=\"w\"} : f32[2]",
        "return",
    ]  # fmt: skip


def test_prints_keep_their_order():
    def function(x):
        for k in range(3):
            ops.Print()(k)
        return x

    assert body(trace(function, X)) == [
        "%1 = print() {texts=(\"0\",)} : ()",
        "%2 = print() {texts=(\"1\",)} : () after %1(effect)",
        "%3 = print() {texts=(\"2\",)} : () after %2(effect)",
        "return %0",
    ]  # fmt: skip


def test_without_auto_depend_effects_are_not_ordered_and_kept_only_by_depend():
    p = weight()

    def function(x):
        ops.Print()("first")
        ops.Print()("second")
        ops.assign(p, x)
        return x

    graph = trace(function, X, auto_depend=False)
    assert not graph.keep_effects and trace(function, X).keep_effects
    assert not any(graph.before(node) for node in graph)
    assert len(jit(function, auto_depend=False).graph(X)) == 1
    kept = jit(lambda x: (ops.Print()("lost"), ops.depend(x, ops.assign(p, x * 2)))[1], auto_depend=False)
    assert (kept(X).tolist(), p.tolist()) == ([1.0, 2.0], [2.0, 4.0])
