"""Reads programs of ``torch.export``: every ATen call becomes a step, with its module as scope and its source line."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from minigraph import ops
from minigraph.core.aliases import AttrValue, Function
from minigraph.core.context import resolve
from minigraph.core.errors import ModelError, UnknownNameError
from minigraph.core.location import Loc
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bfloat16, dtype_named
from minigraph.importers.model import Input, Model, Ref, Step, refs_in
from minigraph.importers.torch.table import ATEN, NON_ATEN
from minigraph.importers.weights import constant, parameter

_FRAME = re.compile(r'File "(.+)", line (\d+), in (.+)')
WITHOUT_EFFECT = {"device", "layout", "memory_format", "pin_memory", "non_blocking"}  # where torch stores a tensor
RESULT_KINDS = ("USER_OUTPUT", "LOSS_OUTPUT")  # kinds of results; other kinds are effects
ExportObject: TypeAlias = Any  # of ``torch.export``, an extra: a program, a node, a module, a spec, an example


def read_program(program: ExportObject) -> Model:
    """The program as a model; raises ``UnknownNameError`` and ``ModelError`` as ``from_torch`` does."""
    signature, weights = program.graph_signature, _Weights(program)
    nodes = list(program.graph.nodes)
    reader = _GraphReader(program.graph_module, _class_name(nodes))
    specs = {spec.arg.name: spec for spec in signature.input_specs}
    buffers = {spec.target: name for name, spec in specs.items() if spec.kind.name == "BUFFER"}
    for node in nodes:
        if node.op == "placeholder":
            spec = specs[node.name]
            if spec.kind.name == "USER_INPUT":
                reader.add_input(node)
            elif spec.kind.name == "TOKEN":
                reader.add_token(node)
            else:
                reader.add_constant(node, weights.tensor(spec))
                if spec.target in weights.assigned:
                    reader.read_old_value(node)
    results = reader.read_nodes()
    for spec, result in zip(signature.output_specs, results, strict=True):
        if spec.kind.name == "BUFFER_MUTATION":
            reader.add_assignment(spec.target, buffers[spec.target], result)
        elif spec.kind.name not in (*RESULT_KINDS, "TOKEN"):
            effect = spec.kind.name.lower().replace("_", " ")
            raise ModelError(f"{reader.title}: the program has the effect '{effect}'; return the value instead")
    pairs = zip(signature.output_specs, results, strict=True)
    return reader.model([result for spec, result in pairs if spec.kind.name in RESULT_KINDS])


class _Weights:
    """The weights of a program, each tensor once: two names of one tensor give one Parameter."""

    def __init__(self, program: ExportObject) -> None:
        self._state, self._constants = program.state_dict, program.constants
        self._known = dict[int, Tensor]()
        specs = program.graph_signature.output_specs
        self.assigned = {spec.target for spec in specs if spec.kind.name == "BUFFER_MUTATION"}

    def tensor(self, spec: ExportObject) -> Tensor:
        """The Parameter or constant of an input of the graph."""
        trained = spec.kind.name == "PARAMETER"
        value = self._state.get(spec.target, self._constants.get(spec.target))
        if value is None or not hasattr(value, "numpy"):
            raise ModelError(f"from_torch: no value for {spec.kind.name.lower()} '{spec.target}'; export it again")
        if id(value) not in self._known:
            stored = spec.target in self._state or spec.target in self.assigned  # non-persistent buffers change, too
            self._known[id(value)] = _weight(value, spec.target, trained, stored)
        return self._known[id(value)]


def _weight(value: Any, name: str, trained: bool, stored: bool) -> Tensor:
    dtype = dtype_of(value.dtype, f"the weight '{name}'")  # before torch refuses to convert it
    array = _array_of(value, dtype)
    if not stored:
        return constant(array.astype(dtype.numpy, copy=False))
    return parameter(array, name, trained and bool(value.requires_grad))


def _array_of(value: Any, dtype: DType) -> np.ndarray:
    """The elements of a torch tensor, not copied; numpy has no bfloat16 of its own, so torch gives its bits."""
    tensor = value.detach().resolve_conj()
    array: np.ndarray = tensor.view(resolve("torch:int16")).numpy() if dtype is bfloat16 else tensor.numpy()
    return array.view(dtype.numpy) if dtype is bfloat16 else array


class _GraphReader:
    """Reads the nodes of one graph: of the program, or of a branch or a loop's body."""

    def __init__(self, module: ExportObject, title: str) -> None:
        self.title, self._module = title, module
        self._values = dict[str, Any]()  # by node: a Ref, a tuple of them, or a value that is known
        self._inputs, self._constants = list[Input](), dict[str, Tensor]()
        self._steps = list[Step]()

    def model(self, outputs: list[object], is_body: bool = False) -> Model:
        """The graph as a model."""
        names = [self._name_of(value) for value in outputs if value is not None]
        return Model(self.title, self._inputs, self._constants, self._steps, names, is_body)

    def add_input(self, node: ExportObject) -> None:
        """A placeholder is an input if it represents a tensor, else a value that was fixed by the export."""
        example = node.meta.get("val")
        if not hasattr(example, "shape"):
            self._values[node.name] = example
            return
        sizes = tuple(size if type(size) is int else str(size) for size in example.shape)
        self._inputs.append(Input(node.name, dtype_of(example.dtype, f"the input '{node.name}'"), sizes))
        self._values[node.name] = Ref(node.name)

    def add_token(self, node: ExportObject) -> None:
        """A placeholder by which torch orders effects; it has no value."""
        self._values[node.name] = None

    def add_constant(self, node: ExportObject, value: Tensor) -> None:
        """A weight by the name of its placeholder."""
        self._constants[node.name] = value
        self._values[node.name] = Ref(node.name)

    def read_old_value(self, node: ExportObject) -> None:
        """Read a buffer that is assigned at the end: a result may be, or be a view of, its old value."""
        name = f"{node.name}.old"
        self._steps.append(Step("read", name, ops.identity, (Ref(node.name),), {}, (name,)))
        self._values[node.name] = Ref(name)

    def add_assignment(self, target: str, name: str, value: object) -> None:
        """Assign a buffer at the end, such as the running mean of batch norm."""
        self._steps.append(Step("assign", target, ops.assign, (Ref(name), value), {}, ("",)))

    def read_nodes(self) -> list[object]:
        """Read all calls, and give the values that the graph returns."""
        for node in self._module.graph.nodes:
            if node.op == "get_attr":
                self._values[node.name] = self._attribute(node)
            elif node.op == "call_function":
                self._values[node.name] = self._read_call(node)
            elif node.op == "output":
                results = self._argument(node.args[0], node)
                return [results] if isinstance(results, Ref) else [*results]  # the condition of a loop has one
        return []

    def _attribute(self, node: ExportObject) -> Any:
        """A graph of a branch or body as a model, or a tensor that the graph holds."""
        value = operator.attrgetter(str(node.target))(self._module)
        if hasattr(value, "graph"):
            body = _GraphReader(value, f"{self.title}.{node.target}")
            for inner in value.graph.nodes:
                if inner.op == "placeholder":
                    body.add_input(inner)
            return body.model(body.read_nodes(), is_body=True)
        self._constants[node.name] = _weight(value, node.name, trained=False, stored=False)
        return Ref(node.name)

    def _read_call(self, node: ExportObject) -> Any:
        if node.target is operator.getitem:
            values, index = self._argument(node.args, node)
            return values[index]
        location, scope = _location(node.meta.get("stack_trace") or ""), _scope(node.meta.get("nn_module_stack") or {})
        title = f"node '{node.name}' of {self.title}{f' ({location})' if location else ''}"
        name, converter = _converter_of(node.target, title)
        args, attrs = self._argument(node.args, node), self._argument(dict(node.kwargs), node)
        if any(refs_in(attrs.values())):
            raise ModelError(f"from_torch: a keyword argument of {title} is a tensor; pass it by position")
        attrs |= {f"body{at}": arg for at, arg in enumerate(args) if isinstance(arg, Model)}
        args = tuple(arg for arg in args if not isinstance(arg, Model))
        example = node.meta.get("val")
        outputs = _output_names(node) if _is_several(example) else (node.name,)
        function = _with_dtypes(converter, _dtypes(example, title))
        self._steps.append(Step(name, node.name, function, args, attrs, outputs, scope, location))
        return tuple(map(Ref, outputs)) if _is_several(example) else Ref(node.name)

    def _argument(self, value: object, node: ExportObject) -> Any:
        """An argument with nodes replaced by references and dtypes by minigraph's, also in nested structures."""
        if isinstance(value, tuple | list):
            return tuple(self._argument(item, node) for item in value)
        if isinstance(value, dict):
            return {key: self._argument(item, node) for key, item in value.items() if key not in WITHOUT_EFFECT}
        if isinstance(value, resolve("torch.fx:Node")):
            return self._values[value.name]
        if isinstance(value, resolve("torch:dtype")):
            return dtype_of(value, f"node '{node.name}'")
        return value

    def _name_of(self, value: Any) -> str:
        """The name of a result; a result that is a fixed number gets a name."""
        if isinstance(value, Ref):
            return value.name
        name = f"fixed.{len(self._constants)}"  # torch's own names have no dots
        self._constants[name] = constant(value)
        return name


