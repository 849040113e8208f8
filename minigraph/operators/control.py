"""Control flow: ``cond``, ``while_loop``, ``fori_loop`` and ``scan``.

In eager mode they are Python's ``if`` and loops. During tracing, where the condition is a traced tensor, each is one
node with bodies: both branches are traced, a loop's body once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from minigraph.capture.body import Body, assigned_tensors, existed_before, outer_values
from minigraph.capture.joined_containers import refuse_joined_containers
from minigraph.capture.joined_values import mark_alternatives, mark_numbers
from minigraph.capture.joins import Join, as_tensor, join, join_variables, zeros_of
from minigraph.capture.structure import is_tensor
from minigraph.capture.trace import is_tracing
from minigraph.capture.tracer import Tracer
from minigraph.core.aliases import ArrayLike, CallResult, Function, PyTree, TensorLike
from minigraph.core.errors import ArgValueError, CaptureError, UsageError
from minigraph.core.location import with_location
from minigraph.core.op import apply
from minigraph.core.pytree import Spec, flatten, unflatten
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.inplace import assignment_name
from minigraph.core.tensor.promotion import converted_function
from minigraph.core.types import bool_, int64
from minigraph.operators.linalg import COND_NUMBER
from minigraph.operators.loop_bodies import loop_state, trace_loop_body
from minigraph.operators.regions import COND, SCAN, WHILE

__all__ = ["cond", "fori_loop", "scan", "while_loop"]

GENERATED_PREFIX = "mg_"  # the prefix of names that translated source adds

# ---- conditions ------------------------------------------------------------------------------------


def as_condition(value: ArrayLike) -> TensorLike:
    """A condition as a Python bool, or as a traced bool[] if its value is unknown during tracing.

    Raises ``ValueError`` for a traced tensor of more than one element.
    """
    if not isinstance(value, Tensor) or not value.is_traced:
        return bool(value)
    if value.shape not in ((), (1,)):
        shape_text = ", ".join(map(str, value.shape))
        raise with_location(ArgValueError(
            f"Only tensor which shape is () or (1,) can be converted to bool, but got tensor shape is ({shape_text})\n"
            "a condition: one for all elements; use .all() or .any(), or ops.where to choose element by element"
        ))  # fmt: skip
    flag = value if value.dtype is bool_ else apply("not_equal", value, 0)
    return apply("reshape", flag, shape=()) if flag.shape else flag


# ---- branches --------------------------------------------------------------------------------------


def cond(
    pred: Tensor, true_fn: Function | None = None, false_fn: Function | None = None, *operands: Tensor
) -> CallResult:
    """``true_fn(*operands)`` if ``pred``, else ``false_fn(*operands)``; both may use anything in scope.

    The results must have one structure, with the same dtypes and shapes; raises ``TypeError`` or
    ``ShapeError`` otherwise. Without functions, as in MindSpore, it is the condition number of a matrix:
    ``cond(A, p)``.

    >>> print(cond(Tensor(True), lambda x: x * 2, lambda x: x * 3, Tensor(5.0)))
    10.0
    """
    if not callable(true_fn):
        return apply(COND_NUMBER, pred, p=true_fn)
    then, otherwise = converted_function(true_fn), converted_function(false_fn)
    return branch(as_condition(pred), lambda: then(*operands), lambda: otherwise(*operands))


def branch(flag: TensorLike, then: Callable[[], PyTree], otherwise: Callable[[], PyTree]) -> PyTree:
    """The result of one of two functions, selected by a bool or a traced bool[]."""
    if not isinstance(flag, Tensor):
        return then() if flag else otherwise()
    bodies = [Body(then, (), "then"), Body(otherwise, (), "else")]
    refuse_joined_containers([[body.out for body in bodies]], partial(existed_before, bodies))
    joined = join([body.out for body in bodies])
    return joined.rebuild(_emit_cond(flag, bodies, [joined]))


def branch_variables(
    flag: Tensor, then: Callable[[], PyTree], otherwise: Callable[[], PyTree], names: Sequence[str]
) -> list[PyTree]:
    """The values of variables after one of two functions, each of which returns all of them."""
    bodies = [Body(then, (), "then"), Body(otherwise, (), "else")]
    alternatives = [body.out for body in bodies]
    refuse_joined_containers(zip(*alternatives, strict=True), partial(existed_before, bodies))
    joins = join_variables(names, alternatives, GENERATED_PREFIX)
    results = iter(_emit_cond(flag, bodies, joins))
    return [joined.rebuild([next(results) for _ in joined.tensors(0)]) for joined in joins]


def _emit_cond(flag: Tensor, bodies: list[Body], joins: Sequence[Join]) -> list[Tensor]:
    """Emit the ``cond`` node and the assignments that its bodies made; returns the other results."""
    stored = assigned_tensors(bodies)
    outs = [[*_joined_values(body, joins, k), *map(body.inner_value, stored)] for k, body in enumerate(bodies)]
    outer = outer_values(bodies)
    graphs = tuple(body.close((), outer, out) for body, out in zip(bodies, outs, strict=True))
    if not outs[0] and not any(graph.writes(node) for graph in graphs for node in graph):
        return []
    return _assign_results(stored, _tuple(apply(COND, flag, *outer, bodies=graphs)))


def _joined_values(body: Body, joins: Sequence[Join], alternative: int) -> list[Tracer]:
    leaves = [leaf for joined in joins for leaf in joined.tensors(alternative)]
    return [body.inner_value(as_tensor(value, type.dtype)) for value, type in leaves]


def _assign_results(stored: Sequence[Tensor], results: Sequence[Tensor]) -> list[Tensor]:
    """Assign the last results to the tensors that bodies assigned; returns the other results."""
    first = len(results) - len(stored)
    for target, value in zip(stored, results[first:], strict=True):
        apply("assign", target, value, name=assignment_name(target))
    return list(results[:first])


def _tuple(out: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    return out if isinstance(out, tuple) else (out,)


# ---- loops -----------------------------------------------------------------------------------------


def while_loop(cond_fun: Function, body_fun: Function, init_val: PyTree) -> PyTree:
    """Apply ``body_fun`` to ``init_val`` repeatedly while ``cond_fun`` of the value is true.

    ``init_val`` is a tensor or a pytree of tensors, whose types the body must keep. A function with as many arguments
    as a tuple or list has items is called with the items. Raises ``TypeError`` for another structure or dtype.

    >>> print(while_loop(lambda x: x < 100, lambda x: x * 2, Tensor(3)))
    192
    """
    test, body = _unpack_argument(cond_fun, init_val), _unpack_argument(body_fun, init_val)
    if is_tracing():
        return trace_while(test, body, init_val)
    value = init_val
    while as_condition(test(value)):
        value = body(value)
    return value


def fori_loop(
    lower: int | Tensor, upper: int | Tensor, body_fun: Callable[[Tensor, PyTree], PyTree], init_val: PyTree
) -> CallResult:
    """``val = body_fun(i, val)`` for i from ``lower`` to ``upper``, exclusive; i is an integer tensor.

    >>> print(fori_loop(0, 4, lambda i, total: total + i, Tensor(0)))
    6
    """
    body_fun = converted_function(body_fun)
    if (isinstance(upper, Tensor) and upper.is_traced) or (isinstance(lower, Tensor) and lower.is_traced):
        start = (as_tensor(lower, int64), init_val)
        return trace_while(lambda s: s[0] < upper, lambda s: (s[0] + 1, body_fun(s[0], s[1])), start)[1]
    rows = Tensor(np.arange(int(lower), int(upper)))
    return scan(lambda value, i: (body_fun(i, value), None), init_val, rows)[0]


def scan(
    loop_func: Callable[[PyTree, PyTree], tuple[PyTree, PyTree]], init: PyTree, xs: PyTree = None,
    length: int | None = None, unroll: bool = False,
) -> CallResult:  # fmt: skip
    """``init, y = loop_func(init, x)`` for every row x of ``xs``; returns the last init and all y stacked.

    ``xs`` is a tensor or a pytree of tensors with first axes of one size, or ``None`` if ``length`` is given. Raises
    ``ShapeError`` or ``TypeError`` if the types of ``init`` change.

    >>> total, sums = scan(lambda s, x: (s + x, s + x), Tensor(0.0), Tensor([1.0, 2.0, 3.0]))
    >>> print(total, sums)
    6.0 [1. 3. 6.]
    """
    loop_func, (rows, spec) = converted_function(loop_func), flatten(xs, is_tensor)
    count = int(length) if length is not None else rows[0].shape[0] if rows else None
    if count is None:
        raise UsageError("scan: the number of iterations is unknown; give xs or length")
    if is_tracing() and not unroll:
        return _trace_scan(loop_func, init, rows, spec, count)
    value, ys = init, []
    for i in range(count):
        value, y = loop_func(value, unflatten(spec, [row[i] for row in rows]))
        ys.append(y)
    return value, _stack_results(ys)


def _stack_results(ys: Sequence[Tensor | None]) -> Tensor | None:
    if not ys:
        return None
    leaves, specs = zip(*(flatten(y, is_tensor) for y in ys), strict=True)
    return unflatten(specs[0], [apply("stack", *column, axis=0) for column in zip(*leaves, strict=True)])


def _unpack_argument(fn: Function, init: PyTree) -> Callable[[PyTree], PyTree]:
    """Convert a function of the items of a tuple or list to a function of that tuple or list."""
    fn = converted_function(fn)
    if not isinstance(init, tuple | list):
        return fn
    try:
        required = [p for p in inspect.signature(fn).parameters.values() if p.default is p.empty]
    except (TypeError, ValueError):
        return fn
    takes_items = len(required) == len(init) != 1 or any(p.kind is p.VAR_POSITIONAL for p in required)
    return (lambda value: fn(*value)) if takes_items else fn


def trace_while(test_fn: Callable[[PyTree], TensorLike], body_fn: Callable[[PyTree], PyTree], init: PyTree) -> PyTree:
    """Emit a ``while_loop`` node: ``body_fn`` of a pytree while ``test_fn`` of it is true; returns the final pytree."""
    loop = trace_loop_body(body_fn, init)
    test = Body(lambda *xs: test_fn(loop_state(loop.spec, xs, loop.originals)), loop.start, "test")
    flag = test.call_inside(lambda: as_tensor(as_condition(test.out), bool_))
    if test.assigned_tensors:
        text = f"while: its condition assigns '{assignment_name(test.assigned_tensors[0])}'; assign it in the body"
        raise with_location(CaptureError(text))
    stored = assigned_tensors([loop.body])
    outs = [*loop.outs, *map(loop.body.inner_value, stored)]
    threaded = [test.parent.value_of(parameter) for parameter in stored]
    outer = [*threaded, *outer_values([loop.body, test], without=threaded)]
    bodies = (
        test.close(test.arguments, outer, [test.inner_value(flag)]),
        loop.body.close(loop.body.arguments, outer, outs),
    )
    results = _tuple(apply(WHILE, *loop.start, *outer, carries=len(outs), bodies=bodies))
    final = _assign_results(stored, results)
    mark_numbers(final, zip(loop.originals))
    for value, *alternatives in zip(final, loop.originals, loop.outs, strict=True):
        mark_alternatives(value, alternatives)
    return unflatten(loop.spec, final)


def _trace_scan(
    fn: Function, init: Tensor, rows: Sequence[Tensor], spec: Spec, length: int
) -> tuple[Tensor | None, Tensor | None]:
    slices = [zeros_of(row.type.__class__(row.shape[1:], row.dtype)) for row in rows]
    loop = trace_loop_body(lambda value, *xs: fn(value, unflatten(spec, xs)), init, slices, extra=True)
    ys, y_spec = flatten(loop.ys, is_tensor)
    count, stored = len(loop.start), assigned_tensors([loop.body])
    threaded = [loop.body.parent.value_of(parameter) for parameter in stored]
    outs = [*loop.outs, *map(loop.body.inner_value, stored), *map(loop.body.inner_value, ys)]
    captured = outer_values([loop.body], without=threaded)
    explicit = loop.body.arguments
    inputs = [*explicit[:count], *map(loop.body.tracing.capture_value, threaded), *explicit[count:]]
    body = loop.body.close(inputs, captured, outs)
    carries = count + len(stored)
    results = _tuple(apply(
        SCAN, *loop.start, *threaded, *rows, *captured, carries=carries, rows=len(rows), length=length, bodies=(body,)
    ))  # fmt: skip
    carried = _assign_results(stored, results[:carries])
    mark_numbers(carried, zip(loop.originals))
    return unflatten(loop.spec, carried), unflatten(y_spec, results[carries:])
