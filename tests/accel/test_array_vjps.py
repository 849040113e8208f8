"""VJPs on bare arrays give the bits of the VJPs on tensors."""

import itertools

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.accel.array_vjps import ARRAY_VJPS, array_vjps_of
from minigraph.core.autodiff.tape import Tape, full_like
from minigraph.core.op import TABLE, record_on
from minigraph.core.tensor import wrap
from minigraph.operators.registry import set_gradient
from tests.accel.test_tape_arrays import bits

RNG = np.random.default_rng(0)
ARITHMETIC = [op for op in TABLE.values() if array_vjps_of(op)]


def test_vjps_are_generated_once_for_an_operator():
    assert ARRAY_VJPS[TABLE["add"]] is ARRAY_VJPS[TABLE["add"]]
    assert ARRAY_VJPS[TABLE["matmul"]] is None


def test_vjps_are_generated_again_for_another_gradient():
    mul = TABLE["mul"]
    old, vjp = ARRAY_VJPS[mul], mul.vjp
    try:
        set_gradient(mul, None)
        assert mul not in ARRAY_VJPS
    finally:
        set_gradient(mul, vjp)
    assert ARRAY_VJPS[mul] is not old


@pytest.mark.parametrize("before", [None, wrap(np.ones(2)), np.ones(2)], ids=["nothing", "a tensor", "an array"])
@pytest.mark.parametrize("variant", ["general", "same_layout"])
def test_cotangents_are_accumulated(before, variant):
    x, y, g = Tensor(np.array([2.0, 3.0])), Tensor(np.array([5.0, 7.0])), np.array([10.0, 20.0])
    cotangents = {x: before}
    call = (TABLE["mul"], (x, y), {}, None, (x, y), variant == "same_layout", x.array * y.array, x.array, y.array)
    getattr(ARRAY_VJPS[TABLE["mul"]], variant)(g, call, cotangents)
    assert g.tolist() == [10.0, 20.0] and (before is None or before.tolist() == [1.0, 1.0])
    assert cotangents[x].tolist() == ([50.0, 140.0] if before is None else [51.0, 141.0]) and list(cotangents) == [x]


def gradients(op, args, g, observed):
    """The gradients with respect to all operands, while another tape is active or not."""
    tape = Tape()
    for arg in args:
        tape.watch(arg)
    with record_on(tape):
        out = op(*args)
        product = out * out if out.dtype.is_float else out  # so that the cotangent of ``out`` is computed, too
    seed = full_like(product, 1.0) if g is None else g(product)
    with record_on(*([Tape()] if observed else [])):
        return tape.gradient([(product, seed), (out, full_like(out, 2.0))], args)


def layouts(array):
    yield array
    yield np.asfortranarray(array)
    yield np.flip(array)
    yield np.repeat(array, 2, -1)[..., ::2]
    yield array[..., :1]
    yield np.array(array.flat[0])


@pytest.mark.parametrize("op", ARITHMETIC, ids=str)
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
            on_arrays = bits(gradients(op, args, g, observed=False))
            RNG.bit_generator.state = state
            assert bits(gradients(op, args, g, observed=True)) == on_arrays


def test_inf_and_nan_are_values_during_a_backward_pass():
    x = Tensor([0.0, 1e38])
    tape = Tape()
    tape.watch(x)
    with np.errstate(all="raise"):
        with np.errstate(all="ignore"), record_on(tape):
            out = 1.0 / x * 1e38
        gradient = tape.gradient([(out, full_like(out, 1e38))], [x])[0]
    assert gradient.tolist()[0] == float("-inf")
