"""The methods of a Tensor that are functions of ``ops``: ``x.cumsum(0)`` is ``ops.cumsum(x, 0)``.

The methods that the library itself needs, such as arithmetic and indexing, are in ``core.tensor.operator_methods``.
"""

from __future__ import annotations

import functools
from typing import Any

from minigraph.core.aliases import Function, TensorLike
from minigraph.core.autodiff.gradient_hooks import register_hook
from minigraph.core.op import apply
from minigraph.core.tensor.fast_path import Parameter, ParameterTuple, Tensor, bind_methods, function_of
from minigraph.ops import functional
from minigraph.ops.argument_names import accept_mindspore_names
from minigraph.ops.functional.forms import functions_with
from minigraph.ops.tensor_methods import array, conversion, indexing, math, storage

# functions whose first operand is the tensor
FUNCTIONS = functions_with("method", functional)

# methods whose signature differs from the function's, by module
VARIANTS = {
    array: "choose diagonal flip repeat reshape_as resize searchsorted sort split sum_to_size tile topk unique",
    conversion: "copy dim fill is_contiguous is_signed move_to new_full requires_grad_ stride to",
    indexing: "fill_diagonal gather index_add index_put masked_scatter scatter_add select take where",
    math: "add allclose argmax argmax_with_value argmin_with_value logsumexp max mean min ptp round softmax sum trace",
    storage: "cauchy is_pinned is_shared log_normal storage_offset to_dlpack",
}
BUILT_IN = "broadcast_to expand permute reshape transpose unsqueeze view"  # defined in the class itself

ALIASES: dict[str, Any] = {
    "bitwise_not": functional.invert,
    "clamp": functional.clip,
    "clip": functional.clip,
    "clone": conversion.clone,
    "contiguous": conversion.identity,
    "ndimension": conversion.dim,
    "nelement": functional.numel,
    "new_empty": conversion.new_zeros,
    "new_ones": conversion.new_ones,
    "new_zeros": conversion.new_zeros,
    "register_hook": register_hook,
    "scatter_sub": functional.tensor_scatter_sub,
    "scatter_mul": functional.tensor_scatter_mul,
    "scatter_div": functional.tensor_scatter_div,
    "scatter_max": functional.tensor_scatter_max,
    "scatter_min": functional.tensor_scatter_min,
    "sub": functional.subtract,
    "value": conversion.value,
}
PROPERTIES: dict[str, Any] = {
    "H": functional.adjoint,
    "data": conversion.value,
    "device": conversion.device,
    "has_init": conversion.has_init,
    "init": storage.init,
    "is_meta": storage.is_meta,
    "mH": functional.adjoint,
    "strides": conversion.strides,
}

# methods that write the result of another method into the tensor, such as ``add_``
IN_PLACE = """
    add addmm bernoulli clamp div erfinv exp fill fill_diagonal floor floor_divide index_add index_fill index_put log
    masked_fill masked_scatter mul remainder scatter scatter_add sigmoid sign sub tanh
"""

# methods that are one operator, by kind of call
ONE_OPERATOR: dict[str, dict[str, str]] = {
    "unary": {name: name for name in ("abs", "exp", "log", "sqrt", "tanh")},
    "attributes": {
        "reshape": "reshape", "view": "reshape", "flatten": "reshape", "transpose": "transpose", "permute": "transpose",
        "swapaxes": "transpose", "expand_dims": "expand_dims", "unsqueeze": "expand_dims", "squeeze": "squeeze",
        "sum": "sum", "mean": "mean", "max": "max", "min": "min", "argmax": "argmax", "softmax": "softmax",
    },
}  # fmt: skip
TRANSPOSED = ("T", "mT")  # properties


def in_place_method(fn: Function) -> Function:
    """A method that writes the result of ``fn`` into the tensor and returns the tensor."""

    @functools.wraps(fn)
    def method(x: Tensor, *args: TensorLike, **kwargs: object) -> Tensor:
        x[...] = fn(x, *args, **kwargs)
        return x

    method.__doc__ = f"In place: {fn.__doc__}"
    return method


def copy_(x: Tensor, src: Tensor) -> Tensor:
    """Copy the values of another tensor, cast and broadcast; returns the tensor."""
    x[...] = apply("cast", src, dtype=x.dtype)
    return x


def normal_(x: Tensor, mean: float = 0, std: float = 1) -> Tensor:
    """Fill with samples of a normal distribution; returns the tensor."""
    x[...] = functional.randn_like(x) * std + mean
    return x


def uniform_(x: Tensor, from_: float = 0, to: float = 1) -> Tensor:
    """Fill with samples of the uniform distribution over [from_, to); returns the tensor."""
    x[...] = functional.rand_like(x) * (to - from_) + from_
    return x


def random_(x: Tensor, from_: int, to: int) -> Tensor:
    """Fill with random integers from [from_, to); returns the tensor."""
    x[...] = functional.randint_like(x, from_, to)
    return x


def zero_(x: Tensor) -> Tensor:
    """Fill with 0; returns the tensor."""
    x[...] = 0
    return x


def attach() -> None:
    """Attach the methods to Tensor; ``core.tensor`` refuses MindSpore's other methods by name."""
    named: dict[str, Any] = {name: getattr(functional, name) for name in FUNCTIONS}
    named |= {name: getattr(module, name) for module, names in VARIANTS.items() for name in names.split()}
    named |= ALIASES | conversion.CONVERSIONS | {fn.__name__: fn for fn in (copy_, normal_, random_, uniform_, zero_)}
    named |= {name: getattr(Tensor, name) for name in BUILT_IN.split()}
    for name, fn in named.items():
        setattr(Tensor, name, accept_mindspore_names(name, fn))
    Tensor.from_dlpack = staticmethod(storage.from_dlpack)  # type: ignore[attr-defined]
    for name, fn in PROPERTIES.items():
        if not hasattr(Tensor, name):
            setattr(Tensor, name, property(fn))
    for name in IN_PLACE.split():
        setattr(Tensor, f"{name}_", accept_mindspore_names(f"{name}_", in_place_method(getattr(Tensor, name))))


attach()
Parameter.clone = conversion.clone_parameter  # type: ignore[attr-defined]
ParameterTuple.clone = conversion.clone_parameters  # type: ignore[attr-defined]
bind_methods(ONE_OPERATOR)
for name in TRANSPOSED:
    setattr(Tensor, name, property(function_of(getattr(Tensor, name).fget, "transpose", "attributes")))
