"""The tree of Cells and Parameters below a Cell, by path and by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from typing import Any, Generic, Self, TypeVar, cast

from minigraph.capture.trace import add_guard
from minigraph.core.errors import ArgAttributeError, DuplicateNameError
from minigraph.core.tensor import Parameter

CellT = TypeVar("CellT", bound="CellTree[Any]")


class CellTree(Generic[CellT]):
    """The part of ``Cell`` that traverses the tree; a path consists of attribute names joined by dots."""

    _params: dict[str, Parameter]
    _cells: dict[str, CellT]

    # ---- Cells -------------------------------------------------------------------------------------

    def name_cells(self) -> dict[str, CellT]:
        """The children by attribute name, each once."""
        first = {id(cell): name for name, cell in reversed(self._cells.items())}
        return OrderedDict((name, cell) for name, cell in self._cells.items() if first[id(cell)] == name)

    def cells(self) -> Iterator[CellT]:
        """The children, each once."""
        return iter(self.name_cells().values())

    def cells_and_names(
        self, cells: Collection[CellT] | None = None, name_prefix: str = ""
    ) -> Iterator[tuple[str, CellT]]:
        """This Cell and all below it with their paths, depth first, each once; the path of the root is ``''``.

        ``cells`` and the Cells below them are skipped.
        """
        seen = {id(cell) for cell in cells or ()}
        stack = [(name_prefix, cast(CellT, self))]
        while stack:
            path, cell = stack.pop()
            if id(cell) not in seen:
                seen.add(id(cell))
                yield path, cell
                stack += [(_join(path, name), child) for name, child in reversed(cell._cells.items())]

    def get_sub_cell(self, target: str) -> CellT:
        """The Cell at a path such as ``"blocks.0.dense"``; this one for ``""``.

        Raises ``AttributeError`` if an attribute does not exist or is not a Cell.
        """
        cell = cast(CellT, self)
        for name in target.split(".") if target else ():
            if not hasattr(cell, name) and name not in cell._cells:
                raise ArgAttributeError(f"{type(cell).__name__} has no attribute `{name}`")
            if name not in cell._cells:
                raise ArgAttributeError(f"`{name}` is not an nn.Cell")
            cell = cell._cells[name]
        return cell

    def apply(self, fn: Callable[[CellT], object]) -> Self:
        """Calls ``fn`` on every Cell below, children before parents, and on this one; returns this Cell."""
        order, stack = [], [cast(CellT, self)]
        while stack:
            order.append(stack.pop())
            stack += order[-1].cells()
        for cell in reversed(order):
            fn(cell)
        return self

    # ---- Parameters --------------------------------------------------------------------------------

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Each Parameter once, with its path of attributes; without ``expand`` only this Cell's own."""
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]:
            for name, parameter in cell._params.items():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    add_guard(parameter, "name")
                    yield _join(path, name), parameter

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Each Parameter once: own ones first, then the Parameters of the children."""
        return (parameter for _, parameter in self.parameters_and_names(expand=expand))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The Parameters with ``requires_grad``."""
        return [parameter for parameter in self.get_parameters(recurse) if _is_trainable(parameter)]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The Parameters without ``requires_grad``: frozen ones, moving statistics."""
        return [parameter for parameter in self.get_parameters(recurse) if not _is_trainable(parameter)]

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The Parameters by name."""
        return OrderedDict((parameter.name, parameter) for parameter in self.get_parameters(recurse))

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Renames every Parameter to its path of attributes, prefixed by ``prefix``."""
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name, parameter.explicit_name = prefix + path, True

    def prefix_names(self, prefix: str) -> None:
        """Prefixes the names of the Parameters of a Cell that became an attribute of another."""
        self.update_parameters_name(prefix)

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """A mapping of every Parameter to itself: minigraph initialises Parameters when they are created.

        In MindSpore this initialises deferred Parameters and maps old to new ones.
        """
        return {parameter: parameter for parameter in self.get_parameters()}

    def check_names(self) -> None:
        """Raises ``ValueError`` if two Parameters have the same name, as optimizers and checkpoints do."""
        names: set[str] = set()
        for path, parameter in self.parameters_and_names():
            if parameter.name in names:
                raise DuplicateNameError(
                    f"The value of {path} is {parameter!r}, its name '{parameter.name}' already exists. "
                    f"Please set a unique name for the parameter."
                )
            names.add(parameter.name)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _is_trainable(parameter: Parameter) -> bool:
    """Whether a Parameter requires a gradient; a captured graph is guarded by the answer."""
    add_guard(parameter, "requires_grad")
    return parameter.requires_grad
