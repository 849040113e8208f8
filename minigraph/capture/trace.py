"""The tracer: runs a Python function on tensors without values and keeps every operator as a node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from minigraph.capture.effect_order import EffectOrder
from minigraph.capture.guards import Condition, Guard, elements_of
from minigraph.capture.reachable_state import guards_of
from minigraph.capture.structure import AsWritten, check_results, input_names, is_tensor
from minigraph.capture.tracer import Tracer
from minigraph.core.errors import EndlessCapture, TraceError
from minigraph.core.garbage_collection import collector_paused
from minigraph.core.location import SCOPE, Loc, in_expression, located, raise_location, user_loc
from minigraph.core.op import NO_ATTRS, Attrs, Op, current_interpreter, interpreting, listening
from minigraph.core.pytree import Spec, flatten, unflatten
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.inplace import note_views, shares_operand_memory
from minigraph.core.tensor.promotion import promote_operands
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, reference
from minigraph.ir.records import CONST, INPUT, PARAMETER, Literal

NO_UFUNCS = "__array_ufunc__=None"  # what numpy says where a tensor refuses


class Tracing:
    """The interpreter that adds a node for every call.

    Parameters read as their parameter node until they are assigned, then as the assigned value, and so do
    tensors that are written to. ``guards`` are what the traced code depended on in Python, ``written`` the tensors
    from outside that have a new value at the end.
    """

    typed = True
    is_body = False

    def __init__(self, graph: Graph, auto_depend: bool = True, reads: AsWritten | None = None) -> None:
        self.graph = graph
        self.open = True
        self.reads = reads or AsWritten()
        self.guards: list[Condition] = []
        self.inner: list[Tracing] = []  # of the bodies inside of this graph
        self.forward: int | None = None  # the node whose gradient is being taken
        self.written: dict[int, Tensor] = {}
        self._renewed: dict[int, Tensor] = {}  # written to, whoever made them
        self._nodes: dict[int, tuple[Tensor, Tracer]] = {}  # id of a tensor -> (it, its value now)
        self._targets: dict[int, tuple[Tracer, Tensor]] = {}  # id of a value -> (it, the tensor whose value it is)
        self._made: dict[int, Tensor] = {}  # tensors made on the way, which nobody outside knows
        self._keys: dict[int, str] = {}  # id of a Parameter -> its key in graph.params
        self._order = EffectOrder(graph) if auto_depend else None
        graph.keep_effects = auto_depend

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tracer, ...]:
        """Operands as nodes of this graph: numbers and outside tensors become constants."""
        return tuple([self.node_of(arg) for arg in promote_operands(op, args)])

    def emit(self, op: Op, args: tuple[Tracer, ...], attrs: Attrs) -> Any:
        """Add a node and return its result (a tuple when there are several)."""
        if op.stores:
            return self._stored(op, args, attrs)
        out = self._added(op, args, attrs)
        if op.view and shares_operand_memory(op, args):
            note_views(op, self.target_of(args[0]), attrs, out)
        return out

    def _added(self, op: Op, args: tuple[Tracer, ...], attrs: Attrs) -> Any:
        types, bodies = op.types([arg._type for arg in args], attrs), ()
        if attrs:
            bodies = attrs.get("bodies", ())
            attrs = {name: value for name, value in attrs.items() if name != "bodies"}
        else:
            attrs = NO_ATTRS
        sources = () if self.forward is None else (self.forward,)
        refs = tuple([arg.ref for arg in args])  # of this graph, for ``lift`` has seen to that
        node = self.graph.graft(op, refs, attrs, types, loc=self._place(), regions=bodies, sources=sources)
        if self._order and (op.effects or bodies):
            self._order.add(node)
        if len(types) == 1:
            return Tracer(self, node, types[0])
        return tuple([Tracer(self, reference(node, r), type) for r, type in enumerate(types)])

    def known(self, tensor: Tensor, to_numpy: bool) -> Any:
        """What Python sees of a tensor: its array, if the graph does not give it a value when it runs."""
        if not (isinstance(tensor, Parameter) or self.waits(tensor)):
            return tensor.array
        return self.reads.to_numpy(self.now(tensor)) if to_numpy else self.now(tensor).array

    def waits(self, tensor: Tensor) -> bool:
        """Whether the value of a tensor is known when the graph runs: a tracer's, and of what was written to."""
        return tensor.traced or id(tensor) in self._renewed

    def now(self, tensor: Tensor) -> Tracer:
        """The value a tensor has at this point of the code, whatever is written to it later."""
        value = self.node_of(tensor)
        return Tracer(self, value.ref, value.type)

    def as_made(self, value: Tracer) -> Tracer:
        """A value as it was before anything was written to the tensor it is."""
        return Tracer(self, value.ref, value.type) if id(value) in self._nodes else value

    def close(self) -> None:
        """No more nodes: tracers have had their use, and tensors that were made on the way may go."""
        self.open = False
        self._nodes.clear()
        self._targets.clear()
        self._made.clear()
        self._renewed.clear()
        for body in self.inner:
            body.close()

    def _stored(self, op: Op, args: tuple[Tracer, ...], attrs: Attrs) -> Tracer:
        """An assignment: a node if the target is a Parameter; any other tensor just has another value from here on.

        A body adds no node for a Parameter either: the graph around assigns it.
        """
        target = self.target_of(args[0])
        if isinstance(target, Parameter) and not self.is_body:
            value: Tracer = self._added(op, args, {**attrs, "name": self._keys[id(target)]})
        else:
            op.types([arg.type for arg in args], attrs)
            self._renewed[id(target)] = target
            value = Tracer(self, args[1].ref, args[1].type)
            if not self.owns(target):
                self.written[id(target)] = target
        self.succeed(target, value)
        return value

    def succeed(self, target: Tensor, value: Tracer) -> None:
        """Let ``value`` be what ``target`` reads as from here on."""
        self._nodes[id(target)] = target, value
        self._targets[id(value)] = value, target

    def target_of(self, value: Tracer) -> Tensor:
        """The tensor that an assignment to this value means."""
        return self._targets.get(id(value), (value, value))[1]

    def made(self, tensor: Tensor) -> None:
        """Note that a tensor was made by the traced code itself."""
        self._made[id(tensor)] = tensor

    def owns(self, target: Tensor) -> bool:
        """Whether nobody outside of the traced code can see a tensor change; an input belongs to the caller."""
        if isinstance(target, Tracer):
            return target.tracing is self and target.ref not in self.graph.inputs
        return id(target) in self._made

    def node_of(self, tensor: Tensor) -> Tracer:
        """The node a tensor is in this graph, added at first use."""
        found = self._nodes.get(id(tensor))
        if found is not None:
            return found[1]
        if isinstance(tensor, Tracer):
            return tensor if tensor.tracing is self else self._foreign(tensor)
        made = self._parameter(tensor) if isinstance(tensor, Parameter) else self._constant(tensor)
        self.succeed(tensor, made)
        return made

    def _foreign(self, tracer: Tracer) -> Tracer:
        """Refuse a tracer of another graph, naming the line."""
        _ = tracer.array
        return tracer

    def _parameter(self, parameter: Parameter) -> Tracer:
        key, count = parameter.name, 1
        while key in self.graph.params:
            key, count = f"{parameter.name}#{count}", count + 1
        self.graph.params[key] = parameter
        self._keys[id(parameter)] = key
        node = self.graph.emit(PARAMETER, (), {"name": key}, [parameter.type], loc=self._place())
        return Tracer(self, node, parameter.type)

    def _constant(self, tensor: Tensor) -> Tracer:
        literal = Literal(tensor.array)
        if tensor.array.flags.writeable:
            self.guards.append(elements_of(tensor, before=literal.array))
        node = self.graph.emit(CONST, (), {"value": literal}, [literal.type], loc=self._place())
        return Tracer(self, node, literal.type)

    def _place(self) -> tuple[Loc, ...]:
        """The lines of a new node: the forward node's in a gradient, else where the user's program stands."""
        return self.graph.loc(self.forward) if self.forward is not None else _here(ours=5)


