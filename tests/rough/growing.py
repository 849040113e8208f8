"""Ever new things of each kind, and what minigraph keeps of them once every bounded cache is emptied."""

from __future__ import annotations

import gc
import linecache
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import minigraph as ms
from minigraph import Tensor, grad, jit, nn, ops, value_and_grad
from minigraph.accel import array_layouts, fast_dispatch
from minigraph.capture.trace import trace
from minigraph.compilation.disk_cache import optimize
from minigraph.compilation.entry_table import EntryTable
from minigraph.core import context, location, types
from minigraph.errors import MinigraphError
from minigraph.execute.interpret import interpret
from minigraph.ir.text import parse
from minigraph.npu import chips, simulate
from passes import as_pipeline, fuse, rule
from passes.rewrite.driver import apply_rules
from passes.rewrite.replacement import Template

LRU: Any = type(types.infer_cached)
PACKAGES = ("minigraph", "passes", "viz")


def empty_caches() -> None:
    """Empty every cache that has a bound; the weak ones empty themselves."""
    fast_dispatch.clear_fast_paths()
    for method in vars(Tensor).values():
        function = getattr(method, "fget", method)
        if "calls" in getattr(getattr(function, "__code__", None), "co_freevars", ()):
            function.__closure__[function.__code__.co_freevars.index("calls")].cell_contents.clear()
    types._WEAKLY_INTERNED.update(types._INTERNED)  # a type in a graph of another test stays the one of its shape
    for full in (array_layouts._layouts, location._cache, location._warning_registries, types._INTERNED,
                 context._interned_keys):  # fmt: skip
        full.clear()
    for _ in range(2):
        gc.collect()
        for item in filter(_is_cache, [*_frozen_caches(), *gc.get_objects()]):
            if isinstance(item, Template):
                item.plans.clear()
            elif isinstance(item, EntryTable):
                EntryTable.__init__(item)
            else:
                item.cache_clear()


def _is_cache(item: object) -> bool:
    kind = type(item)
    return kind is Template or kind is EntryTable or (kind is LRU and str(item.__module__).startswith(PACKAGES))


@cache
def _frozen_caches() -> list[Any]:
    """The caches among what pytest hid from the garbage collector."""
    gc.unfreeze()
    caches = [item for item in gc.get_objects() if _is_cache(item)]
    gc.collect()
    gc.freeze()
    return caches


def kept_after(new_thing: Callable[[int], object], numbers: range) -> int:
    """The memory blocks that are kept of new things: two or more of each that a forgotten cache holds."""
    empty_caches()
    before = allocated_blocks()
    for k in numbers:
        new_thing(k)
    empty_caches()
    return allocated_blocks() - before


def allocated_blocks() -> int:
    """The number of memory blocks that Python has allocated, after a full collection."""
    for _ in range(3):
        gc.collect()
    return sys.getallocatedblocks()


# ---- each makes something new of a number -----------------------------------------------------------


def shapes(folder: Path, k: int) -> None:
    """Eager, differentiated, compiled and looping calls with a new shape."""
    x = ops.ones((k, 2))
    _loss(x), grad(_loss)(x), _COMPILED(x), _LOOPING(x)
    x[1:], x.reshape(-1), x.T @ x


def _loss(x: Tensor) -> Tensor:
    return (ops.softmax(x * 2.0) * x).sum()


def _loop(x: Tensor) -> Tensor:
    while x.sum() < 1000:
        x = x * 2.0
    return x


_COMPILED, _LOOPING = jit(_loss), jit(_loop)


def functions(folder: Path, k: int) -> None:
    """A new function of new code, compiled in both ways."""
    space = {"ops": ops}
    exec(compile(f"def fn{k}(x):\n    return ops.tanh(x * {k}.5).sum()", f"<new {k}>", "exec"), space)
    for mode in ("ast", "trace"):
        jit(space[f"fn{k}"], capture_mode=mode)(Tensor([1.0]))  # type: ignore[arg-type]
    jit(grad(lambda x: (x * k).sum()))(Tensor([1.0]))


SOURCE = """
def fn(x):
    while x.sum() < 9:
        x = x * 2
    return x if x.sum() > 0 else -x
"""


def source_files(folder: Path, k: int) -> None:
    """A function of a new file, with a branch and a loop."""
    path, space = folder / f"new{k}.py", dict[str, Any]()
    path.write_text(SOURCE)
    exec(compile(path.read_text(), str(path), "exec"), space)
    jit(space["fn"])(Tensor([2.0]))
    linecache.cache.pop(str(path))  # Python's own cache


