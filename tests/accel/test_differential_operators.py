"""Tuned kernels against the forwards of records, on every operator's samples and on random shapes.

Bit for bit, but for the kernels listed in ``minigraph.accel.tolerances``, each within its tolerance; values, and
gradients as graphs of operators that run once with the tuned kernels and once without. All of it on one thread of BLAS,
where products of matrices have to agree bit for bit, too, and on two.
"""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, grad
from minigraph.accel.host.blas import blas_threads
from minigraph.accel.kernels.table import FORWARDS
from minigraph.accel.tolerances import TOLERANCES
from minigraph.capture.trace import trace
from minigraph.core.op import TABLE, apply, forward_of
from minigraph.core.types import type_of
from minigraph.execute.interpret import interpret
from minigraph.operators.conv import CONV2D, CONV2D_INPUT_GRAD, CONV2D_WEIGHT_GRAD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.pooling import MAX_POOL2D, MAX_POOL2D_GRAD
from tests.tables import in_one_test

assert ms.ops  # all operators are there
OPERATORS = [op for op in TABLE.values() if op.samples and not (op.effects or op.stores)]
CASES = [(op, sample) for op in OPERATORS for sample in op.samples(np.random.default_rng(0))]
pytestmark = [
    pytest.mark.usefixtures("blas_thread_count"),
    pytest.mark.filterwarnings(
        "ignore::RuntimeWarning",  # of infinities, which are values here
        "ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning",
    ),
]


def is_near(op):
    """Whether the kernel of an operator may differ from the record's forward with this number of threads."""
    threads = blas_threads()
    return op in TOLERANCES and not (op is MATMUL and threads and threads.get() == 1)


def agree(op, arrays, **attrs):
    """Check the tuned kernel of an operator against the record's forward."""
    tuned, plain = np.asarray(FORWARDS[op](*arrays, **attrs)), np.asarray(op.forward(*arrays, **attrs))
    assert (tuned.shape, tuned.dtype) == (plain.shape, plain.dtype)
    if not is_near(op) or plain.dtype.kind != "f":
        assert tuned.tobytes() == plain.tobytes()
        return
    reach = np.asarray(op.forward(*map(np.abs, arrays), **attrs), np.float64)
    bound = TOLERANCES[op].epsilons * np.finfo(plain.dtype).eps * reach
    assert (np.abs(tuned.astype(np.float64) - plain) <= bound).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("op", FORWARDS, ids=str)
def test_values_of_samples(op, dtype):
    for sample in op.samples(np.random.default_rng(0)):
        arrays = [a.astype(dtype) if a.dtype.kind == "f" else a for a in sample.args]
        agree(op, arrays, **(op.canonical(*map(type_of, arrays), **sample.attrs) if op.canonical else sample.attrs))


def test_all_others_have_their_own_forward():
    assert all(forward_of(op) is op.forward for op in TABLE.values() if op not in FORWARDS)


def total_of(fn):
    """A function of the same operands: the sum of the squares of all that ``fn`` gives."""

    def total(*operands):
        out = fn(*operands)
        return sum((one * one).sum() for one in (out if isinstance(out, tuple) else (out,)))

    return total


def gradient_graph(op, sample, order):
    """The graph of an operator's gradients of first or second order at a sample, and the sample as tensors."""
    tensors = [Tensor.from_numpy(array) for array in sample.args]
    positions = tuple(i for i, a in enumerate(sample.args) if a.dtype.kind == "f")
    fn = lambda *operands: apply(op, *operands, **sample.attrs)  # noqa: E731 - it is differentiated again below
    for _ in range(order):
        fn = grad(total_of(fn), positions)
    return trace(fn, *tensors), tensors


def arrays_of(out):
    return [np.asarray(one.array) for one in (out if isinstance(out, tuple) else (out,))]


@in_one_test((op, sample, order) for op, sample in CASES if sample.smooth for order in (1, 2)[: 1 + bool(sample.args)])
def test_gradients_of_samples(op, sample, order):
    graph, tensors = gradient_graph(op, sample, order)
    tuned = arrays_of(interpret(graph, *tensors))
    with pytest.MonkeyPatch.context() as patch:
        for each in [*FORWARDS]:
            patch.delitem(FORWARDS, each)
        plain = arrays_of(interpret(graph, *tensors))
    has_tolerance = any(is_near(graph.op(node)) for node in graph.topological())
    for one, other in zip(tuned, plain, strict=True):
        if has_tolerance:
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        else:
            assert one.tobytes() == other.tobytes()


def window_of(rng):
    """A random kernel, and attributes of a convolution."""
    stride, border = (int(n) for n in rng.integers(1, 3, 2)), (int(n) for n in rng.integers(0, 2, 4))
    top, bottom, left, right = border
    attrs = {"stride": tuple(stride), "padding": ((top, bottom), (left, right)), "group": int(rng.integers(1, 3))}
    return tuple(int(n) for n in rng.integers(1, 6, 2)), attrs | {"dilation": (1, int(rng.integers(1, 3)))}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(40))
def test_convolutions_of_random_shapes(seed, dtype):
    rng = np.random.default_rng(seed)
    (kh, kw), attrs = window_of(rng)
    n, c, o = (int(size) for size in np.exp(rng.uniform(0, [4, 3, 4])))
    height, width = kh + int(rng.integers(0, 20)), 2 * kw + int(rng.integers(0, 20))
    x = rng.normal(size=(n, c * attrs["group"], height, width)).astype(dtype)
    weight = rng.normal(size=(o * attrs["group"], c, kh, kw)).astype(dtype)
    agree(CONV2D, (x, weight), **attrs)
    g = rng.normal(size=CONV2D.forward(x, weight, **attrs).shape).astype(dtype)
    agree(CONV2D_INPUT_GRAD, (g, weight), shape=x.shape, **attrs)
    agree(CONV2D_WEIGHT_GRAD, (g, x), shape=weight.shape, **attrs)


@pytest.mark.parametrize("seed", range(20))
def test_pools_of_random_shapes(seed):
    rng = np.random.default_rng(seed)
    kernel, attrs = window_of(rng)
    attrs = {"kernel": kernel, "stride": attrs["stride"], "padding": attrs["padding"]}
    x = rng.integers(-3, 4, size=(int(rng.integers(1, 40)), 3, 6 + seed, 9)).astype(np.float32)  # with equal elements
    agree(MAX_POOL2D, (x,), **attrs)
    out = MAX_POOL2D.forward(x, **attrs)
    agree(MAX_POOL2D_GRAD, (rng.normal(size=out.shape).astype(np.float32), x, out), **attrs)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(40))
def test_products_of_random_shapes(seed, dtype):
    rng = np.random.default_rng(seed)
    b, m, k, n = (1 + int(size) for size in np.exp(rng.uniform(0, [3, 4, 6, 5])))
    stack, x, y = (rng.normal(size=size).astype(dtype) for size in ((b, m, k), (m, k), (k, n)))
    for some in (stack, x):
        agree(MATMUL, (some, y))


@pytest.mark.parametrize("m, k, n", [(16, 128, 256), (33, 150, 64), (64, 128, 64), (128, 128, 128), (200, 777, 32)])
def test_small_products_of_matrices(m, k, n):
    rng = np.random.default_rng(0)
    agree(MATMUL, (rng.normal(size=(m, k)).astype(np.float32), rng.normal(size=(k, n)).astype(np.float32)))
