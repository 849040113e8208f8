"""Fast paths of methods with attributes: arguments are checked once, and every call gives the same result."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.accel.fast_methods import attribute_method
from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE
from minigraph.core.tensor.fast_path import OPERATORS
from minigraph.core.tensor.inplace import is_view
from minigraph.core.tensor.operator_methods import Operators
from minigraph.ops.methods import ONE_OPERATOR, TRANSPOSED
from tests.accel.test_fast_dispatch import record_calls

X = Tensor([1.0, 2.0])
RNG = np.random.default_rng(0)

# ---- methods with attributes ---------------------------------------------------------------------------


BOX = Tensor(RNG.normal(size=(2, 3, 4)).astype(np.float32))
CALLS = [
    ("__getitem__", (1,), {}), ("__getitem__", (-1,), {}), ("__getitem__", (slice(0, 2),), {}),
    ("__getitem__", (slice(None, None, -1),), {}), ("__getitem__", ((0, slice(1, None), None),), {}),
    ("__getitem__", ((..., 2),), {}), ("__getitem__", (None,), {}), ("reshape", (4, 6), {}), ("reshape", ((-1,),), {}),
    ("view", (24,), {}), ("flatten", (), {}), ("flatten", (1,), {}), ("flatten", (), {"start_dim": 1}),
    ("transpose", (), {}), ("transpose", (0, 2), {}), ("permute", ((2, 0, 1),), {}), ("swapaxes", (0, -1), {}),
    ("expand_dims", (1,), {}), ("unsqueeze", (-1,), {}), ("squeeze", (), {}), ("sum", (), {}), ("sum", (1,), {}),
    ("sum", (), {"axis": 1}), ("sum", (None, True), {}), ("sum", ((0, 2),), {}), ("mean", (), {"axis": 0}),
    ("mean", (), {"axis": 2, "keep_dims": True}), ("max", (), {}), ("min", (), {}),
    ("argmax", (), {}), ("argmax", (1,), {}), ("softmax", (), {}), ("softmax", (0,), {}),
]  # fmt: skip


def test_every_configured_method_is_called_here():
    assert {method for method, _, _ in CALLS} == {*OPERATORS["attributes"], *ONE_OPERATOR["attributes"]}


@pytest.mark.parametrize(("method", "args", "kwargs"), CALLS, ids=lambda item: repr(item))
@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.int64])
def test_cached_calls_equal_the_method(method, args, kwargs, dtype):
    box = BOX.astype(dtype)
    reference = getattr(Tensor, method).__wrapped__
    fast = attribute_method(reference, TABLE["identity"])
    try:
        expected, records = record_calls(lambda: reference(box, *args, **kwargs))
    except MinigraphError as error:
        for _ in range(2):
            with pytest.raises(type(error)):
                fast(box, *args, **kwargs)
        return
    for _ in range(3):
        out, again = record_calls(lambda: fast(box, *args, **kwargs))
        assert (out.type, out.array.tobytes(), again) == (expected.type, expected.array.tobytes(), records)
        assert is_view(out) == is_view(expected)


@pytest.mark.parametrize("name", TRANSPOSED)
def test_properties_have_a_fast_path(name):
    reference = getattr(Tensor, name).fget.__wrapped__
    for _ in range(2):
        assert getattr(BOX, name).array.tobytes() == reference(BOX).array.tobytes()


def method_and_reference_calls(reference):
    """A method with a fast path, and the list of calls of its reference."""
    calls = []

    def method(*args, **kwargs):
        calls.append(args)
        return reference(*args, **kwargs)

    return attribute_method(method, TABLE["identity"]), calls


def test_a_shape_and_a_dtype_are_checked_once():
    fast, calls = method_and_reference_calls(Tensor.sum.__wrapped__)
    for x in (X, X * 2.0, X, Tensor([1, 2]), Tensor([1, 2])):
        fast(x, 0)
    assert len(calls) == 2


@pytest.mark.parametrize("wrong", [True, 1.0, (True,), (1.0,), np.float32(1.0)])
def test_objects_equal_to_a_number_do_not_share_its_cache_entry(wrong):
    for right in (1, (1,)):
        BOX.sum(right)
    for call in (lambda: BOX.sum(wrong), lambda: BOX.sum(axis=wrong)):
        with pytest.raises(MinigraphError, match="axis must be an int"):
            call()


def test_a_slice_is_not_three_numbers():
    BOX.reshape(2, 3, 4)
    with pytest.raises(MinigraphError, match="a shape is made of ints"):
        BOX.reshape(slice(2, 3, 4))


def test_methods_of_several_operator_calls_are_not_cached():
    fast, calls = method_and_reference_calls(lambda x: x * 2.0 + 1.0)
    other, others = method_and_reference_calls(lambda x: X * 2.0)
    for _ in range(3):
        assert fast(X).tolist() == [3.0, 5.0]
        assert other(BOX).tolist() == [2.0, 4.0]
    assert (len(calls), len(others)) == (3, 3)


def test_the_caches_of_methods_are_bounded(monkeypatch):
    monkeypatch.setattr("minigraph.accel.fast_methods.MAX_CACHED_CALLS", 3)
    fast, calls = method_and_reference_calls(Operators.reshape)
    for size in (1, 2, 3, 1, 4, 1):  # the fourth size clears the cache, the first is cached again
        fast(Tensor(np.ones(size)), -1)
    assert len(calls) == 5


def test_cached_calls_return_views():
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    views = [x.reshape(2, 2) for _ in range(3)] + [x[0:2] for _ in range(3)] + [x.T for _ in range(3)]
    x[0] = 9.0
    assert [view.array.flat[0] for view in views] == [9.0] * 9


def test_traced_methods_are_nodes():
    BOX.sum(1)
    graph = ms.trace(lambda x: x.sum(1)[0], BOX)
    assert [str(graph.op(node)) for node in graph if not graph.op(node).is_leaf] == ["sum", "index"]
