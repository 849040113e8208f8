"""ONNX's control flow (If, Loop, Scan) and recurrent layers, as our control-flow operators.

Problem: an ONNX Loop has a trip count, a condition and stacked rows, any of which may be known when the model is read
or only when the graph runs; a graph has ``scan`` (known count, stacked rows) and ``while_loop`` (neither). Method:
partial evaluation (Jones, Gomard and Sestoft, *Partial Evaluation and Automatic Program Generation*, 1993). With a
known count and condition, a short loop is unrolled and a long one becomes a ``scan``; otherwise it becomes a
``while_loop``.

Invariants: the iterations and their order are ONNX's; all three forms give the same values. Not handled: rows stacked
by a loop whose count is known only when the graph runs, because their shape would be unknown; such a model is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.capture.trace import trace
from minigraph.core.aliases import Attrs, CallResult
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.importers.onnx import elementwise
from minigraph.importers.onnx.elementwise import cast, clip, select
from minigraph.importers.operator_table import Converter, Converters, KnownValue
from minigraph.importers.weights import constant

T = Tensor
Ints = Sequence[int] | None
Body = Callable[..., tuple[Any, ...]]
MAX_UNROLLED_TRIPS = 64  # iterations of a Loop with a known number of them that become nodes one by one
MAX_SCANNED_TRIPS = 1 << 20  # iterations of a Loop with a known number of them that becomes a scan
MAX_EAGER_TRIPS = 100_000_000  # iterations of a Loop that is computed immediately

# ---- If, Loop, Scan --------------------------------------------------------------------------------


def if_else(test: T, then_branch: Body, else_branch: Body) -> tuple[T, ...]:
    """The results of one branch."""
    return tuple(ops.cond(test, then_branch, else_branch))


def loop(limit: T | None, test: T | None, state: tuple[T, ...], body: Body) -> tuple[Any, ...]:
    """``test, *state, *rows = body(i, test, *state)`` while ``test``, at most ``limit`` times; rows are stacked."""
    count = None if limit is None or limit.is_traced else int(limit)
    test_is_known = test is None or not test.is_traced
    if test_is_known and count is not None and (count <= MAX_UNROLLED_TRIPS or not any(x.is_traced for x in state)):
        return _unroll(min(count, MAX_EAGER_TRIPS), test, state, body)
    if test_is_known and count is not None and count <= MAX_SCANNED_TRIPS:
        try:
            return _scan_iterations(count, test, state, body)
        except UnknownExitError:
            pass
    return _while(limit, test, state, body)


class UnknownExitError(ModelError):
    """The condition of a loop is known only when the graph runs."""


def _unroll(count: int, test: T | None, state: tuple[T, ...], body: Body) -> tuple[Any, ...]:
    columns: list[tuple[T, ...]] = []
    for i in range(count):
        if test is not None and test.is_traced:
            if any(columns[0]):
                raise UnknownExitError("the number of rows is unknown until the graph runs; run it op by op")
            return _while(constant(np.array(count - i)), test, state, body, i)
        if test is not None and not bool(test):
            break
        test, *rest = body(constant(np.array(i)), constant(np.array(True)) if test is None else test, *state)
        state, rows = tuple(rest[: len(state)]), tuple(rest[len(state) :])
        columns.append(rows)
    if not columns:
        return (*state, *_no_rows(state, body))
    return (*state, *(apply("stack", *column, axis=0) for column in zip(*columns, strict=True)))


def _no_rows(state: tuple[T, ...], body: Body) -> tuple[T, ...]:
    """The rows of a loop that ends before its first iteration: none, of the types that this would give."""

    def rows(*values: T) -> tuple[T, ...]:
        return body(constant(np.array(0)), constant(np.array(True)), *values)[1 + len(state) :]

    is_traced = any(x.is_traced for x in state)  # then the iteration becomes nodes without uses
    graph = None if is_traced else trace(rows, *state)
    types = [row.type for row in rows(*state)] if graph is None else [graph.type(ref) for ref in graph.outs]
    return tuple(constant(np.zeros((0, *type.shape), type.dtype.numpy)) for type in types)


def _scan_iterations(count: int, test: T | None, state: tuple[T, ...], body: Body) -> tuple[Any, ...]:
    """A loop that never ends early, as one node."""
    true = constant(np.array(True))

    def step(values: tuple[T, ...], i: T) -> tuple[tuple[T, ...], tuple[T, ...] | None]:
        flag, *rest = body(i, true, *values)
        if flag.is_traced or not bool(flag):
            raise UnknownExitError("the number of iterations is unknown until the graph runs; run it op by op")
        return tuple(rest[: len(state)]), tuple(rest[len(state) :]) or None

    if count == 0 or (test is not None and not bool(test)):
        return (*state, *_no_rows(state, body))
    final, rows = ops.scan(step, state, constant(np.arange(count)))
    return (*final, *(rows or ()))


def _while(
    limit: T | None, test: T | None, state: tuple[T, ...], body: Body, first: int = 0
) -> tuple[Any, ...]:  # fmt: skip
    """A loop whose number of iterations is known only at run time; it cannot stack rows."""
    start = (constant(np.array(0)), constant(np.array(True)) if test is None else apply("reshape", test, shape=()))
    is_eager = not any(x.is_traced for x in (*state, *start, *([limit] if limit is not None else [])))
    if is_eager:
        return _unroll(MAX_EAGER_TRIPS if limit is None else int(limit), test, state, body)

    def continues(i: T, running: T, *values: T) -> T:
        return running if limit is None else apply("logical_and", running, i < apply("reshape", limit, shape=()))

    def step(i: T, running: T, *values: T) -> tuple[T, ...]:
        flag, *rest = body(i + first, running, *values)
        if len(rest) > len(state):
            raise ModelError("the number of rows that the loop stacks is known only at run time; call it op by op")
        return (i + 1, apply("reshape", flag, shape=()), *rest)

    return tuple(ops.while_loop(continues, step, (*start, *state))[2:])


def scan(
    *operands: T, body: Body, num_scan_inputs: int, scan_input_axes: Ints = None, scan_input_directions: Ints = None,
    scan_output_axes: Ints = None, scan_output_directions: Ints = None,
) -> tuple[T, ...]:  # fmt: skip
    """``*state, *rows = body(*state, *slices)`` for every slice of the last operands; rows are stacked."""
    state, xs = operands[: len(operands) - num_scan_inputs], operands[len(operands) - num_scan_inputs :]
    inputs = [
        ops.moveaxis(ops.flip(x, (axis,)) if backward else x, axis, 0)
        for x, axis, backward in zip(xs, scan_input_axes or [0] * len(xs), scan_input_directions or [0] * len(xs),
                                     strict=True)
    ]  # fmt: skip

    def step(values: tuple[T, ...], slices: Sequence[T]) -> tuple[tuple[T, ...], tuple[T, ...] | None]:
        out = body(*values, *slices)
        return tuple(out[: len(state)]), tuple(out[len(state) :]) or None

    final, rows = ops.scan(step, tuple(state), tuple(inputs))
    count = len(rows or ())
    stacked_rows = [
        ops.moveaxis(row, 0, axis) for row, axis in zip(rows or (), scan_output_axes or [0] * count, strict=True)
    ]
    ends = zip(stacked_rows, scan_output_axes or [0] * count, scan_output_directions or [0] * count, strict=True)
    return (*final, *(ops.flip(row, (axis,)) if backward else row for row, axis, backward in ends))


def batched_scan(
    lengths: T | None, *operands: T, body: Body, num_scan_inputs: int, directions: Ints = None
) -> CallResult:
    """Scan as it was in opset 8: over axis 1, for each element of the batch."""
    if lengths is not None:
        raise ModelError("Scan with sequence lengths is not supported; export the model for opset 9 or newer")
    parts = [
        scan(*[x[b] for x in operands], body=body, num_scan_inputs=num_scan_inputs, scan_input_directions=directions)
        for b in range(operands[0].shape[0])
    ]
    return tuple(apply("stack", *column, axis=0) for column in zip(*parts, strict=True))


# ---- recurrent layers ------------------------------------------------------------------------------

ACTIVATIONS: dict[str, Converter] = {  # by ONNX's name in lower case
    "affine": Converter(lambda x, *, alpha, beta: x * alpha + beta),
    "scaledtanh": Converter(lambda x, *, alpha, beta: apply("tanh", x * beta) * alpha),
    **{name.lower(): Converter(elementwise.CONVERTERS[name]) for name in (
        "Relu", "Tanh", "Sigmoid", "Elu", "HardSigmoid", "LeakyRelu", "Softplus", "Softsign", "ThresholdedRelu")},
}  # fmt: skip
Cell = Callable[..., tuple[T, ...]]  # (projection, state, recurrent weight and bias, peepholes, activations) -> state


def recurrent(
    cell: Cell, defaults: tuple[str, ...], x: T, w: T, r: T, b: T | None, lengths: object, states: Sequence[T | None],
    peepholes: T | None, attrs: Attrs,
) -> tuple[T, ...]:  # fmt: skip
    """A recurrent layer: all hidden states [T,D,N,H], then the last state of each kind [D,N,H]."""
    if attrs.get("layout"):
        x = apply("transpose", x, axes=(1, 0, 2))
        states = [None if s is None else apply("transpose", s, axes=(1, 0, 2)) for s in states]
    direction = attrs.get("direction", "forward")
    count, size = w.shape[0], r.shape[2]
    functions = _activations(attrs, defaults * count)
    runs = []
    for d in range(count):
        backward = direction == "reverse" or d == 1
        zeros = constant(np.zeros((x.shape[1], size), x.dtype.numpy))
        start = [zeros if s is None else s[d] for s in states]
        bias = constant(np.zeros(2 * w.shape[1], x.dtype.numpy)) if b is None else b[d]
        inputs = apply("matmul", x, apply("transpose", w[d])) + bias[: w.shape[1]]
        own_functions = functions[d * len(defaults) : (d + 1) * len(defaults)]
        step = partial(cell, r=apply("transpose", r[d]), bias=bias[w.shape[1] :], acts=own_functions,
                       p=None if peepholes is None else peepholes[d], attrs=attrs)  # fmt: skip
        runs.append(_run(step, inputs, start, lengths, backward))
    hidden = apply("stack", *(run[0] for run in runs), axis=1)
    last = [apply("stack", *(run[1][k] for run in runs), axis=0) for k in range(len(states))]
    if attrs.get("layout"):
        return apply("transpose", hidden, axes=(2, 0, 1, 3)), *(apply("transpose", s, axes=(1, 0, 2)) for s in last)
    return hidden, *last


def _activations(attrs: Attrs, defaults: tuple[str, ...]) -> list[Callable[[T], T]]:
    names = attrs.get("activations") or defaults
    unknown = [name for name in names if name.lower() not in ACTIVATIONS]
    if unknown or len(names) != len(defaults):
        raise ModelError(f"activations {list(names)[:8]} are not {len(defaults)} of {', '.join(ACTIVATIONS)}")
    parameter_lists = {name: iter(attrs.get(f"activation_{name}") or ()) for name in ("alpha", "beta")}
    functions: list[Callable[[T], T]] = []
    for converter in (ACTIVATIONS[name.lower()] for name in names):
        values = {name: next(values, None) for name, values in parameter_lists.items() if name in converter.attributes}
        parameters = {name: value for name, value in values.items() if value is not None}
        converter.check("an activation", 1, parameters)
        functions.append(partial(_activate, converter, parameters, attrs.get("clip")))
    return functions


def _activate(converter: Converter, attrs: Attrs, limit: float | None, x: T) -> CallResult:
    return converter(x if limit is None else clip(x, -limit, limit), **attrs)


def _run(step: Cell, inputs: T, start: list[T], lengths: KnownValue, backward: bool) -> tuple[T, tuple[T, ...]]:
    """All hidden states and the last states of one direction; beyond a sequence's end, states stay and rows are 0."""
    steps = inputs.shape[0]
    sizes = None if lengths is None else cast(lengths, int64)

    def reverse(x: T) -> T:
        return x[::-1] if sizes is None else ops.reverse_sequence(x, sizes, seq_dim=0, batch_dim=1)

    def body(state: tuple[T, ...], row: tuple[T, T]) -> tuple[tuple[T, ...], T]:
        new = step(row[0], state)
        if sizes is None:
            return new, new[0]
        valid = apply("reshape", row[1] < sizes, shape=(-1, 1))
        masked_state = tuple(select(valid, a, b) for a, b in zip(new, state, strict=True))
        return masked_state, select(valid, new[0], 0)

    rows = (reverse(inputs) if backward else inputs, constant(np.arange(steps)))
    final, hidden = ops.scan(body, tuple(start), rows)
    return reverse(hidden) if backward else hidden, final


