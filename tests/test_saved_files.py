"""The guarantees of every saved file, row by row of the table in ``minigraph/RELIABILITY.md``."""

import errno
import os
import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import minigraph as ms
import viz
from benchmarks import __main__ as benchmarks
from benchmarks.measuring import records
from minigraph import Tensor
from minigraph.cli.learn import _write_lesson
from minigraph.cli.output_folder import write_files
from minigraph.compilation import disk_cache
from minigraph.compilation.disk_cache import CompileCacheWarning, optimize
from minigraph.core import files
from minigraph.core.errors import ArgRuntimeError, CheckpointError, ModelError, ParseError, UsageError, VerifyError
from minigraph.ir.text import parse
from minigraph.lessons import lessons
from minigraph.lessons.notebook import answer_in
from minigraph.npu import sweep
from minigraph.npu.sweeps import SerialExecutor, parquet
from passes.validate.reproducer import Reproducer, read_reproducer, save_reproducer
from tests.structure import PACKAGES, ROOT, modules
from viz.dump import stages

TEXT = (ROOT / "minigraph" / "RELIABILITY.md").read_text("utf-8").partition("\n## Saved files")[2]
TABLE = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in TEXT.splitlines() if line[:1] == "|"]
ROWS = {row[0]: dict(zip(TABLE[0], row, strict=True)) for row in TABLE[2:]}


def layer(x):
    return ms.ops.relu(x * 2.0) + 1.0


def graph():
    return ms.trace(layer, ms.ops.ones((2, 3)))


# ---- writers: (folder, number) -> the file, with contents that depend on the number ------------------------


def save_checkpoint(folder, number):
    ms.save_checkpoint({"w": Tensor([1.0, float(number)]), "b": Tensor(number)}, folder / "net")
    return folder / "net.ckpt"


def save_sweep(folder, number, chips=("ascend910b1",)):
    sweep({"layer": graph()}, list(chips), ["", "dce"], {"mte2.lat": [150, 200]}, out=folder / "sweep.csv",
          executor=SerialExecutor())  # fmt: skip
    return folder / "sweep.csv"


def save_parquet(folder, number):
    with pytest.MonkeyPatch.context() as patch:  # pyarrow is an extra
        patch.setattr(parquet, "find_spec", lambda name: name)
        patch.setattr(parquet, "resolve", lambda name: lambda table, path=None: path and path.write_text(str(table)))
        parquet.write_parquet(folder / "sweep.parquet", ["cycles"], [{"cycles": number}])
    return folder / "sweep.parquet"


def save_cache_entry(folder, number):
    ms.set_context(enable_compile_cache=True, compile_cache_path=str(folder))
    optimize(graph(), "default")
    return next(folder.glob("*.graph"))


def save_reproducer_file(folder, number):
    return save_reproducer(Reproducer(graph(), "dce", number), folder)


def save_lesson(folder, number):
    return _write_lesson(lessons()[0], folder / f"lesson{number}.ipynb")


def save_explain(folder, number):
    write_files(folder, [("a.ir", f"{number}"), ("index.html", f"<p>{number}")])
    return folder / "index.html"


def save_stage(folder, number):
    before = graph()
    list(stages.save_stages(before, before, [], folder, 1) or ())
    return next(iter(folder.rglob("*.ir")))


def save_onnx(folder, number):
    pytest.importorskip("onnx")
    ms.to_onnx(lambda x: layer(x) + float(number), folder / "net.onnx", ms.ops.ones((2, 3)))
    return folder / "net.onnx"


def save_records(folder, number):
    writer = ms.mindrecord.FileWriter(str(folder / "rows.mindrecord"), overwrite=True)
    writer.set_header_size(1 << 14)
    writer.add_schema({"x": {"type": "int32"}, "data": {"type": "bytes"}})
    writer.write_raw_data([{"x": number, "data": b"a"}])
    writer.commit()
    return folder / "rows.mindrecord"


def save_picture(folder, number):
    return viz.save(graph(), folder / "graph.svg")


def save_events(folder, number):
    pytest.importorskip("tensorboardX")
    with ms.train.SummaryRecord(str(folder)) as summary:
        for step in range(number):
            summary.add_value("scalar", "loss", Tensor(float(step)))
            summary.record(step)
    return next(folder.iterdir())


def save_profile_steps(folder, number):
    ms.profiler.DynamicProfilerMonitor(str(folder / f"{number}"))
    return folder / f"{number}" / "profiler_config.json"


