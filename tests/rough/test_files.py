"""Stress tests of files: writers that are killed, disks that fill up."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.mindrecord import FileReader
from tests.structure import ROOT

SAVER = """
import sys
import numpy as np
import minigraph as ms
for k in range(1, 10**6):
    ms.save_checkpoint([{"name": str(n), "data": ms.Tensor(np.full(30_000, k))} for n in range(8)], sys.argv[1])
    print(k, flush=True)
"""


def checkpoint_entries(k):
    return [{"name": str(n), "data": Tensor(np.full(30_000, k))} for n in range(8)]


def start(script, path):
    return subprocess.Popen(
        [sys.executable, "-c", script, str(path)], env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_checkpoint_whose_writer_is_killed_is_whole(tmp_path, effort, report):
    path, kills, seed = tmp_path / "net.ckpt", 0, random.Random(0)
    for _ in effort.rounds(seconds=6, most=4):
        process = start(SAVER, path)
        line = "0"
        for _ in range(seed.randrange(1, 15)):
            line = process.stdout.readline()
        process.kill()
        process.communicate()
        values = {float(number) for tensor in ms.load_checkpoint(str(path)).values() for number in tensor.asnumpy()}
        assert len(values) == 1 and values.pop() >= int(line)
        kills += 1
    report("checkpoint writer killed", f"{kills} times", "the last whole file")


WRITERS = """
import itertools, sys
from pathlib import Path
import minigraph as ms, viz
from minigraph.cli.output_folder import write_files
from passes.validate.reproducer import Reproducer, save_reproducer
folder, x = Path(sys.argv[1]), ms.ops.ones((8, 8))
fn = lambda x: ms.ops.softmax(x * 1.0 + 2.0) @ x.T
graph, page = ms.trace(fn, x), viz.explorer(fn, x)
for k in itertools.count():
    write_files(folder / "out", [(name, f"{k}," * 30_000 + "end") for name in ("a.csv", "trace.json")])
    page.save(folder / "explorer.html")
    viz.save(graph, folder / "graph.svg")
    save_reproducer(Reproducer(graph, "dce", k), folder)
    print(k, flush=True)
"""
FILE_ENDINGS = {".csv": ",end", ".json": ",end", ".html": "</html>", ".svg": "</svg>", ".ir": "return %7"}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_files_whose_writer_is_killed_are_whole(tmp_path, effort, report):
    kills, seed = 0, random.Random(0)
    for kills in effort.rounds(seconds=6, most=3):
        process = start(WRITERS, tmp_path)
        assert process.stdout.readline(), process.communicate()[1]
        with suppress(subprocess.TimeoutExpired):
            process.wait(seed.uniform(0, 0.3))
        process.kill()
        process.communicate()
        hidden = [path for path in tmp_path.iterdir() if path.name.startswith(".")]
        assert len(hidden) <= kills + 1 and all(path.suffix == ".part" for path in hidden)
        for path in tmp_path.rglob("[!.]*.*"):
            if path.is_file() and not any(parent in hidden for parent in path.parents):
                assert path.read_text("utf-8").rstrip().endswith(FILE_ENDINGS[path.suffix]), path
    report("writers of pages, pictures, folders killed", f"{kills + 1} times", "whole files")


RECORDS_AGAIN = """
import itertools, sys
from minigraph.mindrecord import FileWriter

for k in itertools.count():
    writer = FileWriter(sys.argv[1] + "/rows", 3, overwrite=True)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": k}] * 7)
    writer.commit()
    print(k, flush=True)
"""


def read_rows(path):
    """Whether the files could be read: all are then of one call."""
    try:
        rows = [row["x"] for row in FileReader(path).get_next()]
    except RuntimeError:  # while the files are renamed, or if the writer was killed then
        return False
    assert rows == rows[:1] * 7
    return True


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_the_files_of_a_data_set_whose_writer_is_killed_are_of_one_call(tmp_path, effort, report):
    kills, reads, seed = 0, 0, random.Random(0)
    for _ in effort.rounds(seconds=6, most=3):
        process = start(RECORDS_AGAIN, tmp_path)
        assert process.stdout.readline(), process.communicate()[1]
        end = time.monotonic() + seed.uniform(0.1, 0.5)
        while time.monotonic() < end:
            reads += read_rows(f"{tmp_path}/rows{seed.randrange(3)}")
        process.kill()
        process.communicate()
        kills += 1
        reads += read_rows(f"{tmp_path}/rows{seed.randrange(3)}")
    report("writer of a MindRecord data set killed", f"{kills} times", f"{reads} reads, each of one call")


MODEL = """
import minigraph as ms

def layer(x):
    return ms.ops.softmax(x * 1.0 @ x.T) @ x

def example_inputs():
    return (ms.ops.ones((64, 64)),)
