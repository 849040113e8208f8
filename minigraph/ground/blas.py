"""What multiplies numpy's matrices: its threads, and whether it has kernels of their own for small ones."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

SMALL = 10**6  # multiplications up to which OpenBLAS calls a product small
THREADS = {  # by library, what it asks for their number, the first first
    "openblas": ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"),
    "mkl": ("MKL_NUM_THREADS", "OMP_NUM_THREADS"),
}


def processors() -> int:
    """How many processors this process may use."""
    usable: Any = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def blas_threads() -> int:
    """How many threads numpy's matrix products use, as far as the environment says."""
    asked = next((names for library, names in THREADS.items() if library in blas_name()), ("OMP_NUM_THREADS",))
    told = (os.environ.get(name, "") for name in asked)
    return next((int(count) for count in told if count.isdecimal() and int(count)), processors())


@cache
def blas_name() -> str:
    """What numpy was built with, such as ``scipy-openblas``; nothing if it does not say."""
    built: Any = np.show_config(mode="dicts")
    return str(built.get("Build Dependencies", {}).get("blas", {}).get("name", ""))


@cache
def has_small_kernels() -> bool:
    """Whether small products are multiplied where they lie, not packed first: by OpenBLAS, with AVX-512.

    Elsewhere small products cost as much as their share of a large one, or a few per cent more.
    """
    core: Any = getattr(np, "_core", None) or np.core  # its names since numpy 2, and before
    features = getattr(core._multiarray_umath, "__cpu_features__", {})
    return "openblas" in blas_name() and any(features.get(each) for each in ("AVX512_SKX", "X86_V4"))
