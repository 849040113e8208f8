"""``ImportedNetwork``: a model read from a file, as a Cell whose graph has Parameters, names and scopes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from minigraph.capture.trace import is_tracing
from minigraph.core.aliases import Attrs, CallResult, PyTree
from minigraph.core.errors import MinigraphError, ModelError, UsageError, did_you_mean
from minigraph.core.location import CELL_SCOPE, IMPORTED_LOCATION, SOURCES, Loc, register_source
from minigraph.core.op import Op, use_interpreter
from minigraph.core.scope_guard import call_with_variables
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.tensor.eager import Eager
from minigraph.core.types import float32
from minigraph.importers.model import Input, Model, Ref, Step, all_models, all_steps, printable, refs_in
from minigraph.importers.operator_table import DeferredResult
from minigraph.importers.size_limits import is_too_large
from minigraph.importers.weights import constant
from minigraph.nn.cell import Cell

MAX_FOLDED_ELEMENTS = 1 << 16  # elements: larger results of constants are computed when the graph runs
PYTHON_ERRORS = (
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    AssertionError,
    RuntimeError,
)

Values = dict[str, Any]


class ImportedNetwork(Cell):
    """A network read from a model file: call it as a function, train its Parameters, or use it as a layer.

    ``inputs`` describe the arguments; ``dims`` are sizes for their symbolic dims. An argument is a Tensor; an integer,
    or a tuple of integers, is a value that is known during tracing, such as a shape. The result is one Tensor, or a
    tuple. Raises ``ModelError`` for arguments of other types than the file declares.
    """

    def __init__(self, model: Model, dims: Mapping[str, int] | None = None) -> None:
        super().__init__()
        symbols = {dim for item in model.inputs for dim in item.dims or () if isinstance(dim, str)}
        for name in dict(dims or {}).keys() - symbols:
            raise UsageError(
                f"{model.title}: no input has the symbolic dim '{name}'{did_you_mean(name, map(printable, symbols))}"
            )
        for name, size in dict(dims or {}).items():
            if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
                raise UsageError(f"{model.title}: the dim '{printable(name)}' is {size!r}; give a number from 0 on")
        self.model, self.listing, self.dims = model, Listing(model), dict(dims or {})
        values = [value for part in all_models(model) for value in part.constants.values()]
        unique = {id(value): value for value in values if isinstance(value, Parameter)}
        self.parameters = ParameterTuple(unique.values())

    @property
    def argument_names(self) -> list[str]:
        """The names of the inputs, which captured graphs keep."""
        return [item.name for item in self.model.inputs]

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs, with the symbolic dims that are set."""
        return tuple(with_dims(item, self.dims) for item in self.model.inputs)

    def construct(self, *args: object) -> PyTree:
        """The outputs of the model for these arguments."""
        if len(args) != len(self.model.inputs):
            expected = ", ".join(map(str, self.inputs))
            raise ModelError(f"{self.model.title}: takes {len(self.model.inputs)} inputs, got {len(args)}: {expected}")
        tensors = [_check_input(self.model.title, *pair) for pair in zip(self.inputs, args, strict=True)]
        results = run_model(self.model, tensors, {}, self.listing)
        return results[0] if len(results) == 1 else results

    def example_inputs(self, seed: int = 0) -> tuple[Tensor, ...]:
        """Random arguments of the declared types; raises ``UsageError`` for a dim whose size is not known."""
        rng = np.random.default_rng(seed)
        return tuple(_example(self.model.title, item, rng) for item in self.inputs)

    def extend_repr(self) -> str:
        """The model and its inputs."""
        return ", ".join([self.model.title, *map(str, self.inputs)])


