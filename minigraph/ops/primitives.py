"""What every primitive is: ``ops.MatMul(transpose_b=True)(x, w)`` is configured first and called then.

The primitives themselves stand in ``operations``, one line each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph.errors import UsageError, did_you_mean
from minigraph.op import Op
from minigraph.ops.functional.calls import RECORDS

__all__ = ["Primitive"]

NAMES: dict[Op, str] = {}  # operator -> the first primitive of the table that is it


class Primitive:
    """An operator with its configuration; ``name`` is MindSpore's.

    Raises ``UsageError`` for a configuration that the primitive has not.
    """

    name = ""
    function: Callable[..., Any]
    defaults: dict[str, Any]

    def __init__(self, *args: Any, **config: Any) -> None:
        if len(args) > len(self.defaults):
            raise UsageError(f"{self.name}: takes {len(self.defaults)} configuration values, got {len(args)}")
        self.config = self.defaults | dict(zip(self.defaults, args, strict=False)) | config
        for key in self.config:
            if key not in self.defaults:
                raise UsageError(f"{self.name}: no configuration '{key}'{did_you_mean(key, self.defaults)}")

    def __call__(self, *inputs: Any) -> Any:
        """The result of the function for these inputs."""
        return type(self).function(*inputs, **self.config)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value}" for key, value in self.config.items())
        return f"Prim[{self.name}]" + (f"<{shown}>" if shown else "")


def primitive(name: str, function: Callable[..., Any], of: Op | None = None, **defaults: Any) -> type[Primitive]:
    """A class of primitives: ``function`` called with the inputs and the configuration as keywords.

    ``of`` is the operator it calls; functions that are exactly one operator know it themselves.

    >>> primitive("Twice", lambda x, times: x * times, times=2)()
    Prim[Twice]<times=2>
    """
    record = of or RECORDS.get(function)
    if record is not None:
        NAMES.setdefault(record, name)
    first_line = (function.__doc__ or name).partition("\n")[0]
    body = {"name": name, "function": staticmethod(function), "defaults": defaults, "__doc__": first_line}
    return type(name, (Primitive,), body)


def primitive_name(op: Op) -> str:
    """What MindSpore calls an operator: the name of its primitive, else its own in camel case.

    >>> from minigraph import ops
    >>> from minigraph.op import op_named
    >>> primitive_name(op_named("sum")), primitive_name(op_named("full"))
    ('ReduceSum', 'Full')
    """
    camel = "".join(part[:1].upper() + part[1:] for part in op.name.split("_"))
    return NAMES.get(op) or camel or op.name
