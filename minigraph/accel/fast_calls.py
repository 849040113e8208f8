"""Specialized compiled calls: generated code with one check for each argument, guard and context setting.

A call with the same types and guards as the last one then costs a few comparisons instead of building, hashing and
looking up a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from minigraph.accel.array_layouts import layout_of
from minigraph.capture.guards import IMPLEMENTATION, MISSING, Condition, ContentsGuard, Guard
from minigraph.capture.query_guards import ClassNamesGuard, UnshadowedGuard
from minigraph.compilation.cache_entry import NOT_HANDLED
from minigraph.compilation.recompile_reasons import Key
from minigraph.core.aliases import Function
from minigraph.core.context import STORED_SETTINGS
from minigraph.core.pytree import Leaf, Spec, unflatten
from minigraph.core.tensor import Parameter, Tensor, wrap
from minigraph.core.tensor.inplace import is_view
from minigraph.execute.compile import Program

# checks that argument k is a tensor of the compiled shape and dtype; a cached layout needs no comparison
ARGUMENT_CHECK = """\
    if x{k}.__class__ is not Tensor and x{k}.__class__ is not {other}: return NOT_HANDLED
    a{k} = x{k}.array
    if x{k}.array_layout is not layout{k} and (a{k}.dtype is not dtype{k} or a{k}.shape != shape{k}): return NOT_HANDLED
"""
RETURN_TENSOR = """\
    out = new(Tensor)
    out.array, = outs
    out.array_layout = None
    return out
"""
SOURCE_FILE = str(Path(__file__).with_name("<compiled call>"))  # in this package, so that errors name the user's line
IDENTITY: Any = object.__eq__
NAMESPACE: dict[str, Any] = {
    "NOT_HANDLED": NOT_HANDLED, "Parameter": Parameter, "Tensor": Tensor, "STORED_SETTINGS": STORED_SETTINGS,
    "is_view": is_view, "missing": MISSING, "new": Tensor.__new__, "unflatten": unflatten, "wrap": wrap,
}  # fmt: skip


def make_fast_path(key: Key, guards: Sequence[Condition], program: Program, out_spec: Spec) -> Function:
    """Runs the program if the arguments, guards and context match the key, else returns ``NOT_HANDLED``.

    >>> from minigraph.capture.trace import trace
    >>> from minigraph.execute.compile import compile_graph
    >>> key, x = ((((2,), np.dtype("float32")),), None, STORED_SETTINGS["compiled_for"]), Tensor([1.0, 2.0])
    >>> call = make_fast_path(key, [], compile_graph(trace(lambda x: x * x, x)), Leaf(0))
    >>> call((x,)).tolist(), call((Tensor([1.0]),)) is call((1.0,)) is NOT_HANDLED
    ([1.0, 4.0], True)
    """
    types, _, context = key
    by_class = bool(types) and len(types[0]) > 2  # the code tests the class or the identity of an argument
    other = "Tensor" if by_class or program.stored_keys else "Parameter"
    names: dict[str, Any] = NAMESPACE | {"context": context, "run": program.__call__, "spec": out_spec}
    text = f"def call(args):\n    if len(args) != {len(types)} or STORED_SETTINGS['compiled_for'] is not context: "
    text += "return NOT_HANDLED\n    if STORED_SETTINGS['device_target'] == 'Ascend': return NOT_HANDLED\n"
    text += "".join(f"    x{k} = args[{k}]\n" + ARGUMENT_CHECK.format(k=k, other=other) for k in range(len(types)))
    if by_class:
        text += f"    if len({{*map(id, args)}}) != {len(types)}: return NOT_HANDLED\n"
    if program.stored_keys:  # of which an argument may be a view
        text += "".join(f"    if is_view(x{k}): return NOT_HANDLED\n" for k in range(len(types)))
    for k, (shape, dtype, *_) in enumerate(types):
        layout = layout_of(wrap(np.empty(shape, dtype)))
        names |= {f"shape{k}": shape, f"dtype{k}": dtype, f"layout{k}": layout}
    text += "".join(f"    if {_guard_failure(guard, k, names)}: return NOT_HANDLED\n" for k, guard in enumerate(guards))
    text += f"    outs = run({', '.join(f'a{k}' for k in range(len(types)))})\n"
    text += RETURN_TENSOR if out_spec == Leaf(0) else "    return unflatten(spec, [*map(wrap, outs)])\n"
    exec(_compile_source(text), names)
    call: Function = names.pop("call")  # else it would be in its own globals, a reference cycle
    return call


@lru_cache(maxsize=256)
def _compile_source(text: str) -> CodeType:
    """The code object of a call; many calls have the same text and share it."""
    return compile(text, SOURCE_FILE, "exec")


def _guard_failure(guard: object, k: int, names: dict[str, object]) -> str:
    """An expression that is true when a guard fails; adds the objects it reads to ``names``.

    It compares by identity first and evaluates the guard itself only for another object.
    """
    names[f"g{k}"] = guard
    if isinstance(guard, ClassNamesGuard):
        names |= {f"o{k}": vars(guard.owner), f"v{k}": [*guard.value]}
        return f"[*o{k}] != v{k} and not g{k}.holds"
    if isinstance(guard, UnshadowedGuard):
        names[f"o{k}"] = guard.owner
        return f"{guard.name!r} in o{k}.__dict__"
    if isinstance(guard, ContentsGuard) and guard.container.__class__ is dict:
        values = [*guard.container.values()]
        by_identity = all(type(value).__eq__ is IDENTITY for value in values)  # as Cells are compared: faster
        now = f"o{k}.values()" if by_identity else f"map(id, o{k}.values())"
        before: list[object] = values if by_identity else [*map(id, values)]
        names |= {f"o{k}": guard.container, f"n{k}": [*guard.container], f"v{k}": before}
        differs = f"([*o{k}] != n{k} or [*{now}] != v{k})" if values else f"o{k}"
        return f"{differs} and not g{k}.holds"
    if not isinstance(guard, Guard) or guard.name == "cell_contents":
        return f"not g{k}.holds"
    names |= {f"o{k}": guard.owner, f"v{k}": guard.value}
    if guard.name in IMPLEMENTATION and guard.owner.__class__ is not dict:  # which is never missing: faster than a call
        return f"o{k}.{guard.name} is not v{k}"
    lookup = f"o{k}.get(" if guard.owner.__class__ is dict else f"getattr(o{k}, "
    return f"{lookup}{guard.name!r}, missing) is not v{k} and not g{k}.holds"
