import numpy as np

from minigraph import Tensor, load_onnx
from minigraph.importers.onnx import embedded_weights
from minigraph.importers.onnx.embedded_weights import MIN_DETACHED_BYTES, detach_weights, fields, read_file
from tests.importers.onnx.node_tests import model, node, onnx

WEIGHT = np.arange(2 * MIN_DETACHED_BYTES, dtype=np.float32).reshape(2, -1)
DATA = model(node("MatMul", "x", "w", outs=["m"]), node("Add", "m", "b"), x=[1, 2],
             tensors={"b": np.ones(1, np.float32), "w": WEIGHT})  # fmt: skip


def test_large_weights_are_left_out_of_what_is_parsed(tmp_path):
    (tmp_path / "net.onnx").write_bytes(DATA)
    rest, weights = read_file(tmp_path / "net.onnx")
    assert len(rest) < 1000 and {k: bytes(v) for k, v in weights.items()} == {1: WEIGHT.tobytes()}
    assert [item.name for item in onnx.load_model_from_string(rest).graph.initializer] == ["b", "w"]


def test_a_network_of_a_file_equals_a_network_of_its_bytes(tmp_path):
    (tmp_path / "net.onnx").write_bytes(DATA)
    x, nets = Tensor(np.ones((1, 2), np.float32)), (load_onnx(tmp_path / "net.onnx"), load_onnx(DATA))
    assert np.array_equal(*(net(x).array for net in nets))
    nets[0].trainable_params()[1].array[:] = 0
    assert (tmp_path / "net.onnx").read_bytes() == DATA


def test_weights_at_any_byte_of_a_file_are_aligned(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded_weights, "COPY_CHUNK_BYTES", 5000)
    for shift in range(4):
        path = tmp_path / f"{shift}.onnx"
        path.write_bytes(model(node("MatMul", "x", "w" + "w" * shift), x=[1, 2], tensors={"w" * (shift + 1): WEIGHT}))
        (weight,) = load_onnx(path).trainable_params()
        assert weight.array.flags.aligned and np.array_equal(weight.array, WEIGHT)


def test_malformed_files_are_left_to_protobuf():
    for data in (DATA[:-1], DATA[: len(DATA) // 2], b"\xff" * 100, DATA + DATA, b"\x07"):
        assert detach_weights(memoryview(data)) == (data, {})


def test_fields_of_a_message():
    assert [tuple(f) for f in fields(memoryview(b"\x08\x96\x01\x12\x02ab\x1d1234"), 0, 12)] == [
        (1, 0, 0, 1, 3), (2, 2, 3, 5, 7), (3, 5, 7, 8, 12)
    ]  # fmt: skip
