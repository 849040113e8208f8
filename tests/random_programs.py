"""Random programs: functions of tensors that make the same choices whenever they are run, in any mode."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

import minigraph as ms
from minigraph import Tensor
from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE, apply

SHAPES = ((2, 3), (3,), (1, 3), (2, 1), (), (0, 3), (3, 2), (2, 2, 3))
DTYPES = (np.float32, np.float32, np.float32, np.float64, np.float16, np.int64, np.int8, np.bool_)
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan])
NUMBERS = (2, -1, 0.5, -0.0, 0.0, float("nan"), float("inf"), True)
CASTS = (ms.float32, ms.float64, ms.float16, ms.int32)
UNARY = [op.name for op in TABLE.values() if op.family == "elementwise" and op.arity == 1 and not op.attributes]
BINARY = [op.name for op in TABLE.values() if op.family == "elementwise" and op.arity == 2]
REDUCING = [op.name for op in TABLE.values() if op.family == "reduction" and {*op.attributes} >= {"axis", "keepdims"}]
LARGEST = 200  # elements; steps with larger results are skipped

Pool = list[Any]


class RandomProgram(NamedTuple):
    """A function of tensors, and a generator of its arguments."""

    function: Callable[..., Any]
    arguments: Callable[[int], list[Tensor]]


def random_program(seed: int, steps: int = 25) -> RandomProgram:
    """The program of a seed; ``arguments(n)`` makes its n-th set of arguments, all sets of the same types."""
    rng = np.random.default_rng(seed)
    types = [(SHAPES[rng.integers(len(SHAPES))], DTYPES[rng.integers(len(DTYPES))]) for _ in range(4)]

    def arguments(n: int) -> list[Tensor]:
        values = np.random.default_rng((seed, n))
        return [Tensor(_values(values, shape, dtype)) for shape, dtype in types]

    running = _running_steps(seed, steps, arguments(0))

    def function(*args: Any) -> Any:
        pool = list(args)
        for number in running:
            pool += _results(seed, number, pool)
        picked = np.random.default_rng(seed).integers(len(pool), size=5)
        return tuple(pool[i] for i in picked), [pool[-1], pool[0]]

    return RandomProgram(function, arguments)


def _running_steps(seed: int, steps: int, args: Pool) -> list[int]:
    """The numbers of the steps that do not raise. Found beforehand, because a function with ``try`` is not captured."""
    pool, running = list(args), list[int]()
    for number in range(steps):
        with suppress(MinigraphError):
            pool += _results(seed, number, pool)
            running.append(number)
    return running


def _results(seed: int, number: int, pool: Pool) -> Pool:
    """The results of a step that are not too large."""
    choose = np.random.default_rng((seed, number))
    return [value for value in STATEMENTS[choose.integers(len(STATEMENTS))](choose, pool) if value.size <= LARGEST]


def _values(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    if dtype is np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if np.issubdtype(dtype, np.integer):
        return np.asarray(rng.integers(-5, 6, shape), dtype)
    return np.where(rng.random(shape) < 0.2, rng.choice(SPECIAL, shape), rng.normal(size=shape)).astype(dtype)


def _pick(rng: np.random.Generator, items: Any) -> Any:
    return items[int(rng.integers(len(items)))]


def _unary(rng: np.random.Generator, pool: Pool) -> Pool:
    return [apply(_pick(rng, UNARY), _pick(rng, pool))]


def _binary(rng: np.random.Generator, pool: Pool) -> Pool:
    return [apply(_pick(rng, BINARY), _pick(rng, pool), _pick(rng, pool))]


def _with_number(rng: np.random.Generator, pool: Pool) -> Pool:
    return [apply(_pick(rng, BINARY), _pick(rng, pool), _pick(rng, NUMBERS))]


def _cast(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    return [x.astype(_pick(rng, CASTS))] if x.dtype.kind != "f" else [x.astype(_pick(rng, CASTS[:3]))]


def _reduce(rng: np.random.Generator, pool: Pool) -> Pool:
    x, axis = _pick(rng, pool), _pick(rng, (None, 0, -1, (0, 1)))
    return [apply(_pick(rng, REDUCING), x, axis=axis, keepdims=bool(rng.integers(2)))] if x.size else []


def _matmul(rng: np.random.Generator, pool: Pool) -> Pool:
    return [_pick(rng, pool) @ _pick(rng, pool)]


def _shape(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    forms = (lambda: x.T, lambda: x.reshape(-1), lambda: x.reshape(3, -1), lambda: x.expand_dims(0),
             lambda: x.squeeze(), lambda: x.broadcast_to(2, *x.shape), lambda: x.mT)  # fmt: skip
    return [_pick(rng, forms)()]


def _index(rng: np.random.Generator, pool: Pool) -> Pool:
    key = _pick(rng, (0, -1, slice(None, None, -1), slice(1, None), (..., 0), (None, 0), (slice(0, 2), ..., None)))
    return [_pick(rng, pool)[key]]


def _gather(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    return [x[Tensor([0, 1, 0])]] if x.ndim and x.shape[0] > 1 else []


def _split(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    return list(apply("split", x, sizes=(1, x.shape[0] - 1), axis=0)) if x.ndim and x.shape[0] > 1 else []


def _join(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    return [apply(_pick(rng, ("concat", "stack")), x, _pick(rng, [y for y in pool if y.shape == x.shape]), axis=0)]


def _choose(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    return [apply("where", x > 0, x, _pick(rng, pool))]


def _softmax(rng: np.random.Generator, pool: Pool) -> Pool:
    x = _pick(rng, pool)
    return [x.softmax(-1)] if x.size else []


STATEMENTS = (_unary, _unary, _unary, _binary, _binary, _binary, _binary, _with_number, _cast, _reduce, _matmul, _shape,
         _shape, _index, _gather, _split, _join, _choose, _softmax)  # fmt: skip
