"""The operator record, the table of all operators, and ``apply``, which every operator call goes through.

An ``Op`` holds everything minigraph knows of an operator; no code tests an operator's *name*, it reads these fields.
``apply(op, *tensors, **attrs)`` dispatches a call to the active interpreter (eager: compute now; tracer: add a node)
and then notifies every active observer, such as a tape.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import Context, ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.aliases import Attrs as Attrs
from minigraph.core.aliases import CallResult, Function
from minigraph.core.definitions import OPS_GROUP, definition_site, load_entry_points, may_redefine
from minigraph.core.dispatch import DispatchContext, Interpreter, Observer
from minigraph.core.errors import DuplicateNameError, MinigraphError, UnknownNameError, UsageError, did_you_mean
from minigraph.core.lazy import LazyTable, cached_property, resolve
from minigraph.core.location import is_user_file, with_location
from minigraph.core.op_fields import EachOperand as EachOperand
from minigraph.core.op_fields import Effect, Work, effect_of
from minigraph.core.scope_guard import VariableBlock
from minigraph.core.seams import process_implementation
from minigraph.core.types import Results, TensorType, as_results, infer_cached, is_emulated

NO_ATTRS: Attrs = {}  # shared by all calls without attributes
VJP = Function  # (g, out, *operands, **attrs) -> the cotangent of one operand, or None


class Sample(NamedTuple):
    """Arguments to test an operator with; not ``smooth``: finite differences do not apply (ties, kinks, integers)."""

    args: tuple[np.ndarray, ...]
    attrs: Attrs = {}  # noqa: RUF012 - a default that is never written to
    smooth: bool = True


class Promotion(NamedTuple):
    """Operand positions promoted to one dtype before a call; ``to_float``: integers and bools become float32 first."""

    positions: tuple[int, ...]
    to_float: bool = False


@dataclass(frozen=True, eq=False)
class Op:
    """The record of one operator; records compare by identity and print as their name.

    name         the word in graph text and in ``apply("name", ...)``
    forward      ``(*arrays, **attrs)`` -> array, or tuple of arrays when there are several results
    infer        ``(*types, **attrs)`` -> TensorType, or tuple; raises ShapeError or DTypeError
    vjp          one ``(g, out, *operands, **attrs)`` of operators per operand (``None``: no gradient), or EachOperand
    work         ``(out, *ins, **attrs)`` on types -> Work
    unit         where it runs: "cube", "vector", "scalar", "move" (a copy), "none" (free: a view, a leaf)
    family       "elementwise", "reduction", "view", "leaf", "region" or "other": what passes may assume
    role         "compute"; a leaf: "input", "const", "parameter"; "fused", "depend", "alias"; in programs "in place"
    effects      such as ("write:{name}",), formatted with the attributes; () = pure
    commutative  whether the first two operands may be swapped (bit for bit)
    promotes     the Promotion of operands to one dtype before the call, or None
    stores       whether result 0 becomes the new value of operand 0, a Parameter
    into         whether ``forward`` takes ``out=``
    view         whether the result shares memory with operand 0
    canonical    ``(*operands, **attrs)`` -> all attributes in canonical form; its keyword defaults are the operator's
    expand       for composites: the definition by other operators, on tensors
    samples      ``(rng)`` -> Samples for the every-operator tests; doc: one sentence; label: a word or two for pictures
    """

    name: str
    forward: Function
    infer: Callable[..., TensorType | Results]
    vjp: Sequence[VJP | None] | EachOperand = ()
    work: Callable[..., Work] = field(default=lambda out, *ins, **attrs: Work())
    unit: str = "vector"
    family: str = "other"
    role: str = "compute"
    effects: tuple[str, ...] = ()
    commutative: bool = False
    promotes: Promotion | None = None
    stores: bool = False
    into: bool = False
    view: bool = False
    canonical: Callable[..., Attrs] | None = None
    label: Callable[[Attrs], str] | None = None
    expand: Function | None = None
    samples: Callable[[np.random.Generator], Sequence[Sample]] | None = None
    doc: str = ""
    origin: str = ""

    def _repr_html_(self) -> str:
        return str(resolve("minigraph.core.html_tables:operator_html")(self))

    def __call__(self, *args: object, **attrs: Any) -> CallResult:
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
        """Whether an effect changes something, so that the node is a root for dead-code elimination."""
        return any(not effect.startswith("read:") for effect in self.effects)

    @cached_property
    def is_leaf(self) -> bool:
        """Whether the node is a source: an input, a constant or a Parameter."""
        return self.family == "leaf"

    def effects_of(self, attrs: Attrs) -> tuple[Effect, ...]:
        """The effects of one use; its attributes fill in the resources."""
        return self._fixed_effects or tuple([effect_of(text.format_map(attrs)) for text in self.effects])

    @cached_property
    def _fixed_effects(self) -> tuple[Effect, ...]:
        """The effects, if they do not depend on the attributes; else ()."""
        named = any("{" in text for text in self.effects)
        return () if named else tuple(map(effect_of, self.effects))

    def vjp_of(self, position: int) -> VJP | None:
        """The VJP of one operand, or ``None``."""
        if isinstance(self.vjp, EachOperand):
            return self.vjp.vjp_at(position)
        return self.vjp[position] if position < len(self.vjp) else None

    @cached_property
    def arity(self) -> int | None:
        """The number of operands; ``None``: any number."""
        kinds = [p.kind.name for p in inspect.signature(self.canonical or self.infer).parameters.values()]
        declared = 0 if isinstance(self.vjp, EachOperand) else len(self.vjp)
        return (declared or None) if "VAR_POSITIONAL" in kinds else kinds.count("POSITIONAL_OR_KEYWORD")

    @cached_property
    def attributes(self) -> Attrs:
        """The attributes and their defaults (``inspect.Parameter.empty``: required)."""
        parameters = inspect.signature(self.canonical or self.infer).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    @property
    def defaults(self) -> Attrs:
        """The optional attributes and their default values."""
        return {k: v for k, v in self.attributes.items() if self.canonical and v is not inspect.Parameter.empty}

    def types(self, ins: Sequence[TensorType], attrs: Attrs) -> tuple[TensorType, ...]:
        """The result types as a tuple, one result or many; calls without attributes share cached tuples."""
        return as_results(self.infer(*ins, **attrs)) if attrs else infer_cached(self.infer, tuple(ins))

    def label_of(self, attrs: Attrs) -> str:
        """The short text that pictures show for one use."""
        return self.label(attrs) if self.label else self.name


# ---- the table -------------------------------------------------------------------------------------
TABLE: LazyTable[Op] = LazyTable("minigraph.operators.defining_modules:OPERATORS_BY_MODULE")
_defined = TABLE.data  # a plain dict, for fast look-up
VJP_OBSERVERS: list[Callable[[Op], object]] = []  # called with a record whose VJPs were replaced
CHECK = "minigraph.operators.check_operator:check_definition"  # late-bound: it captures and differentiates
_NAME = re.compile(r"[A-Za-z_][\w.]*")  # valid in graph text, and safe in the source of a program


def define(op: Op) -> Op:
    """Register a record in the table and return it, with the caller's file:line as its origin.

    Raises ``UsageError`` for a name with other characters than letters, digits, _ and ., ``DuplicateNameError`` for one
    that is defined elsewhere. A record of a user's file is checked on its samples, as by ``check_operator``.
    """
    if not _NAME.fullmatch(op.name):
        raise UsageError(f"operator {op.name!r}: a name starts with a letter, then letters, digits, _ and .; rename it")
    here = definition_site()  # a notebook cell may be run again
    previous = TABLE.get_registered(op.name)
    if previous is not None and not may_redefine(previous.origin, here):
        raise DuplicateNameError(f"operator '{op.name}' is already defined at {previous.origin}; choose another name")
    record = replace(op, origin=op.origin or here)
    TABLE[op.name] = record  # before the check, because VJPs may use it by name
    if is_user_file(here.rpartition(":")[0]):
        try:
            Context().run(resolve(CHECK), record)
        except MinigraphError:
            del TABLE[op.name]
            if previous is not None:
                TABLE[op.name] = previous
            raise
    return record


def op_named(name: str) -> Op:
    """The record called ``name``, also from an installed package; raises ``UnknownNameError`` with the nearest name.

    >>> op_named("matmull")
    Traceback (most recent call last):
    minigraph.errors.UnknownNameError: no operator 'matmull'; did you mean 'matmul'?
    """
    if name not in TABLE and not load_entry_points(OPS_GROUP, name):
        raise UnknownNameError(f"no operator '{name}'{did_you_mean(name, TABLE)}")
    return TABLE[name]


def forward_of(op: Op, dtypes: Iterable[np.dtype] = ()) -> Function:
    """The kernel that every executor calls for operands of ``dtypes``: the accelerator's, or else ``op.forward``."""
    if any(map(is_emulated, dtypes)):
        return resolve("minigraph.core.tensor.kernel_dtypes:emulating_kernel")(op)
    return _tuned_kernels().get(op) or op.forward