def save_measurements(folder, number):
    records.write(records.Record(section=f"{number}"), folder / "eager.one_thread.json")
    return folder / "eager.one_thread.json"


WRITERS = {
    "checkpoint": save_checkpoint, "table of a sweep": save_sweep, "Parquet table of a sweep": save_parquet,
    "entry of the compile cache": save_cache_entry, "reproducer": save_reproducer_file, "lesson": save_lesson,
    "folder of `explain`": save_explain, "saved graphs": save_stage, "ONNX model": save_onnx,
    "MindRecord file": save_records, "picture, page": save_picture, "event file": save_events,
    "measurements": save_measurements, "steps of a profile": save_profile_steps,
}  # fmt: skip


@pytest.fixture(autouse=True)
def every_graph_is_cached(monkeypatch):
    monkeypatch.setattr(disk_cache, "READ_SECONDS_PER_NODE", 0.0)


def test_every_row_has_a_writer_here():
    assert ROWS.keys() - {"graph text"} == WRITERS.keys()


def write_file(name, folder, number):
    """Write a file; an error of writing is raised or reported by a warning, as the table promises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return WRITERS[name](folder, number)
        except (OSError, UsageError, StopIteration):
            return None


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


APPENDED = ("event file",)


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in APPENDED])
def test_an_error_while_renaming_leaves_the_old_file_and_no_temporary_one(name, tmp_path, monkeypatch):
    write_file(name, tmp_path, 1)
    before = contents(tmp_path)
    assert before and not any(path.name.startswith(".") for path in before)

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    if name == "entry of the compile cache":
        for path in tmp_path.glob("*.graph"):
            path.unlink()
        before = {}
    write_file(name, tmp_path, 2)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("name", ["checkpoint", "entry of the compile cache", "reproducer", "lesson", "saved graphs",
                                  "ONNX model", "MindRecord file", "picture, page", "measurements",
                                  "steps of a profile"])  # fmt: skip
def test_a_full_disk_leaves_nothing(name, tmp_path, full_disk):
    assert write_file(name, tmp_path, 1) is None
    assert contents(tmp_path) == {}


def test_only_a_checkpoint_waits_for_the_disk(tmp_path, monkeypatch):
    flushed, fsync = [], os.fsync
    monkeypatch.setattr(files.os, "fsync", lambda number: flushed.append(number) or fsync(number))
    for name in ("reproducer", "picture, page"):
        write_file(name, tmp_path, 1)
    assert flushed == []
    write_file("checkpoint", tmp_path, 1)
    assert len(flushed) == 1


def test_events_are_appended_each_with_a_checksum(tmp_path):
    lengths = []
    for number in (1, 4):
        folder = tmp_path / str(number)
        content, position, count = save_events(folder, number).read_bytes(), 0, 0
        while position < len(content):  # length, checksum of the length, event, checksum of the event
            size = int.from_bytes(content[position : position + 8], "little")
            position, count = position + 8 + 4 + size + 4, count + 1
        assert position == len(content)
        lengths.append(count)
    assert lengths[1] - lengths[0] == 3, "one for each step"


# ---- checksums and versions --------------------------------------------------------------------------------


def read_sweep(folder):
    save_sweep(folder, 1)


def read_cache(folder):
    ms.set_context(enable_compile_cache=True, compile_cache_path=str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("error", CompileCacheWarning)
        return bool(optimize(graph(), "default").records)  # whether the passes ran


READERS = {
    "checkpoint": (lambda folder: ms.load_checkpoint(folder / "net.ckpt"), CheckpointError),
    "table of a sweep": (read_sweep, UsageError),
    "entry of the compile cache": (read_cache, CompileCacheWarning),
}


@pytest.mark.parametrize("name", READERS)
def test_a_file_with_a_checksum_is_refused_when_a_byte_has_changed(name, tmp_path):
    assert ROWS[name]["checksum"] != "no"
    path, (read, error) = WRITERS[name](tmp_path, 1), READERS[name]
    content = path.read_bytes()
    for position in np.linspace(0, len(content) - 2, 25).astype(int):
        other = content[position] ^ 4  # not 1: a last digit that is one less may be the same number
        path.write_bytes(content[:position] + bytes([other]) + content[position + 1 :])
        with pytest.raises(error):
            read(tmp_path)


# name -> (bytes of the version, those of a newer one, how the file is read, the error, the version in its message)
VERSIONED = {
    "checkpoint": (b"minigraph checkpoint 1", b"minigraph checkpoint 2", *READERS["checkpoint"], "format 2"),
    "table of a sweep": (b"crc32", b"crc33", *READERS["table of a sweep"], "it has crc33"),
    "entry of the compile cache": (b"minigraph 1 ", b"minigraph 2 ", *READERS["entry of the compile cache"],
                                   "its format is 2"),
    "reproducer": (b"minigraph reproducer:", b"minigraph reproducer 2:",
                   lambda folder: read_reproducer(next(folder.glob("*.repro.ir")).read_text()), ParseError,
                   "format '2'"),
    "lesson": (b'"nbformat": 4', b'"nbformat": 5', lambda folder: answer_in(next(folder.glob("*.ipynb"))), UsageError,
               "format 5"),
    "ONNX model": (b"\x10\x14", b"\x10\x63", lambda folder: ms.load_onnx(folder / "net.onnx"), ModelError, "opset 99"),
    "MindRecord file": (b'"version":"3.0"', b'"version":"9.0"',
                                         lambda folder: ms.mindrecord.FileReader(str(folder / "rows.mindrecord")),
                                         ArgRuntimeError, "version is '9.0'"),
}  # fmt: skip


@pytest.mark.parametrize("name", VERSIONED)
def test_a_file_of_a_newer_format_is_refused_with_its_version(name, tmp_path):
    assert ROWS[name]["version"] != "no"
    assert VERSIONED[name][3].__name__ in ROWS[name]["refused with"]
    path, (old, new, read, error, version) = WRITERS[name](tmp_path, 1), VERSIONED[name]
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new, 1))
    with pytest.raises(error, match=version):
        read(tmp_path)


def test_a_model_of_a_newer_ir_version_is_refused(tmp_path):
    path = save_onnx(tmp_path, 1)
    content = path.read_bytes()
    assert content[:1] == b"\x08", "the field ir_version"
    path.write_bytes(b"\x08\x63" + content[2:])
    with pytest.raises(ModelError, match=r"IR version\) 99 is not supported; use up to"):
        ms.load_onnx(path)


def test_graph_text_that_is_none_is_refused():
    text = str(graph())
    assert parse(text).same_as(graph())
    for changed in (text[: len(text) // 2], text.replace("return", "returns"), "", "\x00" * 9):
        with pytest.raises(ParseError):
            parse(changed)
    with pytest.raises(VerifyError):
        parse(text.replace("f32[2,3]", "f32[3,3]", 1))
    assert all(error in ROWS[name]["refused with"] for name in ("graph text", "reproducer")
               for error in ("ParseError", "VerifyError"))  # fmt: skip


# ---- resumed files, and files that are never overwritten -----------------------------------------------------


def test_a_sweep_is_resumed_at_any_byte_to_the_same_bytes(tmp_path):
    assert ROWS["table of a sweep"]["resumed"].startswith("yes")
    path = save_sweep(tmp_path, 1)
    content = path.read_bytes()
    for size in np.linspace(0, len(content), 9).astype(int):
        path.write_bytes(content[:size])
        save_sweep(tmp_path, 1)
        assert path.read_bytes() == content


def test_measurements_that_exist_are_not_made_again_and_damaged_ones_are_refused(tmp_path, monkeypatch):
    assert ROWS["measurements"]["resumed"].startswith("yes")
    measured, path = [], save_measurements(tmp_path, 1)
    monkeypatch.setattr(benchmarks, "measure", lambda name, *args: measured.append(name) or True)
    benchmarks.measure_missing(SimpleNamespace(name=[], condition=["one_thread"], quick=False), tmp_path)
    assert measured == [name for name in benchmarks.GROUPS if name != "eager"]
    text = path.read_text()
    damaged = ["", "{}", "[]", "null", "1", '{"gap": null, "tables": 3}', "[" * 100_000, text[:-9], "\udcff"]
    changed = [text.replace('"tables": []', '"tables": [1]'), text.replace('"gap": null', '"gap": [1, 2, 3, 4, 5]')]
    for content in damaged + changed:
        path.write_text(content, errors="surrogateescape")
        assert content != text
        with pytest.raises(UsageError, match="one_thread.json' holds no measurements of this version"):
            records.read(path)


def test_rows_are_appended_to_a_copy_of_a_mindrecord_file(tmp_path):
    assert ROWS["MindRecord file"]["resumed"] == "rows are appended to a copy"
    path = save_records(tmp_path, 1)
    before = contents(tmp_path)
    writer = ms.mindrecord.FileWriter.open_for_append(str(path))
    writer.write_raw_data([{"x": 2, "data": b"b"}])
    assert {name: data for name, data in contents(tmp_path).items() if not name.name.startswith(".")} == before
    writer.commit()
    assert [row["x"] for row in ms.mindrecord.FileReader(str(path)).get_next()] == [1, 2]


def test_a_mindrecord_file_without_its_index_is_refused(tmp_path):
    """What a killed writer leaves, between any two renamings: ``tests/mindrecord/test_filewriter.py``."""
    assert "a data set without an index, which is refused" in ROWS["MindRecord file"]["atomic"]
    path = save_records(tmp_path, 1)
    path.with_name(f"{path.name}.db").unlink()
    with pytest.raises(ArgRuntimeError, match="rows.mindrecord.db can not be found"):
        ms.mindrecord.FileReader(str(path))


def test_a_lesson_is_written_over_no_file(tmp_path):
    path = save_lesson(tmp_path, 1)
    with pytest.raises(UsageError, match="exists and may hold your answer"):
        save_lesson(tmp_path, 1)
    assert path.exists()


def test_only_the_rows_that_say_so_are_resumed():
    resumed = [name for name, row in ROWS.items() if row["resumed"] != "no"]
    assert resumed == ["table of a sweep", "MindRecord file", "measurements"]
    assert [
        name for name, row in ROWS.items() if row["checksum"] != "no" and row["refused with"] != "is not read"
    ] == list(READERS)
    assert [name for name, row in ROWS.items() if row["version"] != "no"] == list(VERSIONED)


# the modules that write files -> the rows of the table
WRITING = {
    "minigraph.serialize.save": "checkpoint", "minigraph.npu.sweeps.table": "table of a sweep",
    "minigraph.npu.sweeps.parquet": "Parquet table of a sweep", "minigraph.importers.onnx.writer": "ONNX model",
    "minigraph.mindrecord.filewriter": "MindRecord file",
    "minigraph.compilation.disk_cache": "entry of the compile cache", "passes.validate.reproducer": "reproducer",
    "minigraph.cli.learn": "lesson", "minigraph.cli.output_folder": "folder of `explain`",
    "minigraph.cli.npu": "folder of `explain`",
    "viz.dump.stages": "saved graphs", "viz.dump.stage_index": "saved graphs",
    "viz.output.render": "picture, page", "viz.explore.api": "picture, page", "viz.editor.workbench": "picture, page",
    "minigraph.dataset.vision.files": "picture, page", "minigraph.profiler.monitor": "steps of a profile",
    "minigraph.profiler.recording": "picture, page",
    "benchmarks.ascend.__main__": "picture, page", "benchmarks.onnx_models.__main__": "picture, page",
    "viz.pages.page": "picture, page", "minigraph.lessons.picture": "picture, page",
    "benchmarks.__main__": "measurements", "benchmarks.measuring.records": "measurements",
    "benchmarks.torch_models.__main__": "measurements", "benchmarks.torch_models.check": "measurements",
}  # fmt: skip


def test_every_module_that_writes_files_belongs_to_a_row():
    names = re.compile(r"\b(write_atomically|replace_files?|write_files)\(")
    importers = {
        module.name for module in modules((*PACKAGES, "benchmarks")) if names.search(module.path.read_text("utf-8"))
    }
    assert sorted(importers - {"minigraph.core.files"}) == sorted(WRITING)
    assert {*WRITING.values()} == ROWS.keys() - {"graph text", "event file"}  # a shell and tensorboardX write those


def test_all_writing_goes_through_one_function():
    """``os.replace`` and temporary files elsewhere would be another promise."""
    allowed = {
        "minigraph/core/files.py", "minigraph/cli/output_folder.py", "minigraph/npu/sweeps/table.py",  # appends
        "benchmarks/peers/worker.py",  # into a temporary folder
    }  # fmt: skip
    pattern = re.compile(
        r"os\.replace\(|NamedTemporaryFile|mkstemp|\.write_text\(|\.write_bytes\(|\bopen\([^)]*\"[wax]b?\""
    )
    example = re.compile(r"^ *(>>>|\.\.\.) .*$", re.MULTILINE)  # of a docstring
    paths = [path for package in (*PACKAGES, "benchmarks") for path in Path(ROOT / package).rglob("*.py")]
    users = {path for path in paths if pattern.search(example.sub("", path.read_text("utf-8")))}
    assert {path.relative_to(ROOT).as_posix() for path in users} == allowed
