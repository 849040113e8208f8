"""What is known of numpy's BLAS."""

import numpy as np
import pytest

from minigraph.ground import blas

FEATURES = getattr(np, "_core", None) or np.core


NUMBERS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


@pytest.mark.parametrize(
    ("name", "told", "threads"),
    [
        ("scipy-openblas", {}, 8),
        ("scipy-openblas", {"OMP_NUM_THREADS": "3"}, 3),
        ("scipy-openblas", {"OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "1"}, 1),
        ("scipy-openblas", {"OMP_NUM_THREADS": "3", "OPENBLAS_NUM_THREADS": "many"}, 3),
        ("scipy-openblas", {"MKL_NUM_THREADS": "1"}, 8),
        ("scipy-openblas", {"OPENBLAS_NUM_THREADS": "0"}, 8),
        ("mkl-sdl", {"MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "2"}, 1),
        ("accelerate", {"MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"}, 2),
    ],
)
def test_blas_has_the_threads_that_the_environment_says(monkeypatch, name, told, threads):
    monkeypatch.setattr(blas, "processors", lambda: 8)
    monkeypatch.setattr(blas, "blas_name", lambda: name)
    for number in NUMBERS:
        monkeypatch.delenv(number, raising=False)
    for number, count in told.items():
        monkeypatch.setenv(number, count)
    assert blas.blas_threads() == threads


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
    monkeypatch.setattr(blas, "blas_name", lambda: name)
    assert blas.has_small_kernels.__wrapped__() is small


@pytest.mark.parametrize(
    ("built", "name"), [({"Build Dependencies": {"blas": {"name": "openblas64"}}}, "openblas64"), ({}, "")]
)
def test_what_numpy_was_built_with(monkeypatch, built, name):
    monkeypatch.setattr(np, "show_config", lambda mode: built)
    assert blas.blas_name.__wrapped__() == name


def test_this_machine_can_be_asked():
    assert blas.has_small_kernels() in (True, False)
    assert blas.processors() >= 1