# ---- facts of a node -------------------------------------------------------------------------------


def dtype_of(dtype: object, where: str) -> DType:
    """minigraph's dtype for torch's; raises ``ModelError`` for one that minigraph lacks."""
    try:
        return dtype_named(str(dtype).removeprefix("torch."))
    except UnknownNameError as error:
        raise ModelError(f"from_torch: {where}: {error}; convert the module, as by module.float()") from None


def _output_names(node: ExportObject) -> tuple[str, ...]:
    """Names for several results; "" for those that are not used."""
    used = {user.args[1] for user in node.users if user.target is operator.getitem}
    return tuple(f"{node.name}.{k}" if k in used else "" for k in range(len(node.meta["val"])))


def _is_several(example: ExportObject) -> bool:
    return isinstance(example, tuple | list)


def _dtypes(example: ExportObject, where: str) -> tuple[DType | None, ...]:
    """The dtypes of the results that torch states; ``None`` for results that are not tensors."""
    results = example if _is_several(example) else (example,)
    return tuple(dtype_of(item.dtype, where) if hasattr(item, "layout") else None for item in results)


def _with_dtypes(function: Function, dtypes: tuple[DType | None, ...]) -> Function:
    """A converter whose results are cast to the dtypes that torch states, where they differ."""

    def call(*args: object, **attrs: AttrValue) -> Any:
        results = function(*args, **attrs)
        if not isinstance(results, tuple):
            return _cast(results, dtypes[0])
        return tuple(_cast(*pair) for pair in zip(results, dtypes, strict=False))

    return call


