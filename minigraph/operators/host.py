"""Host calls as nodes of a graph: calls of numpy functions, and ``print``, executed at every run of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from minigraph.core.aliases import Array, Function, PyTree
from minigraph.core.errors import CallError, DTypeError, MinigraphError, ShapeError
from minigraph.core.op import EachOperand, Op, Sample, define, use_interpreter
from minigraph.core.pytree import Leaf, Spec, Static, flatten, unflatten
from minigraph.core.scope_guard import Values, call_ignoring_float_errors, call_with_variables, reraise_handler_error
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import Results, TensorType, float64, type_of
from minigraph.operators.work import copy_work, no_work

Types = tuple[TensorType, ...]
VECTOR = TensorType((3,), float64)  # of the samples


@dataclass(frozen=True, eq=False)
class HostCall:
    """One call of a Python function: the structure of its arguments (``spec``) and of its result (``out``).

    ``ins`` are the types of the tensors in its arguments, ``types`` those of the numbers and arrays in its result.
    ``title`` is its name in errors and pictures; ``settings`` are context variables during the call. No two calls
    compare equal, because a Python function may have side effects.
    """

    fn: Function
    spec: Spec
    ins: Types
    types: Types
    out: Spec
    title: str
    settings: Values = field(default_factory=dict)

    def __call__(self, *arrays: Array) -> Array | tuple[Array, ...]:
        """The arrays in the result; raises ``ShapeError`` if their types are not the captured ones."""
        self.check(tuple(map(type_of, arrays)))
        leaves, out = flatten(self._run(arrays), is_result)
        results = tuple([np.array(leaf, order="C") for leaf in leaves])  # copies: the operands' memory may be reused
        types = tuple(map(type_of, results))
        if (types, out) != (self.types, self.out):
            raise ShapeError(
                f"{self.title}: returned {_types_text(types)}, but {_types_text(self.types)} for arrays of ones during "
                "tracing; a graph has fixed shapes, so compute what depends on values outside of @jit"
            )
        return results[0] if len(results) == 1 else results

    def _run(self, arrays: tuple[Array, ...]) -> PyTree:
        """The result of the function; wraps its exceptions in ``CallError``, which ``jit`` raises as in eager mode."""
        try:
            return call_with_variables(self.settings, call_with_arrays, self.fn, self.spec, arrays)
        except MinigraphError:
            raise
        except Exception as error:
            reraise_handler_error(error)
            call_error = CallError(f"{self.title} raised {type(error).__name__}: {error}")
            call_error.raised = error
            raise call_error from error

    def check(self, ins: Types) -> None:
        """Raises ``DTypeError`` for operands of other types than the captured ones."""
        if ins != self.ins:
            text = f"{self.title}: was traced for {_types_text(self.ins)}, got {_types_text(ins)}; trace it again"
            raise DTypeError(text)

    def __repr__(self) -> str:
        return self.title


def call_with_arrays(fn: Function, spec: Spec, arrays: tuple[Array, ...]) -> PyTree:
    """The result of a function for arguments that contain read-only tensors of the arrays."""
    args, kwargs = unflatten(spec, [wrap(_read_only(array)) for array in arrays])
    return fn(*args, **kwargs)


def error_on_examples(fn: Function, spec: Spec, types: Sequence[TensorType]) -> Exception | None:
    """The error of a function in eager mode for arguments that contain tensors of ones; ``None`` if there is none."""
    arrays = tuple([np.ones(type.shape, type.dtype.numpy) for type in types])
    try:
        use_interpreter(None, alone=True).call(call_ignoring_float_errors, call_with_arrays, fn, spec, arrays)
    except Exception as error:
        reraise_handler_error(error)
        return error.with_traceback(None)
    return None


def is_result(item: object) -> bool:
    """Whether a leaf of a function's result can be a value of a graph."""
    return isinstance(item, np.ndarray | np.generic | bool | int | float | complex)


def _read_only(array: Array) -> Array:
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _types_text(types: Types) -> str:
    return ", ".join(map(str, types)) or "nothing"


def _infer(*types: TensorType, call: HostCall) -> TensorType | Results:
    call.check(types)
    return call.types[0] if len(call.types) == 1 else call.types


def _call(*arrays: Array, call: HostCall) -> Array | tuple[Array, ...]:
    return call(*arrays)


def _example(fn: Function, types: Types, out: Spec) -> HostCall:
    spec = flatten(((wrap(np.zeros(3)),), {}), lambda item: isinstance(item, Tensor))[1]
    return HostCall(fn, spec, (VECTOR,), types, out, "example")


# ---- records -----------------------------------------------------------------------------------------

HOST = define(Op(
    "host",
    _call,
    _infer,
    vjp=EachOperand(lambda *args, **attrs: None),
    work=lambda out, *ins, **attrs: copy_work(out, *ins).as_estimate,
    unit="move",
    effects=("read:host",),
    label=lambda attrs: str(attrs["call"]),
    doc="A numpy call, `call`, executed on the host at every run of the graph; it has no gradient.",
    samples=lambda rng: [
        Sample(
            (rng.normal(size=3),),
            {"call": _example(lambda x: np.sin(x.array), (VECTOR,), Leaf(0))},
            smooth=False,
        )
    ],
))  # fmt: skip

HOST_PRINT = define(Op(
    "host_print",
    _call,
    _infer,
    vjp=EachOperand(lambda *args, **attrs: None),
    work=no_work,
    unit="none",
    effects=("io",),
    label=lambda attrs: "print",
    doc="A call of Python's print, `call`, executed at every run of the graph.",
    samples=lambda rng: [
        Sample((rng.normal(size=3),), {"call": _example(print, (), Static(type(None), "", None))}, smooth=False)
    ],
))  # fmt: skip