@cache
def _tuned_kernels() -> Mapping[Op, Function]:
    return process_implementation("forwards", dict[Op, Function]())


# ---- dispatch --------------------------------------------------------------------------------------
_active: ContextVar[DispatchContext | None] = ContextVar("active", default=None)  # None: the base context, eager
active_context, _base = _active.get, list[DispatchContext]()  # the base context: set when eager mode is imported


def apply(op: Op | str, *args: object, **attrs: Any) -> CallResult:
    """Call an operator on tensors (positional) with static attributes (keywords); a tuple for several results.

    Raises ``UnknownNameError`` for a name that is not in the table, the errors of ``infer`` for incompatible operands.
    """
    record: Any = _defined.get(op) or op_named(op) if op.__class__ is str else op
    context = active_context() or _base[0]
    try:
        if len(args) != record.arity and record.arity is not None:
            raise UsageError(f"{record}: takes {record.arity} operands, got {len(args)}; give attributes by keyword")
        args = context.interpreter.lift(record, args)
        if record.canonical is not None and context.interpreter.typed:
            attrs = record.canonical(*args, **attrs)
        out = context.interpreter.emit(record, args, attrs)
    except MinigraphError as error:
        raise with_location(error) from None
    except TypeError:
        check_attributes(record, attrs)
        raise
    if context.observers:
        context.record(record, args, attrs, out)
    return out


