"""Installed without source (``.pyc`` files only): the same results, no warnings, and commands that run."""

import compileall
import os
import shutil
import subprocess
import sys

import pytest

from tests.rough.program import digest
from tests.rough.test_files import MODEL
from tests.structure import PACKAGES, ROOT

COMMANDS = {
    "passes": ["passes"],
    "explain": ["explain", "net.py:layer", "--out", "out"],
    "opt": ["opt", "net.py:layer", "-p", "default", "--validate"],
    "npu": ["npu", "net.py:layer"],
    "sweep": ["sweep", "--models", "net.py:layer", "--set", "mte2.lat=150:160:10", "--workers", "1", "--executor",
              "processes"],
    "workbench": ["workbench", "net.py:layer", "--save", "page.html"],
}  # fmt: skip


@pytest.fixture(scope="module")
def without_source(tmp_path_factory):
    """A folder with the packages without source; their code names another folder, which does not exist."""
    folder = tmp_path_factory.mktemp("site")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(folder, quiet=1, legacy=True, stripdir=str(folder), prependdir="/nonexistent")
    for path in folder.rglob("*.py"):
        path.unlink()
    return folder


def run(arguments, site, folder):
    environment = {**os.environ, "PYTHONPATH": str(site)}
    process = subprocess.run(
        [sys.executable, "-W", "error", *arguments], env=environment, cwd=folder, capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    assert (process.returncode, process.stderr) == (0, "")
    return process.stdout.strip()


def test_programs_compute_the_same(without_source, tmp_path, report):
    shutil.copy(ROOT / "tests" / "rough" / "program.py", tmp_path)
    assert run(["program.py"], without_source, tmp_path) == digest()
    report("installed without source", "every part", "the same bits, no warning")


def test_entries_of_the_compile_cache_depend_on_every_file(without_source, tmp_path):
    program = "from minigraph.compilation import disk_cache; print(disk_cache._environment().count('.pyc'))"
    files = [path for package in ("minigraph", "passes") for path in (without_source / package).rglob("*.pyc")]
    assert int(run(["-c", program], without_source, tmp_path)) == len(files)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_run(name, without_source, tmp_path, report):
    (tmp_path / "net.py").write_text(MODEL)
    assert run(["-m", "minigraph", *COMMANDS[name]], without_source, tmp_path)
    report("installed without source", f"minigraph {name}", "no warning")
