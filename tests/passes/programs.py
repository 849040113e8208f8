"""Random programs with effects: assignments, prints, depends, dead code, duplicates; and random pass lists."""

import random
from collections.abc import Callable
from inspect import isfunction
from typing import Any

import numpy as np

from minigraph import Parameter, Tensor, ops, trace
from minigraph.core.op import apply
from minigraph.ir.graph import Graph
from passes import PASSES, FixedPoint, Pipeline

SHAPE = (3, 3)
UNARY = ("neg", "abs", "relu", "tanh", "exp", "sigmoid", "square", "identity", "gelu")
BINARY = ("add", "sub", "mul", "maximum", "minimum", "matmul", "div")
NUMBERS = (0.0, -0.0, 1.0, -1.0, 2.0)


def unary(rng: random.Random, pool: list[Any]) -> Any:
    """One operator of one value."""
    return apply(rng.choice(UNARY), rng.choice(pool))


def binary(rng: random.Random, pool: list[Any]) -> Any:
    """One operator of two values."""
    return apply(rng.choice(BINARY), rng.choice(pool), rng.choice(pool))


def with_number(rng: random.Random, pool: list[Any]) -> Any:
    """An operator of a value and a constant, in either order; or of constants only."""
    number, name = rng.choice(NUMBERS), rng.choice(("add", "sub", "mul", "div"))
    value = rng.choice([*pool, Tensor(np.full(SHAPE, rng.choice(NUMBERS), np.float32))])
    return apply(name, value, number) if rng.random() < 0.7 else apply(name, number, value)


def view_or_reduction(rng: random.Random, pool: list[Any]) -> Any:
    """A view and back, or a reduction and back."""
    x = rng.choice(pool)
    if rng.random() < 0.3:
        return apply("transpose", x, axes=(1, 0))
    if rng.random() < 0.5:
        return apply("reshape", apply("reshape", x, shape=(9,)), shape=SHAPE)
    return apply("broadcast_to", apply("sum", x, axis=0, keepdims=True), shape=SHAPE)


def linear(rng: random.Random, pool: list[Any]) -> Any:
    """Operands of matmul rules, in either operand order, sometimes with a second use."""
    product = rng.choice(pool) @ rng.choice(pool)
    total = product + rng.choice(pool) if rng.random() < 0.5 else rng.choice(pool) + product
    if rng.random() < 0.3:
        pool.append(product)
    return apply(rng.choice(("relu", "gelu", "tanh", "sigmoid", "exp")), total)


def repeat(rng: random.Random, pool: list[Any]) -> Any:
    """The same computation twice."""
    x, y, name = rng.choice(pool), rng.choice(pool), rng.choice(("add", "mul", "sub"))
    return apply("sub", apply(name, x, y), apply(name, y, x))


def depend(rng: random.Random, pool: list[Any]) -> Any:
    """A value with a depend on one or two others."""
    return ops.depend(rng.choice(pool), tuple(rng.choice(pool) for _ in range(rng.randint(1, 2))))


def composite(rng: random.Random, pool: list[Any]) -> Any:
    """An operator composed of primitives, attention, or operators that end in a reduction."""
    x, y = rng.choice(pool), rng.choice(pool)
    return rng.choice(EQUIVALENT_FORMS)(x, y)


def softmax_of(x: Any) -> Any:
    """softmax along the rows."""
    powers = apply("exp", x - apply("max", x, axis=1, keepdims=True))
    return powers / apply("sum", powers, axis=1, keepdims=True)


def normal(x: Any) -> Any:
    """Rows of mean 0 and variance 1."""
    centered = x - apply("mean", x, axis=1, keepdims=True)
    return centered / apply("sqrt", apply("mean", centered * centered, axis=1, keepdims=True) + 1e-5)


