"""Loading: saved values are restored; changed, truncated and foreign files are refused with a reason."""

import json
import pickle
import random
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from minigraph import Tensor, load_checkpoint, load_param_into_net, nn, ops, save_checkpoint, set_seed
from minigraph.core.errors import CheckpointError
from minigraph.serialize.record import FORMAT
from tests.tables import cases, every


def test_a_checkpoint_round_trips_and_every_truncation_is_refused(checkpoint_path):
    # what was saved comes back in order and may be changed
    values = load_checkpoint(checkpoint_path)
    assert list(values) == ["fc.weight", "steps", "on", "z"]
    assert [str(p.type) for p in values.values()] == ["f32[1,2]", "i64[]", "bool[1]", "c128[]"]
    values["fc.weight"].asnumpy()[0, 1] = 3.0
    assert (values["fc.weight"].asnumpy().tolist(), values["z"].item()) == ([[1.0, 3.0]], 1 + 2j)
    # every truncation is refused
    content = checkpoint_path.read_bytes()
    for length in range(len(content)):
        check_refusal(checkpoint_path, content[:length])
    check_refusal(checkpoint_path, content + b"\0")


def test_an_empty_checkpoint_and_one_into_a_network_at_once(tmp_path):
    # an empty checkpoint
    save_checkpoint({}, tmp_path / "net")
    assert load_checkpoint(tmp_path / "net.ckpt") == {}
    # into a network at once
    net, fresh = nn.Dense(3, 2), nn.Dense(3, 2)
    save_checkpoint(net, tmp_path / "net")
    load_checkpoint(tmp_path / "net.ckpt", fresh, strict_load=True)
    assert fresh.weight.asnumpy().tobytes() == net.weight.asnumpy().tobytes()


def training_cell():
    set_seed(1)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dense(4, 1))
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.1)).set_train()


def test_training_continues_after_loading_with_the_same_bits(tmp_path, mode):
    x, y = Tensor(np.random.default_rng(1).normal(size=(8, 3)).astype(np.float32)), ops.ones((8, 1))
    uninterrupted, first, second = training_cell(), training_cell(), training_cell()
    expected = [uninterrupted(x, y).item() for _ in range(6)]
    losses = [first(x, y).item() for _ in range(3)]
    save_checkpoint(first, tmp_path / "half")
    second(x, y)  # compiled before the values are replaced
    assert load_param_into_net(second, load_checkpoint(tmp_path / "half.ckpt")) == ([], [])
    assert losses + [second(x, y).item() for _ in range(3)] == expected


# ---- damage ----------------------------------------------------------------------------------------


def check_refusal(path, content):
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"load_checkpoint: '.*{path.name}' is"):
        load_checkpoint(path)


def test_every_changed_byte_is_detected(checkpoint_path):
    content, expected = checkpoint_path.read_bytes(), loaded_values(load_checkpoint(checkpoint_path))
    rng, refused = random.Random(1), 0
    for position in range(len(content)):
        changed = bytearray(content)
        changed[position] ^= rng.choice([1, 32, 128, 255])
        checkpoint_path.write_bytes(changed)
        try:
            assert (
                loaded_values(load_checkpoint(checkpoint_path)) == expected
            )  # a blank of the header that became another blank
        except CheckpointError:
            refused += 1
    assert refused > 0.95 * len(content)


@pytest.fixture(scope="module")
def large_checkpoint(tmp_path_factory):
    """A checkpoint of many records and dtypes, one a string: (path, bytes, values)."""
    path = tmp_path_factory.mktemp("large") / "net.ckpt"
    net = nn.SequentialCell(nn.Dense(5, 4), nn.BatchNorm1d(4), nn.Dense(4, 3))
    save_checkpoint(net, path, append_dict={"epoch": 3, "done": True, "note": "warm", "z": Tensor(1 + 2j)})
    return path, path.read_bytes(), loaded_values(load_checkpoint(path))


@pytest.fixture
def checkpoint_path(tmp_path):
    values = {"fc.weight": Tensor([[1.0, -0.0]]), "steps": Tensor(7), "on": Tensor([True]), "z": Tensor(1 + 2j)}
    save_checkpoint(values, tmp_path / "net")
    return tmp_path / "net.ckpt"


def loaded_values(values):
    """The loaded values: strings, and of Parameters the name, type, ``requires_grad`` and bits."""
    parts = {name: p for name, p in values.items() if not isinstance(p, str)}
    return values | {name: (p.name, p.type, p.requires_grad, p.asnumpy().tobytes()) for name, p in parts.items()}


def check_load_or_refusal(large, content):
    path, _, expected = large
    path.write_bytes(content)
    net = nn.Dense(4, 3)
    before = net.weight.asnumpy().tobytes()
    try:
        assert loaded_values(load_checkpoint(path)) == expected
    except CheckpointError as error:
        assert path.name in str(error)
        with pytest.raises(CheckpointError):
            load_checkpoint(path, net)
        assert net.weight.asnumpy().tobytes() == before


