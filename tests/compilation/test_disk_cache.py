"""The compile cache: read by other processes, and never used if anything about an entry is wrong."""

import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops, set_context
from minigraph.capture.trace import trace
from minigraph.compilation import disk_cache as cached
from minigraph.compilation.disk_cache import CompileCacheWarning, optimize
from minigraph.core.op import Op
from minigraph.operators.families import elementwise
from passes import RULES, as_pipeline
from tests.inspection import bits, run_program

X = Tensor(np.float32([[1.0, -2.0]]))
WEIGHT = Parameter(Tensor([[1.0], [0.5]]), name="weight")


def layer(x):
    return ops.relu(x @ WEIGHT + 1.0) * 1.0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache that stores every graph."""
    monkeypatch.setattr(cached, "READ_SECONDS_PER_NODE", 0.0)
    set_context(enable_compile_cache=True, compile_cache_path=str(tmp_path))
    return tmp_path


def compile_once(pipeline="default", fn=layer, **options):
    """The optimised graph, and whether its passes ran."""
    graph, records = optimize(trace(fn, X), pipeline, **options)
    return graph, bool(records)


def entries(folder):
    return sorted(folder.iterdir())


def test_an_optimised_graph_is_read_the_next_time(folder):
    first, ran = compile_once()
    (entry,) = entries(folder)
    again, ran_again = compile_once()
    assert (ran, ran_again, entries(folder)) == (True, False, [entry])
    assert again.same_as(first) and again.params["weight"] is WEIGHT
    assert bits([jit(layer)(X), jit(layer)(X)]) == bits([layer(X), layer(X)])
    assert len(entries(folder)) == 2, "one more: what jit captures is another graph"


def test_it_is_off_by_default_and_not_used_for_snapshots_of_passes(folder):
    set_context(enable_compile_cache=False)
    assert compile_once()[1] and compile_once()[1] and not entries(folder)
    set_context(enable_compile_cache=True)
    compile_once()
    assert compile_once(snapshots=True)[1]
    set_context(validate=True)
    assert compile_once()[1]


@pytest.mark.parametrize("other", ["pipeline", "function", "files"])
def test_different_inputs_have_different_entries(folder, other, monkeypatch):
    compile_once()
    if other == "files":
        monkeypatch.setattr(cached, "_environment", lambda: "another version")
    assert compile_once("cse,dce" if other == "pipeline" else "default", ops.abs if other == "function" else layer)[1]
    assert len(entries(folder)) == 2


def test_the_environment_names_our_files_and_versions():
    environment = cached._environment()
    assert all(part in environment for part in ("disk_cache.py", "rulebook.py", np.__version__, sys.version.split()[0]))


DAMAGES = {
    "empty": lambda text: b"",
    "cut short": lambda text: text[:-9],
    "changed": lambda text: text.replace(b"matmul", b"matmux"),
    "no text": lambda text: b"\xff\xfe" + text,
    "another format": lambda text: text.replace(b"minigraph 1", b"minigraph 2"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_entry_causes_one_warning_and_is_replaced(folder, damage):
    first, _ = compile_once()
    (entry,) = entries(folder)
    content = entry.read_bytes()
    entry.write_bytes(damage(content))
    with pytest.warns(CompileCacheWarning, match="cannot be used and is replaced") as caught:
        again, ran = compile_once()
    assert len(caught) == 1 and ran and again.same_as(first)
    assert entry.read_bytes() == content
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not compile_once()[1]


@pytest.mark.parametrize("text", ["not a graph", 'graph g(%0) {params=("other",)}\n  %0 = input() : f32[1,2]\n'])
def test_a_foreign_entry_with_a_valid_checksum_is_not_used(folder, text):
    compile_once()
    (entry,) = entries(folder)
    entry.write_text(f"{cached._head(text)}\n{text}")
    with pytest.warns(CompileCacheWarning):
        assert compile_once()[1]
    assert not compile_once()[1]


def test_a_read_only_folder_causes_a_warning(folder):
    (folder / "file").write_text("")
    set_context(compile_cache_path=str(folder / "file" / "below"))
    with pytest.warns(CompileCacheWarning) as caught:
        assert compile_once()[1]
    assert "cannot be written" in str(caught[-1].message)


def test_a_full_disk_causes_a_warning_and_leaves_nothing(folder, full_disk):
    with pytest.warns(CompileCacheWarning, match="No space left"):
        assert compile_once()[1]
    assert entries(folder) == []


def test_without_a_home_directory_nothing_is_cached(folder, monkeypatch):
    def no_home(path):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(cached.Path, "expanduser", no_home)
    with pytest.warns(CompileCacheWarning, match="set compile_cache_path"):
        assert compile_once()[1]


def test_the_oldest_entries_and_abandoned_files_are_removed(folder, monkeypatch):
    monkeypatch.setattr(cached, "MAX_FILES", 8)
    (folder / "notes.txt").write_text("mine")
    (folder / ".a.graph.12.part").write_text("")
    (folder / ".b.graph.12.part").write_text("")
    os.utime(folder / ".a.graph.12.part", (0, 0))
    for k in range(9):
        (folder / f"{k}.graph").write_text("")
        os.utime(folder / f"{k}.graph", (k, k))
    compile_once()
    names = [path.name for path in entries(folder)]
    assert [name for name in names if len(name) < 60] == [".b.graph.12.part", *(f"{k}.graph" for k in range(2, 9)),
                                                          "notes.txt"]  # fmt: skip
    assert len(names) == 10, "and the new entry"


def test_writers_at_the_same_time_leave_one_whole_entry(folder):
    graph = compile_once()[0]
    (entry,) = entries(folder)
    content = entry.read_bytes()
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: cached._write_entry(entry, graph), range(20)))
    assert entries(folder) == [entry] and entry.read_bytes() == content


# ---- graphs that are not cached --------------------------------------------------------------------


def test_graphs_of_user_passes_are_not_cached(folder, monkeypatch):
    def mine(graph):
        """A user pass, which may change."""

    compile_once(as_pipeline("cse"))
    compile_once([mine])
    compile_once((mine, "dce"))
    monkeypatch.setitem(RULES, "mine", ())
    compile_once()
    assert not entries(folder)


def test_user_operators_opaque_values_and_fast_optimisations_are_not_cached(folder, monkeypatch):
    mine: Op = elementwise("mine", lambda x, out=None: np.add(x, x, out), vjp=(None,), doc="x + x.")
    compile_once(fn=lambda x: mine(x))
    assert jit(lambda x: Tensor(np.sin(x.asnumpy())) + x)(X).shape == X.shape
    monkeypatch.setattr(cached, "READ_SECONDS_PER_NODE", 1e9)
    compile_once()
    assert not entries(folder)


SCRIPT = """
import sys
import minigraph as ms
from minigraph import Tensor, ops
from minigraph.compilation import disk_cache as cached
cached.READ_SECONDS_PER_NODE = 0
ms.set_context(enable_compile_cache=True, compile_cache_path=sys.argv[1], accel=False)  # kernels need passes
print(ms.jit(lambda x: ops.relu(x * 1.0 + 1.0))(Tensor([1.0])), "passes" in sys.modules)
"""


def test_another_process_needs_no_passes(tmp_path):
    outputs = [run_program(SCRIPT, tmp_path) for _ in range(2)]
    assert outputs == ["[2.] True", "[2.] False"]
    assert len(list(tmp_path.iterdir())) == 1