class Listing:
    """The steps of a model as text, one line each, which messages and pictures show as the source of its nodes."""

    def __init__(self, model: Model) -> None:
        self.file = next(name for name in _file_names(model.title) if name not in SOURCES)
        self._lines = register_source(self.file, [], self)
        self._numbers = dict[int, int]()
        for step in all_steps(model):
            self._lines.append(f"{step}\n")
            self._numbers[id(step)] = len(self._lines)

    @property
    def text(self) -> str:
        """All lines."""
        return "".join(self._lines)

    def location(self, step: Step) -> Loc | None:
        """The location of a step: its source line, else its line in the listing, else the location of the enclosing
        node.
        """
        number = self._numbers.get(id(step))
        return step.loc or (
            Loc(self.file, number, function=printable(step.name)) if number else IMPORTED_LOCATION.get()
        )


def _file_names(title: str) -> Iterator[str]:
    """Names for a listing: ``<net.onnx>``, ``<net.onnx#2>``, and so on."""
    yield f"<{title}>"
    yield from (f"<{title}#{number}>" for number in itertools.count(2))


def run_model(
    model: Model, args: list[object], outer: Mapping[str, object], listing: Listing | None
) -> tuple[object, ...]:
    """The outputs of a model; ``outer`` has the values of the enclosing model that a body uses."""
    values: Values = {**outer, **model.constants}
    values.update(zip([item.name for item in model.inputs], args, strict=True))
    scope = CELL_SCOPE.get()
    for step, ends in zip(model.steps, model.last_uses, strict=True):
        path = "/".join(filter(None, (scope, step.scope)))
        location = listing.location(step) if listing else step.loc or IMPORTED_LOCATION.get()
        variables: dict[ContextVar[Any], Any] = {
            IMPORTED_LOCATION: location and location._replace(scope=path),
            CELL_SCOPE: path,
        }
        call_with_variables(variables, _run_step, model, step, values, listing)
        for name in ends:
            values.pop(name, None)
    return tuple(values[name] if name else None for name in model.outputs)


def _run_step(model: Model, step: Step, values: Values, listing: Listing | None) -> None:
    args = _with_values(step.args, values)
    attrs = {key: _body(item, values, listing) if isinstance(item, Model) else item for key, item in step.attrs.items()}
    try:
        results = _fold(step, args, attrs) if _is_known(step, values) else _call(step, args, attrs)
    except MinigraphError as error:
        if isinstance(error, ModelError) and step.title not in str(error):
            raise ModelError(f"{model.title}: {step.title}: {error}") from None
        raise
    except PYTHON_ERRORS as error:
        text = f"{type(error).__name__}: {str(error)[:200]}".replace("\n", " ")
        raise ModelError(f"{model.title}: {step.title} cannot be computed: {text}") from None
    if len(results) < len(step.outputs):
        text = f"{step.title} has {len(results)} results, the file names {len(step.outputs)}"
        raise ModelError(f"{model.title}: {text}; remove the last ones")
    for value in results:
        if isinstance(value, Tensor) and is_too_large(value):
            raise ModelError(f"{model.title}: {step.title} gives {value.type}, which is too large; check its operands")
    values.update((name, value) for name, value in zip(step.outputs, results, strict=False) if name)


def _call(step: Step, args: tuple[object, ...], attrs: Attrs) -> tuple[object, ...]:
    """The results of a step that have names in the file."""
    results = _as_tuple(step.function(*args, **attrs))
    names = (*step.outputs, *[""] * len(results))
    return tuple(
        (item.compute() if name else None) if isinstance(item, DeferredResult) else item
        for item, name in zip(results, names, strict=False)
    )


def _with_values(args: Any, values: Values) -> tuple[object, ...]:
    """The arguments of a step with values in place of references."""
    return tuple(
        values[arg.name] if isinstance(arg, Ref)
        else type(arg)(_with_values(arg, values)) if type(arg) in (tuple, list) else arg
        for arg in args
    )  # fmt: skip


def _body(body: Model, values: Values, listing: Listing | None) -> Callable[..., tuple[Any, ...]]:
    """A body as a function of Tensors; it uses the values in scope."""
    outer = {name: values[name] for name in body.free}
    return lambda *args: run_model(body, list(args), outer, listing)


