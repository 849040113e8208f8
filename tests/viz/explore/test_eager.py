import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops
from minigraph.examples import digits
from tests.viz.explore.programs import network, small
from viz.explore.eager import call_without_side_effects, eager_run, values_of

X = Tensor([1.0, 2.0])


def test_every_call_and_every_gradient_is_a_step():
    run = eager_run(small, (X,), {}, ())
    names = [run.journal.graph.op(step.node).name for step in run.steps if step.pass_name == "forward"]
    assert names == ["neg", "neg", "mul", "exp", "exp", "add", "add", "tanh", "mul"]
    nodes = [step.node for step in run.steps if step.pass_name == "backward"]
    assert nodes and nodes[-1] == run.journal.graph.inputs[0] and set(nodes) == set(run.annotations["gradients"])
    assert [run.annotations["gradient_steps"][node] for node in nodes] == list(
        range(len(names) + 1, len(run.steps) + 1)
    )


def test_values_equal_the_calls():
    run = eager_run(lambda x: x * x, (Tensor(3.0),), {}, ())
    assert list(run.annotations["values"].values()) == ["3", "9"]


def test_calls_have_the_scope_of_their_cell():
    net, x = network(2)
    run = eager_run(net, (x,), {}, ())
    assert "Network/blocks/1/dense" in {loc.scope for node in run.journal.graph for loc in run.journal.graph.loc(node)}


def test_a_training_step_neither_changes_parameters_nor_prints(capsys):
    def step(images, labels):
        print("step")
        return digits.train_step.fn(images, labels)

    before = [parameter.asnumpy().copy() for parameter in digits.net.get_parameters()]
    inputs = digits.example_inputs()
    graph = digits.train_step.graph(*inputs, pipeline=())
    run = eager_run(step, inputs, {}, graph.params.values())
    assert len(run.steps) > 50 and capsys.readouterr().out == ""
    assert all(np.array_equal(old, now.asnumpy()) for old, now in zip(before, digits.net.get_parameters(), strict=True))


def test_parameters_are_restored_after_an_error():
    weight = Parameter(Tensor([1.0]), name="w")

    def change_and_fail():
        weight.set_data(Tensor([2.0]))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        call_without_side_effects([weight], change_and_fail)
    assert weight.tolist() == [1.0]


def test_values_of_a_graph_are_computed_if_its_inputs_are_complete():
    graph = jit(lambda x: ops.exp(x) + 1.0).graph(Tensor([0.0]), pipeline=())
    values = values_of(graph, [Tensor([0.0])])
    assert values[next(node for node in graph if graph.op(node).name == "exp")] == "[1.]"
    assert values[graph.outs[0]] == "[2.]"
    assert values_of(graph, []) == {}
