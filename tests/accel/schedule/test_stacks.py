"""Long sums of small tensors: one reduction, the bits of many additions."""

import numpy as np
import pytest

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.plan import planned
from minigraph.accel.schedule.stacks import _total
from minigraph.core.machine import MAX_BATCHED_BYTES, MIN_BATCHED_ADDITIONS
from minigraph.core.types import type_of
from minigraph.execute.compile import compile_graph

RNG = np.random.default_rng(0)
SPECIAL = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 1e4, -1e-3], np.float32)


def tensor(*shape):
    return Tensor(RNG.normal(size=shape).astype(np.float32))


def chain(x, y):
    for _ in range(2 * MIN_BATCHED_ADDITIONS):
        x = x * y + y
    return x


def powers(x, y):
    total = x * 1.0
    for _ in range(2 * MIN_BATCHED_ADDITIONS):
        x = (x * y).tanh()
        total = total + x
    return total


def products(x, y):
    total = x @ y
    for i in range(2 * MIN_BATCHED_ADDITIONS):
        total = total + (x * float(i)) @ y
    return total


def read_again(x, y):
    """Parts that others read: before the sum is done, and after it."""
    parts = [x * float(i) for i in range(2 * MIN_BATCHED_ADDITIONS)]
    total = parts[0] * y
    for part in parts[1:]:
        total = total + part * y
    return total * parts[3], parts[4].exp() + total, parts[5]


def broken_off(x, y):
    """A sum somebody reads in the middle of it, and parts that come from outside or twice."""
    total = x * y
    for i in range(2 * MIN_BATCHED_ADDITIONS):
        total = total + y * float(i)
    half = total.tanh()
    for i in range(2 * MIN_BATCHED_ADDITIONS):
        total = total + (half if i % 5 == 0 else x * float(i))
    return total + y, half


def mixed(x, y):
    """Products at uneven distances, and of operands in turns."""
    total = x * y
    for i in range(3 * MIN_BATCHED_ADDITIONS):
        left = (x + float(i)) if i % 3 else x.exp() * float(i)
        total = total + left * (y - float(i))
    return total


def squares(x, y):
    """Products of one value with itself, and of values of other shapes."""
    total, row = x * y, y[0] * 1.0
    for i in range(2 * MIN_BATCHED_ADDITIONS):
        x = x + float(i)
        row = (row * y[1]).tanh()
        total = total + x * x + x * row
    return total + row


def rows_and_matrices(x, y):
    """Two sums, parts of one being operands in the other."""
    row, total = y[0] * 1.0, x * y
    summed = row + y[1]
    for _ in range(2 * MIN_BATCHED_ADDITIONS):
        row = (row * y[2]).tanh()
        summed = summed + row
        total = total + x.exp() * row
    return summed, total


def parts_in_common(x, y):
    """Two sums of the same products, and a third of what is multiplied."""
    factors = [x * float(i) for i in range(2 * MIN_BATCHED_ADDITIONS)]
    products, total = [factor * y for factor in factors], factors[1]
    for factor in factors[2:]:
        total = total + factor
    for some in (products, products[1:]):
        found = some[0]
        for part in some[1:]:
            found = found + part
        total = total * found
    return total


SUMS = [
    parts_in_common, squares, rows_and_matrices, chain, powers, products, read_again, broken_off, mixed,
    *(grad(fn, (0, 1)) for fn in (squares, chain, powers, mixed, lambda x, y: chain(x, y[0]))),
]  # fmt: skip


def bits(results):
    return [r.asnumpy().tobytes() for r in (results if isinstance(results, tuple) else (results,))]


@pytest.mark.parametrize("fn", SUMS)
@pytest.mark.parametrize("pipeline", [(), "default"])
def test_bits_are_those_of_eager_mode(fn, pipeline):
    compiled = jit(fn, pipeline=pipeline)
    for x, y in ((tensor(4, 4), tensor(4, 4)), (tensor(4, 4), tensor(4, 4))):
        want = bits(fn(x, y))
        assert bits(compiled(x, y)) == want == bits(compiled(x, y))


@pytest.mark.parametrize("shape", [(2,), (3, 1), (1, 5), (7, 3), (2, 2, 2), (33, 31)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.int32, np.int8])
def test_one_reduction_adds_in_order(shape, dtype):
    """Also where there are negative zeros, and numbers that do not add up the same in another order."""
    stack = (RNG.normal(size=(50, *shape)) * 9).astype(dtype)
    special = stack.copy()
    if stack.dtype.kind == "f":
        stack[..., 0] = -0.0
        special = np.where(RNG.random(stack.shape) < 0.3, RNG.choice(SPECIAL, stack.shape).astype(dtype), stack)
    for parts in (stack, special):
        with np.errstate(all="ignore"):
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            found = _total(type_of(total)).forward(parts)
        assert (found.dtype, found.tobytes()) == (total.dtype, total.tobytes())


def steps_of(fn, *args):
    return [step.op.name for step in planned(trace(fn, *args)).steps]


def test_additions_and_the_products_added_are_one_call_each():
    names = steps_of(grad(chain, (0, 1)), tensor(4, 4), tensor(4, 4))
    assert names.count("total") == names.count("multiply") == 1
    assert names.count("add") == 2 * MIN_BATCHED_ADDITIONS + 2
    assert names.count("mul") < 4 * MIN_BATCHED_ADDITIONS + 4


def test_few_or_large_ones_stay_as_they_are():
    def few(x):
        return sum((x * float(i) for i in range(1, MIN_BATCHED_ADDITIONS)), x * 0.5)

    assert "total" not in steps_of(few, tensor(4, 4))
    large = tensor(MAX_BATCHED_BYTES // 4 + 1)
    assert "total" not in steps_of(lambda x: sum((x * float(i) for i in range(99)), x * 0.5), large)
    assert "total" not in steps_of(lambda x: sum((x * float(i) for i in range(99)), x * 0.5), Tensor([1.0]))


def test_what_leaves_is_not_memory_of_the_programs():
    program = compile_graph(trace(lambda x, y: (read_again(x, y), ops.stack((x, y))), tensor(4, 4), tensor(4, 4)))
    x, y = tensor(4, 4).array, tensor(4, 4).array
    first = program(x, y)
    kept = [a.copy() for a in first]
    program(y, x)
    assert [a.tobytes() for a in first] == [a.tobytes() for a in kept]