EQUIVALENT_FORMS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: 1 / (1 + apply("exp", -x)),
    lambda x, y: x * apply("sigmoid", x),
    lambda x, y: x * (0.5 * (1 + apply("erf", x * 0.5**0.5))),
    lambda x, y: 0.5 * x * (1 + apply("erf", x / 2**0.5)),
    lambda x, y: softmax_of(x),
    lambda x, y: apply("log", softmax_of(x)),
    lambda x, y: normal(x),
    lambda x, y: apply("softmax", x @ y * 0.5) @ y,
    lambda x, y: softmax_of(apply("where", x > 0, x @ y, -1.0)) @ x,
    lambda x, y: apply("broadcast_to", apply("mean", apply("square", x - y), axis=1, keepdims=True), shape=SHAPE),
    lambda x, y: apply("transpose", apply("exp", apply("transpose", x, axes=(1, 0)) + y), axes=(1, 0)),
    lambda x, y: apply("silu", x @ y + y) + x,
    lambda x, y: x @ y + x.T @ y + y @ (x + y),
    lambda x, y: x + -y / 4.0,
    lambda x, y: (x * 0.3) * 0.7 + y / 3.0,
    lambda x, y: ops.scan(lambda c, row: (ops.sin(c + y @ y) * row, None), x, ops.stack((y, x)))[0],
    lambda x, y: ops.scan(lambda c, row: (c + row, None), x, ops.stack((y,)))[0],
    lambda x, y: ops.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] * ops.sin(y)), (Tensor(0), x))[1],
    lambda x, y: ops.cond(x.sum() > 0, lambda: x + y, lambda: x - y),
    lambda x, y: ops.cond(apply("less", Tensor(1.0), 2.0), lambda: x * y, lambda: x),
)  # fmt: skip

MAKERS: tuple[Callable[[random.Random, list[Any]], Any], ...] = (
    unary, unary, binary, binary, with_number, view_or_reduction, linear, repeat, depend, depend, composite, composite,
)  # fmt: skip


def program(seed: int, auto_depend: bool = True) -> Graph:
    """A captured program of that seed, with up to three Parameters and about thirty operators."""
    rng = random.Random(seed)
    parameters = [Parameter(Tensor(np.zeros(SHAPE, np.float32)), name=f"p{k}") for k in range(rng.randint(1, 3))]

    def step(*inputs: Any) -> Any:
        pool = list(inputs)
        for _ in range(rng.randint(5, 30)):
            act(rng, pool, parameters)
        return tuple(rng.choice(pool) for _ in range(rng.randint(1, 3)))

    inputs = [Tensor(np.zeros(SHAPE, np.float32)) for _ in range(rng.randint(1, 3))]
    return trace(step, *inputs, auto_depend=auto_depend)


def act(rng: random.Random, pool: list[Any], parameters: list[Parameter]) -> None:
    """One step: mostly a computation, sometimes an effect."""
    kind = rng.random()
    if kind < 0.1:
        ops.Print()(rng.choice(pool))
    elif kind < 0.25:
        pool.append(ops.assign(rng.choice(parameters), rng.choice(pool)))
    elif kind < 0.35:
        pool.append(apply("identity", rng.choice(parameters)))
    else:
        pool.append(rng.choice(MAKERS)(rng, pool))


def built_in_passes() -> list[str]:
    """The built-in passes, sorted; a user's rule may be among the passes, but is not a function."""
    own = (name for name, step in PASSES.items() if step.__module__.startswith("passes.") and isfunction(step.body))
    return sorted(own)


BUILT_IN = built_in_passes()
EXACT = [name for name in BUILT_IN if not PASSES[name].tol]


def pass_list(seed: int, names: list[str] = EXACT) -> Pipeline:
    """Random passes in random order, some in a group; by default passes that keep every bit."""
    rng = random.Random(seed)
    chosen: list[Any] = [rng.choice(names) for _ in range(rng.randint(1, 8))]
    if rng.random() < 0.3:
        chosen.append(FixedPoint((PASSES["canonicalize"], PASSES["cse"], PASSES["dce"])))
    return Pipeline(chosen)
