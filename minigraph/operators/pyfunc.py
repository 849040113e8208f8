"""Python functions of arrays as nodes: they run when the graph runs, and are opaque to passes.

``ops.Custom`` and user-defined primitives use this operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.aliases import Array, ArrayLike, CallResult, Function
from minigraph.core.autodiff.custom_gradient import CustomGradient
from minigraph.core.errors import ArgTypeError, CallError, DTypeError, ShapeError, UsageError
from minigraph.core.location import with_location
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.tensor import Tensor
from minigraph.core.types import Results, Shape, TensorType, scalar_dtype, type_of
from minigraph.operators.families import types_text
from minigraph.operators.work import traffic

Types = tuple[TensorType, ...]


class InputInfo(NamedTuple):
    """The static information on one input: a tensor's shape and dtype, or a Python value."""

    shape: Shape
    dtype: Any
    value: Any = None


Infer = Callable[[Sequence[InputInfo]], Types]


class PythonCall:
    """One use of a function: the attribute ``call`` of a ``pyfunc`` node.

    ``name`` is used in error messages; ``function`` gets the arrays. ``infer`` computes the types of the results from
    the static information on the inputs; ``None``: they are known only after a run. ``bprop(*inputs, out, dout)`` is
    its gradient. ``merge_inputs`` inserts the operands among the inputs that are not tensors.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        infer: Infer | None = None,
        bprop: Function | None = None,
        inputs: int = 1,
        merge_inputs: Callable[[Any], Sequence[Any]] = list,
    ) -> None:
        self.name, self.function, self.infer, self.merge_inputs = name, function, infer, merge_inputs
        self.rule = None if bprop is None else CustomGradient(bprop, inputs, 0, merge_inputs)

    def __repr__(self) -> str:
        return self.name

    def types(self, ins: Sequence[TensorType]) -> Types:
        """The types of the results; raises ``ShapeError`` without ``infer``."""
        if self.infer is None:
            text = f"{self.name}: the type of its result is unknown before it runs, and a graph needs it"
            raise ShapeError(f"{text}; define infer_shape and infer_dtype, or call it outside of @jit")
        return self.infer([_input_info(item) for item in self.merge_inputs(ins)])

    def call(self, *arrays: Array) -> tuple[Array, ...]:
        """The return values of the function for these operands, as arrays; wraps its exceptions in ``CallError``."""
        try:
            result = self.function(*self.merge_inputs(arrays))
        except Exception as error:
            reraise_handler_error(error)
            call_error = CallError(f"{self.name} raised {type(error).__name__}: {error}")
            call_error.raised = error
            raise call_error from error
        return tuple(map(self._array, result if isinstance(result, tuple | list) else (result,)))

    def run(self, *arrays: Array) -> tuple[Array, ...]:
        """The results; raises ``ShapeError`` or ``DTypeError`` if their types are not the inferred ones."""
        outs = self.call(*arrays)
        types = tuple(map(type_of, outs))
        expected = types if self.infer is None else self.types([type_of(a) for a in arrays])
        if expected != types:
            same_shapes = [t.shape for t in expected] == [t.shape for t in types]
            text = f"{self.name}: it returned {types_text(types)}, but declares {types_text(expected)}"
            raise (DTypeError if same_shapes else ShapeError)(f"{text}; change one of the two")
        return outs

    def _array(self, value: ArrayLike) -> Array:
        if isinstance(value, Tensor):
            return value.asnumpy()
        if isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
            return np.asarray(value)
        raise ArgTypeError(f"{self.name}: it returned {type(value).__name__}; return a Tensor or a numpy array")


def call_python(name: str, function: Function, inputs: tuple[object, ...], **fields: Any) -> CallResult:
    """The result of ``function(*inputs)``, as a node; ``fields`` are ``infer`` and ``bprop`` of ``PythonCall``.

    >>> print(call_python("halve", lambda x: x / 2, (Tensor([1.0, 3.0]),)))
    [0.5 1.5]
    """
    operands, spec = flatten(inputs, lambda item: isinstance(item, Tensor))
    if not operands:
        raise UsageError(f"{name}: at least one input is a tensor, got {', '.join(map(repr, inputs)) or 'none'}")
    call = PythonCall(
        name, function, inputs=len(inputs), merge_inputs=lambda values: unflatten(spec, list(values)), **fields
    )  # fmt: skip
    try:
        return apply(PYFUNC, *operands, call=call)
    except CallError as error:  # eager mode
        raise error.user_error() from None


def _input_info(item: Any) -> InputInfo:
    if isinstance(item, TensorType):
        return InputInfo(item.shape, item.dtype)
    number = isinstance(item, bool | int | float | complex)
    return InputInfo((), scalar_dtype(item, None) if number else type(item), item)


def _forward(*arrays: Array, call: PythonCall) -> Array | tuple[Array, ...]:
    outs = call.run(*arrays)
    return outs if len(outs) != 1 else outs[0]


def _infer(*types: TensorType, call: PythonCall) -> TensorType | Results:
    outs = call.types(types)
    return outs if len(outs) != 1 else outs[0]


def _vjp(
    position: int, g: Tensor | Sequence[Tensor], out: Tensor | Sequence[Tensor], *operands: Tensor, call: PythonCall
) -> Tensor:
    if call.rule is None:
        raise with_location(UsageError(f"{call}: it has no gradient; give it a bprop, or ops.stop_gradient its input"))
    return call.rule.cotangents(g, out, *operands)[position]


def _same_types(inputs: Sequence[InputInfo]) -> Types:
    return tuple(TensorType(array.shape, array.dtype) for array in inputs)


PYFUNC = define(Op(
    "pyfunc", _forward, _infer, vjp=EachOperand(_vjp), unit="scalar",
    work=lambda out, *ins, call: traffic(out, ins).as_estimate,
    effects=("io",),  # side effects are unknown: a call is never removed, reordered or constant-folded
    label=lambda attrs: str(attrs["call"]),
    doc="The result of a Python function of arrays, run by the host when the graph runs.",
    samples=lambda rng: [
        Sample(
            (rng.normal(size=(2, 3)),),
            {"call": PythonCall("double", lambda x: np.add(x, x), _same_types, lambda x, out, dout: dout * 2)},
        )
    ],
))  # fmt: skip
