"""Initializers by name, and the function that creates an initialised Tensor."""

from __future__ import annotations

import numpy as np

from minigraph.core.errors import ArgTypeError, ShapeError, UnknownNameError, did_you_mean
from minigraph.core.op import use_interpreter
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.abstract import abstract_array, is_abstract
from minigraph.core.types import DType, Shape, float32
from minigraph.nn.initializers.constant import Constant, Dirac, Identity, One, Zero
from minigraph.nn.initializers.distributions import Normal, TruncatedNormal, Uniform
from minigraph.nn.initializers.initializer import Initializer
from minigraph.nn.initializers.random_matrices import Orthogonal
from minigraph.nn.initializers.variance_scaling import HeNormal, HeUniform, VarianceScaling, XavierNormal, XavierUniform
from minigraph.operators.random import generator, next_key

INITIALIZERS: dict[str, Initializer] = {
    "zeros": Zero(),
    "ones": One(),
    "identity": Identity(),
    "dirac": Dirac(),
    "uniform": Uniform(),
    "normal": Normal(),
    "truncated_normal": TruncatedNormal(),
    "xavier_uniform": XavierUniform(),
    "xavier_normal": XavierNormal(),
    "he_uniform": HeUniform(),
    "he_normal": HeNormal(),
    "variance_scaling": VarianceScaling(),
    "orthogonal": Orthogonal(),
}
# MindSpore also accepts class names, case-insensitively: "TruncatedNormal", "zero"
BY_NAME = {name.replace("_", ""): rule for name, rule in INITIALIZERS.items()} | {"zero": Zero(), "one": One()}
Init = Tensor | str | bool | int | float | Initializer


def initializer(init: Init, shape: Shape | int, dtype: DType = float32) -> Tensor:
    """A Tensor of this shape and dtype, filled by ``init``.

    ``init`` is a name (``"ones"``, ``"normal"``, ...), a number, an initializer, or a Tensor of exactly that shape.
    Raises ``UnknownNameError`` with the nearest name, ``ShapeError`` for a Tensor of another shape.

    >>> print(initializer("ones", (2, 3)))
    [[1. 1. 1.]
     [1. 1. 1.]]
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(init, Tensor):
        if init.shape != shape:
            raise ShapeError(f"initializer: expected shape {list(shape)}, got {init.type}; reshape it")
        return Tensor(init, dtype)
    rule = _as_initializer(init)
    if is_abstract():
        return Tensor.from_numpy(abstract_array(shape, dtype))
    return Tensor(np.asarray(rule.sample(_generator_for(rule), shape)), dtype)


def _generator_for(rule: Initializer) -> np.random.Generator:
    """A generator with the next key; constants advance no sequence, so that a graph may contain their layers."""
    if not rule.is_random:
        return np.random.default_rng(0)
    key = use_interpreter(None).call(next_key)  # a layer created in a traced function gets concrete values, too
    return generator(key.asnumpy())


def _as_initializer(init: object) -> Initializer:
    if isinstance(init, bool | int | float):
        return Constant(float(init))
    if isinstance(init, str):
        rule = BY_NAME.get(init.lower().replace("_", ""))
        if rule is None:
            raise UnknownNameError(f"no initializer '{init}'{did_you_mean(init, INITIALIZERS)}")
        return rule
    if isinstance(init, Initializer):
        return init
    raise ArgTypeError(
        f"initializer: expected a name, a number, an initializer or a Tensor, got {type(init).__name__}; "
        f"names: {', '.join(INITIALIZERS)}"
    )
