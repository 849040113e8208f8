"""The same sweep on executors of other packages, if they are installed."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from minigraph.core.processes import SerialExecutor
from minigraph.npu.sweeps import run as module
from minigraph.npu.sweeps import sweep
from tests.npu.sweeps.designs import CHIPS, MODELS
from tests.structure import ROOT

PYTHON_FOLDER = os.path.dirname(sys.executable)
MPI = """
import sys
from mpi4py.futures import MPIPoolExecutor
from minigraph.npu.sweeps import sweep
from tests.npu.sweeps.test_clusters import arguments

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        sweep(*arguments(), out=sys.argv[1], executor=executor)
        print(executor.num_workers)
"""


def arguments():
    """80 points."""
    return MODELS, CHIPS, ("default", ""), {"mte2.lat": range(150, 250, 10)}


@pytest.fixture(scope="module")
def expected_table(tmp_path_factory):
    path = tmp_path_factory.mktemp("serial") / "sweep.csv"
    sweep(*arguments(), out=path, executor=SerialExecutor())
    return path.read_bytes()


@pytest.mark.filterwarnings("default")
@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_dask_with_a_worker_killed_during_the_sweep(tmp_path, expected_table, monkeypatch):
    """Three workers with a process each; one is killed while it has points to compute."""
    distributed = pytest.importorskip("distributed")
    path, killed, added = tmp_path / "sweep.csv", [], []
    real = module.Table.add
    monkeypatch.setattr(module.Table, "add", lambda table, point, row: added.append(point) or real(table, point, row))
    cluster = distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=tmp_path / "dask"
    )
    with cluster, distributed.Client(cluster) as client:
        worker_ids = client.run(os.getpid)

        def kill(done, total):
            if done == 10 and not killed:
                killed.append(next(iter(worker_ids.values())))
                os.kill(killed[0], signal.SIGKILL)

        sweep(*arguments(), out=path, executor=client.get_executor(), progress=kill)
        assert killed and len(set(worker_ids.values())) == 3
    assert path.read_bytes() == expected_table
    assert len(added) == len(set(added)) == 80


@pytest.mark.skipif(shutil.which("mpiexec", path=PYTHON_FOLDER) is None, reason="no MPI next to this Python")
def test_mpi(tmp_path, expected_table):
    pytest.importorskip("mpi4py")
    script, path = tmp_path / "script.py", tmp_path / "sweep.csv"
    script.write_text(MPI)
    mpiexec = os.path.join(PYTHON_FOLDER, "mpiexec")
    command = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", script, path]
    process = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False
    )
    assert (process.returncode, process.stdout.split()) == (0, ["2"]), process.stderr
    assert path.read_bytes() == expected_table
