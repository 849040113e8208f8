"""Networks trained with and without the accelerator: the same bits, but for kernels that change the summation order.

``plain``: the accelerator's tape, schedule and passes with the records' own forwards, which have to give the
reference's bits. ``shipped``: as users run it, with all tuned kernels, within ``TOLERANCE`` of the largest element of
what a process under ``MINIGRAPH_ACCEL=0`` computes, with one thread of BLAS and with two; and on one thread with its
bits where there is no convolution.
Gradients are of first and second order (a Hessian-vector product); training takes three steps, eager and jitted.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from minigraph import set_context
from minigraph.accel.fast_dispatch import clear_fast_paths
from minigraph.core import op
from tests.accel.networks import CASES, results_of
from tests.structure import ROOT

TOLERANCE = 1e-4  # three steps of training amplify differences in the last bits
CONVOLVING = {"lenet", "vit"}  # their convolutions have a tolerance


@pytest.fixture
def plain_forwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The records' own forwards, whatever the accelerator has."""
    monkeypatch.setattr(op, "_tuned_kernels", dict)
    clear_fast_paths()
    yield
    clear_fast_paths()


@pytest.mark.parametrize("jitted", [False, True], ids=["eager", "jitted"])
@pytest.mark.parametrize("name", CASES)
def test_plain_forwards_give_the_bits_of_the_reference(
    name: str, jitted: bool, plain_forwards: None, one_blas_thread: None
) -> None:
    accelerated = results_of(CASES[name], jitted)
    set_context(accel=False)
    reference = results_of(CASES[name], jitted)
    assert [array.tobytes() for array in accelerated] == [array.tobytes() for array in reference]


@pytest.fixture(scope="module")
def reference_results(tmp_path_factory: pytest.TempPathFactory) -> dict[int, dict[str, np.ndarray]]:
    """The results of all networks in processes without the accelerator, by number of BLAS threads."""
    results = {}
    for count in (1, 2):
        path = tmp_path_factory.mktemp("reference") / "results.npz"
        environment = {
            **os.environ,
            "MINIGRAPH_ACCEL": "0",
            "OPENBLAS_NUM_THREADS": str(count),
            "PYTHONPATH": str(ROOT),
        }
        _run_networks(path, environment)
        with np.load(path) as arrays:
            results[count] = dict(arrays)
    return results


def _run_networks(path: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "tests.accel.networks", str(path)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mode", ["eager", "jitted"])
@pytest.mark.parametrize("name", CASES)
def test_as_shipped_it_is_close_to_a_process_without_the_accelerator(
    name: str, mode: str, reference_results: dict[int, dict[str, np.ndarray]], blas_thread_count: int
) -> None:
    accelerated, reference = results_of(CASES[name], mode == "jitted"), reference_results[blas_thread_count]
    assert f"{name}/{mode}/{len(accelerated)}" not in reference
    for position, one in enumerate(accelerated):
        other = reference[f"{name}/{mode}/{position}"]
        assert np.abs(one - other).max() <= TOLERANCE * max(1.0, np.abs(other).max())
        if blas_thread_count == 1 and name not in CONVOLVING:
            assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("accel", [True, False], ids=["accelerated", "reference"])
@pytest.mark.parametrize("name", CASES)
def test_eager_and_jitted_give_the_same_bits_within_one_setting(name: str, accel: bool, blas_thread_count: int) -> None:
    set_context(accel=accel)
    eager, jitted = results_of(CASES[name], jitted=False), results_of(CASES[name], jitted=True)
    assert [array.tobytes() for array in eager] == [array.tobytes() for array in jitted]
