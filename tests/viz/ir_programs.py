"""Programs with reference ``.ir`` texts in ``tests/viz/dump/ir``; ``python -m tests.viz.ir_programs`` updates them."""

from pathlib import Path

import numpy as np

from minigraph import Parameter, Tensor, jit, nn, ops, value_and_grad
from viz.dump.ir_text import ir_text

FOLDER = Path(__file__).parent / "dump" / "ir"
PASSES = "lower_depend,canonicalize,constant_fold,cse,dce,fuse_matmul_bias,fuse_elementwise,dce"
X, Y = (Tensor(np.full((2, 3), value, np.float32)) for value in (1.0, 2.0))


class Counter(nn.Cell):
    """Alternates writes and reads of a Parameter."""

    def __init__(self):
        super().__init__()
        self.counter = Parameter(Tensor([1.0]))

    def construct(self, x):
        y = ops.add(x, 1.0)
        z = ops.mul(y, 2)
        ops.assign_add(self.counter, Tensor([1.0]))
        w = z + self.counter
        ops.assign(self.counter, Tensor([10.0]))
        return w


class Layer(nn.Cell):
    """A matrix product with bias and activation."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((3, 4), np.float32)))
        self.bias = Parameter(Tensor(np.zeros(4, np.float32)))

    def construct(self, x):
        return ops.relu(ops.matmul(x, self.weight) + self.bias)


def branches(x, y):
    """A branch, a loop, several results and an explicit ordering."""
    if x.sum() > 0:
        z = ops.sin(x)
        z = z + y
    else:
        z = x - y
    i = Tensor(0)
    while i < 3:
        z = z * 2
        i = i + 1
    ops.print_("z is", z)
    first, second, _ = ops.split(z, 1, axis=1)
    return ops.depend(first, second) * 2.0, ops.exp(second)


def training_step():
    """A step of gradient descent."""
    layer = Layer()
    forward = value_and_grad(lambda x: layer(x).sum(), None, layer.trainable_params())

    def step(x):
        loss, (weight, bias) = forward(x)
        ops.assign_sub(layer.weight, weight * 0.1)
        ops.assign_sub(layer.bias, bias * 0.1)
        return loss

    return step


PROGRAMS = {
    "counter": (lambda: jit(Counter()), (X,)),
    "branches": (lambda: jit(branches, capture_mode="ast"), (X, Y)),
    "training": (lambda: jit(training_step()), (X,)),
}
STAGES = {"captured": (), "optimised": PASSES}


def text_of(program, stage):
    """The ``.ir`` text of a program before or after the passes."""
    make, args = PROGRAMS[program]
    return ir_text(make().graph(*args, pipeline=STAGES[stage]))


if __name__ == "__main__":
    for name in PROGRAMS:
        for stage in STAGES:
            (FOLDER / f"{name}_{stage}.txt").write_text(text_of(name, stage), "utf-8")
