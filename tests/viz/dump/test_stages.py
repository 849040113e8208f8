"""``save_graphs``: the stages it writes, their file names, and write errors."""

import itertools
import os
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from minigraph import GRAPH_MODE, Parameter, Tensor, jit, nn, ops, set_context, value_and_grad
from minigraph.core.context import get_context, resolve
from tests.tables import results
from tests.viz.graphs import HOSTILE, fuse_record, fused_step, parse_svg, record, step
from viz.dump import stage_index, stages
from viz.dump.ir_text import ir_text
from viz.dump.stages import NotSavedWarning, safe_name, save_stages, stages_of

ROOT = Path(__file__).parents[2]
X = Tensor([[1.0, 2.0], [3.0, 4.0]])
STAGE = re.compile(r"(\d\d)_(\w+)_(\d{4})\.ir")


@pytest.fixture(autouse=True)
def _reset_module_state(monkeypatch):
    """Resets the counter, the known folders and the warnings for each test."""
    monkeypatch.setattr(stages, "_serial", itertools.count())
    monkeypatch.setattr(stages, "_warned_folders", set())
    monkeypatch.setattr(stage_index, "_folders", {})


def save_example(folder, level=1, captured=None, records=None):
    first, last = step(), fused_step()
    default = [record("dce", first, first), fuse_record(), record("cse", last, last)]
    records = default if records is None else records
    final = next((record.after for record in reversed(records) if record.after is not None), step())
    return save_stages(captured or step(), final, records, folder, level)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def stage_names(folder):
    return [STAGE.fullmatch(name)[2] for name in names(folder) if name.endswith(".ir")]


# ---- files -----------------------------------------------------------------------------------------


def test_the_context_resolves_it():
    assert resolve(get_context("graph_dump")) is save_stages


def test_level_one_writes_changed_stages_and_the_executed_graph(tmp_path):
    paths = save_example(tmp_path)
    assert [path.name for path in paths] == names(tmp_path)
    assert names(tmp_path) == ["00_bootstrap_0000.ir", "01_fuse_elementwise_0001.ir", "02_execute_0002.ir"]
    first, fused, last = (path.read_text("utf-8") for path in paths)
    assert (first, fused) == (ir_text(step()), ir_text(fused_step()))
    assert last.startswith(fused)
    assert "# Program: 10 steps, 0 buffers of 0 bytes\n# def run(inputs, parameters, buffers" in last


def test_level_two_adds_diffs_and_an_index(tmp_path):
    save_example(tmp_path, 2)
    assert [name for name in names(tmp_path) if not name.endswith(".ir")] == [
        "diff_01_fuse_elementwise_0001.diff", "diff_02_execute_0002.diff", "index.html",
    ]  # fmt: skip
    text = (tmp_path / "diff_01_fuse_elementwise_0001.diff").read_text("utf-8")
    assert text.startswith("--- 00_bootstrap_0000.ir\n+++ 01_fuse_elementwise_0001.ir\n")
    assert "+  %14(CNode_14) = call @GraphKernel_Add_Relu_Mul_Mul_fusion_14(" in text


def test_level_three_adds_pictures_with_the_changes_marked(tmp_path):
    paths = save_example(tmp_path, 3)
    texts, sources, pictures = (
        [path.read_text("utf-8") for path in paths if path.suffix == suffix] for suffix in (".ir", ".dot", ".svg")
    )
    assert len(texts) == len(sources) == len(pictures) == 3
    assert all(parse_svg(picture) is not None for picture in pictures)
    assert all(source.startswith("digraph") for source in sources)
    assert ["removed" in source for source in sources] == [False, True, False]
    assert not [name for name in names(tmp_path) if name.startswith(".")], "nothing but whole files is left"


def test_level_zero_writes_nothing(tmp_path):
    assert save_example(tmp_path, 0) == []
    assert names(tmp_path) == []


def test_without_passes_or_their_graphs_there_is_a_first_and_a_last_stage(tmp_path):
    save_example(tmp_path, records=[])
    assert stage_names(tmp_path) == ["bootstrap", "execute"]
    without_graphs = fuse_record()._replace(before=None, after=None)
    assert [stage.name for stage in stages_of(step(), fused_step(), [without_graphs])] == ["bootstrap", "execute"]


def test_first_numbers_restart_and_last_numbers_continue(tmp_path):
    save_example(tmp_path)
    save_example(tmp_path)
    numbers = [STAGE.fullmatch(name).groups()[::2] for name in names(tmp_path)]
    assert sorted(numbers, key=lambda pair: pair[1]) == [
        ("00", "0000"), ("01", "0001"), ("02", "0002"), ("00", "0003"), ("01", "0004"), ("02", "0005"),
    ]  # fmt: skip


@pytest.mark.parametrize("title", ["../../etc/passwd", "a/b\\c:d", HOSTILE, "", ".", "x" * 500])
def test_names_never_choose_the_folder(tmp_path, title):
    graph = step()
    graph.title = title
    paths = save_example(tmp_path / "out", 3, graph, [fuse_record()._replace(name=title)])
    assert {path.parent for path in paths} == {tmp_path / "out"}
    assert all(len(path.name) < 100 for path in paths)


test_safe_names = results(safe_name, ("net.py", "net_py"), ("..", "stage"), ("é", "stage"), ("a-b_1", "a-b_1"))


# ---- compiled functions -----------------------------------------------------------------------------


def scaled(x):
    return ops.exp(x) * 2.0 + 1.0


