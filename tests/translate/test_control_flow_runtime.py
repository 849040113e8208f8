"""The runtime of translated code: plain values behave as in Python, tracers become operators."""

import pytest

from minigraph import Tensor, trace
from minigraph.translate import control_flow_runtime as flow


def test_plain_values_behave_as_in_python():
    assert flow.and_(lambda: 1, lambda: 0, lambda: 1 / 0) == 0
    assert flow.or_(lambda: 0, lambda: "", lambda: 3) == 3
    assert flow.not_([]) is True
    assert flow.if_expression(False, lambda: 1, lambda: 2) == 2
    assert flow.compare(1, (lambda a, b: a < b, lambda: 2), (lambda a, b: a < b, lambda: 2)) is False
    assert flow.none_set(False, False) is True
    assert flow.none_set(False, True) is flow.any_set(Tensor(True)) is flow.loop_condition(lambda: 1 / 0, True) is False
    first, second = flow.values(lambda: 1, lambda: nowhere)  # noqa: F821
    assert first == 1 and flow.is_unbound(second)
    error = ValueError("as it is")
    assert flow.check_raise(error) is error


@pytest.mark.parametrize("connective", [flow.and_, flow.or_])
def test_traced_connectives_are_branches(connective):
    graph = trace(lambda x: connective(lambda: x > 0, lambda: x < 1), Tensor(0.5))
    assert [len(graph.regions(node)) for node in graph if graph.regions(node)] == [2]
