import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["passes", "viz"])
def test_the_command_reports_it_in_one_line(package, tmp_path):
    (tmp_path / f"{package}.py").write_text("")
    command = [sys.executable, "-m", "minigraph", "passes"]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.count("\n") == 1 and f"hides minigraph's package '{package}'" in process.stderr
