"""MindSpore's ``export`` and ``load`` on ONNX files, which other programs read, too."""

from __future__ import annotations

from pathlib import Path

from minigraph.core.errors import UsageError, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.importers.network import ImportedNetwork
from minigraph.importers.onnx.load import load_onnx
from minigraph.importers.onnx.writer import to_onnx

FORMATS = ("ONNX", "MINDIR", "AIR")


def export(net: object, *inputs: Tensor, file_name: str, file_format: str, **kwargs: object) -> None:
    """Writes a Cell or function as an ONNX file, by ``to_onnx``; a missing suffix ``.onnx`` is appended.

    MindSpore's own formats "MINDIR" and "AIR" are refused: they are not documented. Raises ``ValueError`` for another
    format.

    >>> import tempfile
    >>> from minigraph import nn, ops
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     export(nn.ReLU(), Tensor([-1.0, 2.0]), file_name=f"{folder}/net", file_format="ONNX")
    ...     print(load(f"{folder}/net.onnx")(Tensor([3.0, -4.0])))
    [3. 0.]
    """
    if file_format not in FORMATS:
        raise ValueArgument(f"For 'export', 'file_format' must be one of {list(FORMATS)}, but got {file_format}.")
    if file_format != "ONNX":
        raise UsageError(f"export: the format {file_format} is not documented; use file_format='ONNX'")
    path = file_name if Path(file_name).suffix == ".onnx" else f"{file_name}.onnx"
    to_onnx(net, path, *inputs)


def load(file_name: str, **kwargs: object) -> ImportedNetwork:
    """The network of an ONNX file as a Cell, by ``load_onnx``; raises ``ValueError`` for MindSpore's MINDIR files."""
    if Path(file_name).suffix == ".mindir":
        raise UsageError(f"load: {file_name!r} has a format that is not documented; export it as ONNX")
    return load_onnx(file_name)
