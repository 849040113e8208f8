"""Entries of a tape: tensors with their values at the call, which other tapes may differentiate again."""

from minigraph import Tensor, grad, jit, ops
from minigraph.core.autodiff.tape import Tape
from minigraph.core.op import record_on
from tests.tables import every

X = Tensor([2.0, 3.0])


def test_an_entry_keeps_the_values_of_its_call():
    tape, x = Tape(), Tensor([2.0, 3.0])
    tape.watch(x)
    with record_on(tape):
        z = x * x
        w = z * x
        z.mul_(x)
    first, second = tape.entries[:2]
    assert first.result().tolist() == [4.0, 9.0]
    assert [t.tolist() for t in second.operands()] == [[4.0, 9.0], [2.0, 3.0]]
    assert second.outs[0] is w
    assert repr(first) == "mul(f32[2], f32[2]) -> f32[2]"


def write_whole(x):
    z = x * x
    z.mul_(x)
    return z.sum()


def element(x):
    z = x * x
    w = z * x
    z[0] = x[1] * x[0]
    return (w * z).sum()


def view(x):
    z = x * x
    v = z[:1]
    u = (z * z).sum()
    v.mul_(x[1])
    return (z * x).sum() * u


WITHOUT_WRITING = {
    write_whole: lambda x: (x * x * x).sum(),
    element: lambda x: (x * x * x * ops.stack((x[1] * x[0], x[1] * x[1]))).sum(),
    view: lambda x: (ops.stack((x[0] * x[0] * x[1], x[1] * x[1])) * x).sum() * (x * x * x * x).sum(),
}


@every(within=[lambda f: f, jit], fn=WITHOUT_WRITING)
def test_second_gradients_flow_through_overwritten_values(fn, within):
    def second_derivative(f):
        return within(grad(lambda x: within(grad(f))(x).sum()))

    assert second_derivative(fn)(X).tolist() == second_derivative(WITHOUT_WRITING[fn])(X).tolist()
