"""Gradient rules that are given arrays: which they are, and that they have the bits of the door's."""

import itertools

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.autodiff.arithmetic import ARRAY_RULES, array_rules, is_arithmetic, is_same, same
from minigraph.autodiff.tape import Tape, full_like
from minigraph.op import TABLE, Op, apply, listening

SCALE = 2.0
RNG = np.random.default_rng(0)
PLAIN = [op for op in TABLE.values() if array_rules(op)]


@pytest.mark.parametrize(
    "rule",
    [
        lambda g, out, x: g,
        lambda g, out, x: -g,
        lambda g, out, x, y: g * y / x - out + 1,
        lambda g, out, x: g * 0.5 / out,
        lambda g, out, x: 7 * g,
    ],
)
def test_arithmetic_is_recognised(rule):
    assert is_arithmetic(rule)


@pytest.mark.parametrize(
    "rule",
    [
        lambda g, out, x: g**x,
        lambda g, out, x: g @ x,
        lambda g, out, x: g // x,
        lambda g, out, x: g * x[0],
        lambda g, out, x: g * x.shape[0],
        lambda g, out, x: g * SCALE,
        lambda g, out, x: apply("where", x, g, 0),
        lambda g, out, x: g if g else x,
        lambda g, out, x: g > x,
        lambda g, out, x: g * 2j,
        lambda g, out, x: g * True,
        lambda g, out, x: (g, x),
        lambda g, out, x: None,
        lambda g, out, x: abs(g),
        np.multiply,
    ],
)
def test_everything_else_is_not(rule):
    assert not is_arithmetic(rule)


def test_who_hands_the_cotangent_on_is_recognised():
    assert is_same(lambda g, out, x: g)
    assert not is_same(lambda g, out, x: out)
    assert not is_same(lambda g, out, x: g + g)
    assert same(1, 2, 3) == 1


def test_operators_of_every_kind_are_sorted():
    assert {"add", "sub", "mul", "div", "neg", "exp", "tanh", "sigmoid"} <= {op.name for op in PLAIN}
    assert ARRAY_RULES[TABLE["add"]] == (same, same)
    for name in ("matmul", "relu", "concat", "reshape", "pow", "where"):
        assert ARRAY_RULES[TABLE[name]] is None


def test_operands_that_may_differ_in_dtype_are_left_to_the_door():
    rules = (lambda g, out, x, y: g, lambda g, out, x, y: g)
    fields = {"forward": np.add, "infer": lambda x, y: x, "vjp": rules, "family": "elementwise"}
    assert array_rules(Op("loose", **fields)) is None
    assert array_rules(Op("strict", promotes=(0, 1), **fields)) == (same, same)


def gradients(op, args, attrs, g, heard):
    """The gradients by all operands, with somebody listening or nobody."""
    tape = Tape()
    for arg in args:
        tape.watch(arg)
    with listening(tape):
        out = op(*args, **attrs)
        twice = out * out if out.dtype.is_float else out  # what arrives has been computed, too
    seed = full_like(twice, 1.0) if g is None else g(twice)
    with listening(*([Tape()] if heard else [])):
        return tape.gradient([(twice, seed), (out, full_like(out, 2.0))], args)


def layouts(array):
    yield array
    yield np.asfortranarray(array)
    yield np.flip(array)
    yield np.repeat(array, 2, -1)[..., ::2]
    yield array[..., :1]
    yield np.array(array.flat[0])


@pytest.mark.parametrize("op", PLAIN, ids=str)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize("shape", [(3, 4), (1, 3)])
def test_arrays_get_the_bits_that_tensors_get(op, dtype, shape):
    bases = [(RNG.normal(size=shape) * 3).astype(dtype) for _ in range(op.arity)]
    for arrays in itertools.product(*map(layouts, bases)):
        args = [Tensor.from_numpy(array) for array in arrays]
        try:
            op(*args)
        except TypeError:
            return
        for g in (None, lambda out: Tensor(np.asarray(RNG.permutation(out.size).reshape(out.shape), out.array.dtype))):
            state = RNG.bit_generator.state
            short = gradients(op, args, {}, g, heard=False)
            RNG.bit_generator.state = state
            long = gradients(op, args, {}, g, heard=True)
            for a, b in zip(short, long, strict=True):
                assert (a is None) == (b is None)
                if a is not None:
                    assert (a.type, a.array.tobytes()) == (b.type, b.array.tobytes())


def test_inf_and_nan_are_values_while_a_tape_is_played():
    x = Tensor([0.0, 1e38])
    tape = Tape()
    tape.watch(x)
    with np.errstate(all="raise"):
        with np.errstate(all="ignore"), listening(tape):
            out = 1.0 / x * 1e38
        found = tape.gradient([(out, full_like(out, 1e38))], [x])[0]
    assert found.tolist()[0] == float("-inf")