"""
LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def limit_files(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

limit_files(64)
import minigraph as ms
from minigraph.cli import main
from minigraph.compilation import disk_cache
disk_cache.READ_SECONDS_PER_NODE = 0.0
folder, model = sys.argv[1:]
"""
SAVE = "ms.save_checkpoint([{'name': 'w', 'data': ms.ops.ones(999)}], path)"
CACHE = """
ms.set_context(enable_compile_cache=True, compile_cache_path=folder)
print(ms.jit(lambda x: ms.ops.softmax(x * 1.0 + 2.0) @ x.T)(ms.ops.ones((2, 2))).tolist())
"""
SWEEP_ON_FULL_DISK = """
print(main(["sweep", "--executor", "serial", "--models", model, "--set", "mte2.lat=1:9:1", "--out", folder + "/a.csv"]))
"""
RECORDS = """
from minigraph.mindrecord import FileWriter
failed = []
for method in ("write_raw_data", "commit"):
    limit_files(resource.RLIM_INFINITY)
    writer = FileWriter(folder + "/rows", overwrite=True)
    writer.add_schema({"x": {"type": "int32"}, "data": {"type": "bytes"}})
    try:
        for name, arguments in (("write_raw_data", ([{"x": 1, "data": bytes(9999)}],)), ("commit", ())):
            if name == method:
                limit_files(64)
            getattr(writer, name)(*arguments)
    except OSError as error:
        failed.append((method, error.filename == folder + "/rows"))
print(failed)
"""
GRAPHS = """
ms.set_context(save_graphs=True, save_graphs_path=folder)
print(ms.jit(lambda x: x * 1.0)(1.0))
"""
# a program on a full disk; then its output, the start of the last line of its errors, and the files that it leaves
FULL_DISK = {
    "compile cache": (CACHE, "[[1.0, 1.0], [1.0, 1.0]]", "", []),
    "sweep": (SWEEP_ON_FULL_DISK, "2", "minigraph: sweep: cannot use '{}/a.csv': ", ["a.csv"]),
    "learn --to": ("print(main(['learn', '2', '--to', folder]))", "2", "minigraph: learn: cannot write '{}", []),
    "explain": ("print(main(['explain', model, '--out', folder]))", "2", "minigraph: cannot write to '{}'", []),
    "MindRecord": (RECORDS, "[('write_raw_data', True), ('commit', True)]", "", []),
    "saved graphs": (GRAPHS, "1.0", "", []),
}  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
@pytest.mark.parametrize("name", FULL_DISK)
def test_a_full_disk_is_one_message_and_leaves_nothing_in_parts(name, tmp_path, report):
    model, folder = tmp_path / "net.py", tmp_path / "out"
    model.write_text(MODEL)
    folder.mkdir()
    script, printed, message, files = FULL_DISK[name]
    command = [sys.executable, "-W", "ignore", "-c", LIMITED + script, str(folder), f"{model}:layer"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip().splitlines()[-1:] == [printed][: len(printed)], done.stderr
    assert done.stderr.strip().rpartition("\n")[2].startswith(message.format(folder))
    assert len(done.stderr.splitlines()) <= 1
    assert sorted(path.name for path in folder.iterdir()) == files
    report("disk full", name, "one message, nothing in parts")


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
def test_a_full_disk_leaves_the_old_checkpoint(tmp_path, report):
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint(checkpoint_entries(7), str(path))
    before, script = path.read_bytes(), LIMITED.replace("folder, model =", "path, =") + SAVE
    out, errors = start(script, path).communicate(timeout=120)
    assert (out, errors.splitlines()[-1][:8]) == ("", "OSError:")
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]
    report("disk full", "checkpoint", "OSError, the old file, nothing else")


SWEEP = ["-m", "minigraph", "sweep", "--chips", "ascend910b1", "ascend310", "--set", "mte2.lat=150:180:1"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_a_sweep_that_is_killed_again_and_again_ends_with_the_same_bytes(tmp_path, effort, report):
    model, seed, kills = tmp_path / "net.py", random.Random(0), 0
    model.write_text(MODEL)
    command = [sys.executable, *SWEEP, "--models", f"{model}:layer", "--workers", "2", "--executor"]
    options = {"env": {**os.environ, "PYTHONPATH": str(ROOT)}, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    whole = tmp_path / "whole.csv"
    subprocess.run([*command, "serial", "--out", whole], check=True, timeout=300, **options)
    for number in effort.rounds(seconds=1, most=1):
        table = tmp_path / f"{number}.csv"
        for executor in ("serial", "processes", "serial"):
            kills += killed_at(
                seed.randrange(whole.stat().st_size), table, [*command, executor, "--out", table], options
            )
        done = subprocess.run([*command, "serial", "--out", table], timeout=300, **options)
        assert (done.returncode, done.stderr, table.read_bytes()) == (0, b"", whole.read_bytes())
        assert not [*tmp_path.glob(".*")]
    report("sweep killed", f"{kills} times", "resumed to the same bytes")


def killed_at(size, path, command, options):
    """Whether a process was killed when its file had this size; it may end before."""
    with subprocess.Popen(command, **options) as process:
        while process.poll() is None and not (path.exists() and path.stat().st_size >= size):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.002)
        process.kill()
    return process.returncode < 0
