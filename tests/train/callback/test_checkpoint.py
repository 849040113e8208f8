"""Checkpoints in training: names, contents, and that earlier checkpoints are kept."""

from minigraph import load_checkpoint, nn, train
from minigraph.train.callback import checkpoint
from tests.tables import cases, error_cases
from tests.train.callback.models import rows


def train_and_save(folder, epochs=2, prefix="net", **options):
    """Train with a checkpoint; returns the network, the callback and the names of the files."""
    net = nn.Dense(1, 1)
    saving = train.ModelCheckpoint(prefix, folder, train.CheckpointConfig(**options) if options else None)
    model = train.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    model.train(epochs, rows(), callbacks=saving)
    return net, saving, sorted(path.name for path in folder.iterdir())


@cases(
    ({}, ["net-1_2.ckpt", "net-1_3.ckpt", "net-2_1.ckpt", "net-2_2.ckpt", "net-2_3.ckpt"]),
    ({"save_checkpoint_steps": 2}, ["net-1_2.ckpt", "net-2_1.ckpt", "net-2_3.ckpt"]),
    ({"save_checkpoint_steps": 4}, ["net-2_1.ckpt", "net-2_3.ckpt"]),
    ({"save_checkpoint_steps": 2, "keep_checkpoint_max": 2}, ["net-2_1.ckpt", "net-2_3.ckpt"]),
    ({"keep_checkpoint_max": 0}, ["net-2_3.ckpt"]),
    ({"save_checkpoint_steps": 100, "format": "safetensors"}, ["net-2_3.safetensors"]),
)
def test_file_names(tmp_path, options, names):
    net, saving, result = train_and_save(tmp_path, **options)
    assert result == names
    assert saving.latest_ckpt_file_name == str(tmp_path / names[-1])
    last = load_checkpoint(saving.latest_ckpt_file_name)
    assert list(last)[:3] == ["weight", "bias", "global_step"]
    assert last["moments.weight"].shape == (1, 1)
    assert last["weight"].asnumpy().tobytes() == net.weight.asnumpy().tobytes()


def test_saving_by_time(tmp_path, monkeypatch):
    clock = iter(range(0, 1000, 3))
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: next(clock))
    *_, names = train_and_save(tmp_path, save_checkpoint_steps=None, save_checkpoint_seconds=6)
    assert names == ["net-1_2.ckpt", "net-2_1.ckpt", "net-2_3.ckpt"]


def test_a_second_training_leaves_the_first_alone(tmp_path):
    first, *_ = train_and_save(tmp_path, 1, keep_checkpoint_max=1)
    assert train_and_save(tmp_path, 1, keep_checkpoint_max=1)[2] == ["net-1_3.ckpt", "net_1-1_3.ckpt"]
    values = load_checkpoint(tmp_path / "net-1_3.ckpt")
    assert values["weight"].asnumpy().tobytes() == first.weight.asnumpy().tobytes()
    assert train_and_save(tmp_path, 1, keep_checkpoint_max=1)[2][-1] == "net_2-1_3.ckpt"


def test_files_of_several_runs_are_counted_together(tmp_path):
    net = nn.Dense(1, 1)
    saving = train.ModelCheckpoint("net", tmp_path, train.CheckpointConfig(keep_checkpoint_max=2))
    for _ in range(3):
        train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01)).train(1, rows(), callbacks=saving)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in saving.files)
    assert len(saving.files) == 2


def test_saved_network_and_append_info(tmp_path):
    other = nn.Dense(2, 2)
    extra = ["epoch_num", "step_num", {"lr": 0.5}]
    options = {"save_checkpoint_steps": 3, "saved_network": other, "append_info": extra}
    *_, names = train_and_save(
        tmp_path / "new" / "folder", prefix=lambda run_context: f"after{run_context.epoch_num}", **options
    )
    assert names == ["after2-1_3.ckpt", "after2-2_3.ckpt"]
    last = load_checkpoint(tmp_path / "new" / "folder" / names[-1])
    assert {name: p.shape for name, p in last.items()} == {
        "weight": (2, 2), "bias": (2,), "epoch_num": (), "step_num": (), "lr": (),
    }  # fmt: skip
    assert (last["epoch_num"].item(), last["step_num"].item(), last["lr"].item()) == (2, 6, 0.5)


test_arguments_are_checked = error_cases(
    (lambda: train.ModelCheckpoint("a/b"), ValueError, "string that does not contain '/', but got a/b"),
    (lambda: train.ModelCheckpoint(3), ValueError, "the argument 'prefix' .* is invalid"),
    (lambda: train.ModelCheckpoint(directory=3), TypeError, "the directory must be a path"),
    (lambda: train.ModelCheckpoint(config=3), TypeError, "should be 'CheckpointConfig', but got <class 'int'>"),
    (lambda: train.CheckpointConfig(-1), ValueError, "must be int and must >= 0, but got '-1'"),
    (lambda: train.CheckpointConfig(1.5), ValueError, "must be an int, got 1.5"),
    (lambda: train.CheckpointConfig(0), ValueError, "pass save_checkpoint_steps or save_checkpoint_seconds"),
    (lambda: train.CheckpointConfig(saved_network=3), TypeError, "must be Cell, but got <class 'int'>"),
    (lambda: train.CheckpointConfig(append_info=["lr"]), TypeError, "append_info is .*, got 'lr'"),
    (lambda: train.CheckpointConfig(enc_key=b"x"), ValueError, "enc_key is not supported"),
    (lambda: train.CheckpointConfig(exception_save=True), ValueError, "exception_save is not supported"),
)
