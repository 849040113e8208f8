"""Settings of Cells: flags and buffers; and MindSpore's settings that change nothing on one device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from minigraph.core.errors import AttributeArgument, KeyArgument, TypeArgument
from minigraph.core.tensor import Tensor

# Settings of devices, memory and compilers, which minigraph does not have: they are accepted, and have no effect.
RETURN_SELF = "set_boost set_broadcast_flag set_comm_fusion set_data_parallel"
RETURN_NONE = "offload recompute set_jit_config"
FLAGS, BUFFERS = "set flags", "registered buffers"  # where a Cell keeps them


class CellSettings:
    """The methods of a Cell that set or read settings."""

    # ---- names and flags ---------------------------------------------------------------------------

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @property
    def param_prefix(self) -> str:
        """Empty, as in MindSpore: a Parameter's name has its prefix."""
        return ""

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
            raise TypeArgument(text)
        if "." in name:
            raise KeyArgument('buffer name can\'t contain "."')
        names = vars(self).setdefault(BUFFERS, {})
        if hasattr(self, name) and name not in names:
            raise KeyArgument(f"register_buffer: {type(self).__name__} has an attribute '{name}'; choose another name")
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
            raise AttributeArgument(f"{type(self).__name__} has no attribute `{target}`")
        return buffer


def _add_settings_without_effect() -> None:
    def return_self(self: object, *args: object, **kwargs: object) -> Any:
        return self

    def return_none(self: object, *args: object, **kwargs: object) -> None:
        return None

    for names, setting in ((RETURN_SELF, return_self), (RETURN_NONE, return_none)):
        for name in names.split():
            setattr(CellSettings, name, setting)


_add_settings_without_effect()