class Captured(NamedTuple):
    """A traced function: its graph, how its outputs are structured, and what it depended on.

    ``written`` are the tensors that the function wrote to, an input as its position; their new values are the
    last outputs of the graph. ``fill`` takes what it left in Python that has a value only when the graph has run.
    """

    graph: Graph
    out_spec: Spec
    guards: list[Condition]
    written: tuple[int | Tensor, ...] = ()
    fill: Callable[[Sequence[Any]], None] = lambda left: None


def _here(ours: int = 0) -> tuple[Loc, ...]:
    loc = user_loc(ours)
    return _scoped(loc, SCOPE.get()) if loc else ()


@lru_cache(maxsize=1 << 14)
def _scoped(loc: Loc, scope: str) -> tuple[Loc, ...]:
    """A place in these Cells, as nodes have it: one object for all nodes of an expression."""
    return (loc._replace(scope=scope) if scope else loc,)


def capture(
    fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], auto_depend: bool = True, title: str = "",
    reads: AsWritten | None = None,
) -> Captured:  # fmt: skip
    """Trace ``fn`` with tensors of the same types as those found in ``args`` and ``kwargs``.

    Everything that is not a tensor is used as it is. Raises ``TraceError`` when the function asks for a
    value, and leaves no state behind when it raises anything. ``reads`` is how functions are read on the way.
    """
    leaves, spec = flatten((tuple(args), kwargs), is_tensor)
    graph = Graph(title=title or getattr(fn, "__name__", "graph"))
    tracing = Tracing(graph, auto_depend, reads)
    names = input_names(fn, args, kwargs)
    tracers = [_input(tracing, name, leaf.type) for name, leaf in zip(names, leaves, strict=True)]
    traced_args, traced_kwargs = unflatten(spec, tracers)
    try:
        with interpreting(tracing), listening(alone=True), collector_paused():
            out = tracing.reads(fn)(*traced_args, **traced_kwargs)
            out_leaves, out_spec = flatten(out, is_tensor)
            outs = [*out_leaves, *tracing.written.values()]
            graph.set_outs([tracing.node_of(leaf).ref for leaf in outs])
    except TypeError as error:
        if NO_UFUNCS not in str(error):
            raise
        text = f"numpy: a tensor without a value yet is no operand of its functions, while tracing '{graph.title}'"
        raise TraceError(f"{text}{in_expression(raise_location(error))}; {tracing.reads.way_out}") from None
    except RecursionError as error:
        text = f"'{graph.title}': a function calls itself without an end, because tensors say nothing while capturing"
        raise located(EndlessCapture(f"{text}; write it as a while"), raise_location(error)) from None
    finally:
        tracing.close()
    check_results(graph.title, out_spec)
    positions = {id(tracer): k for k, tracer in enumerate(tracers)}
    written = tuple(positions.get(key, tensor) for key, tensor in tracing.written.items())
    return Captured(graph, out_spec, tracing.guards, written)


