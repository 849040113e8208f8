"""Initializers by name, and the function that creates an initialised Tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, TypeArgument, UnknownName, did_you_mean
from minigraph.core.op import interpreting
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, Shape, float32
from minigraph.nn.initializers.constant import Constant, Dirac, Identity, One, Zero
from minigraph.nn.initializers.distributions import Normal, TruncatedNormal, Uniform
from minigraph.nn.initializers.initializer import Initializer
from minigraph.nn.initializers.random_matrices import Orthogonal
from minigraph.nn.initializers.variance_scaling import HeNormal, HeUniform, VarianceScaling, XavierNormal, XavierUniform
from minigraph.operators.random import generator, next_key

NAMED: dict[str, Initializer] = {
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
# MindSpore knows them by the names of their classes, too, in any case: "TruncatedNormal", "zero"
BY_NAME = {name.replace("_", ""): rule for name, rule in NAMED.items()} | {"zero": Zero(), "one": One()}
Init = Tensor | str | bool | int | float | Initializer


def initializer(init: Init, shape: Shape | int, dtype: DType = float32) -> Tensor:
    """A Tensor of this shape and dtype, filled as ``init`` says.

    ``init``: a name (``"ones"``, ``"normal"``, ...), a number, an initializer, or a Tensor of that very shape.
    Raises ``UnknownName`` with the nearest name, ``ShapeError`` for a Tensor of another shape.

    >>> print(initializer("ones", (2, 3)))
    [[1. 1. 1.]
     [1. 1. 1.]]
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(init, Tensor):
        if init.shape != shape:
            raise ShapeError(f"initializer: shape {list(shape)} is wanted, the Tensor is {init.type}; reshape it")
        return Tensor(init, dtype)
    with interpreting(None):  # a layer made inside of a traced function gets real values too
        rng = generator(next_key().asnumpy())
    return Tensor(np.asarray(_rule(init).sample(rng, shape)), dtype)


def _rule(init: Any) -> Initializer:
    if isinstance(init, bool | int | float):
        return Constant(float(init))
    if isinstance(init, str):
        found = BY_NAME.get(init.lower().replace("_", ""))
        if found is None:
            raise UnknownName(f"no initializer '{init}'{did_you_mean(init, NAMED)}")
        return found
    if isinstance(init, Initializer):
        return init
    raise TypeArgument(
        f"initializer: a name, a number, an initializer or a Tensor is wanted, got {type(init).__name__}; "
        f"names: {', '.join(NAMED)}"
    )
