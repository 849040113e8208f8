"""Functions under the argument names of ``mindspore.mint``, from rows of a table."""

from __future__ import annotations

import inspect
from typing import Any

from minigraph.core.aliases import Function
from minigraph.ops.functional.operator_functions import rename_arguments


def rename_parameters(function: Function, names: str) -> Function:
    """The function with these names for its leading parameters.

    >>> rename_parameters(lambda x, axis: (x, axis), "input dim")(input=1, dim=0)
    (1, 0)
    """
    target_parameters = inspect.signature(function).parameters
    pairs = zip(names.split(), target_parameters, strict=False)
    return rename_arguments(function, **{theirs: ours for theirs, ours in pairs if theirs != ours})


def functions(source: object, table: str) -> dict[str, Any]:
    """The functions of a module or class by name; one row per line: ``name``, or ``name: names of its parameters``.

    >>> import math
    >>> functions(math, "sqrt: input")["sqrt"](4.0)
    2.0
    """
    rows = (line.partition(":") for line in table.strip().splitlines())
    return {name: rename_parameters(getattr(source, name), names)
            for listed, _, names in rows for name in listed.split()}  # fmt: skip
