"""The state of a Cell as a dict: its Parameters, its persistent buffers, and the result of ``get_extra_state``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from minigraph.core.aliases import Function
from minigraph.core.autodiff.gradient_hooks import HookHandle, check_hook
from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.core.tensor import Parameter, Tensor
from minigraph.nn.cell_settings import BUFFERS

EXTRA_STATE_KEY = "_extra_state"  # the key of the result of ``get_extra_state``
HOOKS = "hooks of the state"  # where a Cell keeps its hooks, by the names below
BEFORE_SAVING, AFTER_SAVING, BEFORE_LOADING, AFTER_LOADING = "before saving", "after saving", "before loading", "after"


class IncompatibleKeys(NamedTuple):
    """The names missing in a ``state_dict``, and those that the Cell lacks."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class StateHooks:
    """The methods of a Cell that register hooks of its state; the ``remove()`` of the handle removes the hook."""

    def register_state_dict_pre_hook(self, hook: Function) -> HookHandle:
        """Calls ``hook(cell, prefix, keep_vars)`` before the Cell's state is collected.

        >>> from minigraph import nn
        >>> net = nn.ReLU()
        >>> handle = net.register_state_dict_pre_hook(lambda cell, prefix, keep_vars: print("saving", repr(prefix)))
        >>> state = nn.SequentialCell(net).state_dict()
        saving '0.'
        """
        return self._add_state_hook(BEFORE_SAVING, hook)

    def register_state_dict_post_hook(self, hook: Function) -> HookHandle:
        """Calls ``hook(cell, state_dict, prefix, local_metadata)`` with the collected state, which it may change.

        ``state_dict`` then raises ``RuntimeError`` if the hook returns anything.

        >>> from minigraph import nn
        >>> net = nn.Dense(2, 2)
        >>> def without_bias(cell, state, prefix, metadata):
        ...     del state[prefix + "bias"]
        >>> handle = net.register_state_dict_post_hook(without_bias)
        >>> list(net.state_dict())
        ['weight']
        """
        return self._add_state_hook(AFTER_SAVING, hook)

    def register_load_state_dict_pre_hook(self, hook: Function) -> HookHandle:
        """Calls a hook before the Cell's state is loaded; it may change the copy of the state that it receives.

        ``hook(cell, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``; the last
        three are lists to which it may add.

        >>> from minigraph import nn
        >>> net = nn.PReLU()
        >>> def rename(cell, state, prefix, *rest):
        ...     state[prefix + "a"] = state.pop(prefix + "slope")
        >>> handle = net.register_load_state_dict_pre_hook(rename)
        >>> net.load_state_dict({"slope": Tensor([0.5])})
        IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        return self._add_state_hook(BEFORE_LOADING, hook)

    def register_load_state_dict_post_hook(self, hook: Function) -> HookHandle:
        """Calls ``hook(cell, incompatible_keys)`` after the state of the Cell and all below it is loaded.

        It may remove names from the two lists, or add some: ``load_state_dict`` raises for those that are left. It
        raises ``RuntimeError`` if the hook returns anything.

        >>> from minigraph import nn
        >>> net = nn.Dense(2, 2)
        >>> handle = net.register_load_state_dict_post_hook(lambda cell, keys: keys.missing_keys.clear())
        >>> net.load_state_dict({})
        IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        return self._add_state_hook(AFTER_LOADING, hook)

    def _add_state_hook(self, stage: str, hook: Function) -> HookHandle:
        hooks = vars(self).setdefault(HOOKS, {}).setdefault(stage, [])
        entry = [check_hook(hook)]  # a list of its own: a function can be registered twice
        hooks.append(entry)
        return HookHandle(lambda: hooks.remove(entry) if entry in hooks else None)


def _hooks(cell: object, stage: str) -> list[Function]:
    return [hook for (hook,) in vars(cell).get(HOOKS, {}).get(stage, ())]


