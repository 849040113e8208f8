"""Files under rough treatment: writers killed, disks that fill up, bytes that change."""

import os
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit, set_context
from minigraph.compilation import disk_cache
from minigraph.errors import MinigraphError
from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify
from tests.inspection import bits
from tests.rough.program import X, branches
from tests.structure import ROOT

SAVER = """
import sys
import numpy as np
import minigraph as ms
for k in range(1, 10**6):
    ms.save_checkpoint([{"name": str(n), "data": ms.Tensor(np.full(30_000, k))} for n in range(8)], sys.argv[1])
    print(k, flush=True)
"""


def saved(k):
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


LIMITED = """
import resource, signal, sys
import numpy as np
import minigraph as ms
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    ms.save_checkpoint([{"name": "w", "data": ms.Tensor(np.ones(30_000))}], sys.argv[1])
except OSError as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on files here")
def test_a_full_disk_leaves_the_old_checkpoint(tmp_path, report):
    path = tmp_path / "net.ckpt"
    ms.save_checkpoint(saved(7), str(path))
    before = path.read_bytes()
    out, errors = start(LIMITED, path).communicate(timeout=120)
    assert (out.strip(), errors) == ("OSError", "")
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]
    report("disk full while saving", "1 time", "OSError, the old file, nothing else")


def mutate(content, seed):
    """Some bytes changed, removed, repeated, or the end cut off."""
    data = bytearray(content)
    for _ in range(seed.randrange(1, 4)):
        at, kind = seed.randrange(len(data)), seed.randrange(5)
        if kind == 0:
            data[at] ^= 1 << seed.randrange(8)
        elif kind == 1:
            del data[at : at + seed.randrange(1, 20)]
        elif kind == 2:
            data[at:at] = data[at : at + seed.randrange(1, 20)]
        elif kind == 3:
            data[at] = seed.randrange(256)
        else:
            del data[max(1, at) :]
        data = data or bytearray(b"\0")
    return bytes(data)


def test_a_mutated_checkpoint_is_refused_or_whole(tmp_path, effort, report):
    path, refused = tmp_path / "net.ckpt", 0
    ms.save_checkpoint([{"name": "a", "data": Tensor(X)}, {"name": "b", "data": Tensor(2)}], str(path))
    content, expected = path.read_bytes(), bits(ms.load_checkpoint(str(path)))
    count = effort.samples(150)
    for k in range(count):
        path.write_bytes(mutate(content, random.Random(k)))
        try:
            found = ms.load_checkpoint(str(path))
        except MinigraphError as error:
            refused += 1
            assert "net.ckpt" in str(error) and len(str(error).splitlines()) <= 3
        else:
            assert bits(found) == expected
    report("checkpoint mutated", f"{count} times", f"{refused} refused by name, the others whole")


def test_a_mutated_graph_text_is_refused_or_a_graph(effort, report):
    text = to_text(jit(lambda x: branches(x) @ x.T).graph(Tensor(X), pipeline=()))
    refused, count = 0, effort.samples(150)
    for k in range(count):
        mutated = mutate(text.encode(), random.Random(k)).decode("utf-8", "replace")
        try:
            graph = parse(mutated)
            verify(graph)
        except MinigraphError as error:
            refused += 1
            assert str(error)
        else:
            assert to_text(parse(to_text(graph))) == to_text(graph)
    report("graph text mutated", f"{count} times", f"{refused} refused, the others graphs")


@pytest.mark.filterwarnings("ignore::minigraph.compilation.disk_cache.CompileCacheWarning")
def test_a_mutated_compile_cache_changes_no_number(tmp_path, monkeypatch, effort, report):
    monkeypatch.setattr(disk_cache, "READ_SECONDS_PER_NODE", 0.0)
    set_context(enable_compile_cache=True, compile_cache_path=str(tmp_path))

    def function(x):
        return (x * 1.0 + 2.0) @ x.T

    expected = bits(jit(function)(Tensor(X)))
    (entry,) = [path for path in tmp_path.iterdir() if path.is_file()]
    content, count = entry.read_bytes(), effort.samples(60)
    for k in range(count):
        entry.write_bytes(mutate(content, random.Random(k)))
        assert bits(jit(function)(Tensor(X))) == expected
    report("compile cache mutated", f"{count} times", "the same bits")
