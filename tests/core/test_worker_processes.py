"""Workers that are killed, started from scripts, and end with their parent are in test_processes.py."""

import os

from minigraph.core.worker_processes import make_process_pool


def test_a_call_runs_in_another_process():
    with make_process_pool(1) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
