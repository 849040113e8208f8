"""Files are written whole or not at all."""

import os
from pathlib import Path

import pytest

from minigraph.core.files import replace_file, replace_files, write_atomically


def test_text_and_bytes_are_written_folders_created_and_no_temporary_files_left(tmp_path):
    path = write_atomically(tmp_path / "a" / "b" / ("n" * 200), "é")
    assert path.read_bytes() == "é".encode()
    assert write_atomically(path, b"\x00").read_bytes() == b"\x00"
    assert [*path.parent.iterdir()] == [path]


def test_a_failure_keeps_the_old_file_and_leaves_no_temporary_file(tmp_path, monkeypatch):
    path = write_atomically(tmp_path / "x.txt", "old")

    def broken(source, target):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


@pytest.mark.parametrize("flush", [False, True])
def test_a_full_disk_keeps_the_old_file_and_leaves_no_temporary_file(tmp_path, full_disk, flush):
    (tmp_path / "x.txt").write_text("old")
    with pytest.raises(OSError, match="No space left") as error:
        write_atomically(tmp_path / "x.txt", "new", flush=flush)
    assert error.value.filename == str(tmp_path / "x.txt")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x.txt", "old")]


def test_an_interrupted_block_keeps_the_old_file(tmp_path):
    (tmp_path / "x.txt").write_text("old")
    with pytest.raises(KeyboardInterrupt), replace_file(tmp_path / "x.txt") as temporary:
        temporary.write_text("half")
        raise KeyboardInterrupt
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("x.txt", "old")]


def test_a_folder_is_refused_before_anything_is_written(tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match="it is a folder; give the name of a file"):
        write_atomically(folder, "x")
    assert [*tmp_path.rglob("*")] == [folder]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_its_permissions_follow_the_umask(tmp_path):
    old = os.umask(0o022)
    try:
        mode = write_atomically(tmp_path / "x.txt", "").stat().st_mode
    finally:
        os.umask(old)
    assert mode & 0o777 == 0o644


def test_a_link_stays_and_its_file_is_written(tmp_path):
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "file", tmp_path / "link"
    link.symlink_to(target)
    for text in ("new", "newer"):
        write_atomically(link, text)
        assert link.is_symlink() and target.read_text() == text
    assert os.listdir(tmp_path / "data") == ["file"]


def test_the_permissions_of_an_old_file_are_kept(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o600)
    write_atomically(tmp_path / "file", "new")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe: it is a device or pipe, not a file; give the name of a file"):
        write_atomically(tmp_path / "pipe", "new")
    assert (tmp_path / "pipe").is_fifo() and os.listdir(tmp_path) == ["pipe"]


def write_both(folder, text):
    with replace_files([folder / "data", folder / "index"]) as temporaries:
        for path in temporaries:
            path.write_text(text)


def test_several_files_are_replaced_and_the_last_is_missing_meanwhile(tmp_path, monkeypatch):
    write_both(tmp_path, "old")
    states, replace = [], os.replace

    def recorded(source, target):
        states.append({path.name: path.read_text() for path in tmp_path.glob("[!.]*")})
        replace(source, target)

    monkeypatch.setattr(os, "replace", recorded)
    write_both(tmp_path, "new")
    assert states == [{"data": "old", "index": "old"}, {"data": "old"}, {}, {"data": "new"}]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"data": "new", "index": "new"}


OLD = {"data": "old", "index": "old"}


@pytest.mark.parametrize(("failing", "left"), [({0}, OLD), ({1}, OLD), ({2}, OLD), ({3}, OLD),
                                               ({2, 4}, {"data": "old"}), ({3, 4}, {"data": "new"})])  # fmt: skip
def test_several_files_of_before_come_back_after_an_error(tmp_path, monkeypatch, failing, left):
    """If even that fails, the last one stays missing."""
    write_both(tmp_path, "old")
    calls, replace = [], os.replace

    def broken(source, target):
        calls.append(target)
        if len(calls) - 1 in failing:
            raise OSError("locked")
        replace(source, target)

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="locked"):
        write_both(tmp_path, "new")
    assert {path.name: path.read_text() for path in tmp_path.glob("[!.]*")} == left


def test_an_interrupt_while_old_files_are_removed_leaves_none_of_them(tmp_path, monkeypatch):
    write_both(tmp_path, "old")
    unlink, calls = Path.unlink, []

    def interrupted(path, missing_ok=False):
        calls.append(path)
        if len(calls) == 1:
            raise KeyboardInterrupt
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_both(tmp_path, "new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"data": "new", "index": "new"}


def test_an_error_names_the_file_where_the_working_folder_was_removed(tmp_path, monkeypatch):
    (tmp_path / "removed").mkdir()
    monkeypatch.chdir(tmp_path / "removed")
    (tmp_path / "removed").rmdir()
    for write in (lambda: write_atomically("a.svg", "text"), lambda: replace_files(["a.svg"]).__enter__()):
        with pytest.raises(FileNotFoundError, match=r"a\.svg"):
            write()