@settings(max_examples=300)
@given(st.data())
def test_flipped_bits_are_detected_or_have_no_effect(large_checkpoint, data):
    changed = bytearray(large_checkpoint[1])
    for bit in data.draw(st.lists(st.integers(0, len(changed) * 8 - 1), min_size=1, max_size=6, unique=True)):
        changed[bit // 8] ^= 1 << bit % 8
    check_load_or_refusal(large_checkpoint, bytes(changed))


@settings(max_examples=150)
@given(st.data())
def test_lost_doubled_blanked_and_swapped_parts_are_detected(large_checkpoint, data):
    content = large_checkpoint[1]
    first, second = sorted(data.draw(st.integers(0, len(content))) for _ in range(2))
    before, part, after = content[:first], content[first:second], content[second:]
    spoiled = (
        before + after,
        before + part + part + after,
        before + bytes(len(part)) + after,
        before + part[::-1] + after,
        after + before + part,
        before + data.draw(st.binary(max_size=40)),
    )
    check_load_or_refusal(large_checkpoint, data.draw(st.sampled_from(spoiled)))


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_random_bytes_are_refused(large_checkpoint, content):
    large_checkpoint[0].write_bytes(content)
    with pytest.raises(CheckpointError, match="net.ckpt"):
        load_checkpoint(large_checkpoint[0])


class Harmful:
    """An object that writes a file when it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('code from a file was run')",)


def test_files_of_other_formats_are_refused(tmp_path):
    path = tmp_path / "other.ckpt"
    np.savez(tmp_path / "other.npz", w=np.ones(2))
    for content in (b"", b"\n\x05\n\x01w\x12\x00", pickle.dumps(Harmful()), (tmp_path / "other.npz").read_bytes()):
        check_refusal(path, content)
    for length in (2**63, 2**40, 10**6):
        check_refusal(path, length.to_bytes(8, "little") + b"{}")
    save_file({"w": np.ones(2)}, path)
    with pytest.raises(CheckpointError, match=r"not a checkpoint of minigraph; read it with safetensors"):
        load_checkpoint(path)


def forge(path, entries, arrays, **changes):
    text = json.dumps(entries)
    save_file(arrays, path, {"format": FORMAT, "records": text, "crc32": str(zlib.crc32(text.encode()))} | changes)
    return path


def load_forged(folder, entries, arrays=None, **changes):
    return load_checkpoint(forge(folder / "a.ckpt", entries, {"w": ONES} if arrays is None else arrays, **changes))


ONES = np.ones(2, np.float32)
GOOD = ["w", "float32", [2], True, zlib.crc32(ONES.tobytes())]


def test_a_forged_file_is_valid_and_its_records_are_checked(tmp_path):
    # the forged file would otherwise be valid
    assert load_forged(tmp_path, [GOOD])["w"].asnumpy().tolist() == [1, 1]
    # records are checked even where the tensors say nothing
    frozen = [*GOOD[:3], False, GOOD[4]]
    assert not load_forged(tmp_path, [frozen])["w"].requires_grad
    with pytest.raises(CheckpointError, match="the checksum of its records is wrong"):
        load_forged(tmp_path, [frozen], crc32=str(zlib.crc32(json.dumps([GOOD]).encode())))


@cases(
    ([], "its record list"),
    ([GOOD, ["v", *GOOD[1:]]], "its record list"),
    ([["w", "float64", [2], True, 0]], r"'w' does not have the type float64\[2\] of its record"),
    ([["w", "float32", [1], True, 0]], r"'w' does not have the type float32\[1\] of its record"),
    ([["w", "complex64", [], True, 0]], "the checksum of 'w' is wrong"),
    ([["w", "float32", [2], True, 0]], "the checksum of 'w' is wrong"),
    ([["w", "object", [2], True, 0]], "not a list of names and types"),
    ([GOOD, ["note", 3, "text"]], "not a list of names and types"),
    ([["w", "hello", "text"]], "its record list"),
    (3, "not a list of names and types"),
    ([["w"]], "not a list of names and types"),
)
def test_records_that_do_not_match_the_tensors(tmp_path, records, text):
    with pytest.raises(CheckpointError, match=text):
        load_forged(tmp_path, records)


@every(text=["[" * 100_000, "[1", ""])
def test_records_that_are_not_json(tmp_path, text):
    with pytest.raises(CheckpointError, match="not a list of names and types"):
        load_forged(tmp_path, [], {}, records=text, crc32=str(zlib.crc32(text.encode())))


def test_a_missing_file(tmp_path):
    for path in (tmp_path / "missing.ckpt", tmp_path):
        with pytest.raises(ValueError, match="does not exist") as caught:
            load_checkpoint(path)
        assert type(caught.value).__name__ == "ValueError"


# ---- chosen names ----------------------------------------------------------------------------------


@cases(
    ({"filter_prefix": "fc."}, ["steps", "on", "z"]),
    ({"filter_prefix": ["fc", "z"]}, ["steps", "on"]),
    ({"specify_prefix": ("fc", "o")}, ["fc.weight", "on"]),
    ({"choice_func": lambda name: len(name) == 1}, ["z"]),
    ({"specify_prefix": "s", "crc_check": True, "remove_redundancy": True, "format": "safetensors"}, ["steps"]),
)
def test_names_can_be_selected(checkpoint_path, options, names):
    assert list(load_checkpoint(checkpoint_path, **options)) == names


@cases(
    ({"specify_prefix": "net."}, ValueError, "empty after filter or specify, .*; the names in"),
    ({"filter_prefix": ""}, ValueError, "can't include ''"),
    ({"specify_prefix": 3}, TypeError, "must be string, list.string. or tuple.string., but got 3"),
    ({"choice_func": 3}, TypeError, "'choice_func' must be a function, but got int"),
    ({"dec_key": b"x"}, ValueError, "dec_key is not supported"),
)
def test_invalid_selections_are_refused(checkpoint_path, options, error, text):
    with pytest.raises(error, match=text):
        load_checkpoint(checkpoint_path, **options)
    with pytest.raises(TypeError, match="'ckpt_file_name' must be a path, but got int"):
        load_checkpoint(3)