def use_save_graphs(folder, level=1, **settings):
    """Save the graphs of later compilations."""
    set_context(save_graphs=level, save_graphs_path=str(folder), **settings)


def test_several_functions_and_types_are_saved(tmp_path):
    folder = tmp_path / "new" / "folder"
    use_save_graphs(folder)
    first, second = jit(scaled), jit(lambda x: x + 1.0)
    first(X), first(X), first(X[0]), second(X)
    optimized, unoptimized = ["bootstrap", "fuse_elementwise", "dce", "execute"], ["bootstrap", "execute"]
    assert sorted(stage_names(folder)) == sorted(optimized * 2 + unoptimized)
    entries = [path.read_text().partition("\n")[0] for path in sorted(folder.glob("00_*"))]
    assert entries == ["# IR entry: @scaled", "# IR entry: @scaled", "# IR entry: @lambda"]


class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.factor = Parameter(Tensor([2.0, 3.0]))

    def construct(self, x):
        return ops.tanh(x * self.factor)


def test_cells_in_graph_mode(tmp_path):
    use_save_graphs(tmp_path, True, mode=GRAPH_MODE)
    Scale()(X)
    text = next(tmp_path.glob("00_*.ir")).read_text()
    assert text.startswith("# IR entry: @Scale\n")
    assert "%para1_x: <Tensor[Float32], (2, 2)> : [2, 2]" in text
    assert "%para2_factor: <Ref[Tensor[Float32]], (2), ref_key=factor, is_parameter>  :  has_default" in text


def test_gradients_and_updates_are_part_of_the_graph(tmp_path):
    net = Scale()
    forward = value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())

    @jit
    def train(x):
        loss, (grad,) = forward(x)
        return ops.depend(loss, ops.assign(net.factor, net.factor - grad))

    use_save_graphs(tmp_path)
    train(X)
    first, last = (next(tmp_path.glob(f"*_{name}_*")).read_text() for name in ("bootstrap", "execute"))
    assert "Gradients/Default/" in first and "PrimFunc_Assign(%para2_factor, " in first
    assert "# Program: " in last


def test_bodies_of_branches_are_a_stage_before_the_passes(tmp_path):
    def branching(x):
        y = ops.exp(x) * 2.0 + 1.0 if x.sum() > 0 else x
        return y

    use_save_graphs(tmp_path, 2)
    jit(branching, capture_mode="ast")(X)
    assert stage_names(tmp_path) == ["bootstrap", "bodies", "execute"]
    first, bodies = (next(tmp_path.glob(f"*_{name}_*.ir")).read_text() for name in ("bootstrap", "bodies"))
    assert "subgraph @branching.then_" in first
    assert "call @GraphKernel_Exp_Mul_Add_fusion_" in bodies
    assert "only inside bodies" in (tmp_path / "index.html").read_text()


def test_a_pass_that_changes_nothing_leaves_no_file_and_numbers_are_written_as_they_are(tmp_path):
    use_save_graphs(tmp_path)
    jit(lambda x: x * Tensor(np.float32(0.5)), pipeline="dce,cse,dce")(X)
    assert stage_names(tmp_path) == ["bootstrap", "execute"]
    assert "value=0.5" in next(tmp_path.glob("00_*")).read_text()


def test_threads_never_take_the_same_name(tmp_path):
    threads = [threading.Thread(target=lambda: [save_example(tmp_path, 2) for _ in range(10)]) for _ in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(list(tmp_path.glob("*.ir"))) == 90
    assert "30 compilations" in (tmp_path / "index.html").read_text()


# ---- write errors ------------------------------------------------------------------------------------


def test_a_path_that_is_a_file_gives_one_warning_and_the_call_works(tmp_path):
    file = tmp_path / "taken"
    file.write_text("mine")
    use_save_graphs(file, 2)
    with pytest.warns(NotSavedWarning, match=r"save_graphs: cannot write into '.*taken': .* in `.*` \(test_stages"):
        assert jit(scaled)(X).shape == (2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert jit(scaled)(X).shape == (2, 2)
    assert file.read_text() == "mine"


def test_a_full_disk_raises_nothing(tmp_path, monkeypatch):
    def fail_at_execute(path, content):
        if "execute" in path.name:
            raise OSError(28, "No space left on device")
        return write(path, content)

    write = stages.write_atomically
    monkeypatch.setattr(stages, "write_atomically", fail_at_execute)
    with pytest.warns(NotSavedWarning, match="No space left on device"):
        paths = save_example(tmp_path, 2)
    assert [path.name for path in paths] == [
        "00_bootstrap_0000.ir", "01_fuse_elementwise_0001.ir", "diff_01_fuse_elementwise_0001.diff",
    ]  # fmt: skip
    assert all(path.exists() for path in paths)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_gives_a_warning(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.warns(NotSavedWarning, match="Permission denied"):
        assert save_example(tmp_path / "inside") == []


def test_a_fresh_process_starts_at_zero(tmp_path):
    code = "import sys; from minigraph import *; set_context(save_graphs=1, save_graphs_path=sys.argv[1])"
    code += "; print(jit(lambda x: x + 1.0)(Tensor([1.0])))"
    command = [sys.executable, "-c", code, str(tmp_path)]
    process = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert (process.stdout, process.stderr) == ("[2.]\n", "")
    assert names(tmp_path) == ["00_bootstrap_0000.ir", "01_execute_0001.ir"]
