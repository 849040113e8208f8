"""Tests run with numpy's kernels, whether or not numba is installed; tests of compiled loops select numba."""

from collections.abc import Callable, Iterator

import pytest

from minigraph.accel.host.blas import blas_threads
from minigraph.core.context import set_context
from passes.core.registry import Pass
from passes.default import PIPELINES


@pytest.fixture(autouse=True)
def use_numpy_kernels(fresh: None) -> Iterator[None]:
    set_context(kernel_backend="numpy")
    yield


@pytest.fixture
def one_blas_thread() -> Iterator[None]:
    """The reference leaves the number of threads to BLAS, which sums in another order when it uses several."""
    threads = blas_threads()
    before = threads.get() if threads else 1
    if threads:
        threads.set(1)
    yield
    if threads:
        threads.set(before)


@pytest.fixture
def shortest_loops(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the fewest nodes that are fused into a loop, also on small tensors."""

    def allow(nodes: int) -> None:
        for name in ("numba", "numba_fast"):
            *steps, last = PIPELINES[name]
            assert isinstance(last, Pass)
            shorter = last.with_options(min_nodes=nodes, min_small_nodes=nodes, nodes_per_array=0.0)
            monkeypatch.setitem(PIPELINES, name, (*steps, shorter))  # type: ignore[arg-type]

    return allow
