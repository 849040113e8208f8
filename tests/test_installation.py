"""The files of a package, and the files that remain after an uninstallation."""

import configparser
import os
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import PurePosixPath

import pytest

from tests.structure import PACKAGES, ROOT, files


def test_every_folder_of_data_files_has_a_file_so_that_pip_removes_it():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    folders = {PurePosixPath(folder) for folder in config["options.data_files"]}
    shared = PurePosixPath("share")
    parents = {parent for folder in folders for parent in folder.parents if shared in parent.parents}
    assert parents and parents <= folders
    patterns = [pattern.strip() for texts in config["options.data_files"].values() for pattern in texts.split(",")]
    assert all(list(ROOT.glob(pattern)) for pattern in patterns)


def test_the_wheel_has_every_file_that_the_packages_read():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = config["options.package_data"]["*"].replace("**/", "").split(", ")
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
    inside = [path for path in files() if path.relative_to(ROOT).parts[0] in PACKAGES]
    others = [path for path in inside if path.suffix not in (".py", ".md")]
    assert len(others) > 30
    assert [path for path in others if not any(fnmatch(path.name, pattern) for pattern in patterns)] == []


def test_the_source_distribution_has_tests_with_all_that_they_read():
    lines = (ROOT / "MANIFEST.in").read_text("utf-8").splitlines()
    grafted = {line.split()[1] for line in lines if line.startswith("graft ")}
    assert {"tests", "benchmarks", "docs", "tutorials", ".ci", ".github"} <= grafted


@pytest.mark.skipif(os.name != "posix", reason="a script of POSIX")
@pytest.mark.parametrize("name", ["missing", "plain text", "no Python"])
def test_the_version_matrix_names_an_interpreter_that_it_cannot_run(name, tmp_path):
    path = tmp_path / "python"
    if name != "missing":
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755 if name == "no Python" else 0o644)
    command, environment = [sys.executable, str(ROOT / ".ci/matrix")], {**os.environ, "PYTHONS": str(path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"PYTHONS: {path} ") and done.stderr.endswith("interpreters\n")