def trace(fn: Callable[..., Any], *args: Any, auto_depend: bool = True, **kwargs: Any) -> Graph:
    """The graph of ``fn`` called with arguments like these, as captured: before any pass.

    >>> from minigraph import Tensor
    >>> graph = trace(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> [str(graph.op(node)) for node in graph]
    ['input', 'mul']
    """
    return capture(fn, args, kwargs, auto_depend).graph


def tracing_now() -> bool:
    """Whether a graph is being captured."""
    return isinstance(current_interpreter(), Tracing)


def guard(owner: Any, attribute: str) -> None:
    """Note that the code being traced depends on ``owner.attribute``; nothing happens in eager mode."""
    if isinstance(interpreter := current_interpreter(), Tracing):
        interpreter.guards.append(Guard(owner, attribute, getattr(owner, attribute)))


def guard_reads(fn: Callable[..., Any]) -> None:
    """Note that the code being traced depends on everything that ``fn`` reads; nothing happens in eager mode."""
    if isinstance(interpreter := current_interpreter(), Tracing):
        interpreter.guards += guards_of(fn)


def _input(tracing: Tracing, name: str, type: TensorType) -> Tracer:
    node = tracing.graph.emit(INPUT, (), {"name": name}, [type], loc=_here())
    tracing.graph.inputs.append(node)
    return Tracer(tracing, node, type)
