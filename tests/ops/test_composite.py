"""Map, MultitypeFuncGraph and clipping: in both modes, with their errors."""

import numpy as np
import pytest

from minigraph import Tensor, errors, jit, ops
from minigraph.ops.composite import TYPES_BY_NAME, HyperMap, Map, MultitypeFuncGraph
from tests.tables import error_cases

GRADS = (Tensor([3.0, 4.0]), Tensor([[12.0]]))
both_modes = pytest.mark.parametrize("wrapped", [lambda fn: fn, jit], ids=["eager", "jit"])

scaled = MultitypeFuncGraph("scaled")


@scaled.register("Number", "Tensor")
def scale_tensor(factor, gradient):
    return gradient * factor


@scaled.register("Number", "Tuple")
def scale_tuple(factor, gradients):
    return tuple(scale_tensor(factor, gradient) for gradient in gradients)


def arrays(tensors):
    return [t.tolist() for t in tensors]


@both_modes
def test_scaling_and_clipping_gradients(wrapped):
    # gradients are scaled as listings do it
    run = wrapped(lambda grads: HyperMap()(ops.partial(scaled, 0.5), grads))
    assert arrays(run(GRADS)) == [[1.5, 2.0], [[6.0]]]
    # gradients are clipped to a common norm
    run = wrapped(lambda grads: ops.clip_by_global_norm(grads, 6.5))
    np.testing.assert_allclose(run(GRADS)[0].asnumpy(), [1.5, 2.0], rtol=1e-6)
    np.testing.assert_allclose(run(GRADS)[1].asnumpy(), [[6.0]], rtol=1e-6)
    assert arrays(ops.clip_by_global_norm(list(GRADS), 100.0)) == arrays(GRADS)
    with pytest.raises(TypeError, match="For 'clip_by_global_norm', the 'x' must be a list or tuple of tensors"):
        ops.clip_by_global_norm(GRADS[0])


def test_map_hypermap_and_dispatch_by_type():
    # a map goes one level deep and a hyper map all
    assert HyperMap(lambda x: x * 2)((1, (2, [3]))) == (2, (4, (6,)))
    assert Map(len)(((1, 2), (3,))) == (2, 1)
    assert Map()(lambda x, y: x - y, [5, 6], (1, 2)) == (4, 4)
    # the first function for the kinds is called
    kind = MultitypeFuncGraph("kind")
    for name in TYPES_BY_NAME:
        kind.register(name)(lambda x, name=name: name)
    kind.register(set)(lambda x: "set")
    values = [Tensor(1), 1, "a", (), [], {}, None, arrays, set()]
    assert [kind(value) for value in values] == [
        "Tensor", "Number", "String", "Tuple", "List", "Dictionary", "NoneType", "Function", "set",
    ]  # fmt: skip
    assert repr(kind) == "MultitypeFuncGraph[kind]"


def test_reverse_reverses_the_calls_not_the_results():
    calls = []

    def note(x):
        calls.append(x)
        return -x

    assert Map(note, reverse=True)((1, 2, 3)) == (-1, -2, -3)
    assert calls == [3, 2, 1]
    assert HyperMap(note, reverse=True)((1, (2, 3))) == (-1, (-2, -3))
    assert calls[3:] == [3, 2, 1]


# ---- choosing by type ------------------------------------------------------------------------------


test_types_without_a_function_raise = error_cases(
    (lambda: scaled("x", GRADS[0]), TypeError, r"'scaled': nothing registered for \(str, Tensor\) in .*; reg"),
    (lambda: scaled.register("Tenser"), errors.UsageError, "'scaled': no type 'Tenser' in .*; known: Tensor, "),
)


# ---- clipping --------------------------------------------------------------------------------------


def test_clip_by_norm():
    # norms of any order
    np.testing.assert_allclose(ops.clip_by_norm(Tensor([3.0, 4.0]), 1.0).asnumpy(), [0.6, 0.8], rtol=1e-5)
    np.testing.assert_allclose(ops.clip_by_norm(GRADS, 19.0, 1.0)[1].asnumpy(), [[12.0]], rtol=1e-5)
    np.testing.assert_allclose(ops.clip_by_norm(GRADS, 9.5, 1.0)[1].asnumpy(), [[6.0]], rtol=1e-5)
    # values are clipped one by one
    assert arrays(ops.clip_by_value(GRADS, 3.5, 5)) == [[3.5, 4.0], [[5.0]]]
    assert ops.clip_by_value(GRADS[0], Tensor(3.5)).tolist() == [3.5, 4.0]
    # error_if_nonfinite
    with pytest.raises(RuntimeError, match="clip_by_norm: the norm of the tensors is nan; .*"):
        ops.clip_by_norm(Tensor([np.nan]), 1.0, error_if_nonfinite=True)
    assert np.isnan(ops.clip_by_norm(Tensor([np.nan]), 1.0).asnumpy()).all()


test_errors = error_cases(
    (lambda: HyperMap()(max, (1, 2), (3,)), "HyperMap: expected sequences of one length, got 2 and 1"),
    (lambda: Map()(max), "Map: expected sequences of one length, got none"),
    error=errors.UsageError,
)
