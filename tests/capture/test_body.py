"""Bodies are closed: outer values enter through operands."""

import contextlib

import pytest

from minigraph import Parameter, Tensor, interpret, jit, ops, trace
from minigraph.capture.body import MAX_DEPTH, is_leaf
from minigraph.capture.structure import UnknownStateError
from minigraph.core.errors import CaptureError, InfiniteCaptureError
from minigraph.ir.verify import verify

X = Tensor([1.0, 2.0])


def test_outer_values_and_parameters_become_operands_once_through_all_nesting_levels():
    w = Parameter(Tensor([3.0, 4.0]), name="w")
    graph = trace(lambda x: ops.cond(x.sum() > 0, lambda: x * w + w, lambda: x), X)
    verify(graph)
    node = next(node for node in graph if graph.regions(node))
    assert (len(graph.ins(node)), [len(body.inputs) for body in graph.regions(node)]) == (3, [2, 2])
    assert not any(body.op(inner).role == "parameter" for body in graph.regions(node) for inner in body)
    verify(trace(lambda x: ops.cond(x.sum() > 0, lambda: ops.cond(x.max() > 1, lambda: x, lambda: -x), lambda: x), X))
    assert [is_leaf(value) for value in (1.5, X, "1")] == [True, True, False]


def test_a_value_of_a_body_leaves_it_only_as_a_result():
    kept = []
    with pytest.raises(UnknownStateError, match="a list is changed in place in a branch or loop that depends on"):
        trace(lambda x: ops.cond(x.sum() > 0, lambda: kept.append(x * 2) or x, lambda: x) + kept[0], X)


def test_tensors_written_in_a_branch_have_their_new_values_afterwards():
    graph = trace(lambda x: (ops.cond(x.sum() > 0, lambda: ops.assign(x, x * 2), lambda: x), x + 0), X)
    assert [out.tolist() for out in interpret(graph, Tensor([1.0, 2.0]))] == [[2.0, 4.0]] * 3
    assert [out.tolist() for out in interpret(graph, Tensor([-1.0, -2.0]))] == [[-1.0, -2.0]] * 3


def test_recursion_that_only_a_tensor_ends_is_refused_before_python_does():
    def rises(x, left=None):
        if left == 0:
            return x
        return x if x.max() > 2 else rises(x + 1, None if left is None else left - 1)

    with pytest.raises(InfiniteCaptureError, match=f"'rises': {MAX_DEPTH} branches .* in `x if x.max"):
        jit(rises, fullgraph=True)(Tensor([0.0]))
    assert jit(rises, fullgraph=True)(Tensor([0.0]), MAX_DEPTH - 1).tolist() == [3.0]


def takes_a_missing_key(x):
    return x * {}["k"]


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("errors", [KeyError, Exception])
def test_an_exception_in_a_branch_that_may_not_run_is_a_refusal_which_no_with_catches(errors):
    def branch(x):
        return takes_a_missing_key(x) if x.sum() > 3 else x * 2

    def suppressed(x):
        with contextlib.suppress(errors):
            x = ops.cond(x.sum() > 3, takes_a_missing_key, lambda v: v * 2, x)
        return x + 1

    with pytest.raises(CaptureError, match=r"(?s)KeyError: 'k', raised in a branch .* in `{}\[\"k\"\]`") as caught:
        jit(branch, fullgraph=True)(Tensor([1.0]))
    assert len(str(caught.value).splitlines()) <= 3
    assert jit(branch)(Tensor([1.0])).tolist() == [2.0]
    for mode in ("ast", "trace"):
        captured = jit(suppressed, capture_mode=mode)
        assert [captured(Tensor(v)).tolist() for v in ([1.0], [4.0], [0.0])] == [[3.0], [5.0], [1.0]]
