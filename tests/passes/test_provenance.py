"""After every pass, every node has its source lines, and every new node its maker and its sources."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, nn, ops, trace, value_and_grad
from minigraph.examples import digits
from passes import PIPELINES, Pipeline, as_pipeline, rules_named
from tests.passes.programs import BUILT_IN, program

X = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))


def training_step():
    """A training step: forward, backward, update."""
    net = nn.Dense(3, 2)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = value_and_grad(lambda x: (net(x) ** 2).sum(), None, net.trainable_params())

    def train(x):
        loss, grads = step(x)
        return ops.depend(loss, optimizer(grads))

    return trace(train, X)


def image():
    """A convolution with batch norm and ReLU, and a bias after a product."""
    block = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Dense(32, 3))
    block.set_train(False)
    return trace(lambda x: ops.gelu(block(x)), Tensor(np.ones((1, 1, 4, 4), np.float32)))


def branch_and_loop():
    """A branch and a loop over tensors."""

    @jit
    def walk(x, n):
        if x.sum() > 0:
            x = x * 1.0 + 0.0
        while n > 0:
            x = ops.tanh(x) * ops.tanh(x)
            n = n - 1
        return x

    return walk.graph(X, Tensor(3), pipeline=())


def constants():
    """A program with many constants."""
    scale = Parameter(Tensor(np.float32(2.0)), name="scale")
    return trace(lambda x: x * (ops.exp(Tensor(np.ones(3, np.float32))) + 1.0) * scale + Tensor(np.eye(3)[:2]), X)


PROGRAMS = {
    "training": training_step, "image": image, "branching": branch_and_loop, "constants": constants,
    "digits": lambda: digits.train_step.graph(*digits.example_inputs(), pipeline=()),
    **{f"random {seed}": lambda seed=seed: program(seed) for seed in range(6)},
}  # fmt: skip
STEPS = [*BUILT_IN, *PIPELINES, "default,graph_kernel"]


def all_nodes(graph):
    """Every node of a graph and of the bodies inside."""
    stack = [graph]
    while stack:
        some = stack.pop()
        for node in some:
            yield some, node
            stack += some.regions(node)


@pytest.mark.parametrize("name", PROGRAMS)
def test_after_every_pass_every_node_has_a_source_line_and_every_new_one_its_pass_and_sources(name):
    captured = PROGRAMS[name]()
    for step in STEPS:
        graph = captured.clone()
        ran = {record.name for record in as_pipeline(step).run(graph)}
        without = [(step, some.title, str(some.op(node))) for some, node in all_nodes(graph) if not some.loc(node)]
        assert not without
        for node in graph:
            if node not in captured:
                prov = graph.prov(node)
                assert prov.editor in ran and prov.sources, (step, node, prov)


def test_a_node_that_a_rule_created_names_the_rule():
    graph = image()
    as_pipeline("default").run(graph)
    fused = {graph.prov(node) for node in graph if graph.op(node).role == "fused"}
    named = {prov.rule for prov in fused if prov.editor in ("fuse_matmul_bias", "fuse_conv_bn_relu")}
    assert named == {"ConvBatchNormRelu", "MatMulBiasGelu"}
    assert all(rules_named(name) for name in named)


def test_the_lines_of_merged_nodes_are_kept():
    def exp_twice(x):
        first = ops.exp(x)
        return first + ops.exp(x)

    graph = trace(exp_twice, X)
    before = {str(loc) for node in graph for loc in graph.loc(node)}
    Pipeline(["cse", "dce"]).run(graph)
    assert {str(loc) for node in graph for loc in graph.loc(node)} == before
