"""Primitives of user functions: operators on numpy arrays, and primitives that change or observe gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult, Function, PyTree
from minigraph.core.autodiff.custom_gradient import custom_gradient
from minigraph.core.errors import ArgTypeError, ArgValueError, UsageError
from minigraph.core.location import with_location
from minigraph.core.tensor import Tensor
from minigraph.core.types import type_of
from minigraph.operators.pyfunc import InputInfo, PythonCall, Types, call_python
from minigraph.ops.primitive import Primitive, types_of

__all__ = ["Custom", "HookBackward", "InsertGradientOf", "Partial"]

FUNC_TYPES = ("hybrid", "akg", "tbe", "aicpu", "aot", "pyfunc")


class InsertGradientOf(Primitive):
    """The identity; its gradient is ``fn`` of the incoming gradient.

    >>> from minigraph import Tensor
    >>> from minigraph.core.autodiff.grad import grad
    >>> triple = InsertGradientOf(lambda dout: dout * 3)
    >>> print(grad(lambda x: triple(x) * 2)(Tensor([1.0])))
    [6.]
    """

    name = "InsertGradientOf"

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        super().__init__()
        self.fn = fn
        self._call = custom_gradient(lambda x: x, lambda x, out, dout: fn(dout))

    def __call__(self, x: Tensor) -> Tensor:
        """x, unchanged."""
        return self._call(x)


class HookBackward(InsertGradientOf):
    """The identity; ``hook_fn`` gets the incoming gradients as a tuple and may return replacements.

    >>> from minigraph import Tensor
    >>> from minigraph.core.autodiff.grad import grad
    >>> seen = HookBackward(lambda gradients: print("gradient", gradients[0]))
    >>> print(grad(lambda x: seen(x) * 2)(Tensor([1.0])))
    gradient [2.]
    [2.]
    """

    name = "HookBackward"

    def __init__(self, hook_fn: Callable[[tuple[Tensor, ...]], Any], cell_id: str = "") -> None:
        def replace(*inputs_out_and_gradients: Any) -> CallResult:
            gradients = inputs_out_and_gradients[-1]
            result = hook_fn(gradients)
            if isinstance(result, tuple) and len(result) != len(gradients):
                name = getattr(hook_fn, "__name__", "hook_fn")
                raise ArgTypeError(f"The output type of function: {name} should be a tensor but got tuple.")
            return gradients if result is None else result

        super().__init__(hook_fn)
        self._identity = custom_gradient(lambda *tensors: tensors, replace)

    def __call__(self, *tensors: Tensor) -> CallResult:
        """The tensors, unchanged: one, or a tuple of several."""
        results = self._identity(*tensors)
        return results if len(tensors) > 1 else results[0]


class Partial(Primitive):
    """Binds the first arguments of a function.

    >>> print(Partial()(lambda x, y: x - y, 1.0)(3.0))
    -2.0
    """

    name = "Partial"

    def __call__(self, *inputs: PyTree) -> Function:
        """The function, the first input, with the others as its first arguments."""
        function, *arguments = inputs
        return partial(function, *arguments)


class Custom(Primitive):
    """An operator that is a Python function of numpy arrays: ``func_type="pyfunc"``.

    ``out_shape`` and ``out_dtype`` are those of the results, or functions of the shapes and dtypes of the inputs;
    ``bprop(*inputs, out, dout)`` is the gradient, written with operators. A function of ``func_type`` "hybrid" needs
    neither: it runs once on zeros to infer the types. Raises ``UsageError`` for the func_types that are compiled.

    >>> from minigraph import Tensor
    >>> cube = Custom(lambda x: x**3, lambda x: x, lambda x: x, "pyfunc", bprop=lambda x, out, dout: dout * 3 * x * x)
    >>> print(cube(Tensor([1.0, 2.0])))
    [1. 8.]
    """

    name = "Custom"

    def __init__(
        self,
        func: Function,
        out_shape: object = None,
        out_dtype: object = None,
        func_type: str = "hybrid",
        bprop: Function | None = None,
        reg_info: object = None,
    ) -> None:
        super().__init__()
        _check_arguments(func, out_shape, out_dtype, func_type)
        self.func, self.out_shape, self.out_dtype, self.bprop = func, out_shape, out_dtype, bprop
        self.attrs.update(func_name=getattr(func, "__name__", type(func).__name__), func_type=func_type)

    def __call__(self, *inputs: object) -> CallResult:
        """The result of the function for these inputs."""
        name = f"Custom '{self.attrs['func_name']}'"
        return call_python(name, self.func, inputs, infer=self._types, bprop=self.bprop)

    def _types(self, operands: Sequence[InputInfo]) -> Types:
        name = f"Custom '{self.attrs['func_name']}'"
        if self.out_shape is None or self.out_dtype is None:
            zeros = [
                np.zeros(operand.shape, operand.dtype.numpy) if operand.value is None else operand.value
                for operand in operands
            ]
            return tuple(map(type_of, PythonCall(name, self.func).call(*zeros)))
        shape = self.out_shape(*(operand.shape for operand in operands)) if callable(self.out_shape) else self.out_shape
        dtype = self.out_dtype(*(operand.dtype for operand in operands)) if callable(self.out_dtype) else self.out_dtype
        return types_of(name, shape, dtype)


def _check_arguments(func: Function, out_shape: object, out_dtype: object, func_type: str) -> None:
    """Raises unless ``func`` is a function and ``func_type`` is one that runs Python."""
    where = f"For 'Custom', 'func_type': {func_type}, 'func': {func}"
    if func_type not in FUNC_TYPES:
        raise ArgValueError(f"{where}, 'func_type' must be one of {list(FUNC_TYPES)}, but got {func_type}")
    if func_type not in ("pyfunc", "hybrid"):
        text = f"Custom: func_type '{func_type}' needs a compiler, only Python is supported"
        raise with_location(UsageError(f"{text}; write the function with numpy and pass func_type='pyfunc'"))
    if not callable(func):
        raise ArgTypeError(f"For 'Custom', 'func' must be of type function or str, but got {type(func)}")
    for name, value, types in (("out_shape", out_shape, "tuple, list"), ("out_dtype", out_dtype, "dtype, tuple, list")):
        if value is None and func_type == "pyfunc":
            raise ArgTypeError(f"{where}, '{name}' must be one of [{types}, function], but got {type(value)}")
