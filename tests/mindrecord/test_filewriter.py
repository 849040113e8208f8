"""``FileWriter``: shards, appended rows, and files that appear whole or not at all."""

import gc
import os
import shutil
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from minigraph.mindrecord import FileReader, FileWriter
from tests.mindrecord.conftest import SCHEMA


def xs(path: object) -> list[int]:
    names = [str(part) for part in path] if isinstance(path, list) else str(path)
    return [row["x"] for row in FileReader(names).get_next()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_rows_are_divided_into_shards(write: Any, tmp_path: Path) -> None:
    path = write(8, shards=3)
    assert [xs([f"{path}{shard}"]) for shard in range(3)] == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert names(tmp_path) == [f"rows.mindrecord{shard}{end}" for shard in range(3) for end in ("", ".db")]


def test_files_appear_in_commit_only(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(SCHEMA)
    writer.write_raw_data([{"x": 1, "data": b"a"}])
    assert not any(name.startswith("a") for name in names(tmp_path))
    del writer
    gc.collect()
    assert names(tmp_path) == []


@pytest.mark.parametrize("rows", [[{"x": 1, "data": bytes(1 << 26)}], [{"x": 2**70, "data": b"a"}]])
def test_an_error_leaves_the_file_of_before(rows: list[dict[str, Any]], write: Any, tmp_path: Path) -> None:
    path = write()
    before = path.read_bytes()
    for writer in (FileWriter(str(path), overwrite=True), FileWriter.open_for_append(str(path))):
        if writer._schema is None:
            writer.add_schema(SCHEMA)
        writer.write_raw_data([{"x": 1, "data": b"a"}])
        with pytest.raises(RuntimeError, match="too small|64 bits"):
            writer.write_raw_data(rows)
        writer.commit()
        with pytest.raises(RuntimeError, match="use FileWriter.open_for_append"):
            writer.write_raw_data(rows)
        assert path.read_bytes() == before
        assert names(tmp_path) == ["rows.mindrecord", "rows.mindrecord.db"]


def test_rows_are_appended(write: Any) -> None:
    path = write()
    for more in (3, 4):
        writer = FileWriter.open_for_append(str(path))
        writer.write_raw_data([{"x": more, "data": b"a"}])
        writer.commit()
    assert xs(path) == [0, 1, 2, 3, 4]


def test_rows_that_do_not_fit_are_left_out_with_a_warning(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(SCHEMA)
    rows = [{"x": 1, "data": b"a"}, {"x": "one", "data": b"a"}]
    with pytest.warns(UserWarning, match="row 1 is left out, data type: 'str' for field: 'x'"):
        writer.write_raw_data(rows)
    writer.commit()
    assert (xs(tmp_path / "a"), len(rows)) == ([1], 2)


def test_a_file_that_exists_or_has_no_folder(write: Any, tmp_path: Path) -> None:
    for path in (write(), tmp_path / "no folder" / "a"):
        writer = FileWriter(str(path))
        writer.add_schema(SCHEMA)
        with pytest.raises(RuntimeError, match="already exist|Invalid dir"):
            writer.commit()


def test_parallel_rows_go_to_one_shard_per_call(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"), 2)
    writer.add_schema(SCHEMA)
    for i in range(3):
        writer.write_raw_data([{"x": i, "data": b"a"}], parallel_writer=True)
    with pytest.raises(RuntimeError, match="must be consistent"):
        writer.write_raw_data([{"x": 1, "data": b"a"}])
    writer.commit()
    writer.commit()
    assert (xs(tmp_path / "a0"), xs(tmp_path / "a1")) == ([0, 2], [1])


# ---- writers that end while they rename the files of a data set --------------------------------------------

OLD, NEW = [*range(5)], [*range(100, 105)]


def write_set(folder: Path, rows: list[int], shards: int) -> None:
    writer = FileWriter(str(folder / "a"), shards, overwrite=True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMA)
    writer.write_raw_data([{"x": x, "data": b"a"} for x in rows])
    writer.commit()


def stop_at(step: int, stop: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Call ``stop`` instead of the renaming, or the removal of an old file, with this number."""
    steps = iter(range(step + 1))

    def counted(original: Callable[..., object]) -> Callable[..., object]:
        return lambda *args, **options: stop() if next(steps, None) == step else original(*args, **options)

    monkeypatch.setattr(os, "replace", counted(os.replace))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))


def outcomes(folder: Path, shards: int) -> set[str]:
    """What readers of the set see: old or new rows, or the error."""
    paths = [folder / name for name in (["a"] if shards == 1 else [f"a{shard}" for shard in range(shards)])]
    results = set()
    for chosen in (*paths, paths):
        try:
            rows = xs(chosen)
            results.add("old" if rows == OLD else "new" if rows == NEW else f"mixed: {rows}")
        except RuntimeError as error:
            assert any(f"{path}" in str(error) for path in paths)
            results.add("refused")
    return results


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_writer_killed_between_any_two_renamings_leaves_no_mix(shards: int, is_first: bool, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    if not is_first:
        write_set(tmp_path / "old", OLD, shards)
    seen: list[str] = []
    for step in range(99):
        folder = shutil.copytree(tmp_path / "old", tmp_path / f"{step}")
        child = os.fork()
        if child == 0:
            with pytest.MonkeyPatch.context() as monkeypatch:
                stop_at(step, lambda: os._exit(1), monkeypatch)
                write_set(folder, NEW, shards)
            os._exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        seen += outcomes(folder, shards)
        hidden = [name for name in names(folder) if name.startswith(".")]
        assert all(name.endswith(".part") for name in hidden) and len(hidden) <= 4 * shards
        if status == 0:
            break
    assert [outcome for outcome, _ in groupby(seen)] == [*([] if is_first else ["old"]), "refused", "new"]
    assert len(seen) > 2 * shards, "one each: a part of a set is never read"


@pytest.mark.parametrize("shards", [1, 3])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_error_of_any_renaming_leaves_the_files_of_before(
    shards: int, is_first: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_first:
        write_set(tmp_path, OLD, shards)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}

    def fail() -> None:
        raise PermissionError(13, "another process has the file open")

    for step in range((2 if is_first else 4) * shards):
        with monkeypatch.context() as patch, pytest.raises(PermissionError, match=r"file open: .*/a\d?(\.db)?'"):
            stop_at(step, fail, patch)
            write_set(tmp_path, NEW, shards)
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    write_set(tmp_path, NEW, shards)
    assert outcomes(tmp_path, shards) == {"new"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_the_end_of_a_forked_process_keeps_the_rows_of_its_parent(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": 1}])
    files = names(tmp_path)
    child = os.fork()
    if not child:
        del writer
        gc.collect()  # its finalizer runs, as at the end of the process
        os._exit(0)
    os.waitpid(child, 0)
    assert names(tmp_path) == files
    writer.commit()
    assert xs(tmp_path / "a") == [1]