def rnn_cell(x: T, state: tuple[T, ...], *, r: T, bias: T, acts: KnownValue, p: object, attrs: object) -> tuple[T, ...]:
    """One step of an RNN."""
    return (acts[0](x + apply("matmul", state[0], r) + bias),)


def gru_cell(
    x: T, state: tuple[T, ...], *, r: T, bias: T, acts: KnownValue, p: object, attrs: KnownValue
) -> tuple[T, ...]:
    """One step of a GRU: gates z, r, h."""
    h, n = state[0], state[0].shape[1]
    gates = x[:, : 2 * n] + apply("matmul", h, r[:, : 2 * n]) + bias[: 2 * n]
    z, reset = acts[0](gates[:, :n]), acts[0](gates[:, n:])
    if attrs.get("linear_before_reset"):
        inner = reset * (apply("matmul", h, r[:, 2 * n :]) + bias[2 * n :])
    else:
        inner = apply("matmul", reset * h, r[:, 2 * n :]) + bias[2 * n :]
    return ((1 - z) * acts[1](x[:, 2 * n :] + inner) + z * h,)


def lstm_cell(
    x: T, state: tuple[T, ...], *, r: T, bias: T, acts: KnownValue, p: KnownValue, attrs: KnownValue
) -> tuple[T, ...]:
    """One step of an LSTM: gates i, o, f, c; peepholes i, o, f."""
    h, c = state
    n = h.shape[1]
    gates = x + apply("matmul", h, r) + bias
    i, o, f, g = (gates[:, k * n : (k + 1) * n] for k in range(4))
    if p is not None:
        i, f = i + p[:n] * c, f + p[2 * n :] * c
    i = acts[0](i)
    f = 1 - i if attrs.get("input_forget") else acts[0](f)
    c = f * c + i * acts[1](g)
    o = acts[0](o if p is None else o + p[n : 2 * n] * c)
    return o * acts[2](c), c


CONVERTERS: Converters = {
    "If": lambda test, *, then_branch, else_branch: if_else(test, then_branch, else_branch),
    "Loop": lambda limit=None, test=None, *state, body: loop(limit, test, state, body),
    "Scan@9": scan,
    "Scan": lambda lengths, *operands, body, num_scan_inputs, directions=None: batched_scan(
        lengths, *operands, body=body, num_scan_inputs=num_scan_inputs, directions=directions),
    "RNN": lambda x, w, r, b=None, lengths=None, h=None, **attrs: recurrent(
        rnn_cell, ("Tanh",), x, w, r, b, lengths, [h], None, attrs),
    "GRU": lambda x, w, r, b=None, lengths=None, h=None, **attrs: recurrent(
        gru_cell, ("Sigmoid", "Tanh"), x, w, r, b, lengths, [h], None, attrs),
    "LSTM": lambda x, w, r, b=None, lengths=None, h=None, c=None, p=None, **attrs: recurrent(
        lstm_cell, ("Sigmoid", "Tanh", "Tanh"), x, w, r, b, lengths, [h, c], p, attrs),
}  # fmt: skip
