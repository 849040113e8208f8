"""``Cifar10ToMR``: the Python version of CIFAR-10 to MindRecord files of JPEG images."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError, UnknownNameError, UsageError
from minigraph.core.lazy import resolve
from minigraph.core.scope_guard import raise_external_error
from minigraph.mindrecord.arguments import check_file_name
from minigraph.mindrecord.errors import PathNotExistsError
from minigraph.mindrecord.filewriter import FileWriter

SCHEMA = {"id": {"type": "int64"}, "label": {"type": "int64"}, "data": {"type": "bytes"}}
JPEG_QUALITY = 95  # OpenCV's, with which MindSpore encodes
# what the pickles of the data set name, in numpy 1 and 2; anything else could run code
ALLOWED = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode"),
           ("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct")}  # fmt: skip


class Cifar10ToMR:
    """Writes ``data_batch_*`` of a folder to a MindRecord file, and ``test_batch`` to one with the suffix ``_test``.

    The rows have ``id`` and ``label``, int64, and ``data``, the bytes of a JPEG. The batches are pickles
    (https://www.cs.toronto.edu/~kriz/cifar.html), read in the order of their names. Needs pillow: the extra
    ``pictures``. Raises ``ParamValueError`` for another path, ``PathNotExistsError`` if a batch is missing.
    """

    def __init__(self, source: str, destination: str) -> None:
        check_file_name(source)
        folder = Path(source)
        self.batches = sorted(path for path in folder.iterdir() if path.name.startswith("data_batch_"))
        self.test = folder / "test_batch"
        if not self.batches:
            raise PathNotExistsError("data_batch_*")
        if not self.test.exists():
            raise PathNotExistsError("test_batch")
        check_file_name(destination)
        self.destination = destination

    def transform(self, fields: list[str] | None = None) -> None:
        """Write both files; ``fields`` are those of the index.

        Raises ``ValueError`` for other ``fields``, ``RuntimeError`` for a damaged batch or files that exist.
        """
        if fields and not isinstance(fields, list):
            raise ArgValueError("The parameter fields should be None or list")
        for suffix, paths, description in (("", self.batches, "img_train"), ("_test", [self.test], "img_test")):
            writer = FileWriter(self.destination + suffix)
            writer.add_schema(SCHEMA, description)
            if fields:
                writer.add_index(fields)
            images, labels = (np.concatenate(parts) for parts in zip(*map(read_batch, paths), strict=True))
            rows = enumerate(zip(images, labels.tolist(), strict=True))
            writer.write_raw_data([{"id": i, "data": jpeg(image), "label": label} for i, (image, label) in rows])
            writer.commit()


class _Unpickler(pickle.Unpickler):
    """Unpickles arrays of numpy, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"global '{module}.{name}' is forbidden")
        return super().find_class(module, name)


def read_batch(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images uint8[n, 32, 32, 3] and labels int64[n]; raises ``RuntimeError`` for a file that is no batch."""
    try:
        batch = _Unpickler(io.BytesIO(path.read_bytes()), encoding="bytes").load()
        images = np.asarray(batch[b"data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels = np.asarray(batch[b"labels"], np.int64).reshape(len(images))
    except Exception as error:
        raise_external_error(error)
        raise ArgRuntimeError(f"Cifar10ToMR: {path.name!r} is not a valid batch of CIFAR-10: {error}") from None
    return images, labels


def jpeg(image: np.ndarray) -> bytes:
    """The bytes of a JPEG file of an image uint8[H, W, 3]; raises ``UsageError`` without pillow."""
    try:
        pillow = resolve("PIL.Image")
    except (ImportError, UnknownNameError):
        raise UsageError("image files need the library pillow: pip install 'minigraph[pictures]'") from None
    file = io.BytesIO()
    pillow.fromarray(image).save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()
