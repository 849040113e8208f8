"""Layers, losses, optimizers and schedules of ``nn``: what to build, and what to call it with.

One line of ``tables/layers.txt`` per call: name, configuration, inputs, separated by ``|``; a trailing ``train`` sets
training mode.
"""

import re

from tests.differential.case import Case
from tests.differential.recipes import table

SHAPES = {"IMAGE": "f32[2,4,5,5] normal", "TINY": "f32[1,2,4,4] normal", "ROWS": "f32[2,3] normal"}


def layer_cases(has):
    """Every layer and loss whose name ``has`` accepts."""
    for line in table("layers").strip().splitlines():
        name, config, specs, *train = (part.strip() for part in line.split("|"))
        if has(name):
            shapes = [SHAPES.get(spec, spec) for spec in re.findall(r"\w+\[[\d,]*\] \w+|[A-Z]+", specs)]
            inputs = tuple(zip("xyzw", shapes, strict=False))
            call = f"net({', '.join(given for given, _ in inputs)})"
            setup = f"net = nn.{name}({config})" + ("; net.set_train()" if train else "")
            yield Case(f"nn.{name}", call, inputs, setup)
            if train and "Norm" in name:
                source = f"out = {call}\nreturn net.moving_mean + 0, net.moving_variance + 0"
                yield Case(f"nn.{name}", source, inputs, setup, gradient=False)


def optimizer_cases(has):
    """Parameters after one and after three steps of every optimizer whose name ``has`` accepts."""
    inputs = (("x", "f32[2,3] normal"), ("y", "f32[2] normal"))
    for line in table("optimizers").strip().splitlines():
        name, _, config = (part.strip() for part in line.partition("|"))
        if has(name):
            setup = f"net = nn.Dense(3, 2); opt = nn.{name}(net.trainable_params(){', ' if config else ''}{config})"
            for steps in (1, 3):
                source = "opt((x, y))\n" * steps + "return net.weight + 0, net.bias + 0"
                yield Case(f"nn.{name}", source, inputs, setup, gradient=False)


def schedule_cases(has):
    """Learning rates of every schedule whose name ``has`` accepts."""
    for line in table("schedules").strip().splitlines():
        name = line.partition("(")[0]
        if has(name):
            yield Case(f"nn.{name}", f"nn.{line}")
