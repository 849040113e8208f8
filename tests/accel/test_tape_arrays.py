"""The tape on arrays: gradients equal to the reference's, bit for bit, of first and second order; and its memory."""

import gc
import weakref

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, ops, set_context
from minigraph.accel.tape_arrays import ArrayTape
from minigraph.core.autodiff.differentiability import DiagnosticTape
from minigraph.core.autodiff.tape import Tape
from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE, active_observers, record_on
from minigraph.core.pytree import leaves_of
from tests.random_programs import random_program

SAMPLED = [op for op in TABLE.values() if op.samples and not (op.effects or op.stores)]


def gradients_by(kind, fn, *watched):
    """The gradients of a function's results, by a class of tapes."""
    tape = kind()
    for tensor in watched:
        tape.watch(tensor)
    with record_on(tape):
        out = fn()
    outs = [o for o in (out if isinstance(out, tuple) else (out,)) if o.dtype.is_float]
    try:
        return bits(tape.gradient([(o, o) for o in outs], watched))
    except MinigraphError as error:
        return str(error)


def bits(gradients):
    return [None if g is None else (g.type, g.array.tobytes()) for g in gradients]


@pytest.mark.parametrize("op", SAMPLED, ids=str)
def test_every_operator_has_the_gradients_of_the_reference(op):
    for sample in op.samples(np.random.default_rng(0)):
        args = [Tensor(arg) for arg in sample.args]
        floats = [arg for arg in args if arg.dtype.is_float]
        both = [gradients_by(kind, lambda a=args, s=sample: op(*a, **s.attrs), *floats) for kind in (Tape, ArrayTape)]
        assert both[0] == both[1]


@pytest.mark.filterwarnings("ignore::minigraph.core.autodiff.differentiability.NonDifferentiableWarning")
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_have_the_gradients_of_the_reference_in_both_orders(seed):
    program = random_program(seed)
    args = program.arguments(0)
    floats = tuple(i for i, arg in enumerate(args) if arg.dtype.is_float)

    def total(*args):
        outs = list(leaves_of(program.function(*args), lambda leaf: isinstance(leaf, Tensor)))
        return sum((out.sum() for out in outs if out.dtype.is_float), Tensor(0.0))

    def answers(order):
        once = grad(total, floats)
        second_order = grad(lambda *args: sum(((g * g).sum() for g in once(*args)), Tensor(0.0)), floats)
        try:
            return bits((once, second_order)[order](*args))
        except MinigraphError as error:
            return str(error)

    if not floats:
        return
    for order in (0, 1):
        accelerated = answers(order)
        set_context(accel=False)
        assert accelerated == answers(order)
        set_context(accel=True)


def test_the_context_chooses_the_tape():
    kinds = []

    def fn(x):
        kinds.append(type(active_observers()[-1]))
        return x * x

    for accel in (True, False):
        set_context(accel=accel)
        grad(fn)(Tensor(1.0))
    assert kinds == [ArrayTape, DiagnosticTape]


def test_results_are_freed_during_the_backward_pass():
    x, tape = Tensor([1.0, 2.0]), ArrayTape()
    tape.watch(x)
    with record_on(tape):
        out = ((x * 2.0) * 3.0).sum()
    inner = weakref.ref(tape.entries[0].out)
    tape.gradient([(out, Tensor(1.0))], [x])
    gc.collect()
    assert inner() is None and tape.is_tracked(x) and not tape.is_tracked(out) and tape.entries == []


def test_gradients_of_intermediate_results_are_the_references():
    x = Tensor([1.0, 2.0])
    for kind in (Tape, ArrayTape):
        tape = kind()
        tape.watch(x)
        with record_on(tape):
            y = x * 2.0
            out = (y * y).sum()
        assert [g.tolist() for g in tape.gradient([(out, Tensor(1.0))], [y, x])] == [[4.0, 8.0], [8.0, 16.0]]


def test_assigned_parameters_have_the_gradients_of_the_reference():
    def fn(x, w):
        y = x * w
        ops.assign(w, w * 2.0)
        return (y + x * w).sum()

    gradients = []
    for accel in (True, False):
        set_context(accel=accel)
        w = Parameter(Tensor([3.0, 4.0]), name="w")
        gradients.append(bits(grad(lambda x, w=w: fn(x, w), (0,), w)(Tensor([1.0, 2.0]))[0]))
    assert gradients[0] == gradients[1]
