"""Python's flags, encodings and homes change no result."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.rough.program import digest
from tests.structure import ROOT

PROGRAM = ["-m", "tests.rough.program"]
FLAGS = [
    ["-O"], ["-OO"], ["-bb"], ["-X", "dev", "-W", "error"], ["-X", "no_debug_ranges"], ["-B", "-s"],
    ["-X", "frozen_modules=off"], ["-X", "importtime"], ["-X", "int_max_str_digits=640"],
    ["-X", "warn_default_encoding", "-W", "error::EncodingWarning"],
]  # fmt: skip
LOCALES = [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONUTF8": "1"},
    {"TZ": "Asia/Kathmandu", "LANG": "tr_TR.UTF-8"},
]
HOMES = [{"HOME": "/nonexistent"}, {"HOME": ""}, {"HOME": None, "XDG_CACHE_HOME": None}, {"TMPDIR": "/nonexistent"}]


@pytest.fixture(scope="module")
def expected_output():
    return digest()


def run(arguments, environment=(), prefix=()):
    """The output of a separate Python process."""
    merged = {**os.environ, "PYTHONPATH": str(ROOT), **dict(environment)}
    kept = {name: text for name, text in merged.items() if text is not None}
    process = subprocess.run(
        [*prefix, sys.executable, *arguments], env=kept, cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert process.returncode == 0, process.stderr[-3000:]
    return process.stdout.strip()


@pytest.mark.parametrize("flags", FLAGS, ids=" ".join)
def test_flags(flags, expected_output, report):
    assert run([*flags, *PROGRAM]) == expected_output
    report("flags", " ".join(flags), "the same bits")


@pytest.mark.parametrize("environment", [*LOCALES, *HOMES], ids=str)
def test_locales_and_homes(environment, expected_output, report):
    assert run(PROGRAM, environment) == expected_output
    report("environment", " ".join(f"{k}={v}" for k, v in environment.items()), "the same bits")


REMOVE_FOLDER = """
import os, tempfile
folder = tempfile.mkdtemp()
os.chdir(folder)
os.rmdir(folder)
"""
WITHOUT_FOLDER = f"""{REMOVE_FOLDER}
from tests.rough.program import digest
from minigraph.cli import main
print(digest())
main(["list", "chips"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a working folder cannot be removed there")
def test_a_working_folder_that_is_removed(expected_output, report):
    if subprocess.run([sys.executable, "-c", f"{REMOVE_FOLDER}import numpy"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("Python 3.13.0 cannot import numpy there")
    output, *chips = run(["-c", WITHOUT_FOLDER]).splitlines()
    assert output == expected_output and chips
    report("working folder", "removed", "the same bits, commands run")


SOURCE = """{coding}
from minigraph import Tensor, jit

@jit
def längste(x):
    while x.sum() < 10:  # Größe, übersetzt
        x = x * 2
    return x

print(längste(Tensor([1.0])).tolist(), ascii(längste.__name__))
"""
ENCODINGS = ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-8 crlf", "utf-8 cr"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_source_files_in_every_encoding(encoding, tmp_path, report):
    codec, _, ends = encoding.partition(" ")
    text = SOURCE.format(coding=f"# -*- coding: {codec.removesuffix('-sig')} -*-")
    text = text.replace("\n", {"": "\n", "crlf": "\r\n", "cr": "\r"}[ends])
    (tmp_path / "source.py").write_bytes(text.encode(codec))
    assert run([str(tmp_path / "source.py")]) == "[16.0] 'l\\xe4ngste'"
    report("source file", encoding, "translated")


# Root writes everywhere; without this capability it does not.
AS_ANYONE = ["setpriv", "--bounding-set", "-dac_override"]


@pytest.mark.skipif(os.name != "posix", reason="other permissions")
def test_a_folder_that_cannot_be_written(expected_output, tmp_path, report):
    is_root = os.geteuid() == 0
    if is_root and shutil.which("setpriv") is None:
        pytest.skip("root writes everywhere, and there is no setpriv")
    tmp_path.chmod(0o500)
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": None, "PYTHONDONTWRITEBYTECODE": "1"}
    program = ["-c", f"{CACHED}\nfrom tests.rough.program import digest; print(digest())"]
    output, *more = run(program, environment, prefix=AS_ANYONE if is_root else ()).splitlines()
    assert more == [expected_output] and "cannot be written" in output
    assert not [*tmp_path.iterdir()]
    report("home folder", "read-only", "one warning of the compile cache, the same bits")


CACHED = """
import warnings
import minigraph as ms
from minigraph.compilation import disk_cache
disk_cache.READ_SECONDS_PER_NODE = 0.0
ms.set_context(enable_compile_cache=True)
with warnings.catch_warnings(record=True) as shown:
    warnings.simplefilter("always")
    ms.jit(lambda x: ms.ops.softmax(x * 1.0 + 2.0) @ x.T)(ms.ops.ones((2, 2)))
print(*(warning.message for warning in shown))
ms.set_context(enable_compile_cache=False)
"""
