"""Interrupts while minigraph is imported and called first leave a minigraph that works when it is called again."""

import os
import subprocess
import sys

import pytest

from tests.structure import ROOT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_an_interrupt_during_import_and_first_calls_is_survived(effort, report):
    command = [sys.executable, str(ROOT / "tests" / "rough" / "cold_start.py"), str(effort.samples(8))]
    process = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=3600
    )
    *faults, count = process.stdout.strip().splitlines()
    assert faults == [], process.stderr
    report("exception in: import and first calls", f"{count} instructions", "the next calls are right")
