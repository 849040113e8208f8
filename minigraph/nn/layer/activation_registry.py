"""Activation functions by name, as layers accept them."""

from __future__ import annotations

from collections.abc import Callable

from minigraph.core.errors import ArgTypeError, UnknownNameError, did_you_mean
from minigraph.nn.cell import Cell
from minigraph.nn.layer.activation import (
    ELU,
    GELU,
    FastGelu,
    LogSigmoid,
    LogSoftmax,
    Mish,
    Sigmoid,
    SiLU,
    Softmax,
    Softsign,
    Tanh,
)
from minigraph.nn.layer.rectifiers import HShrink, HSigmoid, HSwish, LeakyReLU, PReLU, ReLU, ReLU6, SoftShrink

ACTIVATIONS: dict[str, Callable[[], Cell]] = {
    "elu": ELU,
    "fast_gelu": FastGelu,
    "gelu": GELU,
    "hshrink": HShrink,
    "hsigmoid": HSigmoid,
    "hswish": HSwish,
    "leakyrelu": LeakyReLU,
    "logsigmoid": LogSigmoid,
    "logsoftmax": LogSoftmax,
    "mish": Mish,
    "prelu": PReLU,
    "relu": ReLU,
    "relu6": ReLU6,
    "sigmoid": Sigmoid,
    "silu": SiLU,
    "softmax": Softmax,
    "softshrink": SoftShrink,
    "softsign": Softsign,
    "tanh": Tanh,
}


def get_activation(name: str | Cell | None, prim_name: str | None = None) -> Cell | None:
    """The activation Cell of that name; a Cell or ``None`` is returned unchanged.

    ``prim_name`` is the caller, for errors. Raises ``UnknownNameError`` with the nearest name, ``TypeError`` for other
    types.

    >>> get_activation("relu")
    ReLU()
    """
    if name is None or isinstance(name, Cell):
        return name
    if not isinstance(name, str):
        names, got = ", ".join(ACTIVATIONS), type(name).__name__
        raise ArgTypeError(f"{prim_name or 'activation'}: expected a name or a Cell, got {got}; known: {names}")
    if name not in ACTIVATIONS:
        caller = f"{prim_name}: " if prim_name else ""
        raise UnknownNameError(f"{caller}no activation '{name}'{did_you_mean(name, ACTIVATIONS)}")
    return ACTIVATIONS[name]()
