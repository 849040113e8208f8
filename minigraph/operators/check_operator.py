"""Checks the consistency of an operator's record on its samples: types, work, gradients."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.autodiff.grad import grad
from minigraph.core.errors import MinigraphError, TraceError, UnknownNameError, UsageError
from minigraph.core.location import Loc, with_location
from minigraph.core.op import Attrs, Op, Sample, apply, current_interpreter, forward_of, op_named
from minigraph.core.op_fields import EachOperand, Work
from minigraph.core.record_checks import LANES, check_choice, check_fields
from minigraph.core.scope_guard import call_ignoring_float_errors, raise_external_error
from minigraph.core.tensor import Tensor, wrap
from minigraph.core.types import TensorType, type_of

DIFFERENCE_STEP = {"float64": 1e-5, "float32": 1e-2}  # of finite differences
TOLERANCE = {"float64": 1e-4, "float32": 5e-2}  # relative, plus the same absolute
AT_LINE = re.compile(r" in `.*` \(\S+:\d+\).*")  # the end of an error: the definition's own line follows
UNDEFINED = (NameError, UnknownNameError)  # a VJP may use an operator that is defined after its own


def check_operator(op: Op | str) -> None:
    """Check a record: its fields, and on its samples its types, work and gradients (against finite differences).

    Raises ``UsageError`` with the line of the definition, also if it has no samples. Samples that ``infer`` refuses are
    left out.

    >>> check_operator("tanh")
    """
    record = op_named(op) if isinstance(op, str) else op
    if record.samples is None and _can_be_sampled(record):
        text = f"operator '{record}': it has no samples to be checked on; define it with samples="
        raise _add_definition_location(record, UsageError(f"{text}lambda rng: [Sample((rng.normal(size=(2, 3)),))]"))
    try:
        check_record(record)
    except UNDEFINED as error:
        text = f"operator '{record}': its gradient fails: {type(error).__name__}: {error}"
        raise _add_definition_location(record, UsageError(text)) from None


def check_definition(op: Op) -> None:
    """``check_operator`` during the definition of the operator, when names that its VJPs use may not be defined yet."""
    try:
        check_record(op)
    except UNDEFINED:
        return


def check_record(op: Op) -> None:
    """The checks; raises ``UsageError`` with the line of the definition, or an error of ``UNDEFINED``."""
    try:
        check_fields(op)
        for sample in op.samples(np.random.default_rng(0)) if op.samples is not None else ():
            call_ignoring_float_errors(_check_sample, op, sample)
    except UNDEFINED:
        raise
    except UsageError as error:
        raise _add_definition_location(op, error) from None


def _add_definition_location(op: Op, error: UsageError) -> MinigraphError:
    file, _, line = op.origin.rpartition(":")
    return with_location(error, Loc(file, int(line)) if line.isdecimal() else None)


def _check_sample(op: Op, sample: Sample) -> None:
    use = _use_of(op, sample)
    if use is None or not _can_be_sampled(op):
        return
    outs = _check_forward(op, use)
    _check_work(op, use)
    if sample.smooth and all(out.dtype.kind == "f" for out in outs):
        _check_gradients(op, use)


def _can_be_sampled(op: Op) -> bool:
    return not op.effects and op.role == "compute" and op.family not in ("leaf", "region")


class _Use(NamedTuple):
    """An operator on one sample: operands after promotion, canonical attributes, types of operands and results."""

    tensors: list[Tensor]
    attrs: Attrs
    call_attrs: Attrs
    types: list[TensorType]
    outs: tuple[TensorType, ...]

    @property
    def text(self) -> str:
        """The operand types as text."""
        return ", ".join(map(str, self.types))


def _use_of(op: Op, sample: Sample) -> _Use | None:
    """The use of a sample; ``None`` where the record refuses its types."""
    try:
        tensors = list(current_interpreter().lift(op, tuple(wrap(np.array(array)) for array in sample.args)))
        attrs = op.canonical(*tensors, **sample.attrs) if op.canonical else sample.attrs
        types = [tensor.type for tensor in tensors]
        return _Use(tensors, attrs, sample.attrs, types, op.types(types, attrs))
    except UNDEFINED:
        raise
    except MinigraphError:
        return None


# ---- values, types and work ----------------------------------------------------------------------------


def _check_forward(op: Op, use: _Use) -> list[np.ndarray]:
    arrays = [tensor.array.copy() for tensor in use.tensors]
    outs = _call(op, use, arrays)
    actual = _types_of(op, use, outs)
    if actual != use.outs:
        got, expected = (" and ".join(map(str, types)) for types in (actual, use.outs))
        text = f"operator '{op}': forward returns {got} for {use.text}, infer says {expected}"
        raise UsageError(f"{text}; make them agree")
    unchanged = all(_is_identical(array, tensor.array) for array, tensor in zip(arrays, use.tensors, strict=True))
    if not unchanged:
        raise UsageError(f"operator '{op}': forward writes into its operands, {use.text}; return a new array")
    _check_into(op, use, arrays, outs)
    if op.commutative and len(arrays) > 1 and use.types[0] == use.types[1]:
        swapped = _call(op, use, [arrays[1], arrays[0], *arrays[2:]])
        if not _is_identical(outs[0], swapped[0]):
            text = f"operator '{op}': commutative, but swapped operands {use.text} give other bits"
            raise UsageError(f"{text}; leave commutative out")
    return outs


def _types_of(op: Op, use: _Use, outs: Sequence[np.ndarray]) -> tuple[TensorType, ...]:
    try:
        return tuple(map(type_of, outs))
    except UnknownNameError as error:
        got = " and ".join(f"{out.tolist()!r:.40} of dtype {out.dtype}" for out in outs)
        text = f"operator '{op}': forward returns {got} for {use.text}"
        raise UsageError(f"{text}; return one array of numbers, or a tuple of several") from error


def _call(op: Op, use: _Use, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    try:
        out = forward_of(op)(*arrays, **use.attrs)
    except MinigraphError:
        raise
    except Exception as error:
        raise_external_error(error)
        text = f"operator '{op}': forward fails for {use.text}: {_one_line(error)}"
        raise UsageError(f"{text}; it gets one array per operand, and attributes by keyword") from None
    return [np.asarray(tensor) for tensor in (out if isinstance(out, tuple) else (out,))]


def _check_into(op: Op, use: _Use, arrays: Sequence[np.ndarray], outs: Sequence[np.ndarray]) -> None:
    """Whether ``forward`` of an operator with ``into`` takes ``out=`` and fills it."""
    if not op.into or len(outs) > 1:
        return
    target = np.empty_like(outs[0])
    try:
        forward_of(op)(*arrays, **use.attrs, out=target)
    except TypeError as error:
        text = f"operator '{op}': forward takes no out=: {_one_line(error)}"
        raise UsageError(f"{text}; pass into=False, or write the result into out") from None
    if not _is_identical(target, outs[0]):
        raise UsageError(f"operator '{op}': forward does not write the result into out=; pass into=False") from None


def _check_work(op: Op, use: _Use) -> None:
    out = use.outs if len(use.outs) > 1 else use.outs[0]
    try:
        work = op.work(out, *use.types, **use.attrs)
    except MinigraphError:
        raise
    except Exception as error:
        raise_external_error(error)
        text = f"operator '{op}': work fails for {use.text}: {_one_line(error)}"
        raise UsageError(f"{text}; it gets the result type, the operand types, and attributes") from None
    if not isinstance(work, Work):
        raise UsageError(f"operator '{op}': work returns a {type(work).__name__}, not a Work; return Work(...)")
    for lane, count in work.lanes:
        check_choice(op.name, "lane", lane, LANES)
        if count < 0:
            raise UsageError(f"operator '{op}': {count} lanes of '{lane}' for {use.text}; a count is 0 or more")


# ---- gradients -----------------------------------------------------------------------------------------


def _check_gradients(op: Op, use: _Use) -> None:
    use = _convert_to_double(op, use)
    positions = tuple(i for i, t in enumerate(use.types) if t.dtype.is_float and _has_gradient(op, i))
    if not positions or _precision(use) not in DIFFERENCE_STEP:
        return
    function = _weighted_sum(op, use)
    gradients = _gradients(op, function, positions, use)
    for position, gradient in zip(positions, gradients, strict=True):
        if gradient.type != use.types[position]:
            text = f"operator '{op}': the gradient of operand {position} is {gradient.type}, not {use.types[position]}"
            raise UsageError(f"{text}; correct vjp[{position}]")
        _check_gradient(op, function, position, gradient.array, use)


def _convert_to_double(op: Op, use: _Use) -> _Use:
    """The use with operands in float64, for accurate finite differences, if the record accepts them."""
    arrays = [t.array.astype(np.float64) if t.type.dtype.is_float else t.array for t in use.tensors]
    return _use_of(op, Sample(tuple(arrays), dict(use.call_attrs))) or use


def _precision(use: _Use) -> str:
    """The name of the least precise float dtype of operands and results."""
    floats = [t.dtype for t in (*use.types, *use.outs) if t.dtype.is_float]
    return min(floats, key=lambda dtype: dtype.numpy.itemsize).name


def _has_gradient(op: Op, position: int) -> bool:
    if isinstance(op.vjp, EachOperand) or (not op.vjp and op.expand is not None):
        return True
    return op.vjp_of(position) is not None


def _weighted_sum(op: Op, use: _Use) -> Callable[..., Tensor]:
    """The operator as a scalar function: the sum of its results times fixed weights."""
    rng = np.random.default_rng(1)
    weights = [Tensor(np.asarray(rng.normal(size=t.shape), t.dtype.numpy)) for t in use.outs]

    def function(*tensors: Tensor) -> Tensor:
        out = apply(op, *tensors, **use.call_attrs)
        products = [o * w for o, w in zip(out if isinstance(out, tuple) else (out,), weights, strict=True)]
        total: Tensor = sum((product.sum() for product in products[1:]), products[0].sum())
        return total

    return function


def _gradients(op: Op, function: Callable[..., Tensor], positions: tuple[int, ...], use: _Use) -> Sequence[Tensor]:
    """The gradients by the record's VJPs, which have to consist of operators only."""
    gradient = grad(function, positions)
    try:
        gradients = gradient(*use.tensors)
        trace(gradient, *use.tensors)
    except UNDEFINED:
        raise
    except TraceError as error:
        text = f"operator '{op}': its gradient leaves the graph: {_one_line(error)}"
        raise UsageError(f"{text}; write it with operators, not with numpy") from None
    except Exception as error:
        raise_external_error(error)
        reason = AT_LINE.sub("", _one_line(error))
        raise UsageError(f"operator '{op}': its gradient fails for {use.text}: {reason}; correct its vjp") from None
    return gradients if isinstance(gradients, tuple) else (gradients,)


