"""What is known of numpy's BLAS."""

import numpy as np
import pytest

from minigraph.ground import blas

FEATURES = getattr(np, "_core", None) or np.core


def test_blas_has_the_threads_that_the_environment_says(monkeypatch):
    monkeypatch.setattr(blas, "processors", lambda: 8)
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert blas.blas_threads() == 8
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert blas.blas_threads() == 3
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    assert blas.blas_threads() == 1
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "many")
    assert blas.blas_threads() == 3


@pytest.mark.parametrize(
    ("name", "features", "small"),
    [
        ("scipy-openblas", {"AVX512_SKX": True}, True),
        ("openblas64", {"X86_V4": True}, True),
        ("scipy-openblas", {"AVX512_SKX": False, "AVX2": True}, False),
        ("mkl-sdl", {"AVX512_SKX": True}, False),
        ("accelerate", {}, False),
    ],
)
def test_small_kernels_are_openblas_with_avx_512(monkeypatch, name, features, small):
    monkeypatch.setattr(FEATURES._multiarray_umath, "__cpu_features__", features)
    monkeypatch.setattr(np, "show_config", lambda mode: {"Build Dependencies": {"blas": {"name": name}}})
    assert blas.has_small_kernels.__wrapped__() is small


def test_this_machine_can_be_asked():
    assert blas.has_small_kernels() in (True, False)
    assert blas.processors() >= 1
