"""``Cell``: a function with Parameters and child Cells, run op by op or as a graph."""

from __future__ import annotations

from typing import Any, Self

from minigraph import ops
from minigraph.capture.container_contents import is_plain_value
from minigraph.capture.trace import add_guard, guard_reachable_state, is_tracing
from minigraph.capture.tracer import Tracer
from minigraph.compilation import Jitted
from minigraph.core.aliases import PyTree, TensorLike
from minigraph.core.autodiff.custom_gradient import custom_gradient
from minigraph.core.context import GRAPH_MODE, get_context, svg_of
from minigraph.core.errors import ArgAttributeError, ArgKeyError, ArgTypeError, DuplicateNameError, MinigraphError
from minigraph.core.location import with_location_once
from minigraph.core.missing_names import add_unsupported_methods
from minigraph.core.tensor import Parameter, ParameterTuple, Tensor
from minigraph.core.tensor.promotion import converted_function
from minigraph.ir.exact_keys import exact_key
from minigraph.nn.cell_compilation import CompilableCell
from minigraph.nn.cell_conversion import ConvertibleCell
from minigraph.nn.cell_settings import CellSettings
from minigraph.nn.cell_state import StateCell
from minigraph.nn.cell_tree import CellTree
from minigraph.nn.hooks import HookedCell, with_hooks
from minigraph.nn.mixed_precision import MixedPrecisionCell, with_dtypes
from minigraph.nn.scope import is_tracking, with_scope


class _CellMeta(type):
    """The metaclass of Cells: errors of constructors report the user's line."""

    def __call__(cls, *args: object, **kwargs: object) -> PyTree:
        try:
            return super().__call__(*args, **kwargs)
        except MinigraphError as error:
            raise with_location_once(error) from error.__cause__


