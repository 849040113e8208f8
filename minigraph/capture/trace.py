"""Tracing: a Python function is run on tensors without values, and every operator call becomes a node of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from minigraph.capture.captured import Captured as Captured
from minigraph.capture.captured import Kept, kept_objects
from minigraph.capture.effect_order import EffectOrder
from minigraph.capture.structure import TraceMode, input_names, is_tensor, unknown_state
from minigraph.capture.tracer import NUMBER_FROM_TENSOR, Tracer, add_input, is_number_tracer
from minigraph.core.aliases import CallResult, Function
from minigraph.core.context import resolve
from minigraph.core.location import Loc, node_location, user_frames
from minigraph.core.op import NO_ATTRS, Attrs, Op, current_interpreter, use_interpreter
from minigraph.core.pytree import Leaf, Spec, flatten, unflatten
from minigraph.core.tensor import Parameter, Tensor
from minigraph.core.tensor.inplace import register_views, shares_operand_memory
from minigraph.core.tensor.promotion import promote_operands
from minigraph.ir.graph import Graph, reference
from minigraph.ir.structural_ops import CONST, PARAMETER, Literal

if TYPE_CHECKING:
    from minigraph.capture.guards import Condition

JOINED, ENDS = "minigraph.capture.joined_values", "minigraph.capture.capture_ends"  # late-bound: few programs need them


class Tracing:
    """The interpreter that adds a node for every call.

    A Parameter reads as its parameter node until it is assigned, then as the assigned value; likewise a written tensor.
    ``guards`` are the Python state on which the traced code depended, ``written`` the outer tensors with new values.
    """

    typed, is_body, depth = True, False, 0  # ``depth``: how many bodies this interpreter is inside of
    operand_cast: Function = staticmethod(lambda op, args: args)  # of a Cell in mixed precision

    def __init__(self, graph: Graph, auto_depend: bool = True, mode: TraceMode | None = None) -> None:
        self.graph, self.open, self.mode = graph, True, mode or TraceMode()
        self.functions: Sequence[Function] | None = ()  # the user's that may run; ``None``: others use results, too
        self.shows_objects: bool | None = None  # whether its code may change or compare objects, once that is known
        self.guards: list[Condition] = []
        self.inner: list[Tracing] = []  # the interpreters of bodies in this graph
        self.refused: Any = None  # the reason why the graph must not be run
        self._of_numbers = self.reads_class = self.compares_objects = False  # of numbers that the code reads
        self.forward: int | None = None  # the node whose gradient is being computed
        self.written: dict[int, Tensor] = {}
        self._assigned: dict[int, Tensor] = {}  # all tensors that were assigned, inner and outer ones
        self._values: dict[int, tuple[Tensor, Tracer]] = {}  # id of a tensor -> (it, its current value)
        self._targets: dict[int, tuple[Tracer, Tensor]] = {}  # id of a value -> (it, the tensor with this value)
        self.created: dict[int, Tensor] = {}  # tensors created by the traced code, invisible outside
        self.constants: dict[int, Tensor] = {}  # by node: outer tensors
        self.joined: dict[int, tuple[Tensor, list[Tensor]]] = {}  # tensors that may be aliases of others after a branch
        self._keys: dict[int, str] = {}  # id of a Parameter -> its key in graph.params
        self._order = EffectOrder(graph) if auto_depend else None
        graph.keep_effects = auto_depend

    def lift(self, op: Op, args: tuple[Any, ...]) -> tuple[Tracer, ...]:
        """The operands as values of this graph: numbers and outer tensors become constants."""
        promoted = promote_operands(op, args := self.operand_cast(op, args))  # this may call casts
        self._of_numbers = any(map(is_number_tracer, args)) and resolve(f"{JOINED}:check_numbers")(self, op, args)
        return tuple([self.value_of(arg) for arg in promoted])

    def emit(self, op: Op, args: tuple[Tracer, ...], attrs: Attrs) -> CallResult:
        """Add a node and return its result (a tuple when there are several)."""
        if op.stores:
            return self._assign(op, args, attrs)
        of_numbers, self._of_numbers = self._of_numbers, False
        out = self._add_node(op, args, attrs)
        if of_numbers:
            resolve(f"{JOINED}:mark_result")(self, out, of_numbers)
        if op.view and shares_operand_memory(op, args):
            register_views(op, self.target_of(args[0]), attrs, out)
        return out

    def _add_node(self, op: Op, args: tuple[Tracer, ...], attrs: Attrs) -> CallResult:
        types, bodies = op.types([arg._type for arg in args], attrs), attrs.get("bodies", ())
        attrs = {name: value for name, value in attrs.items() if name != "bodies"} if attrs else NO_ATTRS
        for value in attrs.values():
            if isinstance(tracer := getattr(value, "tensor", value), Tracer):  # also of a host value
                raise tracer.unavailable_value_error(f"{op.name}: ")
        sources = () if self.forward is None else (self.forward,)
        refs = tuple([arg.ref for arg in args])  # of this graph: ``lift`` converted them
        node = self.graph.graft(op, refs, attrs, types, loc=self._location(), regions=bodies, sources=sources)
        if self._order and (op.effects or bodies):
            self._order.add(node)
        if len(types) == 1:
            return Tracer(self, node, types[0])
        return tuple([Tracer(self, reference(node, r), type) for r, type in enumerate(types)])

    def mark_not_executable(self, text: str) -> None:
        """Record, with the user's line, why this graph must not be run; it can still be inspected."""
        if self.refused is None:
            self.refused = unknown_state(text, self.mode.remedy)
            self.refused.frames = user_frames(_trace_into.__code__)
        if isinstance(parent := getattr(self, "parent", None), Tracing):
            parent.refused = parent.refused or self.refused

    def concrete_array(self, tensor: Tensor, to_numpy: bool) -> Any:
        """The array of a tensor that is constant in this graph; for others a host array, or ``TraceError``."""
        if not (isinstance(tensor, Parameter) or self.is_deferred(tensor)):
            return tensor.array
        return self.mode.to_numpy(self.snapshot(tensor)) if to_numpy else self.snapshot(tensor).array

    def is_deferred(self, tensor: Tensor) -> bool:
        """Whether the value of a tensor is known only when the graph runs: a tracer, or a tensor that was assigned."""
        return tensor.is_traced or id(tensor) in self._assigned

    def snapshot(self, tensor: Tensor) -> Tracer:
        """The current value of a tensor as a new tracer, unaffected by later writes."""
        value = self.value_of(tensor)
        return Tracer(self, value.ref, value.type)

    def original_value(self, value: Tracer) -> Tracer:
        """The value of a tracer when it was created, before later writes to it."""
        return Tracer(self, value.ref, value.type) if id(value) in self._values else value

    def close(self) -> None:
        """End tracing: no more nodes can be added, and tensors created on the way may be freed."""
        self.open = False
        for table in (self._values, self._targets, self.created, self.joined, self._assigned):
            table.clear()
        for body in self.inner:
            body.close()

    def _assign(self, op: Op, args: tuple[Tracer, ...], attrs: Attrs) -> Tracer:
        """An assignment: a node if the target is a Parameter; any other tensor is rebound to the new value.

        A body adds no node for a Parameter either: the outer graph assigns it.
        """
        target = self.target_of(args[0])
        resolve(f"{JOINED}:refuse_write_to_joined")(self, target)
        if self._is_parameter(target) and not self.is_body:
            value: Tracer = self._add_node(op, args, {**attrs, "name": self._keys[id(target)]})
        else:
            op.types([arg.type for arg in args], attrs)
            self._assigned[id(target)] = target
            value = Tracer(self, args[1].ref, args[1].type)
            if not self.owns(target):
                self.written[id(target)] = target
        self.rebind(target, value)
        return value

    def rebind(self, target: Tensor, value: Tracer) -> None:
        """From here on, reading ``target`` gives ``value``."""
        self._values[id(target)] = target, value
        self._targets[id(value)] = value, target

    def target_of(self, value: Tracer) -> Tensor:
        """The tensor that an assignment to this value assigns."""
        return self._targets.get(id(value), (value, value))[1]

    def register_created(self, tensor: Tensor) -> None:
        """Register a tensor that the traced code created."""
        self.created[id(tensor)] = tensor

    def owns(self, target: Tensor) -> bool:
        """Whether changes of a tensor are invisible outside of the traced code; inputs belong to the caller."""
        if isinstance(target, Tracer):
            return target.tracing is self and target.ref not in self.graph.inputs
        return id(target) in self.created

    def value_of(self, tensor: Tensor) -> Tracer:
        """The value of a tensor in this graph, added at first use."""
        known = self._values.get(id(tensor))
        if known is not None:
            return known[1]
        if isinstance(tensor, Tracer):
            return tensor if tensor.tracing is self else self._outer_tensor(tensor)
        value = self._parameter(tensor) if self._is_parameter(tensor) else self._constant(tensor)
        self.rebind(tensor, value)
        return value

    def _is_parameter(self, tensor: Tensor) -> TypeGuard[Parameter]:
        """Whether a tensor is a Parameter that outlives the call."""
        return isinstance(tensor, Parameter) and id(tensor) not in self.created

    def _outer_tensor(self, tracer: Tracer) -> Tracer:
        """Reject a tracer of another graph, naming the user's line."""
        _ = tracer.array
        return tracer

    def _parameter(self, parameter: Parameter) -> Tracer:
        key, count = parameter.name, 1
        while key in self.graph.params:
            key, count = f"{parameter.name}#{count}", count + 1
        self.graph.params[key] = parameter
        self._keys[id(parameter)] = key
        node = self.graph.emit(PARAMETER, (), {"name": key}, [parameter.type], loc=self._location())
        return Tracer(self, node, parameter.type)

    def _constant(self, tensor: Tensor) -> Tracer:
        literal = Literal(tensor.array)
        node = self.graph.emit(CONST, (), {"value": literal}, [literal.type], loc=self._location())
        if id(tensor) not in self.created and resolve("minigraph.capture.guards:has_writeable_memory")(tensor.array):
            self.guards.append(resolve("minigraph.capture.guards:elements_guard")(tensor, before=literal.array))
            self.constants[node] = tensor
        return Tracer(self, node, literal.type)

    def _location(self) -> tuple[Loc, ...]:
        """The source lines of a new node: in a gradient those of the forward node, else the user's current line."""
        return self.graph.loc(self.forward) if self.forward is not None else node_location(ours=5)