class StateCell(StateHooks):
    """The methods of a Cell that read and write its state."""

    def get_extra_state(self) -> Any:
        """State other than Parameters and buffers; subclasses define it to add it to ``state_dict``."""
        raise ArgRuntimeError(f"{type(self).__name__}: get_extra_state is not defined; define it in the subclass")

    def set_extra_state(self, state: object) -> None:
        """Restores the state that ``get_extra_state`` returned; subclasses define it."""
        raise ArgRuntimeError(f"{type(self).__name__}: set_extra_state is not defined; define it in the subclass")

    def state_dict(
        self, *args: object, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Parameters and persistent buffers by path, as Tensors that share memory; with ``keep_vars`` themselves.

        >>> from minigraph import nn
        >>> list(nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()).state_dict())
        ['0.weight', '0.bias']
        """
        state: dict[str, Any] = OrderedDict() if destination is None else destination
        for hook in _hooks(self, BEFORE_SAVING):
            hook(self, prefix, keep_vars)
        for name, value in _own_state(self):
            state[prefix + name] = value if keep_vars or not isinstance(value, Parameter) else value.value()
        if _defines(self, "get_extra_state"):
            state[prefix + EXTRA_STATE_KEY] = self.get_extra_state()
        for name, cell in self._cells.items():  # type: ignore[attr-defined]
            cell.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in _hooks(self, AFTER_SAVING):
            _check_no_result("state_dict", hook(self, state, prefix, {}))
        return state

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Copies the values of a ``state_dict``, all of them or none; returns the names that did not fit.

        Raises ``RuntimeError`` for other shapes and, if ``strict``, for missing and unexpected names, ``TypeError`` for
        an argument that is not a dict. A hook that is called after loading decides about names after they are copied.

        >>> from minigraph import nn
        >>> first, second = nn.Dense(2, 2), nn.Dense(2, 2)
        >>> second.load_state_dict(first.state_dict())
        IncompatibleKeys(missing_keys=[], unexpected_keys=[])
        """
        if not isinstance(state_dict, Mapping):
            raise ArgTypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        return _Loading(self, state_dict).run(strict)


class _Loading:
    """One call of ``load_state_dict``."""

    def __init__(self, root: object, state: Mapping[str, Any]) -> None:
        self.root, self.state = root, OrderedDict(state)
        self.keys, self.problems = IncompatibleKeys([], []), list[str]()
        self.cells = list(_cells_below(root))

    def run(self, strict: bool) -> IncompatibleKeys:
        """Copy the values and return the names that did not fit, or raise."""
        for prefix, cell in self.cells:
            for hook in _hooks(cell, BEFORE_LOADING):
                hook(cell, self.state, prefix, {}, True, *self.keys, self.problems)
        targets = {prefix + name: value for prefix, cell in self.cells for name, value in _own_state(cell)}
        extras = {prefix + EXTRA_STATE_KEY: cell for prefix, cell in self.cells if _defines(cell, "set_extra_state")}
        self._compare(targets, extras)
        self._raise_for_problems(strict and not any(_hooks(cell, AFTER_LOADING) for _, cell in self.cells))
        for path, value in self.state.items():
            if path in targets:
                targets[path][...] = value
            elif path in extras:
                extras[path].set_extra_state(value)
        for cell in _children_first(self.root):
            for hook in _hooks(cell, AFTER_LOADING):
                _check_no_result("load_state_dict", hook(cell, self.keys))
        self._raise_for_problems(strict)
        return self.keys

    def _compare(self, places: Mapping[str, Tensor], extras: Mapping[str, object]) -> None:
        """Note the names and the shapes that do not fit."""
        expected = [path for prefix, cell in self.cells
                    for path in (*(prefix + name for name, _ in _own_state(cell)), prefix + EXTRA_STATE_KEY)
                    if path in places or path in extras]  # fmt: skip
        self.keys.missing_keys.extend(path for path in expected if path not in self.state)
        self.keys.unexpected_keys.extend(path for path in self.state if path not in places and path not in extras)
        self.problems += [f"size mismatch for {path}" for path, value in places.items()
                          if path in self.state and tuple(self.state[path].shape) != value.shape]  # fmt: skip

    def _raise_for_problems(self, strict: bool) -> None:
        problems, (missing, unexpected) = list(self.problems), self.keys
        if strict and missing:
            problems.append("Missing key(s) in state_dict: " + ", ".join(f'"{key}"' for key in missing))
        if strict and unexpected:
            problems.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{key}"' for key in unexpected))
        if problems:
            kind = type(self.root).__name__
            raise ArgRuntimeError(f"Error(s) in loading state_dict for {kind}:\n\t" + "; ".join(problems) + ".")


def _own_state(cell: Any) -> list[tuple[str, Any]]:
    """(name, value) of the Parameters and persistent buffers of one Cell."""
    parameters = [(name, value) for name, value in cell._params.items() if isinstance(value, Parameter)]
    names = [name for name, persistent in vars(cell).get(BUFFERS, {}).items() if persistent]
    buffers = [(name, getattr(cell, name, None)) for name in names]
    return parameters + [(name, value) for name, value in buffers if isinstance(value, Tensor)]


def _cells_below(cell: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """(prefix of names, Cell) of a Cell and all below it, a Cell in two places twice."""
    yield prefix, cell
    for name, child in cell._cells.items():
        yield from _cells_below(child, f"{prefix}{name}.")


def _children_first(cell: Any) -> Iterator[Any]:
    for child in cell._cells.values():
        yield from _children_first(child)
    yield cell


def _defines(cell: object, method: str) -> bool:
    """Whether the class of a Cell defines how its extra state is read or written."""
    return getattr(type(cell), method) is not getattr(StateCell, method)


def _check_no_result(method: str, result: object) -> None:
    if result is not None:
        raise ArgRuntimeError(f"{method}: a hook returned {type(result).__name__}; change its argument, return None")
