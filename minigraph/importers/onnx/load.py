"""``load_onnx``: the public function that reads ONNX models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from minigraph.core.errors import ModelError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.importers.model import printable
from minigraph.importers.network import ImportedNetwork
from minigraph.importers.onnx.embedded_weights import detach_weights, read_file
from minigraph.importers.onnx.reader import read_model


def load_onnx(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview, dims: Mapping[str, int] | None = None
) -> ImportedNetwork:
    """The network in an ONNX file (a path, or the file's bytes), as a Cell.

    Weights become Parameters with the file's names, without copies; nodes keep their names and modules. ``dims`` gives
    sizes for symbolic dims of the inputs, such as ``{"batch": 8}``. Opsets 7 to the newest of the installed package
    ``onnx``, the extra ``minigraph[onnx]``.

    Raises ``ModelError`` for a file that is damaged or not supported, ``UnknownNameError`` for an operator that
    minigraph lacks, with the nearest one; nothing of the file runs while it is read.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        data, weights = detach_weights(memoryview(source))
        return ImportedNetwork(read_model(data, "model", None, weights), dims)
    if not isinstance(source, str | os.PathLike):
        raise ModelError(f"load_onnx: got {type(source).__name__}; pass the path of a model, or the bytes of its file")
    path = Path(source)
    try:
        data, weights = read_file(path)
    except (OSError, ValueError) as error:
        reraise_handler_error(error)
        reason = getattr(error, "strerror", None) or error
        raise ModelError(f"load_onnx: {str(path)!r} cannot be read: {reason}; give the path of a model") from None
    return ImportedNetwork(read_model(data, printable(path.name), path.parent, weights), dims)
