import minigraph as ms
# Source 2, cell 7 asks for bprop_getters.register(ops.Mul).  In 2.10 `ops._grad.grad_base` is gone; the registry
# survives in `ops._grad_experimental.grad_base` but registering there for a built-in op has NO effect.
# What a user can do today: Cell.bprop, ops.Custom(pyfunc, bprop=...), common._Function, InsertGradientOf.
import numpy as np
nn, ops, Tensor = ms.nn, ms.ops, ms.Tensor
x, y = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)


class MulCell(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):         # inputs..., out, dout -> one gradient per input
        return 10 * y * dout, 100 * x * dout


def show(r):
    return tuple(show(i) for i in r) if isinstance(r, tuple) else r.asnumpy().tolist()


cell = MulCell()
print("pynative", show(ms.grad(cell, (0, 1))(x, y)))


@ms.jit
def gradient(x, y):
    return ms.grad(cell, (0, 1))(x, y)


print("jit     ", show(gradient(x, y)))
ms.set_context(mode=ms.GRAPH_MODE)
print("graph   ", show(ms.grad(cell, (0, 1))(x, y)))
ms.set_context(mode=ms.PYNATIVE_MODE)


def triple(g):
    return g * 3


probe = ops.InsertGradientOf(triple)


def f(a):
    return probe(a) * 2


print("InsertGradientOf", show(ms.grad(f)(x)))


def g(a):
    return ops.stop_gradient(a) * a


print("stop_gradient", show(ms.grad(g)(x)))
