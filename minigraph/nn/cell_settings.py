"""Settings of Cells: flags and buffers; and MindSpore's settings that change nothing on one device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from minigraph.capture.trace import add_guard
from minigraph.compilation.jit_config import JitConfig
from minigraph.core.errors import ArgAttributeError, ArgKeyError, ArgTypeError, ArgValueError
from minigraph.core.tensor import Tensor

# Settings of devices, memory and compilers, which minigraph does not have: they are accepted, and have no effect.
RETURN_SELF = "set_broadcast_flag set_comm_fusion"
RETURN_NONE = "cast_inputs offload recompute remove_redundant_parameters set_data_parallel"
# Keys of a Cell's ``__dict__``; they contain a space, so that no attribute has the same name.
FLAGS, BUFFERS = "set flags", "registered buffers"
PREFIX, SCOPE, CONFIG = "parameter prefix", "generated scope", "jit config"
BOOST_TYPES = ("less_bn",)


class CellSettings:
    """The methods of a Cell that set or read settings."""

    # ---- names and flags ---------------------------------------------------------------------------

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    _phase: str = "train"  # as in MindSpore also before ``set_train``
    _debugs_bprop: bool = False
    cell_type: str | None = None

    @property
    def param_prefix(self) -> str:
        """The path of the Cell once ``update_cell_prefix`` was called on one above it, else empty."""
        prefix: str = vars(self).get(PREFIX, "")
        return prefix

    def update_cell_prefix(self) -> None:
        """Sets the ``param_prefix`` of this Cell and all below it to their paths.

        >>> from minigraph import nn
        >>> net = nn.SequentialCell(nn.ReLU())
        >>> net.update_cell_prefix()
        >>> net[0].param_prefix
        '0'
        """
        for path, cell in self.cells_and_names():  # type: ignore[attr-defined]
            vars(cell)[PREFIX] = path

    def update_cell_type(self, cell_type: str) -> None:
        """Sets the attribute ``cell_type``, a note of the user; minigraph does not read it."""
        self.cell_type = cell_type

    def generate_scope(self) -> None:
        """Gives each Cell below a scope, its path with class names, unless it has one.

        >>> from minigraph import nn
        >>> net = nn.SequentialCell(nn.ReLU())
        >>> net.generate_scope()
        >>> net[0].get_scope(), net.get_scope()
        ('Default/0-ReLU', None)
        """
        stack: list[tuple[str, Any]] = [("Default", self)]
        while stack:
            scope, cell = stack.pop()
            for name, child in cell.name_cells().items():
                stack.append((f"{scope}/{name}-{type(child).__name__}", child))
                vars(child).setdefault(SCOPE, stack[-1][0])

    def get_scope(self) -> str | None:
        """The scope that ``generate_scope`` gave the Cell; ``None`` before."""
        return vars(self).get(SCOPE)

    @property
    def phase(self) -> str:
        """ "train" or, after ``set_train(False)``, "predict", or the text that was assigned.

        Raises ``TypeError`` for other values.
        """
        add_guard(self, "_phase")
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        if not isinstance(value, str):
            raise ArgTypeError(f"For 'Cell', the property 'phase' must be string type, but got type {type(value)}.")
        vars(self)["_phase"] = value

    @property
    def bprop_debug(self) -> bool:
        """A setting of MindSpore's compiler; here a ``bprop`` runs in Python in PyNative mode in any case."""
        return self._debugs_bprop

    @bprop_debug.setter
    def bprop_debug(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise ArgTypeError(f"For 'Cell', the property 'bprop_debug' must be bool type, but got type {type(value)}.")
        vars(self)["_debugs_bprop"] = value

    def set_boost(self, boost_type: str) -> Self:
        """Sets the flag ``less_bn``, which changes nothing here; raises ``ValueError`` for another ``boost_type``."""
        if boost_type not in BOOST_TYPES:
            raise ArgValueError(f"For 'set_boost', the argument 'boost_type' must be 'less_bn', but got {boost_type}.")
        return self.add_flags_recursive(less_bn=True)

    def set_jit_config(self, jit_config: JitConfig) -> None:
        """Keeps settings of the compiler, which have no effect; the first call counts, as in MindSpore.

        >>> from minigraph import nn
        >>> net = nn.ReLU()
        >>> net.set_jit_config(JitConfig(jit_level="O1"))
        >>> net.jit_config_dict["jit_level"]
        'O1'
        """
        if not vars(self).get(CONFIG):
            vars(self)[CONFIG] = jit_config.jit_config_dict

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The settings of ``set_jit_config``; empty before."""
        return vars(self).get(CONFIG, {})

    def add_flags(self, **flags: object) -> Self:
        """Sets flags, which are attributes, too; returns the Cell.

        >>> from minigraph import nn
        >>> net = nn.ReLU().add_flags(frozen=True)
        >>> net.get_flags(), net.frozen
        ({'frozen': True}, True)
        """
        vars(self).setdefault(FLAGS, {}).update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self, **flags: object) -> Self:
        """Sets flags of this Cell and all below it; returns the Cell."""
        for _, cell in self.cells_and_names():  # type: ignore[attr-defined]
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """The flags that were set."""
        return dict(vars(self).get(FLAGS, {}))

    # ---- buffers -----------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Registers a tensor that is state of the Cell, but not a Parameter, as an attribute.

        Raises ``TypeError`` for other values, ``KeyError`` for a name with a dot or of another attribute.

        >>> from minigraph import nn
        >>> net = nn.ReLU()
        >>> net.register_buffer("seen", Tensor([0.0]))
        >>> [name for name, _ in net.named_buffers()], net.trainable_params()
        (['seen'], [])
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            text = f"cannot assign '{type(tensor)}' object to buffer '{name}' (mindspore Tensor or None required)"
            raise ArgTypeError(text)
        if "." in name:
            raise ArgKeyError('buffer name can\'t contain "."')
        names = vars(self).setdefault(BUFFERS, {})
        if hasattr(self, name) and name not in names:
            raise ArgKeyError(f"register_buffer: {type(self).__name__} has an attribute '{name}'; choose another name")
        names[name] = persistent
        setattr(self, name, tensor)

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this Cell, and with ``recurse`` of all below it, with their paths."""
        seen: set[int] = set()
        for path, cell in self.cells_and_names() if recurse else [("", self)]:  # type: ignore[attr-defined]
            for name in vars(cell).get(BUFFERS, ()):
                buffer = getattr(cell, name, None)
                if isinstance(buffer, Tensor) and not (remove_duplicate and id(buffer) in seen):
                    seen.add(id(buffer))
                    yield ".".join(part for part in (prefix, path, name) if part), buffer

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, without their names."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path such as ``"block.seen"``; raises ``AttributeError`` if there is none."""
        buffer = dict(self.named_buffers(remove_duplicate=False)).get(target)
        if buffer is None:
            raise ArgAttributeError(f"{type(self).__name__} has no attribute `{target}`")
        return buffer


def _add_settings_without_effect() -> None:
    def return_self(self: object, *args: object, **kwargs: object) -> Any:
        """Accept MindSpore's arguments without effect; returns the Cell."""
        return self

    def return_none(self: object, *args: object, **kwargs: object) -> None:
        """Accept MindSpore's arguments without effect."""

    for names, setting in ((RETURN_SELF, return_self), (RETURN_NONE, return_none)):
        for name in names.split():
            setattr(CellSettings, name, setting)


_add_settings_without_effect()