# ---- values known during tracing -------------------------------------------------------------------


class NotFoldedError(Exception):
    """A call whose result is too large, or not the same at every run."""


class Folding(Eager):
    """Computes calls of constants during tracing, unless their results are large or not the same at every run."""

    def emit(self, op: Op, args: tuple[Tensor, ...], attrs: Attrs) -> CallResult:
        """Compute the call now; raises ``NotFoldedError`` before it allocates a large result."""
        if op.effects or sum(type.size for type in op.types([arg.type for arg in args], attrs)) > MAX_FOLDED_ELEMENTS:
            raise NotFoldedError
        return super().emit(op, args, attrs)


FOLDING = Folding()


def _is_known(step: Step, values: Values) -> bool:
    """Whether tracing knows the operands of a step: all are constants of the graph."""
    if not is_tracing() or step.bodies:
        return False
    operands = [values[ref.name] for ref in refs_in(step.args)]
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]
    return bool(tensors) and not any(tensor.is_traced or isinstance(tensor, Parameter) for tensor in tensors)


def _fold(step: Step, args: tuple[object, ...], attrs: Attrs) -> tuple[object, ...]:
    """The result of a step as constants; as nodes if it must not be computed now."""
    try:
        results = use_interpreter(FOLDING, alone=True).call(_call, step, args, attrs)
    except NotFoldedError:
        return _call(step, args, attrs)
    return tuple(constant(item.array) if isinstance(item, Tensor) else item for item in results)


def _as_tuple(results: object) -> tuple[object, ...]:
    return results if isinstance(results, tuple) else (results,)


# ---- inputs ----------------------------------------------------------------------------------------


def with_dims(item: Input, dims: Mapping[str, int]) -> Input:
    """The input with sizes in place of symbolic dims.

    >>> str(with_dims(Input("x", float32, ("batch", 3)), {"batch": 8}))
    'x: f32[8,3]'
    """
    sizes = None if item.dims is None else tuple(dims.get(d, d) if isinstance(d, str) else d for d in item.dims)
    return Input(item.name, item.dtype, sizes)


def _check_input(title: str, item: Input, value: object) -> Any:
    """The argument as a Tensor; raises ``ModelError`` if its type is not the declared one."""
    if not isinstance(value, Tensor):
        try:
            value = constant(np.asarray(value, item.dtype.numpy if item.dtype else None))
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{title}: the input {item} got a {type(value).__name__}; pass a Tensor") from None
    sizes = item.dims if item.dims is not None else value.shape
    fits = len(sizes) == len(value.shape) and all(
        not isinstance(a, int) or a == b for a, b in zip(sizes, value.shape, strict=True)
    )
    if not fits or value.dtype is not (item.dtype or value.dtype):
        raise ModelError(f"{title}: the input {item} got {value.type}; convert or reshape the argument")
    return value


def _example(title: str, item: Input, rng: np.random.Generator) -> Tensor:
    dtype = item.dtype or float32
    unknown = [dim for dim in item.dims or () if not isinstance(dim, int)]
    if item.dims is None or unknown:
        names = " ".join(f"--dim {printable(dim)}=8" for dim in unknown if isinstance(dim, str))
        text = f"{title}: the sizes of the input {item} are not all known"
        raise UsageError(f"{text}; give {names or 'a model with known sizes'}, or dims= to load_onnx")
    if math.prod(max(int(dim), 1) for dim in item.dims if dim is not None) > MAX_FOLDED_ELEMENTS << 10:
        raise UsageError(f"{title}: the input {item} is too large for an example; give smaller dims")
    shape: Any = item.dims
    values = rng.normal(size=shape) if dtype.is_float else rng.integers(0, 2, shape)
    return Tensor(np.asarray(values).astype(dtype.numpy))
