"""The operator record, the table of all operators, and the one door every operator call goes through.

An ``Op`` is everything minigraph knows of an operator. No code anywhere tests an operator's *name*: it looks at these
fields. ``apply(op, *tensors, **attrs)`` hands the call to the interpreter on top of the stack (eager: compute now;
tracer: add a node) and lets every open tape hear it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from minigraph.errors import DuplicateName, MinigraphError, UnknownName, UsageError, did_you_mean
from minigraph.ground.adding import Adding
from minigraph.ground.beside import Beside
from minigraph.ground.common import Common
from minigraph.ground.displays import operator_html
from minigraph.ground.each_operand import EachOperand as EachOperand
from minigraph.ground.effect import Effect, effect_of
from minigraph.ground.loc import located
from minigraph.ground.offered import OPS, offered
from minigraph.ground.opened import Interpreter, Listener, Open
from minigraph.ground.places import defined_at, may_follow
from minigraph.ground.scalar import Fold, Scalar
from minigraph.ground.work import Work
from minigraph.types import TensorType, as_results, inferred

Attrs = Mapping[str, Any]
NO_ATTRS: Attrs = {}  # one for all calls without any, because most operators have none
VJP = Callable[..., Any]


class Sample(NamedTuple):
    """Arguments to test an operator with; not ``smooth``: finite differences make no sense (ties, kinks, integers)."""

    args: tuple[np.ndarray, ...]
    attrs: dict[str, Any] = {}  # noqa: RUF012 - a default nobody writes to
    smooth: bool = True


@dataclass(frozen=True, eq=False)
class Op:
    """One operator, whole; records compare by identity and print as their name.

    name         the word in graph text and in ``apply("name", ...)``
    forward      ``(*arrays, **attrs)`` -> array, or tuple of arrays when there are several results
    infer        ``(*types, **attrs)`` -> TensorType, or tuple; raises ShapeError or DTypeError
    vjp          one ``(g, out, *operands, **attrs)`` of operators per operand (``None``: no gradient), or EachOperand
    turned       the same for operands made by one that turns: what arrives at what that swaps the last two axes of
    work         ``(out, *ins, **attrs)`` on types -> Work
    unit         who computes it: "cube", "vector", "scalar", "move" (a copy), "none" (free: a view, a leaf)
    family       "elementwise", "reduction", "view", "leaf", "region" or "other": what passes may assume
    role         "compute", leaves "input", "const", "parameter"; "fused" (its body), "depend"; in programs "in place"
    effects      such as ("write:{name}",), filled from the attributes; () = pure
    commutative  whether the first two operands may be swapped (bit for bit)
    promotes     operand positions brought to one dtype before the call, or None; floats: integers to float32 first
    stores       whether result 0 becomes the new value of operand 0, a Parameter
    into         whether ``forward`` takes ``out=``; over: also an operand, as all elementwise do; gaps: between rows
    kernel       ``(*operands, **attrs)`` -> what does the same as forward on such operands, without a question; or None
    view         whether the result shares memory with operand 0; repeats: it is that, repeated as broadcasting does
    adds         where ``forward(x)`` adds x to zeros, so that a sum of such tensors can be made in place
    common       what forward computes first, and others do, too; beside: forward on images lying beside each other
    canonical    ``(*operands, **attrs)`` -> all attributes in one spelling; its keyword defaults are the operator's
    expand       for composites: what it is made of, on tensors; scalar, fold: the same by elements, for loops
    samples      ``(rng)`` -> Samples for the every-operator tests; doc: one sentence; label: a word or two for pictures
    """

    name: str
    forward: Callable[..., Any]
    infer: Callable[..., Any]
    vjp: Sequence[VJP | None] | EachOperand = ()
    turned: Sequence[VJP] = ()
    turns: Callable[..., bool] | None = None
    work: Callable[..., Work] = field(default=lambda out, *ins, **attrs: Work())
    unit: str = "vector"
    family: str = "other"
    role: str = "compute"
    effects: tuple[str, ...] = ()
    commutative: bool = False
    promotes: tuple[int, ...] | None = None
    stores: bool = False
    into: bool = False
    over: bool = False
    gaps: bool = False
    kernel: Callable[..., Callable[..., Any] | None] | None = None
    view: bool = False
    repeats: bool = False
    adds: Adding | None = None
    common: Common | None = None
    beside: Beside | None = None
    canonical: Callable[..., dict[str, Any]] | None = None
    floats: bool = False
    label: Callable[[Attrs], str] | None = None
    expand: Callable[..., Any] | None = None
    scalar: Scalar | None = None
    fold: Fold | None = None
    samples: Callable[[np.random.Generator], Sequence[Sample]] | None = None
    doc: str = ""
    origin: str = ""
    _repr_html_ = operator_html

    def __call__(self, *args: Any, **attrs: Any) -> Any:
        """The same as ``apply(self, ...)``."""
        return apply(self, *args, **attrs)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return op_named, (self.name,)

    @cached_property
    def writes(self) -> bool:
        """Whether any effect changes something, so that the node is a root for dead-code elimination."""
        return any(not effect.startswith("read:") for effect in self.effects)

    @cached_property
    def is_leaf(self) -> bool:
        """Whether the value comes from outside of the graph's operators."""
        return self.family == "leaf"

    def effects_of(self, attrs: Attrs) -> tuple[Effect, ...]:
        """The effects of one use, resources filled in from its attributes."""
        return self._fixed_effects or tuple([effect_of(text.format_map(attrs)) for text in self.effects])

    @cached_property
    def _fixed_effects(self) -> tuple[Effect, ...]:
        """The effects where they name nothing of the attributes; () elsewhere."""
        named = any("{" in text for text in self.effects)
        return () if named else tuple(map(effect_of, self.effects))

    def vjp_of(self, position: int) -> VJP | None:
        """The gradient function of one operand, or ``None``."""
        if isinstance(self.vjp, EachOperand):
            return self.vjp.at(position)
        return self.vjp[position] if position < len(self.vjp) else None

    @cached_property
    def arity(self) -> int | None:
        """How many operands it takes; ``None`` when any number will do."""
        kinds = [p.kind.name for p in inspect.signature(self.canonical or self.infer).parameters.values()]
        declared = 0 if isinstance(self.vjp, EachOperand) else len(self.vjp)
        return (declared or None) if "VAR_POSITIONAL" in kinds else kinds.count("POSITIONAL_OR_KEYWORD")

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """The attributes it takes and their defaults (``inspect.Parameter.empty``: must be given)."""
        parameters = inspect.signature(self.canonical or self.infer).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    @property
    def defaults(self) -> dict[str, Any]:
        """The attributes that may be left out, and their values."""
        given = self.attributes.items() if self.canonical else ()
        return {name: value for name, value in given if value is not inspect.Parameter.empty}

    def types(self, ins: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
        """The result types as a tuple, one result or many; without attributes the same object for the same call."""
        return as_results(self.infer(*ins, **attrs)) if attrs else inferred(self.infer, tuple(ins))

    @cached_property
    def ufunc(self) -> np.ufunc | None:
        """The ufunc that does what ``forward`` does when its one or two operands are of one dtype and in C order."""
        return self._ufunc_in(self.forward)

    @cached_property
    def checked_ufunc(self) -> np.ufunc | None:
        """The same for dtypes that ``infer`` is known to take, so that a forward that looks again need not."""
        return self._ufunc_in(getattr(self.forward, "__wrapped__", self.forward))

    def _ufunc_in(self, forward: Callable[..., Any]) -> np.ufunc | None:
        if not isinstance(forward, partial) or forward.keywords != {"casting": "no", "order": "C"}:
            return None
        bare = forward.func
        return bare if isinstance(bare, np.ufunc) and (self.arity == 1 or self.promotes == (0, 1)) else None

    def label_of(self, attrs: Attrs) -> str:
        """The short text pictures show for one use."""
        return self.label(attrs) if self.label else self.name


# ---- the table -------------------------------------------------------------------------------------
TABLE: dict[str, Op] = {}
_NAME = re.compile(r"[A-Za-z_][\w.]*")  # what graph text can hold, and what is safe in the source of a program


def define(op: Op) -> Op:
    """Enter a record into the table and return it, with the caller's file:line as its origin.

    Raises ``UsageError`` for a name not of letters, digits, _ and . only, ``DuplicateName`` for one taken elsewhere.
    """
    if not _NAME.fullmatch(op.name):
        raise UsageError(f"operator {op.name!r}: a name starts with a letter, then letters, digits, _ and .; rename it")
    here = defined_at()  # a cell of a notebook may be run again
    if op.name in TABLE and not may_follow(TABLE[op.name].origin, here):
        raise DuplicateName(f"operator '{op.name}' is already defined at {TABLE[op.name].origin}; choose another name")
    TABLE[op.name] = replace(op, origin=op.origin or here)
    return TABLE[op.name]


def op_named(name: str) -> Op:
    """The record called ``name``, also one an installed package offers; raises ``UnknownName`` with the nearest.

    >>> op_named("matmull")
    Traceback (most recent call last):
    minigraph.errors.UnknownName: no operator 'matmull'; did you mean 'matmul'?
    """
    if name not in TABLE and not offered(OPS, name):
        raise UnknownName(f"no operator '{name}'{did_you_mean(name, TABLE)}")
    return TABLE[name]


# ---- the door --------------------------------------------------------------------------------------
_open: ContextVar[Open | None] = ContextVar("open", default=None)  # None, soonest told: nothing but the ground is open
open_now, _ground = _open.get, list[Open]()  # the latter: the eager interpreter, put there when it is imported


def apply(op: Op | str, *args: Any, **attrs: Any) -> Any:
    """Call an operator on tensors (positional) with static attributes (keywords); a tuple for several results.

    Raises ``UnknownName`` for a name that is not in the table, and what ``infer`` says of operands that do not fit.
    """
    record: Any = TABLE.get(op) or op_named(op) if op.__class__ is str else op
    now = open_now() or _ground[0]
    try:
        if len(args) != record.arity and record.arity is not None:
            raise UsageError(f"{record}: takes {record.arity} operands, got {len(args)}; give attributes by keyword")
        args = now.interpreter.lift(record, args)
        if record.canonical is not None and now.interpreter.typed:
            attrs = record.canonical(*args, **attrs)
        out = now.interpreter.emit(record, args, attrs)
    except MinigraphError as error:
        raise located(error) from None
    except TypeError:
        check_attributes(record, attrs)
        raise
    if now.listeners:
        now.hear(record, args, attrs, out)
    return out


def check_attributes(op: Op, attrs: Attrs) -> None:
    """Raises ``UsageError`` for attributes that the operator has not, or has and did not get."""
    for name in attrs.keys() - op.attributes.keys():
        raise located(UsageError(f"{op}: no attribute '{name}'{did_you_mean(name, op.attributes)}")) from None
    for name in op.attributes.keys() - op.defaults.keys() - attrs.keys():
        raise located(UsageError(f"{op}: attribute '{name}' is missing; give {name}=...")) from None


def current_interpreter() -> Interpreter:
    """The interpreter that would make the next value."""
    return (open_now() or _ground[0]).interpreter


def computing_now() -> bool:
    """Whether operators compute at once, rather than become nodes."""
    return current_interpreter() is _ground[0].interpreter


def listeners() -> tuple[Listener, ...]:
    """The open tapes, outermost first."""
    return (open_now() or _ground[0]).listeners


def set_ground(interpreter: Interpreter) -> None:
    """Name the interpreter that works when none was pushed: eager."""
    _ground[:] = [Open(interpreter)]


def interpreting(interpreter: Interpreter | None) -> AbstractContextManager[None]:
    """Make values with ``interpreter`` inside the block (``None``: the ground, eager)."""
    return _opened(Open(interpreter or _ground[0].interpreter, listeners()))


def listening(*tapes: Listener, alone: bool = False) -> AbstractContextManager[None]:
    """Let ``tapes`` hear every call inside the block, beside those already open or ``alone``."""
    return _opened(Open(current_interpreter(), tapes if alone else (*listeners(), *tapes)))


@contextmanager
def _opened(now: Open) -> Iterator[None]:
    token = _open.set(None if now == _ground[0] else now)
    try:
        yield
    finally:
        _open.reset(token)
