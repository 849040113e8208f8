"""Three typical rules take one line each, and find every form."""

import inspect

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.core.op import apply
from passes import as_pipeline, check, fuse, fuse_groups, is_cheap
from tests.passes.fixtures import outcome
from tests.passes.small_graphs import labels

R1 = fuse("MatMulBias", lambda x, w, b: x @ w + b)
R2 = fuse("ConvBNReLU", lambda x, w, *bn: ops.relu(ops.batch_norm(apply("conv2d", x, w), *bn)))
R3 = fuse_groups(is_cheap, max_nodes=64)

X = Tensor(np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4))


@pytest.mark.parametrize("name", ["R1", "R2", "R3"])
def test_a_rule_is_one_line_and_needs_no_operator_of_its_own(name):
    with open(__file__, encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line.startswith(f"{name} = ")]
    assert len(lines) == 1 and len(lines[0]) <= 120
    assert lines[0].count("(") == lines[0].count(")"), "the line is the whole rule"


def second_use(x, w, b):
    """The product has two users, so fusing it would compute it twice."""
    product = x @ w
    return product + b, product


FORMS = [
    (lambda x, w, b: x @ w + b, ["MatMulBias"]),
    (lambda b, w: b + w @ w, ["MatMulBias"]),
    (lambda x: x @ x + x, ["MatMulBias"]),
    (second_use, ["matmul", "add"]),
]


@pytest.mark.parametrize(("fn", "left"), FORMS, ids=["x@w+b", "b+w@w", "x@x+x", "second use"])
def test_r1_on_all_four_forms(fn, left):
    graph = trace(fn, *[X] * len(inspect.signature(fn).parameters))
    before = outcome(graph, 0)
    (record,) = as_pipeline([R1]).run(graph, validate=True)
    assert labels(graph) == left and outcome(graph, 0) == before
    assert record.rules["MatMulBias"].rejected == ({"other uses": 1} if len(left) == 2 else {})


def test_r2_on_a_convolution_with_its_norm():
    image, kernel, row = (Tensor(np.ones(shape, np.float32)) for shape in ((1, 2, 5, 5), (3, 2, 3, 3), (3,)))
    graph = trace(
        lambda x, w, *bn: apply("relu", apply("batch_norm", apply("conv2d", x, w, padding=((1, 1), (1, 1))), *bn)),
        image, kernel, row, row, row, row,
    )  # fmt: skip
    as_pipeline([R2]).run(graph, validate=True)
    assert labels(graph) == ["ConvBNReLU"]


@pytest.mark.parametrize("length", [2, 7, 64])
def test_r3_on_a_chain_of_any_length(length):
    def step(x, y):
        for k in range(length):
            x = (ops.tanh, ops.abs)[k % 2](x) if k % 3 else x + y
        return x

    graph = trace(step, X, X)
    as_pipeline([R3]).run(graph, validate=True)
    assert labels(graph) == ["group"]


@pytest.mark.parametrize("rule", [R1, R2, R3], ids=lambda rule: rule.name)
def test_each_is_right(rule):
    assert check(rule).contexts >= 10
