"""Python's parser, which no two threads may run at once."""

import ast
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import minigraph as ms
from minigraph import jit
from minigraph.core import python_parser
from minigraph.core.python_parser import compile_tree, parse_python
from passes import fuse
from tests.structure import modules
from viz.explore.source_text import syntax_tree


def _run_translated(k: int) -> float:
    return float(jit(lambda x: x + 1 if x.sum() > k else x)(ms.Tensor([1.0])).sum())


def test_no_two_threads_convert_syntax_trees_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    together = threading.Barrier(2, timeout=0.05)
    overlaps = []

    def enter(run, *args, **kwargs):
        try:
            together.wait()
            overlaps.append(args)
        except threading.BrokenBarrierError:  # no other thread came, as expected
            together.reset()
        return run(*args, **kwargs)

    parse, original = ast.parse, compile
    monkeypatch.setattr(ast, "parse", lambda *args, **kwargs: enter(parse, *args, **kwargs))
    monkeypatch.setattr(python_parser, "compile", lambda *args: enter(original, *args), raising=False)
    work = [lambda k=k: syntax_tree([f"x = {k}"]) for k in range(3)]
    work += [lambda k=k: _run_translated(k) for k in range(2)]
    work += [lambda k=k: fuse(f"Doubled{k}", lambda x: x + x) for k in range(2)]
    work += [lambda k=k: compile_tree(parse_python(f"x = {k}"), "net.py") for k in range(3)]
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(run) for run in work]:
            future.result(timeout=60)
    assert not overlaps


def test_everything_of_ours_goes_through_the_lock() -> None:
    others = [module for module in modules() if module.name != "minigraph.core.python_parser"]
    calls = [(ast.unparse(call.func), module.location(call)) for module in others for call in module.nodes(ast.Call)]
    assert [place for function, place in calls if function in ("ast.parse", "ast.literal_eval")] == []