def _cast(value: object, dtype: DType | None) -> Any:
    if dtype is None or not isinstance(value, Tensor) or value.dtype is dtype:
        return value
    return apply("cast", value, dtype=dtype)


def _converter_of(target: ExportObject, title: str) -> tuple[str, Function]:
    """The name of a call's target, such as "aten.add", and its converter, that of the overload if there is one.

    Raises ``UnknownNameError`` with the nearest operator.
    """
    schema = getattr(target, "_schema", None)
    if schema is None:  # a higher-order operator, or Python's operator on sizes
        name = str(getattr(target, "__name__", target))
        return name, NON_ATEN.converter(name, 0, title)
    namespace, name = schema.name.split("::")
    full_name = name if namespace == "aten" else f"{namespace}.{name}"
    return f"{namespace}.{name}", ATEN.find(f"{full_name}.{schema.overload_name}", 0) or ATEN.converter(
        full_name, 0, title
    )


@lru_cache(maxsize=1 << 14)
def _location(stack_trace: str) -> Loc | None:
    """The innermost line of a stack trace outside of torch."""
    folder = os.path.dirname(resolve("torch").__file__) + os.sep
    frames = [match.groups() for match in _FRAME.finditer(stack_trace)]
    users = [frame for frame in frames if not frame[0].startswith((folder, "<"))]
    return Loc(users[-1][0], int(users[-1][1]), function=users[-1][2]) if users else None


def _scope(module_stack: Mapping[str, tuple[str, object]]) -> str:
    """The path of a node's module, such as ``layer1/0/relu#2``: the second call of ``layer1.0.relu``.

    >>> _scope({"L__self__": ("", "Net"), "L__self__layer.relu@1": ("layer.relu", "ReLU")})
    'layer/relu#2'
    """
    parent, names = "", list[str]()
    for key, (path, _) in module_stack.items():
        relative_path = path.removeprefix(parent).strip(".").replace(".", "/")
        _, repeated, number = key.rpartition("@")
        if relative_path:
            names.append(f"{relative_path}#{int(number) + 1}" if repeated and number.isdigit() else relative_path)
        parent = path
    return "/".join(names)


def _class_name(nodes: list[Any]) -> str:
    """The name of the module's class, which titles the graph."""
    stacks = (node.meta.get("nn_module_stack") for node in nodes)
    kinds = [next(iter(stack.values()))[1] for stack in stacks if stack]
    kind = kinds[0] if kinds else "program"
    return str(kind if isinstance(kind, str) else kind.__name__).rpartition(".")[2]
