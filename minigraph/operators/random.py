"""Random numbers without hidden state: a draw is a function of a key.

The generator is Philox, a counter-based one (Salmon et al., SC'11): the key's seed is Philox's key, the
key's index selects a counter range of its own, so draws with different indices never overlap and dropping
one draw never changes another. The current key lives in a Parameter, ``STATE``: drawing reads it and
assigns its successor, in a graph as anywhere, so both modes draw the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import DTypeError, ShapeError, TypeArgument, ValueArgument
from minigraph.core.fields import Work
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.eager import EAGER  # noqa: F401 - a tensor is made below, before anyone else needs the interpreter
from minigraph.core.types import DType, Shape, TensorType, float32, int64
from minigraph.operators.families import check_dtype, shape_label, sizes_of
from minigraph.operators.pricing import traffic

STATE = Parameter(Tensor(np.array([0, 0])), name="random.state", requires_grad=False)


OWN: dict[int, Parameter] = {}  # the current keys of draws with a seed of their own
APART = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: keeps the seeds of such draws from those of others


def set_seed(seed: int) -> None:
    """Start the sequence of draws that belongs to ``seed``, and all those with a seed of their own.

    >>> set_seed(7)
    >>> a = draw("random_uniform", (3,))
    >>> set_seed(7)
    >>> bool((a == draw("random_uniform", (3,))).asnumpy().all())
    True
    """
    STATE.set_data(Tensor(np.array([seed, 0])))
    for own, state in OWN.items():
        state.set_data(_first_key(own))


def next_key(seed: int | None = None) -> Tensor:
    """The key of the next draw: int64[2], (seed, index), of the sequence of all or of ``seed`` alone."""
    state = STATE if seed is None else _own_state(seed)
    key: Tensor = apply("identity", state)
    apply("assign", state, key + Tensor(np.array([0, 1])), name=state.name)
    return key


def _own_state(seed: int) -> Parameter:
    if seed not in OWN:
        OWN[seed] = Parameter(_first_key(seed), name=f"random.state.{seed}", requires_grad=False)
    return OWN[seed]


def _first_key(seed: int) -> Tensor:
    """Where draws with a seed of their own begin, which also depends on the seed of all."""
    apart = (int(STATE.array[0]) + (seed + 1) * APART) % 2**63
    return Tensor(np.array([apart, 0]))


def draw(op: Op | str, shape: Any, dtype: DType = float32, seed: int | None = None, **attrs: Any) -> Tensor:
    """One draw of a random operator with the next key.

    With a ``seed`` the draws are a sequence of their own: the n-th is the same however many others there were.
    """
    return apply(op, next_key(_checked(op, seed)), shape=shape, dtype=dtype, **attrs)


def _checked(op: Op | str, seed: Any) -> int | None:
    """The seed; raises ``TypeError`` or ``ValueError`` unless it is ``None`` or a whole number from 0."""
    if seed is None or (isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0):
        return seed
    who, kind = f"For '{op}', the 'seed' must be int", type(seed).__name__
    if not isinstance(seed, int):
        raise TypeArgument(f"{who}, but got '{kind}'")
    refusal = TypeArgument if isinstance(seed, bool) else ValueArgument
    raise refusal(f"{who} and must >= 0, but got '{seed}' with type '{kind}'.")


def generator(key: np.ndarray) -> np.random.Generator:
    """The numpy generator of one key."""
    seed, index = (int(n) % 2**64 for n in key)
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, index]))


# ---- records ---------------------------------------------------------------------------------------


def _random(name: str, sampled: Any, doc: str, attrs: dict[str, Any], kinds: str = "f") -> Op:
    def infer(key: TensorType, *, shape: Shape, dtype: DType, **rest: Any) -> TensorType:
        if key != TensorType((2,), int64):
            raise ShapeError(f"{name}: the key is {key}, not i64[2]; take it from next_key()")
        return TensorType(shape, dtype)

    def canonical(key: Any, *, shape: Any, dtype: Any = float32, **rest: Any) -> dict[str, Any]:
        if check_dtype(name, dtype).kind not in kinds:
            raise DTypeError(f"{name}: cannot draw {dtype} numbers; draw another dtype and cast")
        return {"shape": sizes_of(name, shape), "dtype": dtype, **attrs, **rest}

    def forward(key: np.ndarray, *, shape: Shape, dtype: DType, **rest: Any) -> np.ndarray:
        found = np.asarray(sampled(generator(key), shape, **rest))
        return _narrowed(found, dtype) if found.dtype != dtype.numpy else found

    return define(Op(
        name, forward, infer, vjp=(None,), work=_draw_work, canonical=canonical, label=shape_label(name), doc=doc,
        samples=lambda rng: [
            Sample((np.array([3, 5]),), {"shape": (2, 3), "dtype": int64 if kinds == "i" else float32}, smooth=False),
            Sample((np.array([-1, 0]),), {"shape": (), "dtype": int64 if kinds == "i" else float32}, smooth=False),
        ],
    ))  # fmt: skip


def _narrowed(found: np.ndarray, dtype: DType) -> np.ndarray:
    """Rounded towards zero, so that a number below 1 stays below 1."""
    nearest = found.astype(dtype.numpy)
    if dtype.kind != "f":
        return nearest
    above = np.abs(nearest.astype(found.dtype)) > np.abs(found)
    return np.where(above, np.nextafter(nearest, dtype.numpy.type(0)), nearest)


def _draw_work(out: TensorType, key: TensorType, **attrs: Any) -> Work:
    """Ten rounds of Philox make four numbers; about eight lanes per number."""
    return Work(lanes=(("simple", 8 * out.size),)) + traffic(out, (key,))


RANDOM_NORMAL = _random(
    "random_normal", lambda rng, shape: rng.standard_normal(shape),
    "Numbers from the normal distribution with mean 0 and deviation 1, for a key.", {},
)  # fmt: skip
RANDOM_UNIFORM = _random(
    "random_uniform", lambda rng, shape: rng.random(shape),
    "Numbers from [0, 1), evenly distributed, for a key.", {},
)  # fmt: skip
RANDOM_INTEGER = _random(
    "random_integer", lambda rng, shape, low, high: rng.integers(low, high, shape),
    "Whole numbers from `low` up to, without, `high`, evenly distributed, for a key.", {"low": 0, "high": 2}, "i",
)  # fmt: skip