def _check_gradient(
    op: Op, function: Callable[..., Tensor], position: int, gradient: np.ndarray, use: _Use
) -> None:  # fmt: skip
    tolerance = TOLERANCE[_precision(use)]
    direction = np.asarray(np.random.default_rng(2).normal(size=gradient.shape))
    if _is_close(float((gradient * direction).sum()), _difference(function, position, direction, use), tolerance):
        return
    for index in np.ndindex(gradient.shape):
        unit = np.zeros(gradient.shape)
        unit[index] = 1.0
        expected, actual = _difference(function, position, unit, use), float(gradient[index])
        if not _is_close(actual, expected, tolerance):
            operand = float(use.tensors[position].array[index])
            at = f"operand {position} at {operand:.4g}, where all operands are {use.text},"
            text = f"operator '{op}': the gradient of {at} is {actual:.4g}, finite differences give {expected:.4g}"
            raise UsageError(f"{text}; correct vjp[{position}], or set smooth=False on a sample at a kink")


def _difference(function: Callable[..., Tensor], position: int, direction: np.ndarray, use: _Use) -> float:
    """The central difference of a function along a direction of one operand."""
    step, values = DIFFERENCE_STEP[_precision(use)], []
    for sign in (step, -step):
        tensors = list(use.tensors)
        perturbed = tensors[position].array + sign * direction
        tensors[position] = wrap(np.asarray(perturbed, tensors[position].array.dtype))
        values.append(float(function(*tensors).array))
    return (values[0] - values[1]) / (2 * step)


def _is_close(value: float, reference: float, tolerance: float) -> bool:
    """Whether two numbers agree, or cannot be compared because one is not finite."""
    return not np.isfinite([value, reference]).all() or abs(value - reference) <= tolerance * (1 + abs(reference))


def _is_identical(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and np.array_equal(left, right, equal_nan=left.dtype.kind in "fc")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, MinigraphError) else f"{type(error).__name__}: {text}"