def capture(
    fn: Function, args: Sequence[object], kwargs: dict[str, object], auto_depend: bool = True, title: str = "",
    mode: TraceMode | None = None, keep_identity: bool = False, functions: Sequence[Function] | None = (),
) -> Captured:  # fmt: skip
    """Trace ``fn`` with tensors of the same types as those found in ``args`` and ``kwargs``.

    Everything that is not a tensor is used as it is. Raises ``TraceError`` if the function needs the value of a
    tensor; no state is left behind after any error. ``mode`` determines how called functions are run;
    ``keep_identity``: a tensor that is given twice is one object to the function; ``functions``: those that may run.
    """
    leaves, spec = flatten((tuple(args), kwargs), is_tensor)
    graph = Graph(title=title or getattr(fn, "__name__", type(fn).__name__))
    tracing = Tracing(graph, auto_depend, mode)
    tracing.compares_objects, tracing.functions = keep_identity, functions
    tracers = [add_input(tracing, *pair) for pair in zip(input_names(fn, args, kwargs), leaves, strict=True)]
    first = {id(leaf): tracer for leaf, tracer in zip(reversed(leaves), reversed(tracers), strict=True)}
    traced_args, traced_kwargs = unflatten(spec, [first[id(leaf)] for leaf in leaves] if keep_identity else tracers)
    positions = {id(tracer): k for k, tracer in reversed([*enumerate(tracers)])}
    try:
        block = use_interpreter(tracing, alone=True)
        out_spec, kept = block.call(_trace_into, tracing, fn, traced_args, traced_kwargs, positions)
    except Exception as error:
        resolve(f"{ENDS}:raise_refusal")(tracing, error)
        raise
    finally:
        tracing.close()
    if out_spec.__class__ is not Leaf:
        resolve(f"{ENDS}:check_results")(tracing, out_spec)
    stored = tuple(positions.get(key, tensor) for key, tensor in tracing.written.items())
    compared, constants = () if tracing.reads_class else None, tuple(tracing.constants.items())
    return Captured(graph, out_spec, tracing.guards, stored, compared, tracing.refused, kept, constants)