class Cell(
    CellTree["Cell"], HookedCell, MixedPrecisionCell, ConvertibleCell, CompilableCell, StateCell, CellSettings,
    metaclass=_CellMeta,
):  # fmt: skip
    """The base class of layers, losses, optimizers and networks: subclass it and define ``construct``.

    Parameters and Cells assigned as attributes are registered: own Parameters first, then children in the order of
    assignment, depth first. A Parameter is named after the attribute (unless it has an explicit name), and renamed to
    ``child.attribute`` when its Cell becomes a child of another. Cells in plain lists are not registered: use
    ``CellList`` or ``SequentialCell``.

    In PyNative mode a call runs ``construct`` op by op; in Graph mode the outermost Cell is captured, optimised and
    compiled, with equal results. A ``bprop(self, *inputs, out, dout)`` replaces the gradient.

    >>> from minigraph import Parameter, Tensor
    >>> class Scale(Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = Parameter(Tensor([2.0, 3.0]))
    ...
    ...     def construct(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> print(scale(Tensor([1.0, 1.0])), scale.trainable_params())
    [2. 3.] [Parameter (name=factor, shape=(2,), dtype=Float32, requires_grad=True)]
    """

    _auto_prefix: bool
    _compiled: Jitted | None = None  # in the instance once it is there: captures ignore jitted attributes, not ``None``
    _training: bool
    _version: int  # incremented when an attribute changes; compiled code is guarded by it
    requires_grad: bool

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        vars(self).update(_params={}, _cells={}, _auto_prefix=auto_prefix)
        vars(self).update(_training=False, _version=0, requires_grad=False, **flags or {})

    # ---- calling -----------------------------------------------------------------------------------

    def construct(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        """The computation of the Cell; subclasses define it."""
        raise ArgAttributeError("For 'Cell', the method 'construct' is not defined.")

    def __call__(self, *inputs: PyTree, **kwargs: PyTree) -> PyTree:
        """Runs the Cell: op by op in PyNative mode, compiled in Graph mode, into the graph while tracing."""
        run = self._runner()
        bprop = getattr(self, "bprop", None)
        try:
            return (custom_gradient(run, bprop) if bprop is not None else run)(*inputs, **kwargs)
        except MinigraphError as error:
            raise with_location_once(error) from error.__cause__

    call_as_cell = __call__  # also in classes that override ``__call__``

    def _runner(self) -> PyTree:
        if is_tracing():
            guard_reachable_state(self)
            return with_scope(self, with_hooks(self, with_dtypes(self, converted_function(self.construct))))
        if get_context("mode") != GRAPH_MODE or isinstance(self.construct, Jitted):
            run = self.construct_with_hooks
            return with_scope(self, run) if is_tracking() else run
        return self.compiled_program()

    @property
    def construct_with_hooks(self) -> PyTree:
        """The computation op by op: ``construct`` in the Cell's dtypes, and around it the hooks, if there are any."""
        return with_hooks(self, with_dtypes(self, self.construct))

    # ---- attributes --------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._check_unregistered(name, value, self._table("_cells"))
            self._register_parameter(name, value)
        elif isinstance(value, Cell):
            self._check_unregistered(name, value, self._table("_params"))
            self._register_child(name, value)
        elif name in vars(self).get("_params", ()) and value is not None:
            self._assign_parameter(name, value)
        elif name in vars(self).get("_cells", ()) and value is not None:
            raise ArgTypeError(
                f"For 'Cell', the type of {name} must be cell, but got {type(value).__name__}; "
                f"set it to None first to replace it"
            )
        else:
            self._set_attribute(name, value)

    def __delattr__(self, name: str) -> None:
        self._unregister(name)
        object.__delattr__(self, name)
        vars(self)["_version"] += 1

    def __getstate__(self) -> dict[str, Any]:
        """The state for copy and pickle: everything except compiled programs."""
        return {key: value for key, value in vars(self).items() if not isinstance(value, Jitted)}

    def _table(self, table: str) -> dict[str, Any]:
        try:
            return vars(self)[table]
        except KeyError:
            kind = type(self).__name__
            raise ArgAttributeError(
                f"The '{kind}' object has no attribute '_auto_prefix'. "
                f"Call super().__init__() first in {kind}.__init__."
            ) from None

    def _check_unregistered(self, name: str, value: object, table: dict[str, Any]) -> None:
        if name in table:
            raise ArgTypeError(
                f"{type(self).__name__}: '{name}' is a {type(table[name]).__name__}, "
                f"got a {type(value).__name__}; delete it first or choose another name"
            )

    def _register_parameter(self, name: str, parameter: Parameter) -> None:
        if not parameter.explicit_name:
            parameter.name, parameter.explicit_name = name, True
        self._params[name] = parameter
        self._set_attribute(name, parameter, registered=True)

    def _register_child(self, name: str, child: Cell) -> None:
        if self._auto_prefix:
            child.prefix_names(name + ".")
        self._cells[name] = child
        self._set_attribute(name, child, registered=True)

    def _assign_parameter(self, name: str, value: TensorLike) -> None:
        """``self.w = tensor`` and ``self.w += 1`` assign a new value to the Parameter, in every mode."""
        if not isinstance(value, Tensor):
            raise ArgTypeError(
                f"Parameter '{name}' already exists in network, can not assign this type: {type(value).__name__}; "
                f"assign a Tensor, or None to remove it"
            )
        ops.assign(self._params[name], value)

    def _set_attribute(self, name: str, value: object, registered: bool = False) -> None:
        if not registered:
            self._unregister(name)
        if isinstance(value, ParameterTuple):
            self._table("_params").update({parameter.name: parameter for parameter in value})
        if not isinstance(value, Tracer) and not _is_unchanged(vars(self).get(name, self), value):
            vars(self)["_version"] = vars(self).get("_version", 0) + 1
        object.__setattr__(self, name, value)

    def _unregister(self, name: str) -> None:
        old = vars(self).get(name)
        for key in [p.name for p in old] if isinstance(old, ParameterTuple) else [name]:
            vars(self).get("_params", {}).pop(key, None)
        vars(self).get("_cells", {}).pop(name, None)

    def insert_param_to_cell(self, param_name: str, param: Parameter, check_name_contain_dot: bool = True) -> None:
        """Registers a Parameter under a name, as assigning an attribute does.

        Raises ``TypeError`` for other types, ``KeyError`` for a name with a dot and ``ValueError`` for one in use.
        """
        self._check_name(param_name, allow_dots=not check_name_contain_dot)
        if not isinstance(param, Parameter):
            raise ArgTypeError(
                f"insert_param_to_cell: '{param_name}' must be a Parameter, got {type(param).__name__}; wrap it"
            )
        self._register_parameter(param_name, param)

    def insert_child_to_cell(self, child_name: str, child_cell: Cell) -> None:
        """Registers a Cell under a name; unlike assignment, it does not rename the Cell's Parameters.

        Raises ``TypeError`` for other types, ``KeyError`` for a name with a dot and ``ValueError`` for one in use.
        """
        self._check_name(child_name)
        if not isinstance(child_cell, Cell):
            raise ArgTypeError(f"insert_child_to_cell: '{child_name}' must be a Cell, got {type(child_cell).__name__}")
        self._cells[child_name] = child_cell
        self._set_attribute(child_name, child_cell, registered=True)

    def _check_name(self, name: str, allow_dots: bool = False) -> None:
        if isinstance(name, str) and "." in name and not allow_dots:
            raise ArgKeyError(f"{type(self).__name__}: the name '{name}' should not contain '.'")
        if not isinstance(name, str) or not name:
            raise DuplicateNameError(f"{type(self).__name__}: {name!r} is not a valid attribute name; use letters")
        if hasattr(self, name) and name not in self._params:
            raise DuplicateNameError(f"{type(self).__name__}: '{name}' exists already; choose another name")

    # ---- training ----------------------------------------------------------------------------------

    @property
    def training(self) -> bool:
        """Whether the Cell is in training mode; compiled code that reads it is recompiled when it changes."""
        add_guard(self, "_training")
        return self._training

    @training.setter
    def training(self, mode: bool) -> None:
        vars(self)["_training"] = bool(mode)

    def set_train(self, mode: bool = True) -> Self:
        """Sets this Cell and all below it to training mode (``False``: evaluation mode); returns the Cell."""
        vars(self)["_phase"] = "train" if mode else "predict"
        for _, cell in self.cells_and_names():
            vars(cell)["_training"] = bool(mode)
        return self

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Sets ``requires_grad`` for compatibility; minigraph does not use it. Returns the Cell."""
        self.requires_grad = requires_grad
        return self

    # ---- printing ----------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """The text in parentheses when the Cell is printed; subclasses may override it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extend_repr()
        if not self._cells:
            return f"{type(self).__name__}({extra})"
        lines = [extra] * bool(extra) + [f"({name}): {cell!r}" for name, cell in self._cells.items()]
        body = "\n".join(lines).replace("\n", "\n  ")
        return f"{type(self).__name__}(\n  {body}\n)"

    def _repr_svg_(self) -> str | None:
        """A drawing of the Parameters with their types and sizes, for notebooks."""
        return svg_of(self)


def _is_unchanged(old: object, new: object) -> bool:
    """Whether replacing ``old`` by ``new`` cannot affect compiled code."""
    return old is new or (type(old) is type(new) and is_plain_value(new) and exact_key(old) == exact_key(new))


add_unsupported_methods(Cell, "nn.Cell")
