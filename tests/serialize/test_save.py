"""Saving: accepted and refused objects, and atomic writes."""

import os
import pathlib
import signal
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from minigraph import Parameter, Tensor, errors, jit, load_checkpoint, nn, save_checkpoint
from minigraph.capture.trace import trace
from minigraph.serialize.safetensors_file import METADATA
from minigraph.serialize.save import FORMATS
from tests.tables import cases, every


def saved_values(path):
    return {name: parameter.asnumpy().tolist() for name, parameter in load_checkpoint(path).items()}


@pytest.mark.parametrize("as_path", [str, pathlib.Path])
def test_the_suffix_is_appended_once(tmp_path, as_path):
    for name in ("net", "net.ckpt", "net.v2"):
        save_checkpoint({"w": Tensor([1.0])}, as_path(tmp_path / name))
    save_checkpoint({"w": Tensor([2.0])}, as_path(tmp_path / "net"), format="safetensors")
    assert sorted(os.listdir(tmp_path)) == ["net.ckpt", "net.safetensors", "net.v2.ckpt"]
    assert saved_values(tmp_path / "net.safetensors") == {"w": [2.0]}
    assert set(FORMATS) == {"ckpt", "safetensors"}


@pytest.mark.parametrize(
    "values",
    [
        {"b": Tensor([1.0]), "a": Parameter(Tensor(2), name="x")},
        [{"name": "b", "data": Tensor([1.0])}, {"name": "a", "data": Tensor(2)}],
        ({"name": "b", "data": Parameter(Tensor([1.0]))}, {"name": "a", "data": 2}),
    ],
    ids=["dict", "list", "tuple"],
)
def test_dicts_and_lists_keep_their_order(tmp_path, values):
    save_checkpoint(values, tmp_path / "net")
    assert list(saved_values(tmp_path / "net.ckpt").items()) == [("b", [1.0]), ("a", 2)]


def test_a_training_step_is_saved_with_the_state_of_its_optimizer(tmp_path):
    net = nn.Dense(2, 1)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    step(Tensor([[1.0, 2.0]]), Tensor([[0.0]]))
    save_checkpoint(step, tmp_path / "step")
    values = load_checkpoint(tmp_path / "step.ckpt")
    assert list(values) == [p.name for p in step.get_parameters()]
    assert [p.requires_grad for p in values.values()] == [p.requires_grad for p in step.get_parameters()]


def test_appended_and_chosen_entries_and_files_that_other_programs_read(tmp_path):
    # appended and chosen entries
    extra = {"epoch": 3, "rate": 0.5, "done": True, "mean": Tensor([1.0]), "note": 'a "text"\n'}
    save_checkpoint(nn.Dense(2, 1), tmp_path / "a", append_dict=extra, choice_func=lambda name: name != "weight")
    values = load_checkpoint(tmp_path / "a.ckpt")
    assert list(values) == ["bias", "epoch", "rate", "done", "mean", "note"]
    assert [values[name].asnumpy().tolist() for name in list(extra)[:4]] == [3, 0.5, True, [1.0]]
    assert values["note"] == extra["note"]
    # other programs read it
    save_checkpoint({"w": Tensor([[1.0, 2.0]])}, tmp_path / "net")
    assert load_file(tmp_path / "net.ckpt")["w"].tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize("name", ["../out", "/etc/passwd", "a\\b", "C:", "nul\0", "fc.weight", "重み", " "])
def test_names_are_data_never_paths(tmp_path, name):
    (tmp_path / "inside").mkdir()
    save_checkpoint({name: Tensor(1.0)}, tmp_path / "inside" / "net")
    assert list(load_checkpoint(tmp_path / "inside" / "net.ckpt")) == [name]
    assert os.listdir(tmp_path) == ["inside"]
    assert os.listdir(tmp_path / "inside") == ["net.ckpt"]


@pytest.fixture
def existing_file(tmp_path):
    """The path of a file; afterwards its contents are unchanged and it is alone in its folder."""
    save_checkpoint({"w": Tensor(1.0)}, tmp_path / "net")
    yield tmp_path / "net"
    assert os.listdir(tmp_path) == ["net.ckpt"]
    assert saved_values(tmp_path / "net.ckpt") == {"w": 1.0}


