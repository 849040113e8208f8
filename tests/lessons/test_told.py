import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.core.errors import MinigraphError
from minigraph.lessons.told import NotYet, lines_printed, listed, named, numbers, operators, same_bits


def chain(x):
    for _ in range(5):
        x = ops.tanh(x)
    return x * 2.0


def test_numbers_are_the_same_for_the_same_seed():
    assert np.array_equal(numbers(3, 2, 2).asnumpy(), numbers(3, 2, 2).asnumpy())
    assert not np.array_equal(numbers(3, 4).asnumpy(), numbers(4, 4).asnumpy())
    assert str(numbers(0, 2, 3).type) == "f32[2,3]"


def test_operators_are_the_nodes_that_compute_and_are_told_with_their_lines_if_not_too_many():
    graph = trace(chain, Tensor([1.0]))
    assert [str(graph.op(node)) for node in operators(graph)] == ["tanh"] * 5 + ["mul"]
    assert named(graph, 1).startswith("%1 = tanh (test_told.py:")
    assert named(graph, 0).startswith("%0 = ")
    assert listed(graph, [2, 1]).count("tanh") == 2
    assert listed(graph, [5, 4, 3, 2, 1]).endswith(" and 2 more")
    assert listed(graph, []) == ""


@pytest.mark.parametrize(("other", "same"), [(lambda x: x + x, True), (lambda x: x * 2.0000002, False)])
def test_same_bits_means_every_bit(other, same):
    x = Tensor([1.1, 2.3])
    assert same_bits(trace(lambda x: x * 2.0, x), trace(other, x), [x]) is same


def test_lines_printed_counts_and_stays_silent_and_what_is_lacking_is_an_error_of_minigraph(capsys):
    assert lines_printed(lambda x: print("a\nb"), [1, 2]) == 4
    assert capsys.readouterr().out == ""
    assert issubclass(NotYet, MinigraphError)
