"""``python -m tests.importers.onnx.fuzz --count 1000 --seed 0``: loads mutated model files, and reports failures.

A mutated file either loads or ends in one error of minigraph with at most three lines. Another exception, a load that
takes more than ``MAX_SECONDS``, or a new file in the model's folder is a finding. What loads is captured, too. A
mutation depends on the seed and its number alone.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import minigraph as ms
from minigraph.core.errors import MinigraphError

MAX_SECONDS = 20
LOADED = "loaded"
FIELDS = ("dims", "ints", "floats", "node", "input", "output", "initializer", "attribute", "opset_import", "strings")
NUMBERS = (0, 1, -1, 2, 7, 1 << 31, 1 << 40, (1 << 62), -(1 << 62), (1 << 63) - 1)
TEXTS = ("", "x", "y", "w", "Relu", "Loop", 'a"b', "<script>", "a\nb", "../../etc/passwd", "\u202e", "z" * 100_000)


def seeds() -> list[bytes]:
    """Small valid models: convolution, shapes, loop, branch, LSTM, function, quantised numbers, external data."""
    node, array = helper.make_node, numpy_helper.from_array
    value = partial(helper.make_tensor_value_info, elem_type=TensorProto.FLOAT)
    image, row = value("x", shape=[1, 2, 5, 5]), value("x", shape=[3, 2, 4])
    flags = [value("i", elem_type=TensorProto.INT64, shape=[]), value("ci", elem_type=TensorProto.BOOL, shape=[])]
    body = helper.make_graph([node("Identity", ["ci"], ["co"]), node("Add", ["v", "v"], ["vo"])], "body",
                             [*flags, value("v", shape=None)], [flags[1], value("vo", shape=None)])  # fmt: skip
    body.output[0].name = "co"
    branches = {
        f"{name}_branch": helper.make_graph([node(kind, ["x"], ["o"])], name, [], [value("o", shape=None)])
        for name, kind in (("then", "Neg"), ("else", "Exp"))
    }
    nodes = {
        "convolution": [node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), node("Flatten", ["p"], ["y"]),
                        node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2])],
        "shapes": [node("Reshape", ["x", "s"], ["a"]), node("Softmax", ["a"], ["b"], axis=-1),
                   node("Slice", ["b", "n", "s", "", ""], ["c"]), node("Transpose", ["c"], ["y"], perm=[1, 0])],
        "loop": [node("Loop", ["n", "", "x"], ["y"], body=body)],
        "branch": [node("ReduceSum", ["x"], ["a"], keepdims=0), node("Cast", ["a"], ["b"], to=TensorProto.BOOL),
                   node("If", ["b"], ["y"], **branches)],
        "lstm": [node("LSTM", ["x", "lw", "lr"], ["y", "h", "c"], hidden_size=2, direction="forward")],
        "function": [node("double", ["x"], ["y"], domain="mine", scale=2.0)],
        "quantised": [node("QuantizeLinear", ["x", "q", "z"], ["a"], axis=0), node("Resize", ["d", "", "r"], ["y"]),
                      node("DequantizeLinear", ["a", "q", "z"], ["d"], axis=0)],
        "stored": [node("Add", ["x", "e"], ["a"]), node("Gather", ["a", "n"], ["y"], axis=-1)],
    }  # fmt: skip
    nodes["convolution"][1:], nodes["quantised"][1:] = nodes["convolution"][:0:-1], nodes["quantised"][:0:-1]
    outside = TensorProto(name="e", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    outside.external_data.add(key="location", value="weights.bin")
    tensors = {
        "convolution": [array(np.ones((2, 2, 3, 3), np.float32), "w")],
        "shapes": [array(np.array([-1, 5]), "s"), array(np.array([0, 1]), "n")],
        "loop": [array(np.array(3), "n")],
        "lstm": [array(np.ones((1, 8, size), np.float32), name) for name, size in (("lw", 4), ("lr", 2))],
        "quantised": [array(np.float32(0.1), "q"), array(np.uint8(3), "z"), array(np.ones(3, np.float32) * 2, "r")],
        "stored": [outside, array(np.array([0, 2]), "n")],
    }
    scaled = helper.make_function(
        "mine", "double", ["a"], ["b"], [node("Constant", [], ["k"]), node("Mul", ["a", "k"], ["b"])],
        [helper.make_opsetid("", 17)], ["scale"])  # fmt: skip
    scaled.node[0].attribute.add(name="value_float", ref_attr_name="scale", type=onnx.AttributeProto.FLOAT)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    models = []
    for name, listed in nodes.items():
        inputs = [image if name in ("convolution", "shapes", "loop") else row]
        graph = helper.make_graph(listed, name, inputs, [value("y", shape=None)], tensors.get(name, []))
        model = helper.make_model(graph, opset_imports=opsets, functions=[scaled], ir_version=9)
        models.append(model.SerializeToString())
    return models


def mutate(data: bytes, rng: random.Random) -> bytes:
    """A file with bytes or fields changed."""
    if rng.random() < 0.4:
        return mutate_bytes(data, rng)
    model = onnx.ModelProto()
    model.ParseFromString(data)
    for _ in range(rng.randint(1, 3)):
        mutate_message(model, rng)
    return model.SerializeToString()


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut out, or doubled."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed))
        choice = rng.randrange(4)
        if choice == 0:
            changed[at] ^= 1 << rng.randrange(8)
        elif choice == 1:
            changed[at] = rng.randrange(256)
        elif choice == 2:
            del changed[at : at + rng.randint(1, 20)]
        else:
            changed[at:at] = changed[at : at + rng.randint(1, 20)]
        if not changed:
            return b""
    return bytes(changed)


def messages(message: object) -> Iterator[object]:
    """A message and all messages in it."""
    yield message
    for field, value in message.ListFields():  # type: ignore[attr-defined]
        if field.message_type is not None:
            for item in value if hasattr(value, "append") or hasattr(value, "add") else [value]:
                yield from messages(item)


def mutate_message(model: object, rng: random.Random) -> None:
    """Change one field of one message: a number, a text, or the items of a list."""
    chosen = rng.choice(list(messages(model)))
    fields = chosen.ListFields()  # type: ignore[attr-defined]
    if not fields:
        return
    field, value = rng.choice(fields)
    if hasattr(value, "append") or hasattr(value, "add"):
        mutate_items(value, rng)
    elif isinstance(value, int):
        with_value(chosen, field.name, rng.choice(NUMBERS), value)
    elif isinstance(value, str):
        with_value(chosen, field.name, rng.choice(TEXTS), value)
    elif isinstance(value, float):
        with_value(chosen, field.name, rng.choice((0.0, -1.0, 1e30, float("nan"), float("inf"))), value)
    elif isinstance(value, bytes):
        with_value(chosen, field.name, value[: rng.randint(0, len(value))], value)
    else:
        chosen.ClearField(field.name)  # type: ignore[attr-defined]


def mutate_items(items: object, rng: random.Random) -> None:
    """Remove, double or replace an item of a list."""
    at = rng.randrange(len(items))  # type: ignore[arg-type]
    item = items[at]  # type: ignore[index]
    if rng.random() < 0.4:
        del items[at]  # type: ignore[attr-defined]
    elif isinstance(item, int | str):
        try:
            items[at] = rng.choice(NUMBERS if isinstance(item, int) else TEXTS)  # type: ignore[index]
        except (ValueError, TypeError):
            return
    else:
        items.append(item)  # type: ignore[attr-defined]


def with_value(message: object, name: str, new: object, old: object) -> None:
    """Set a field; keep the old value where the new one does not fit."""
    try:
        setattr(message, name, new)
    except (ValueError, TypeError):
        setattr(message, name, old)


def finding_of(path: Path) -> str:
    """The failure of loading a file, ``LOADED`` or ""."""
    signal.signal(signal.SIGALRM, time_out)
    signal.alarm(MAX_SECONDS)
    try:
        network = ms.load_onnx(path)
        ms.jit(network).graph(*network.example_inputs(), pipeline=())
        return LOADED
    except MinigraphError as error:
        if len(str(error).splitlines()) > 3 or len(str(error)) > 5_000:
            return f"an error of {len(str(error))} characters"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "".join(traceback.format_exception(error)[-3:])
    finally:
        signal.alarm(0)
    return ""


def time_out(*_: object) -> None:
    """End a load that takes too long."""
    raise SystemExit(f"not done after {MAX_SECONDS} s")


def fuzz(count: int, seed: int = 0, first: int = 0) -> Iterator[tuple[int, str]]:
    """The findings of ``count`` mutations: number, and the failure; or ``LOADED`` for a valid model."""
    starts = seeds()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # where a file would leave something
        Path("weights.bin").write_bytes(np.ones(4, np.float32).tobytes())
        for number in range(first, first + count):
            rng = random.Random(f"{seed}:{number}")
            Path("model.onnx").write_bytes(mutate(rng.choice(starts), rng))
            finding = finding_of(Path("model.onnx"))
            left = {path.name for path in Path().iterdir()} - {"model.onnx", "weights.bin"}
            if finding or left:
                yield number, finding or f"left {sorted(left)}"


def main() -> int:
    """Run the fuzzer; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.importers.onnx.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many mutations (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutations")
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation, to go on where a run ended")
    options = parser.parse_args()
    findings = loaded = 0
    for number, finding in fuzz(options.count, options.seed, options.first):
        loaded += finding == LOADED
        findings += finding != LOADED
        if finding != LOADED:
            print(f"mutation {options.seed}:{number}: {finding}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{options.count:,} mutations, {loaded:,} loaded, {findings} findings, at most {peak:,} MB of memory")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
