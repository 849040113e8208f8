"""Python functions of arrays as nodes: they run when the graph runs, and no pass looks inside.

``ops.Custom`` and primitives of the user's own are made of this operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.autodiff.custom_gradient import Rule
from minigraph.core.errors import CallError, DTypeError, ShapeError, TypeArgument, UsageError
from minigraph.core.location import located
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.pytree import flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType, scalar_dtype, type_of
from minigraph.operators.families import listed
from minigraph.operators.pricing import traffic

Types = tuple[TensorType, ...]


class Given(NamedTuple):
    """What is known of one input before the call: a tensor's shape and dtype, or a plain value."""

    shape: Shape
    dtype: Any
    value: Any = None


Infer = Callable[[Sequence[Given]], Types]


class PythonCall:
    """One use of a function, as the attribute that a ``pyfunc`` node carries.

    ``function`` gets the arrays; ``infer`` gives the types of the results from what is known of the inputs, ``None``
    when only running it tells. ``bprop(*inputs, out, dout)`` is its gradient; ``arrange`` puts the operands among
    the inputs that are no tensors. ``told`` is the name for error texts.
    """

    def __init__(
        self,
        told: str,
        function: Callable[..., Any],
        infer: Infer | None = None,
        bprop: Callable[..., Any] | None = None,
        inputs: int = 1,
        arrange: Callable[[Any], Sequence[Any]] = list,
    ) -> None:
        self.told, self.function, self.infer, self.arrange = told, function, infer, arrange
        self.rule = None if bprop is None else Rule(bprop, inputs, 0, arrange)

    def __repr__(self) -> str:
        return self.told

    def types(self, ins: Sequence[TensorType]) -> Types:
        """The types of the results; raises ``ShapeError`` when nobody said."""
        if self.infer is None:
            text = f"{self.told}: the type of its result is not known before it has run, and a graph needs it"
            raise ShapeError(f"{text}; define infer_shape and infer_dtype, or call it outside of @jit")
        return self.infer([_given(item) for item in self.arrange(ins)])

    def returned(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """What the function returns for these operands, as arrays; raises ``CallError`` for what it raises."""
        try:
            given = self.function(*self.arrange(arrays))
        except Exception as error:
            told = CallError(f"{self.told} raised {type(error).__name__}: {error}")
            told.raised = error
            raise told from error
        return tuple(map(self._array, given if isinstance(given, tuple | list) else (given,)))

    def run(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """The results; raises ``ShapeError`` or ``DTypeError`` when they are not of the types announced."""
        outs = self.returned(*arrays)
        found = tuple(map(type_of, outs))
        wanted = found if self.infer is None else self.types([type_of(a) for a in arrays])
        if wanted != found:
            same = [t.shape for t in wanted] == [t.shape for t in found]
            text = f"{self.told}: it returned {listed(found)}, announced was {listed(wanted)}"
            raise (DTypeError if same else ShapeError)(f"{text}; change one of the two")
        return outs

    def _array(self, value: Any) -> np.ndarray:
        if isinstance(value, Tensor):
            return value.asnumpy()
        if isinstance(value, np.ndarray | np.generic | bool | int | float | complex):
            return np.asarray(value)
        raise TypeArgument(f"{self.told}: it returned {type(value).__name__}; return a Tensor or a numpy array")


def call_python(told: str, function: Callable[..., Any], inputs: tuple[Any, ...], **how: Any) -> Any:
    """What ``function(*inputs)`` returns, as a node; ``how`` are ``infer`` and ``bprop`` of ``PythonCall``.

    >>> print(call_python("halved", lambda x: x / 2, (Tensor([1.0, 3.0]),)))
    [0.5 1.5]
    """
    operands, spec = flatten(inputs, lambda item: isinstance(item, Tensor))
    if not operands:
        raise UsageError(f"{told}: at least one input is a tensor, got {', '.join(map(repr, inputs)) or 'none'}")
    call = PythonCall(
        told, function, inputs=len(inputs), arrange=lambda values: unflatten(spec, list(values)), **how
    )  # fmt: skip
    try:
        return apply(PYFUNC, *operands, call=call)
    except CallError as error:  # eager mode
        raise error.users() from None


def _given(item: Any) -> Given:
    if isinstance(item, TensorType):
        return Given(item.shape, item.dtype)
    number = isinstance(item, bool | int | float | complex)
    return Given((), scalar_dtype(item, None) if number else type(item), item)


def _forward(*arrays: np.ndarray, call: PythonCall) -> Any:
    outs = call.run(*arrays)
    return outs if len(outs) != 1 else outs[0]


def _infer(*types: TensorType, call: PythonCall) -> Any:
    outs = call.types(types)
    return outs if len(outs) != 1 else outs[0]


def _vjp(position: int, g: Any, out: Any, *operands: Any, call: PythonCall) -> Any:
    if call.rule is None:
        raise located(UsageError(f"{call}: it has no gradient; give it a bprop, or ops.stop_gradient its input"))
    return call.rule.pulled(g, out, *operands)[position]


def _same(given: Sequence[Given]) -> Types:
    return tuple(TensorType(one.shape, one.dtype) for one in given)


PYFUNC = define(Op(
    "pyfunc", _forward, _infer, vjp=EachOperand(_vjp), unit="scalar",
    work=lambda out, *ins, call: traffic(out, ins).guessed,
    effects=("io",),  # what else a Python function does is not known: none is dropped, moved or run beforehand
    label=lambda attrs: str(attrs["call"]),
    doc="What a Python function of arrays returns; run by the host when the graph runs.",
    samples=lambda rng: [
        Sample(
            (rng.normal(size=(2, 3)),),
            {"call": PythonCall("doubled", lambda x: np.add(x, x), _same, lambda x, out, dout: dout * 2)},
        )
    ],
))  # fmt: skip
