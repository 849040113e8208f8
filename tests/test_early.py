"""What is imported first leaves the garbage collector as it was."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("before", ["gc.enable()", "gc.disable()", "gc.freeze()"])
def test_an_import_leaves_the_collector_as_it_was(before):
    asks = "(gc.isenabled(), gc.get_threshold(), gc.get_freeze_count() > 0)"
    program = f"import gc; {before}; was = {asks}; import minigraph; assert {asks} == was, {asks}"
    subprocess.run([sys.executable, "-c", program], check=True)
