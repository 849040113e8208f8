"""The compilation of loops: when it happens, what runs before, and its failures."""

import os
import warnings

import numpy as np
import pytest

from minigraph.accel.loops import numba_kernels, polynomials
from minigraph.accel.loops.codegen import Loop
from minigraph.accel.loops.numba_kernels import (
    Kernel,
    KernelFallbackWarning,
    is_numba_available,
    kernel_of,
    warn_numba_missing,
)
from minigraph.capture.fork_locks import kernel_lock
from tests.accel.loops.test_polynomials import check_bound
from tests.inspection import fork_while_held

TWICE = "def loop(a0, out):\n    for i in range(out.shape[0]):\n        out[i] = float32(a0[i] + a0[i])\n"
SIGNATURE = (("float32", 1), ("float32", 1))
LOOP = Loop(TWICE, SIGNATURE, ((-1,), (-1,)))
X = np.arange(12, dtype=np.float32)
needs_numba = pytest.mark.skipif(not is_numba_available(), reason="numba is not installed")


def fallback(x, out):
    out[...] = x * 2


def call(kernel, x):
    out = np.zeros(x.shape, np.float32)
    kernel(fallback, (x, out), LOOP)
    return out


@pytest.fixture
def compiled_texts(monkeypatch):
    """The texts that are compiled, into functions with other results."""
    texts = []

    def compile_loop(text, signature, written):
        texts.append(text)
        return lambda x, out: np.multiply(x, 3, out)

    monkeypatch.setattr(numba_kernels, "_compile_loop", compile_loop)
    return texts


def test_a_loop_is_compiled_once_it_has_cost_enough(compiled_texts, monkeypatch):
    kernel = Kernel(TWICE, SIGNATURE, 1)
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 1e9)
    assert call(kernel, X).tolist() == (X * 2).tolist()
    assert compiled_texts == []
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)
    call(kernel, X)
    assert call(kernel, X).tolist() == (X * 3).tolist()
    assert compiled_texts == [TWICE]


def test_a_loop_that_cannot_be_compiled_warns_once_and_is_computed_by_numpy(monkeypatch):
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)
    monkeypatch.setattr(numba_kernels, "_compile_loop", lambda *_: 1 / 0)
    kernel = Kernel(TWICE, SIGNATURE, 1)
    message = "numpy computes it instead: ZeroDivisionError: division by zero"
    with pytest.warns(KernelFallbackWarning, match=message) as messages:
        assert call(kernel, X).tolist() == (X * 2).tolist()
    assert len(messages) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call(kernel, X).tolist() == (X * 2).tolist()


def test_a_lack_of_memory_is_raised_and_compiling_is_tried_again(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)
    kernel = Kernel(TWICE, SIGNATURE, 1)
    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(numba_kernels, "_compile_loop", fail)
        call(kernel, X)
    monkeypatch.setattr(numba_kernels, "_compile_loop", lambda *_: twice)
    call(kernel, X)
    assert kernel.compiled is twice


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_waits_until_another_thread_has_compiled(compiled_texts, monkeypatch):
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)
    assert fork_while_held(kernel_lock, lambda: call(Kernel(TWICE, SIGNATURE, 1), X)) == 0


def twice(x, y):
    np.multiply(x, 2, y)


def test_one_text_and_signature_is_one_kernel():
    assert kernel_of(LOOP) is kernel_of(LOOP._replace(shapes=((-1, 2), (-1, 2))))
    assert kernel_of(LOOP) is not kernel_of(LOOP._replace(signature=(("float64", 1), ("float64", 1))))


def test_a_missing_numba_warns_once():
    warn_numba_missing.cache_clear()
    with pytest.warns(KernelFallbackWarning, match=r"pip install 'minigraph\[jit\]'") as messages:
        warn_numba_missing()
        warn_numba_missing()
    assert len(messages) == 1


@needs_numba
@pytest.mark.parametrize(
    "x",
    [X, X.reshape(3, 4), X.reshape(3, 4).T, np.arange(24, dtype=np.float32)[::2], np.broadcast_to(X[:1], 12),
     np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float32)],
    ids=["flat", "rows", "transposed", "gaps", "repeated", "unaligned"],
)  # fmt: skip
def test_kernels_take_operands_of_every_layout(x, monkeypatch):
    monkeypatch.setattr(numba_kernels, "COMPILE_AFTER_SECONDS", 0)
    kernel = Kernel(TWICE, SIGNATURE, 1)
    call(kernel, X)
    assert kernel.compiled is not None
    assert call(kernel, x).tolist() == (x * 2).tolist()


REDUCTION = """def loop(a0, out):
    f0 = {dtype}({start})
    for i in range(a0.shape[0]):
        f0 = {dtype}({combiner}(f0, {dtype}(a0[i])))
    out[()] = f0
"""


@needs_numba
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64", "uint8"])
@pytest.mark.parametrize(("combiner", "reduction"), [("maximum", np.max), ("minimum", np.min), ("add", np.sum)])
def test_reductions_have_numpys_results(combiner, reduction, dtype):
    x = np.random.default_rng(0).integers(0, 100, 1003).astype(dtype)
    start = {"maximum": 0, "minimum": 100, "add": 0}[combiner]
    text = REDUCTION.format(dtype=dtype, start=start, combiner=combiner)
    run = numba_kernels._compile_loop(text, ((dtype, 1), (dtype, 0)), 1)
    for operand in (x, np.concatenate([x, [np.nan]]).astype(dtype) if x.dtype.kind == "f" else x[::-1].copy()):
        result = np.zeros((), dtype)
        run(operand, result)
        assert np.array_equal(result, reduction(operand).astype(dtype), equal_nan=x.dtype.kind == "f")


@needs_numba
@pytest.mark.parametrize("word", polynomials.ULPS)
def test_polynomials_are_vectorized_and_within_their_bounds(word):
    text = TWICE.replace("a0[i] + a0[i]", f"{word}(a0[i])")
    run = numba_kernels._compile_loop(text, SIGNATURE, 1)
    x = np.arange(0, 1 << 32, 4099, np.uint64).astype(np.uint32).view(np.float32)
    result = np.empty_like(x)
    run(x, result)
    check_bound(word, x, result)
    assert "x float>" in next(iter(run.inspect_llvm().values()))
