"""Tests run with numpy's kernels, whether or not numba is installed; tests of compiled loops select numba."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from minigraph.accel.host.blas import blas_threads
from minigraph.core.context import set_context
from passes.core.registry import Pass
from passes.default import PIPELINES


@pytest.fixture(autouse=True)
def use_numpy_kernels(fresh: None) -> Iterator[None]:
    set_context(kernel_backend="numpy")
    yield


@contextmanager
def use_blas_threads(count: int) -> Iterator[None]:
    """Sets the number of threads that BLAS uses, where it can be set."""
    threads = blas_threads()
    before = threads.get() if threads else count
    if threads:
        threads.set(count)
    yield
    if threads:
        threads.set(before)


@pytest.fixture
def one_blas_thread() -> Iterator[None]:
    """The reference leaves the number of threads to BLAS, which sums in another order when it uses several."""
    with use_blas_threads(1):
        yield


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def blas_thread_count(request: pytest.FixtureRequest) -> Iterator[int]:
    """Runs a test with one thread of BLAS, and with two: users who set nothing have as many as processors."""
    with use_blas_threads(request.param):
        yield request.param


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
