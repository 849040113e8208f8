"""When a loop is compiled, who computes it before, and what happens when it cannot be."""

import warnings

import numpy as np
import pytest

from minigraph.accel.loops import kernels, polynomials
from minigraph.accel.loops.kernels import Kernel, NoKernel, available, kernel_of, tell_missing
from minigraph.accel.loops.loops import Loop
from tests.accel.loops.test_polynomials import check_bound

TWICE = "def loop(a0, out):\n    for i in range(out.shape[0]):\n        out[i] = float32(a0[i] + a0[i])\n"
SIGNATURE = (("float32", 1), ("float32", 1))
LOOP = Loop(TWICE, SIGNATURE, ((-1,), (-1,)))
X = np.arange(12, dtype=np.float32)
needs_numba = pytest.mark.skipif(not available(), reason="numba is not installed")


def plain(x, out):
    out[...] = x * 2


def called(kernel, x):
    out = np.zeros(x.shape, np.float32)
    kernel(plain, (x, out), LOOP)
    return out


@pytest.fixture
def compiles(monkeypatch):
    """Counts what is compiled, into something that says so."""
    told = []

    def compiled(text, signature, written):
        told.append(text)
        return lambda x, out: np.multiply(x, 3, out)

    monkeypatch.setattr(kernels, "_compiled", compiled)
    return told


def test_a_loop_is_compiled_once_it_has_cost_enough(compiles, monkeypatch):
    kernel = Kernel(TWICE, SIGNATURE, 1)
    monkeypatch.setattr(kernels, "COMPILE_AFTER_SECONDS", 1e9)
    assert called(kernel, X).tolist() == (X * 2).tolist()
    assert compiles == []
    monkeypatch.setattr(kernels, "COMPILE_AFTER_SECONDS", 0)
    called(kernel, X)
    assert called(kernel, X).tolist() == (X * 3).tolist()
    assert compiles == [TWICE]


def test_what_cannot_be_compiled_is_told_once_and_computed_all_the_same(monkeypatch):
    monkeypatch.setattr(kernels, "COMPILE_AFTER_SECONDS", 0)
    monkeypatch.setattr(kernels, "_compiled", lambda *_: 1 / 0)
    kernel = Kernel(TWICE, SIGNATURE, 1)
    with pytest.warns(NoKernel, match="numpy computes it instead: ZeroDivisionError: division by zero") as told:
        assert called(kernel, X).tolist() == (X * 2).tolist()
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert called(kernel, X).tolist() == (X * 2).tolist()


def test_one_text_and_signature_is_one_kernel():
    assert kernel_of(LOOP) is kernel_of(LOOP._replace(shapes=((-1, 2), (-1, 2))))
    assert kernel_of(LOOP) is not kernel_of(LOOP._replace(signature=(("float64", 1), ("float64", 1))))


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
    monkeypatch.setattr(kernels, "COMPILE_AFTER_SECONDS", 0)
    kernel = Kernel(TWICE, SIGNATURE, 1)
    called(kernel, X)
    assert kernel.compiled is not None
    assert called(kernel, x).tolist() == (x * 2).tolist()


FOLD = """def loop(a0, out):
    f0 = {dtype}({start})
    for i in range(a0.shape[0]):
        f0 = {dtype}({word}(f0, {dtype}(a0[i])))
    out[()] = f0
"""


@needs_numba
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "int64", "uint8"])
@pytest.mark.parametrize(("word", "fold"), [("largest", np.max), ("smallest", np.min), ("plus", np.sum)])
def test_what_reductions_are_folded_with(word, fold, dtype):
    x = np.random.default_rng(0).integers(0, 100, 1003).astype(dtype)
    start = {"largest": 0, "smallest": 100, "plus": 0}[word]
    run = kernels._compiled(FOLD.format(dtype=dtype, start=start, word=word), ((dtype, 1), (dtype, 0)), 1)
    for operand in (x, np.concatenate([x, [np.nan]]).astype(dtype) if x.dtype.kind == "f" else x[::-1].copy()):
        found = np.zeros((), dtype)
        run(operand, found)
        assert np.array_equal(found, fold(operand).astype(dtype), equal_nan=x.dtype.kind == "f")


@needs_numba
@pytest.mark.parametrize("word", polynomials.ULPS)
def test_numba_computes_polynomials_within_their_bounds_in_vectors(word):
    text = TWICE.replace("a0[i] + a0[i]", f"{word}(a0[i])")
    run = kernels._compiled(text, SIGNATURE, 1)
    x = np.arange(0, 1 << 32, 4099, np.uint64).astype(np.uint32).view(np.float32)
    found = np.empty_like(x)
    run(x, found)
    check_bound(word, x, found)
    assert "x float>" in next(iter(run.inspect_llvm().values()))