def _trace_into(
    tracing: Tracing, fn: Function, args: tuple[object, ...], kwargs: dict[str, object], positions: dict[int, int]
) -> tuple[Spec, list[Kept]]:
    """Call ``fn`` on tracers and make its results the outputs of the graph.

    Returns the structure of the results, and those that are arguments (by ``positions``) or outer tensors.
    """
    out_leaves, out_spec = flatten(tracing.mode(fn)(*args, **kwargs), is_tensor)
    if any(map(is_number_tracer, out_leaves)):
        tracing.mark_not_executable(NUMBER_FROM_TENSOR)
    kept = kept_objects(out_leaves, positions, tracing.created)
    outs = [*out_leaves, *tracing.written.values()]
    tracing.graph.set_outs([tracing.value_of(leaf).ref for leaf in outs])
    return out_spec, kept


def trace(fn: Function, *args: object, auto_depend: bool = True, **kwargs: object) -> Graph:
    """The graph of ``fn`` called with arguments like these, as captured, before any pass.

    >>> from minigraph import Tensor
    >>> graph = trace(lambda x: x * x, Tensor([1.0, 2.0]))
    >>> [str(graph.op(node)) for node in graph]
    ['input', 'mul']
    """
    return capture(fn, args, kwargs, auto_depend).graph


def is_tracing() -> bool:
    """Whether a graph is being captured."""
    return isinstance(current_interpreter(), Tracing)


def add_guard(owner: object, attribute: str) -> None:
    """Add a guard: the code being traced depends on ``owner.attribute``. No effect in eager mode."""
    if isinstance(interpreter := current_interpreter(), Tracing):
        interpreter.guards += [resolve("minigraph.capture.guards:Guard")(owner, attribute, getattr(owner, attribute))]


def guard_reachable_state(fn: Function) -> None:
    """Add guards: the code being traced depends on all state that ``fn`` may read. No effect in eager mode."""
    if isinstance(interpreter := current_interpreter(), Tracing):
        interpreter.guards += resolve("minigraph.capture.reachable_state:guards_of")(fn)
