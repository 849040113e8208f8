"""MindSpore's ``export`` and ``load`` on ONNX files, which other programs read, too."""

from __future__ import annotations

from pathlib import Path

from minigraph.core.errors import ArgValueError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.importers.network import ImportedNetwork
from minigraph.importers.onnx.load import load_onnx
from minigraph.importers.onnx.writer import to_onnx

FORMATS = ("ONNX", "MINDIR", "AIR")


def export(net: object, *inputs: Tensor, file_name: str, file_format: str, **kwargs: object) -> None:
    """Writes a Cell or function as an ONNX file, by ``to_onnx``; a missing suffix ``.onnx`` or ``.mindir`` is appended.

    The format "MINDIR" is ONNX as well, in a file that ``load`` reads and MindSpore does not: its own format is not
    documented. "AIR" is refused. Raises ``ValueError`` for another format.

    >>> import tempfile
    >>> from minigraph import nn, ops
    >>> with tempfile.TemporaryDirectory() as folder:  # doctest: +SKIP
    ...     export(nn.ReLU(), Tensor([-1.0, 2.0]), file_name=f"{folder}/net", file_format="ONNX")
    ...     print(load(f"{folder}/net.onnx")(Tensor([3.0, -4.0])))
    [3. 0.]
    """
    if file_format not in FORMATS:
        raise ArgValueError(f"For 'export', 'file_format' must be one of {list(FORMATS)}, but got {file_format}.")
    if file_format == "AIR":
        raise UsageError("export: the format AIR is not documented; use file_format='ONNX'")
    suffix = f".{file_format.lower()}"
    path = file_name if Path(file_name).suffix == suffix else f"{file_name}{suffix}"
    to_onnx(net, path, *inputs)


def load(file_name: str, **kwargs: object) -> ImportedNetwork:
    """The network of a file of ``export`` as a Cell, by ``load_onnx``; raises ``ValueError`` for MindSpore's files."""
    return load_onnx(file_name)
