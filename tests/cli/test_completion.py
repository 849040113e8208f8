"""``minigraph --completion SHELL``: bash completes commands, options and values; zsh loads the same script."""

import os
import shutil
import subprocess
import sys

import pytest

from minigraph.cli import main
from minigraph.cli.completion import SHELLS
from minigraph.npu import CHIPS

COMPLETE = """
eval "$SCRIPT"
read -ra COMP_WORDS <<<"$LINE_OF_WORDS"
if [[ $LINE_OF_WORDS == *" " ]]; then COMP_WORDS+=(""); fi
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_minigraph
echo "${COMPREPLY[@]}"
"""


@pytest.fixture
def script_of(capsys):
    def script(shell):
        with pytest.raises(SystemExit, match="^0$"):
            main(["--completion", shell])
        return capsys.readouterr().out

    return script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(("line", "words"), [
    ("minigraph ex", "explain"),
    ("minigraph --v", "--version"),
    ("minigraph --completion ", "bash zsh fish"),
    ("minigraph explain --ch", "--chip"),
    ("minigraph explain ne", ""),  # a file: bash completes it
    ("minigraph explain --chip ascend910b", " ".join(n for n in sorted(CHIPS) if n.startswith("ascend910b"))),
    ("minigraph explain --out ", ""),
    ("minigraph explain --chip ascend910b1 --pipeline gr", "graph_kernel"),
    ("minigraph npu net.py:step --show ro", "roofline"),
    ("minigraph npu net.py:step --show roofline crit", "critical"),
    ("minigraph npu --show roofline --chip ascend95", "ascend950"),
    ("minigraph opt net.py:step -p ds", ""),
    ("minigraph opt net.py:step -p cs", "cse"),
    ("minigraph opt --stats net", ""),
    ("minigraph list ch", "chips"),
    ("minigraph learn ch", "check"),
    ("minigraph sweep --chips all asc", " ".join(n for n in sorted(CHIPS))),
    ("minigraph nosuch --o", ""),
])  # fmt: skip
def test_bash_completes(script_of, line, words):
    environment = {"SCRIPT": script_of("bash"), "LINE_OF_WORDS": line}
    process = subprocess.run(["bash", "-c", COMPLETE], env=environment, capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == (f"{words}\n", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_starts_with_how_to_load_it_and_names_every_command(script_of, shell):
    script = script_of(shell)
    assert script.startswith(f"# {shell}: ") and f"minigraph --completion {shell}" in script.splitlines()[0]
    assert all(command in script for command in ("explain", "check-rule", "sweep", "ascend910b1", "validate", "chip"))


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_shell_can_read_its_script(script_of, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here")
    process = subprocess.run([shell, "-n"], input=script_of(shell), capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")


def test_an_unknown_shell_is_refused(capsys):
    with pytest.raises(SystemExit, match="^2$"):
        main(["--completion", "tcsh"])
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("option", [["--completion", "bash"], ["--version"], ["--help"], ["explain", "--help"]])
def test_output_of_an_option_that_cannot_be_written_is_one_line(option):
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "minigraph", *option]
        buffered = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
        process = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=120, env=buffered)
    assert (process.returncode, process.stderr) == (2, b"minigraph: No space left on device\n")
