"""Compiled calls as generated code: one line for each check of an argument, a guard or the context.

A call like the last one then costs a few comparisons instead of a key that is built, hashed and looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from minigraph.accel.array_forms import form_of
from minigraph.capture.guards import MISSING, Condition, Guard
from minigraph.compilation.cache_entry import NO_ANSWER
from minigraph.compilation.recompile_reasons import Key
from minigraph.core.context import chosen
from minigraph.core.pytree import Leaf, Spec, unflatten
from minigraph.core.tensor import Parameter, Tensor, wrap
from minigraph.execute.compile import Program

# the checks of one argument: a tensor of the shape and dtype compiled for; a known form needs no comparison
ARGUMENT = """\
    if x{k}.__class__ is not Tensor and x{k}.__class__ is not Parameter: return NO_ANSWER
    a{k} = x{k}.array
    if x{k}.form is not form{k} and (a{k}.dtype is not dtype{k} or a{k}.shape != shape{k}): return NO_ANSWER
"""
TENSOR = """\
    out = new(Tensor)
    out.array, = outs
    out.form = None
    return out
"""
FILE = str(Path(__file__).with_name("<compiled call>"))  # so that errors name the user's line, not one of ours
SPACE: dict[str, Any] = {
    "NO_ANSWER": NO_ANSWER, "Parameter": Parameter, "Tensor": Tensor, "chosen": chosen, "missing": MISSING,
    "new": Tensor.__new__, "unflatten": unflatten, "wrap": wrap,
}  # fmt: skip


def answering(key: Key, guards: Sequence[Condition], program: Program, out_spec: Spec) -> Callable[..., Any]:
    """A function that runs the program if the arguments, guards and context fit the key, else gives ``NO_ANSWER``.

    >>> from minigraph.capture.trace import trace
    >>> from minigraph.execute.compile import compile_graph
    >>> key, x = ((((2,), np.dtype("float32")),), None, chosen("compiled_for")), Tensor([1.0, 2.0])
    >>> call = answering(key, [], compile_graph(trace(lambda x: x * x, x)), Leaf(0))
    >>> call((x,)).tolist(), call((Tensor([1.0]),)) is call((1.0,)) is NO_ANSWER
    ([1.0, 4.0], True)
    """
    types, _, way = key
    names: dict[str, Any] = SPACE | {"way": way, "run": program.__call__, "spec": out_spec}
    text = f"def call(args):\n    if len(args) != {len(types)} or chosen('compiled_for') is not way: return NO_ANSWER\n"
    text += "    if chosen('device_target') == 'Ascend': return NO_ANSWER\n"
    text += "".join(f"    x{k} = args[{k}]\n" + ARGUMENT.format(k=k) for k in range(len(types)))
    for k, (shape, dtype) in enumerate(types):
        names |= {f"shape{k}": shape, f"dtype{k}": dtype, f"form{k}": form_of(wrap(np.empty(shape, dtype)))}
    text += "".join(f"    if {_failing(guard, k, names)}: return NO_ANSWER\n" for k, guard in enumerate(guards))
    text += f"    outs = run({', '.join(f'a{k}' for k in range(len(types)))})\n"
    text += TENSOR if out_spec == Leaf(0) else "    return unflatten(spec, [*map(wrap, outs)])\n"
    exec(_code_of(text), names)
    call: Callable[..., Any] = names.pop("call")  # it need not find itself, and would be garbage in a circle
    return call


@lru_cache(maxsize=256)
def _code_of(text: str) -> CodeType:
    """The code of a call; equal texts, of which there are many, share it."""
    return compile(text, FILE, "exec")


def _failing(guard: Any, k: int, names: dict[str, Any]) -> str:
    """An expression that is true when a guard fails; the objects it reads go into ``names``.

    The same object at the guarded place is enough; only for another one the guard itself is evaluated.
    """
    names[f"g{k}"] = guard
    if not isinstance(guard, Guard) or guard.name == "cell_contents":
        return f"not g{k}.holds"
    names |= {f"o{k}": guard.owner, f"v{k}": guard.value}
    look = f"o{k}.get(" if guard.owner.__class__ is dict else f"getattr(o{k}, "
    return f"{look}{guard.name!r}, missing) is not v{k} and not g{k}.holds"
