"""Reading ``<pass>.txt`` and comparing two graphs by running them.

A file holds cases: a ``# title`` line, the graph before, a line ``->`` with the pass's options if any, and the
graph after. A line of ``=`` signs stands between cases.
"""

import contextlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minigraph import Parameter, Tensor, interpret
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph
from minigraph.ir.verify import verify

HERE = Path(__file__).parent


class Case(NamedTuple):
    """One before and after; ``pipeline`` is the textual form of the pass with its options."""

    title: str
    pipeline: str
    before: str
    after: str


def cases() -> list[Case]:
    """Every case of every fixture file; the file's name is the pass."""
    return [case for path in sorted(HERE.rglob("*.txt")) for case in cases_of(path)]


def cases_of(path: Path) -> list[Case]:
    """The cases of one file."""
    cases = []
    for block in re.split(r"^=+\n", path.read_text(), flags=re.M):
        title, _, rest = block.strip().partition("\n")
        before, options, after = re.split(r"^->(.*)\n", rest, flags=re.M)
        cases.append(Case(title.lstrip("# "), path.stem + options.strip(), before.strip() + "\n", after.strip() + "\n"))
    return cases


SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5]


def random_array(rng: np.random.Generator, type: TensorType) -> np.ndarray:
    """Random values of a type; floats include special values."""
    if type.dtype.kind == "b":
        return rng.integers(0, 2, type.shape).astype(bool)
    if type.dtype.kind != "f":
        return rng.integers(-5, 6, type.shape).astype(type.dtype.numpy)
    values = rng.normal(size=type.shape)
    return np.where(rng.random(type.shape) < 0.3, rng.choice(SPECIAL, type.shape), values).astype(type.dtype.numpy)


class Outcome(NamedTuple):
    """All observable results of a run, to the bit."""

    outs: tuple[tuple[str, tuple[int, ...], bytes], ...]
    params: tuple[tuple[str, bytes], ...]
    printed: str


def outcome(graph: Graph, seed: int) -> Outcome:
    """Run a graph on random inputs and fresh Parameters of that seed."""
    rng = np.random.default_rng(seed)
    inputs = [Tensor(random_array(rng, graph.type(node))) for node in graph.inputs]
    types = {graph.attrs(n)["name"]: graph.type(n) for n in graph if graph.op(n).role == "parameter"}
    types |= {key: parameter.type for key, parameter in graph.params.items() if parameter is not None}
    generators = {key: np.random.default_rng([seed, k]) for k, key in enumerate(sorted(graph.params))}
    clone = graph.clone()
    clone.params = {
        key: Parameter(Tensor(random_array(generators[key], types[key])), name=key) if key in types else None
        for key in graph.params
    }
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        outs = interpret(clone, *inputs)
    return Outcome(
        tuple((out.dtype.name, out.shape, bits(out.array)) for out in outs),
        tuple((key, bits(p.array)) for key, p in clone.params.items() if p is not None),
        printed.getvalue(),
    )


def assert_preserves_results(change: Callable[[Graph], object], graph: Graph, seed: int, message: object = "") -> None:
    """Change a graph, which stays well-formed and has the same outcome afterwards."""
    before = outcome(graph, seed)
    change(graph)
    verify(graph)
    assert outcome(graph, seed) == before, message


def is_close(first: Outcome, second: Outcome, tol: float) -> bool:
    """Whether two runs are equal within a tolerance where the first is finite, and print the same."""
    pairs = [*zip(first.outs, second.outs, strict=True), *zip(first.params, second.params, strict=True)]
    return first.printed == second.printed and all(_arrays_are_close(old, new, tol) for old, new in pairs)


def _arrays_are_close(old: tuple[object, ...], new: tuple[object, ...], tol: float) -> bool:
    if old[:-1] != new[:-1]:
        return False
    kind = str(old[0]) if len(old) == 3 else "float32"
    before, after = (np.frombuffer(item[-1], kind.lower()) for item in (old, new))  # type: ignore[call-overload]
    is_finite = np.isfinite(before)
    return bool(np.allclose(before[is_finite], after[is_finite], rtol=tol, atol=tol))


def bits(array: np.ndarray) -> bytes:
    """The bytes of an array with all NaNs made equal: the payload of a NaN is not specified."""
    if array.dtype.kind == "c":
        array = np.ascontiguousarray(array).reshape(-1).view(array.real.dtype)
    if array.dtype.kind in "fV":  # V: bfloat16
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return array.tobytes()