def check_attributes(op: Op, attrs: Attrs) -> None:
    """Raise ``UsageError`` for an unknown attribute, or for a required one that is missing."""
    for name in attrs.keys() - op.attributes.keys():
        raise with_location(UsageError(f"{op}: no attribute '{name}'{did_you_mean(name, op.attributes)}")) from None
    for name in op.attributes.keys() - op.defaults.keys() - attrs.keys():
        raise with_location(UsageError(f"{op}: attribute '{name}' is missing; give {name}=...")) from None


def current_interpreter() -> Interpreter:
    """The interpreter that makes the values of operator calls now."""
    return (active_context() or _base[0]).interpreter


def is_eager() -> bool:
    """Whether operators are computed immediately (eager mode), instead of becoming nodes."""
    return isinstance(current_interpreter(), type(_base[0].interpreter))


def active_observers() -> tuple[Observer, ...]:
    """The active observers (tapes), outermost first."""
    return (active_context() or _base[0]).observers


def set_base_interpreter(interpreter: Interpreter) -> None:
    """Set the interpreter that is active when no other is: eager."""
    _base[:] = [DispatchContext(interpreter)]


def use_interpreter(interpreter: Interpreter | None, alone: bool = False) -> VariableBlock:
    """Dispatch calls inside the block to ``interpreter`` (``None``: the base interpreter, eager).

    ``alone``: without the active observers. Code that Ctrl-C may interrupt uses ``use_interpreter(...).call(fn)``.
    """
    return _activate(DispatchContext(interpreter or _base[0].interpreter, () if alone else active_observers()))


def record_on(*tapes: Observer, alone: bool = False) -> VariableBlock:
    """Record every call inside the block on ``tapes``, in addition to the active observers or ``alone``.

    ``record_on(tape).call(fn)`` does so while ``fn`` runs, and leaves no tape active, however it ends.
    """
    return _activate(DispatchContext(current_interpreter(), tapes if alone else (*active_observers(), *tapes)))


def _activate(context: DispatchContext) -> VariableBlock:
    return VariableBlock(_active, None if context == _base[0] else context)
