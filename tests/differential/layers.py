"""Layers, losses, optimizers and schedules of ``nn``: their arguments, and the arguments of their call.

One line of ``tables/layers.txt`` per call: name, configuration, inputs, separated by ``|``; a trailing ``train`` sets
training mode.
"""

import re

from tests.differential.call_tables import table
from tests.differential.case import Case

SHAPES = {
    "IMAGE": "f32[2,4,5,5] normal",
    "TINY": "f32[1,2,4,4] normal",
    "ROWS": "f32[2,3] normal",
    "VOLUME": "f32[2,4,3,4,5] normal",
}


def lines_of(name, has):
    """The parts of every line of a table whose name ``has`` accepts."""
    for line in table(name).strip().splitlines():
        parts = [part.strip() for part in line.split("|")]
        if has(parts[0].partition("(")[0]):
            yield parts


def layer_cases(has):
    """Every layer and loss whose name ``has`` accepts."""
    for name, config, specs, *train in lines_of("layers", has):
        shapes = [SHAPES.get(spec, spec) for spec in re.findall(r"\w+\[[\d,]*\] \w+|[A-Z]+", specs)]
        inputs = tuple(zip("xyzw", shapes, strict=False))
        call = f"net({', '.join(name for name, _ in inputs)})"
        setup = f"net = nn.{name}({config})" + ("; net.set_train()" if train else "")
        yield Case(f"nn.{name}", call, inputs, setup)
        if train and "Norm" in name:
            source = f"out = {call}\nreturn net.moving_mean + 0, net.moving_variance + 0"
            yield Case(f"nn.{name}", source, inputs, setup, gradient=False)


def optimizer_cases(has):
    """Parameters after one and after three steps of every optimizer whose name ``has`` accepts."""
    inputs = (("x", "f32[2,3] normal"), ("y", "f32[2] normal"))
    for name, *config in lines_of("optimizers", has):
        setup = f"net = nn.Dense(3, 2); opt = nn.{name}({', '.join(filter(None, ['net.trainable_params()', *config]))})"
        for steps in (1, 3):
            source = "opt((x, y))\n" * steps + "return net.weight + 0, net.bias + 0"
            yield Case(f"nn.{name}", source, inputs, setup, gradient=False)


def schedule_cases(has):
    """Learning rates of every schedule whose name ``has`` accepts."""
    for (call,) in lines_of("schedules", has):
        yield Case(f"nn.{call.partition('(')[0]}", f"nn.{call}")
