import minigraph as ms
# Parameter side effects inside @jit: program order is kept with no ops.depend (auto-monad).
import numpy as np
nn, ops, Tensor, Parameter = ms.nn, ms.ops, ms.Tensor, ms.Parameter
x = Tensor([1.0, 2.0, 3.0], ms.float32)
ONE = Tensor([1.0], ms.float32)


def S(r):
    return tuple(S(i) for i in r) if isinstance(r, (tuple, list)) else r.asnumpy().tolist()


def P(v, name):
    return Parameter(Tensor(v, ms.float32), name=name)


p1, p2, p3, p4, p5, p6, p7, p8 = [P([0.0], "p%d" % i) for i in range(1, 9)]


@ms.jit
def unreturned(x):
    ops.assign(p1, x.sum().reshape((1,)))
    return x


@ms.jit
def interleaved(x):
    ops.assign_add(p2, ONE)
    a = p2 + 0
    ops.assign_add(p2, ONE)
    b = p2 + 0
    return a, b


@ms.jit
def in_cond(x):
    if x.sum() > 0:
        ops.assign(p3, ONE)
    else:
        ops.assign(p3, -ONE)
    return x


@ms.jit
def in_for(x):
    for _ in range(3):
        ops.assign_add(p4, ONE)
    return x


@ms.jit
def in_while(x):
    i = Tensor(0)
    while i < 3:
        ops.assign_add(p5, ONE)
        i = i + 1
    return x


@ms.jit
def read_then_write(x):
    a = p6 + 0
    ops.assign(p6, Tensor([5.0], ms.float32))
    return a, p6 + 0


@ms.jit
def dead_compute(x):
    y = ops.matmul(ops.ones((64, 64)), ops.ones((64, 64)))     # unused: removed
    ops.assign(p7, ONE)                                        # unused but effectful: kept
    return x


@ms.jit
def depend_value(x):
    return ops.depend(x, ops.assign(p8, ONE))


unreturned(x)
print("assign, result unused      ", S(p1))
unreturned(x * 2)
print("  second call              ", S(p1))
print("assign_add/read/assign_add ", S(interleaved(x)), S(p2))
print("  second call              ", S(interleaved(x)), S(p2))
in_cond(x)
print("in if on Tensor            ", S(p3))
in_cond(-x)
print("  other branch             ", S(p3))
in_for(x)
print("in for                     ", S(p4))
in_while(x)
print("in while on Tensor         ", S(p5))
print("read, assign, read         ", S(read_then_write(x)), S(p6))
dead_compute(x)
print("effect beside dead code    ", S(p7))
print("depend returns value       ", S(depend_value(x)), S(p8))


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.n = P([0.0], "n")

    @ms.jit
    def construct(self, x):
        self.n += 1
        return x * self.n


c = Counter()
print("self.n += 1                ", S(c(x)), S(c(x)), S(c.n))
ms.set_context(mode=ms.GRAPH_MODE)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.counter = P([0.0], "counter")

    def construct(self, x):
        y = ops.add(x, 1.0)
        z = ops.mul(y, 2.0)
        ops.assign_add(self.counter, ONE)
        w = z + self.counter
        ops.assign(self.counter, Tensor([10.0], ms.float32))
        return w


net = Net()
print("graph mode cell            ", S(net(x)), S(net.counter))