def constants(folder: Path, k: int) -> None:
    """New numbers in eager, traced and compiled programs."""
    x = Tensor([1.0]) * (k + 0.25) + k
    jit(lambda x: x * (k + 0.5) + k)(x)
    grad(lambda x: (x * (k + 0.125)).sum())(x)


def strings(folder: Path, k: int) -> None:
    """New names: of Parameters, of attributes, of static arguments."""
    p = ms.Parameter(Tensor([1.0]), name=f"new{k}")
    jit(lambda x, name: x * p if name else x)(Tensor([1.0]), f"static{k}")


def cells(folder: Path, k: int) -> None:
    """A new network of a new class, trained for a step."""
    net = type(f"Net{k}", (nn.Dense,), {})(2, 3)
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    forward = value_and_grad(lambda x: net(x).sum(), None, optimizer.parameters)
    x = ops.ones((1, 2))
    optimizer(forward(x)[1])
    jit(lambda x: optimizer(forward(x)[1]))(x)


def rules(folder: Path, k: int) -> None:
    """A new rule and a new fusion, applied."""
    sum_rule = rule(lambda x: (x + x, x * 2.0))
    fused = fuse(f"new{k}", lambda x: ops.tanh(x * (k + 0.5)))
    graph = trace(lambda x: ops.tanh((x + x) * (k + 0.5)), Tensor([1.0]))
    apply_rules(graph, [sum_rule, fused])


def settings(folder: Path, k: int) -> None:
    """A new pipeline for a compiled function, and for a graph that is run by the interpreter."""
    ms.set_context(pipeline=",".join(["dce"] * (k % 97 + 1)))
    _COMPILED(Tensor([1.0])), _LOOPING(Tensor([1.0])), interpret(_GRAPH, Tensor([1.0]))
    ms.set_context(pipeline="default")


_GRAPH = _LOOPING.graph(Tensor([1.0]), pipeline=())


def chip_files(folder: Path, k: int) -> None:
    """A chip of a file, simulated."""
    text = next(path for path in chips.chip_file.SHIPPED_FOLDER.glob("ascend310.toml")).read_text()
    path = folder / f"chip{k}.toml"
    path.write_text(text)
    simulate(_STATIC, chip=chips.load_chip(path))


_STATIC = trace(lambda x: ops.softmax(x @ x), ops.ones((16, 16)))


def graphs(folder: Path, k: int) -> None:
    """A new graph: optimised, printed, parsed, drawn, simulated."""
    graph = trace(lambda x: ops.relu(x * 1.0 + k) @ x.T, ops.ones((k % 7 + 1, 2)))
    as_pipeline("default").run(graph)
    parse(str(graph))
    simulate(graph, chip="ascend910b1")


def errors(folder: Path, k: int) -> None:
    """New error messages, in eager mode and in a compiled function."""
    for run in (lambda: ops.ones((k, 2)) @ ops.ones((k + 3, 2)), lambda: jit(lambda x: x @ x)(ops.ones((k, k + 1)))):
        with suppress(MinigraphError):
            run()


def operators(folder: Path, k: int) -> None:
    """A new operator of a Python function, eager and compiled."""
    custom = ops.Custom(lambda x: x * k, lambda s: s, lambda d: d, func_type="pyfunc")
    custom(Tensor([1.0])), jit(lambda x: custom(x))(Tensor([1.0]))


def cache_entries(folder: Path, k: int) -> None:
    """A new entry of the compile cache."""
    ms.set_context(enable_compile_cache=True, compile_cache_path=str(folder))
    optimize(trace(lambda x: x * float(k) + 1.0, Tensor([1.0])), "default")
    ms.set_context(enable_compile_cache=False)


def hooks(folder: Path, k: int) -> None:
    """A tensor with a hook, and a draw of a new seed."""
    x = ms.Parameter(Tensor([float(k)]))
    x.register_hook(lambda g: g)
    grad(lambda y: (y * x).sum())(Tensor([1.0]))


KINDS: dict[str, Callable[[Path, int], object]] = {
    kind.__name__.replace("_", " "): kind
    for kind in (shapes, functions, source_files, constants, strings, cells, rules, settings, chip_files, graphs,
                 errors, operators, cache_entries, hooks)
}  # fmt: skip
