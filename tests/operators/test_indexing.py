"""Indexing by numpy's rules, and its gradient."""

import random
from functools import partial

import numpy as np

from minigraph import Tensor, errors, float32, grad, int64, jit, ops, trace
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType
from minigraph.operators.indexing import canonical_key, is_operand, is_slice, key_text, numpy_key
from tests.tables import error_cases, every

X = np.arange(60.0).reshape(3, 4, 5)
ROWS, COLUMNS = np.array([0, 2, 2]), np.array([1, 1, 3])
KEYS = [
    0, -1, (1, 2, 3), slice(1, None), slice(None, None, -1), slice(-1, 0, -2), (slice(None), 1), (..., 0), (0, ..., -1),
    None, (None, 0, None), slice(5, 2), (slice(None), slice(-6, None, -1)), ...,
    (slice(0, 2), slice(1, 3), slice(None, None, 2)),
]  # fmt: skip
TENSOR_KEYS = [
    ROWS, (ROWS, COLUMNS), (ROWS[:, None], COLUMNS), (0, COLUMNS), (slice(None), COLUMNS), (ROWS, slice(1, 3)),
    (ROWS, slice(None), COLUMNS), (None, ROWS), X[:, 0, 0] > 10,
]  # fmt: skip


def as_tensors(key):
    if isinstance(key, tuple):
        return tuple(map(as_tensors, key))
    return Tensor(key) if isinstance(key, np.ndarray) else key


@every(key=[*KEYS, *TENSOR_KEYS], ids=str)
def test_values_are_numpys_and_the_gradient_counts_selections(key):
    assert np.array_equal(Tensor(X)[as_tensors(key)].array, X[key])
    if key is not TENSOR_KEYS[-1]:  # a mask, which has no shape in a graph
        counts, gradient = np.zeros_like(X), grad(lambda x: x[as_tensors(key)].sum())
        np.add.at(counts, key, 1)
        assert np.array_equal(gradient(Tensor(X)).array, counts)
        assert np.array_equal(jit(gradient)(Tensor(X)).array, counts)


def test_lists_slices_gathers_and_index_add():
    # a list is an index tensor
    assert Tensor([10, 20, 30])[[2, 0]].tolist() == [30, 10]
    # slices are views and gathers are copies
    x = Tensor(X)
    assert np.shares_memory(x[1:].array, x.array)
    assert not np.shares_memory(x[Tensor(ROWS)].array, x.array)
    # index_add adds values to the selected elements
    assert apply("index_add", Tensor([1.0, 2.0]), Tensor([1, 1]), key=((1,),), shape=(3,)).tolist() == [0.0, 3.0, 0.0]


test_errors = error_cases(
    (5, errors.RangeError, "index 5 is out of bounds for dimension with size 3"),
    ((0, 0, 0, 0), errors.RangeError, "4 indices for a tensor of shape"),
    ((..., ...), IndexError, "only have a single ellipsis"),
    (slice(None, None, 0), errors.UsageError, "step must not be 0"),
    (Tensor([0.5]), errors.RangeError, "tensor indices are integers or bools"),
    (Tensor([7]), errors.RangeError, "index 7 is out of bounds for axis 0"),
    ((Tensor([0, 1]), Tensor([0, 1, 2])), errors.RangeError, "could not be broadcast"),
    by=lambda key: Tensor(X)[key],
)


MASK = Tensor(np.array([True, False, True]))


test_refusals_during_tracing = error_cases(
    (lambda: jit(lambda x, m: x[m]).graph(Tensor(X), MASK), "depends on the values of the mask"),
    (lambda: jit(lambda x, i, j: x[i, j]).graph(Tensor(X), Tensor([0, 1]), Tensor([0, 1, 2])), "index"),
    (lambda: jit(partial(apply, "index_add", key=((0, 2, 1),), shape=(3,)))(ops.ones(3)), "does not fill the selected"),
    error=errors.ShapeError,
)


def test_keys_have_one_canonical_form():
    # equal indices have one canonical key
    t = TensorType((3, 4), float32)
    equal = [(slice(None), -1), (..., 3), (slice(0, 3), 3), (slice(None, None, 1), 3)]
    encoded = [tuple((s.start, s.stop, s.step) if isinstance(s, slice) else s for s in key) for key in equal]
    assert {canonical_key(t, key=key)["key"] for key in encoded} == {((0, 3, 1), 3)}
    # keys consist of plain values
    key = canonical_key(TensorType((3, 4), float32), key=(None, (None, None, -1)))["key"]
    assert key == (None, (2, None, -1), (0, 4, 1))
    assert [is_slice(item) for item in key] == [False, True, True]
    assert is_operand((1,))
    assert not is_operand((1, 2, 3))
    assert numpy_key(key) == (None, slice(2, None, -1), slice(0, 4, 1))
    assert key_text(key) == "None,2::-1,0:4"


def random_key(rng, shape):
    """A key for a shape, of ints, slices, new axes and index arrays that broadcast with each other."""
    common, key = rng.choice(((), (3,), (2, 3), (0, 2))), []
    for size in shape:
        key += [None] * (rng.random() < 0.15)
        kind = rng.choice("tis") if size else "s"
        bounds = rng.choice((None, 0, 1, -2)), rng.choice((None, 1, -1, 3)), rng.choice((None, 2, -1))
        key.append({"t": np.zeros(common[rng.randint(0, len(common)) :], int), "i": 0, "s": slice(*bounds)}[kind])
    return tuple(key)


def test_graphs_infer_the_shapes_that_numpy_gives_for_random_keys():
    rng = random.Random(5)
    for _ in range(400):
        x = np.zeros([rng.randint(0, 3) for _ in range(rng.randint(1, 4))])
        key = random_key(rng, x.shape)
        graph = trace(lambda x, key=key: x[as_tensors(key)], Tensor(x))
        assert graph.type(graph.outs[0]).shape == x[key].shape, (x.shape, key)


def test_the_shape_of_a_selection_is_inferred_without_memory_for_it():
    huge, count = TensorType((1 << 20, 1 << 20), float32), TensorType((1 << 20,), int64)
    assert op_named("index").types([huge, count], {"key": ((1,), (0, 1 << 20, 1))}) == (huge,)


def test_a_reversed_slice_that_starts_before_the_first_element_is_empty():
    assert canonical_key(np.ones(1), key=((-2, None, -1),)) == {"key": ((0, 0, 1),)}
    assert Tensor([1.0])[-2::-1].shape == (0,)
