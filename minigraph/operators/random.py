"""Random numbers as pure functions of a key.

The generator is Philox, a counter-based one (Salmon et al., SC'11): the key's seed is Philox's key, the key's index
selects a range of counters, so that draws with different indices never overlap and removing one draw never changes
another. The current key is a Parameter, ``STATE``: a draw reads it and assigns its successor, in graph mode as in
eager mode, so that both modes draw the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import Context

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue, Function
from minigraph.core.errors import ArgTypeError, ArgValueError, DTypeError, ShapeError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.eager import EAGER  # noqa: F401 - sets the interpreter for the tensor that is created below
from minigraph.core.types import DType, Shape, TensorType, float32, int64
from minigraph.operators.families import check_dtype, shape_label, sizes_of
from minigraph.operators.work import traffic

STATE = Parameter(Tensor(np.array([0, 0])), name="random.state", requires_grad=False)


SEEDED_STATES: dict[int, Parameter] = {}  # by seed, the current keys of draws with a ``seed`` argument
SEED_STRIDE = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: separates their seeds from the global one


def set_seed(seed: int) -> None:
    """Restart the global sequence of draws from ``seed``, and the sequences of draws with a ``seed`` argument.

    Threads that draw from one sequence at the same time may get the same numbers; give each its own ``seed``.

    >>> set_seed(7)
    >>> a = draw("random_uniform", (3,))
    >>> set_seed(7)
    >>> bool((a == draw("random_uniform", (3,))).asnumpy().all())
    True
    """
    STATE.set_data(Tensor(np.array([seed, 0])))
    for own_seed, state in SEEDED_STATES.copy().items():  # other threads add states
        state.set_data(_first_key(own_seed))


def next_key(seed: int | None = None) -> Tensor:
    """The key of the next draw, int64[2] of (seed, index), of the global sequence or the sequence of ``seed``."""
    state = STATE if seed is None else _seeded_state(seed)
    key: Tensor = apply("identity", state)
    apply("assign", state, key + Tensor(np.array([0, 1])), name=state.name)
    return key


def _seeded_state(seed: int) -> Parameter:
    if seed not in SEEDED_STATES:  # in an empty context: what captured code creates ends with the call
        SEEDED_STATES.setdefault(seed, Context().run(_new_state, seed))
    return SEEDED_STATES[seed]


def _new_state(seed: int) -> Parameter:
    return Parameter(_first_key(seed), name=f"random.state.{seed}", requires_grad=False)


def _first_key(seed: int) -> Tensor:
    """The first key of draws with a ``seed`` argument, which also depends on the global seed."""
    mixed = (int(STATE.array[0]) + (seed + 1) * SEED_STRIDE) % 2**63
    return Tensor(np.array([mixed, 0]))


def draw(
    op: Op | str, shape: int | Sequence[int], dtype: DType = float32, seed: int | None = None, **attrs: AttrValue
) -> Tensor:
    """One draw of a random operator with the next key.

    Draws with a ``seed`` form a sequence of their own: the n-th is independent of other draws.
    """
    return apply(op, next_key(_check_seed(op, seed)), shape=shape, dtype=dtype, **attrs)


def _check_seed(op: Op | str, seed: int | None) -> int | None:
    """The seed; raises ``TypeError`` or ``ValueError`` unless it is ``None`` or a non-negative int."""
    if seed is None or (isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0):
        return seed
    text, kind = f"For '{op}', the 'seed' must be int", type(seed).__name__
    if not isinstance(seed, int):
        raise ArgTypeError(f"{text}, but got '{kind}'")
    error = ArgTypeError if isinstance(seed, bool) else ArgValueError
    raise error(f"{text} and must >= 0, but got '{seed}' with type '{kind}'.")


def generator(key: Array) -> np.random.Generator:
    """The numpy generator of a key."""
    seed, index = (int(n) % 2**64 for n in key)
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, index]))


# ---- records ---------------------------------------------------------------------------------------


def _random(name: str, sample: Function, doc: str, attrs: Attrs, kinds: str = "f") -> Op:
    def infer(key: TensorType, *, shape: Shape, dtype: DType, **parameters: object) -> TensorType:
        if key != TensorType((2,), int64):
            raise ShapeError(f"{name}: the key is {key}, not i64[2]; take it from next_key()")
        return TensorType(shape, dtype)

    def canonical(key: Tensor, *, shape: object, dtype: object = float32, **parameters: object) -> Attrs:
        if check_dtype(name, dtype).kind not in kinds:
            raise DTypeError(f"{name}: cannot draw {dtype} numbers; draw another dtype and cast")
        return {"shape": sizes_of(name, shape), "dtype": dtype, **attrs, **parameters}

    def forward(key: Array, *, shape: Shape, dtype: DType, **parameters: object) -> Array:
        numbers = np.asarray(sample(generator(key), shape, **parameters))
        return _round_toward_zero(numbers, dtype) if numbers.dtype != dtype.numpy else numbers

    return define(Op(
        name, forward, infer, vjp=(None,), work=_draw_work, canonical=canonical, label=shape_label(name), doc=doc,
        samples=lambda rng: [
            Sample((np.array([3, 5]),), {"shape": (2, 3), "dtype": int64 if kinds == "i" else float32}, smooth=False),
            Sample((np.array([-1, 0]),), {"shape": (), "dtype": int64 if kinds == "i" else float32}, smooth=False),
        ],
    ))  # fmt: skip


def _round_toward_zero(numbers: Array, dtype: DType) -> Array:
    """The numbers in another dtype; floats are rounded towards zero, so that a number below 1 stays below 1."""
    nearest = numbers.astype(dtype.numpy)
    if dtype.kind != "f":
        return nearest
    above = np.abs(nearest.astype(numbers.dtype)) > np.abs(numbers)
    return np.where(above, np.nextafter(nearest, dtype.numpy.type(0)), nearest)


def _draw_work(out: TensorType, key: TensorType, **attrs: AttrValue) -> Work:
    """Ten rounds of Philox generate four numbers; about eight lanes per number."""
    return Work(lanes=(("simple", 8 * out.size),)) + traffic(out, (key,))


RANDOM_NORMAL = _random(
    "random_normal", lambda rng, shape: rng.standard_normal(shape),
    "Numbers from the standard normal distribution, for a key.", {},
)  # fmt: skip
RANDOM_UNIFORM = _random(
    "random_uniform", lambda rng, shape: rng.random(shape),
    "Numbers from the uniform distribution on [0, 1), for a key.", {},
)  # fmt: skip
RANDOM_INTEGER = _random(
    "random_integer", lambda rng, shape, low, high: rng.integers(low, high, shape),
    "Integers from the uniform distribution from `low` to `high`, exclusive, for a key.", {"low": 0, "high": 2}, "i",
)  # fmt: skip
