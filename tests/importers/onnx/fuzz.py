"""``python -m tests.importers.onnx.fuzz --count 1000 --seed 0``: loads mutated model files, reports what goes wrong.

A mutated file either loads or ends in one error of minigraph with at most three lines. Another exception, a load that
takes more than ``MAX_SECONDS``, or a new file in the model's folder is a finding. What loads is captured, too.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import minigraph as ms
from minigraph.core.errors import MinigraphError

MAX_SECONDS = 20.0
FIELDS = ("dims", "ints", "floats", "node", "input", "output", "initializer", "attribute", "opset_import", "strings")
NUMBERS = (0, 1, -1, 2, 7, 1 << 31, 1 << 40, (1 << 62), -(1 << 62), (1 << 63) - 1)
TEXTS = ("", "x", "y", "w", "Relu", "Loop", 'a"b', "<script>", "a\nb", "../../etc/passwd", "\u202e", "z" * 100_000)


def seeds() -> list[bytes]:
    """Small valid models of several kinds: a convolution, a loop, a branch, a recurrent layer, a function."""
    value = helper.make_tensor_value_info
    image, weight = [1, 2, 5, 5], numpy_helper.from_array(np.ones((2, 2, 3, 3), np.float32), "w")
    conv = [
        helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[2, 2]),
        helper.make_node("Flatten", ["p"], ["y"]),
    ]
    shape = numpy_helper.from_array(np.array([-1, 5]), "s")
    move = [helper.make_node("Reshape", ["x", "s"], ["a"]), helper.make_node("Softmax", ["a"], ["y"], axis=-1)]
    body = helper.make_graph(
        [helper.make_node("Identity", ["ci"], ["co"]), helper.make_node("Add", ["v", "v"], ["vo"])], "body",
        [value("i", TensorProto.INT64, []), value("ci", TensorProto.BOOL, []), value("v", TensorProto.FLOAT, image)],
        [value("co", TensorProto.BOOL, []), value("vo", TensorProto.FLOAT, image)])  # fmt: skip
    loop = [helper.make_node("Loop", ["n", "", "x"], ["y"], body=body)]
    number = numpy_helper.from_array(np.array(3), "n")
    models = []
    for nodes, tensors in ((conv, [weight]), (move, [shape]), (loop, [number])):
        inputs, outputs = [value("x", TensorProto.FLOAT, image)], [value("y", TensorProto.FLOAT, None)]
        graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
        opset = helper.make_opsetid("", 17)
        models.append(helper.make_model(graph, opset_imports=[opset], ir_version=9).SerializeToString())
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


def finding_of(data: bytes) -> str:
    """What goes wrong with a file, or ""."""
    start = time.monotonic()
    try:
        network = ms.load_onnx(data)
        ms.jit(network).graph(*network.example_inputs(), pipeline=())
    except MinigraphError as error:
        if len(str(error).splitlines()) > 3 or len(str(error)) > 5_000:
            return f"an error of {len(str(error))} characters"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "".join(traceback.format_exception(error)[-3:])
    seconds = time.monotonic() - start
    return f"took {seconds:.0f} s" if seconds > MAX_SECONDS else ""


def fuzz(count: int, seed: int = 0) -> list[tuple[int, str, bytes]]:
    """The findings of ``count`` mutations: number, what went wrong, the file."""
    starts, findings = seeds(), []
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)  # where a file that writes would leave something
        try:
            for number in range(count):
                rng = random.Random(f"{seed}:{number}")
                data = mutate(rng.choice(starts), rng)
                finding = finding_of(data) or (f"left {os.listdir(folder)}" if os.listdir(folder) else "")
                if finding:
                    findings.append((number, finding, data))
        finally:
            os.chdir(before)
    return findings


def main() -> int:
    """Run the fuzzer; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.importers.onnx.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many mutations (default: 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutations")
    options = parser.parse_args()
    findings = fuzz(options.count, options.seed)
    for number, finding, _ in findings:
        print(f"mutation {options.seed}:{number}: {finding}")
    print(f"{options.count:,} mutations, {len(findings)} findings")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