@cases(
    (3, TypeError, "must be a Cell, a dict of Tensors, or a list of dicts"),
    ([{"name": "a"}], TypeError, "must be a Cell, a dict of Tensors, or a list of dicts"),
    ({"a": ["text"]}, TypeError, "'a' is a list"),
    ({"a": "\ud800"}, TypeError, "'a' is a str"),
    ({"a": np.ones(2)}, TypeError, "'a' is a ndarray"),
    ({3: Tensor(1.0)}, TypeError, "must be a string, got 3, a int"),
    ({"": Tensor(1.0)}, errors.UsageError, "'' is not a valid name"),
    ({METADATA: Tensor(1.0)}, errors.UsageError, "is not a valid name"),
    ({"\ud800": Tensor(1.0)}, errors.UsageError, "is not a valid name"),
    ([{"name": "a", "data": Tensor(1.0)}] * 2, errors.DuplicateNameError, "'a' is used twice"),
)
def test_invalid_values_leave_the_old_file(existing_file, values, error, text):
    with pytest.raises(error, match=text):
        save_checkpoint(values, existing_file)


@every(step=["fsync", "replace"])
def test_a_failed_save_leaves_the_old_file_and_no_temporary_file(existing_file, monkeypatch, step):
    def full(*args):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch, pytest.raises(OSError, match="no space left"):
        patch.setattr(os, step, full)
        save_checkpoint({"w": Tensor(2.0)}, existing_file)


KILLED_PROGRAM = """
import os, signal, sys
import minigraph as ms
from minigraph.core import files

def die(*args, **kwargs):
    os.kill(os.getpid(), signal.SIGKILL)

class HalfWrittenFile:
    def __init__(self, *args):
        self.stream = open(*args)
    def __enter__(self):
        return self
    def __exit__(self, *args):
        pass
    def write(self, content):
        self.stream.write(content[: len(content) // 2])
        self.stream.flush()
        die()

if sys.argv[2] == "write":
    files.open = HalfWrittenFile
else:
    setattr(os, sys.argv[2], die)
ms.save_checkpoint({"w": ms.Tensor([2.0] * 1000)}, sys.argv[1])
"""


@every(before=[True, False], moment=["write", "fsync", "replace"])
def test_a_save_that_is_killed_leaves_the_old_file_or_none(tmp_path, moment, before):
    if before:
        save_checkpoint({"w": Tensor(1.0)}, tmp_path / "net")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED_PROGRAM, tmp_path / "net", moment]
    process = subprocess.run(command, env=environment, check=False)
    assert process.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.glob("net*")] == ["net.ckpt"] * before
    if before:
        assert saved_values(tmp_path / "net.ckpt") == {"w": 1.0}
    for rest in tmp_path.glob(".*.part"):  # temporary files of a killed process have no checkpoint's name
        assert rest.suffix == ".part"
    save_checkpoint({"w": Tensor(3.0)}, tmp_path / "net")
    assert saved_values(tmp_path / "net.ckpt") == {"w": 3.0}


@cases(
    ("net", {"append_dict": [1]}, TypeError, "append_dict"),
    ("net", {"append_dict": {1: 2}}, TypeError, "must be a string, got 1"),
    ("net", {"choice_func": 3}, TypeError, "choice_func"),
    ("net", {"enc_key": b"secret"}, ValueError, "enc_key"),
    ("missing/net", {}, errors.UsageError, "no folder"),
    (None, {}, TypeError, "must be a path of a file"),
    ("net", {"format": "pickle"}, ValueError, "the format must be in"),
)
def test_invalid_options_and_paths_are_refused_and_nothing_is_written(tmp_path, path, options, error, text):
    with pytest.raises(error, match=text):
        save_checkpoint(nn.Dense(2, 1), path and tmp_path / path, **options)
    assert os.listdir(tmp_path) == []


def test_a_traced_function_does_not_save(tmp_path):
    net, file = nn.Dense(2, 1), str(tmp_path / "net")

    def step(x):
        save_checkpoint(net, file)
        return net(x)

    x = Tensor([[1.0, 2.0]])
    with pytest.raises(RuntimeError, match=r"'save_checkpoint' reads or changes files or settings"):
        jit(step, fullgraph=True)(x)
    with pytest.raises(RuntimeError, match=r"'net.ckpt' cannot be saved during tracing"):
        trace(step, x)
    assert os.listdir(tmp_path) == []
