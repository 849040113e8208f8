"""When a loop is compiled, who computes it before, and what happens when it cannot be."""

import warnings

import numpy as np
import pytest

from minigraph.run import kernels
from minigraph.run.kernels import Kernel, NoKernel, available, kernel_of, tell_missing
from minigraph.run.loops import Loop

TWICE = "def loop(a0, out):\n    for i in range(out.shape[0]):\n        out[i] = float32(a0[i] + a0[i])\n"
SIGNATURE = (("float32", 1), ("float32", 1))
X = np.arange(12, dtype=np.float32)
needs_numba = pytest.mark.skipif(not available(), reason="numba is not installed")


def plain(x, out):
    out[...] = x * 2


def called(kernel, x):
    out = np.zeros(x.shape, np.float32)
    kernel(plain, (x, out), ((-1,), (-1,)))
    return out


@pytest.fixture
def compiles(monkeypatch):
    """Counts what is compiled, into something that says so."""
    told = []

    def compiled(text, signature):
        told.append(text)
        return lambda x, out: np.multiply(x, 3, out)

    monkeypatch.setattr(kernels, "_compiled", compiled)
    return told


def test_a_loop_is_compiled_once_it_has_cost_enough(compiles, monkeypatch):
    kernel = Kernel(TWICE, SIGNATURE)
    monkeypatch.setattr(kernels, "PATIENCE", 1e9)
    assert called(kernel, X).tolist() == (X * 2).tolist()
    assert compiles == []
    monkeypatch.setattr(kernels, "PATIENCE", 0)
    called(kernel, X)
    assert called(kernel, X).tolist() == (X * 3).tolist()
    assert compiles == [TWICE]


def test_what_cannot_be_compiled_is_told_once_and_computed_all_the_same(monkeypatch):
    monkeypatch.setattr(kernels, "PATIENCE", 0)
    monkeypatch.setattr(kernels, "_compiled", lambda *_: 1 / 0)
    kernel = Kernel(TWICE, SIGNATURE)
    with pytest.warns(NoKernel, match="numpy computes it instead: ZeroDivisionError: division by zero") as told:
        assert called(kernel, X).tolist() == (X * 2).tolist()
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert called(kernel, X).tolist() == (X * 2).tolist()


def test_one_text_and_signature_is_one_kernel():
    loop = Loop(TWICE, SIGNATURE, ((-1,), (-1,)))
    assert kernel_of(loop) is kernel_of(loop._replace(shapes=((-1, 2), (-1, 2))))
    assert kernel_of(loop) is not kernel_of(loop._replace(signature=(("float64", 1), ("float64", 1))))


def test_a_missing_numba_is_told_once():
    tell_missing.cache_clear()
    with pytest.warns(NoKernel, match=r"pip install 'minigraph\[jit\]'") as told:
        tell_missing()
        tell_missing()
    assert len(told) == 1


@needs_numba
@pytest.mark.parametrize(
    "x",
    [X, X.reshape(3, 4), X.reshape(3, 4).T, np.arange(24, dtype=np.float32)[::2], np.broadcast_to(X[:1], 12),
     np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float32)],
    ids=["flat", "rows", "transposed", "gaps", "repeated", "unaligned"],
)  # fmt: skip
def test_numba_takes_operands_however_they_lie(x, monkeypatch):
    monkeypatch.setattr(kernels, "PATIENCE", 0)
    kernel = Kernel(TWICE, SIGNATURE)
    called(kernel, X)
    assert kernel.compiled is not None
    assert called(kernel, x).tolist() == (x * 2).tolist()
