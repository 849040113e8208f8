"""Files in one folder per class: images, and reviews of films."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.dataset.generator import GeneratorDataset
from minigraph.dataset.readers.reader_arguments import (
    check_folder,
    check_instance,
    check_member_of,
    sampler_options,
    with_labels,
)
from minigraph.dataset.readers.text_files import read_text
from minigraph.dataset.samplers import Sampler
from minigraph.dataset.vision.files import OPERATIONS as IMAGE_OPERATIONS


class LabelledFiles:
    """Rows (content, label) of files, which are read when a row is needed."""

    def __init__(self, files: Sequence[tuple[Path, int]], read: Callable[[Path], Any], label_type: type) -> None:
        self.files, self.read, self.label_type = files, read, label_type

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, label = self.files[index]
        return self.read(path), self.label_type(label)


class LabelledFilesDataset(GeneratorDataset):
    """The base class: rows of ``LabelledFiles``; raises ``RuntimeError`` in an epoch without a file."""

    label_type: type = np.int32

    def __init__(
        self,
        files: Sequence[tuple[Path, int]],
        read: Callable[[Path], Any],
        column: str,
        num_samples: int | None,
        shuffle: bool | None,
        sampler: Sampler | Iterable[int] | None,
        num_shards: int | None,
        shard_id: int | None,
    ) -> None:
        options = sampler_options(sampler, num_samples, shuffle, num_shards, shard_id)
        labels = [label for _, label in files]
        super().__init__(LabelledFiles(files, read, self.label_type), [column, "label"], **with_labels(options, labels))
        if not files:
            self._rows = self._no_rows

    def _no_rows(self, rng: np.random.Generator) -> Any:
        raise ArgRuntimeError(f"{type(self).__name__}: there is no file in the folders of the classes")


# ---- images ----------------------------------------------------------------------------------------


class ImageFolderDataset(LabelledFilesDataset):
    """Image files in one folder per class: ``image`` and ``label``, int32.

    ``image`` holds the bytes of the file, uint8[n], or with ``decode`` the colours, uint8[H, W, 3], which needs the
    library pillow. ``class_indexing`` maps the folders that are read to labels; by default all folders are read, and
    numbered in sorted order. ``extensions`` such as ``[".png"]`` choose files. ``decrypt`` is a function from the name
    of a file to its bytes. The other arguments are those of ``GeneratorDataset``, or a ``PKSampler``.

    Raises ``ValueError`` for a missing folder, ``RuntimeError`` if there is no file, or no image in a decoded file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> root = Path(tempfile.mkdtemp())
    >>> for name in ("cat", "dog"):
    ...     (root / name).mkdir()
    ...     _ = (root / name / "1.png").write_bytes(b"...")
    >>> data = ImageFolderDataset(str(root), shuffle=False)
    >>> [row[1].item() for row in data], data.get_class_indexing()
    ([0, 1], {'cat': 0, 'dog': 1})
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        extensions: Sequence[str] | None = None,
        class_indexing: Mapping[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        folder = check_folder(dataset_dir)
        _check_image_arguments(extensions, class_indexing, decode, decrypt)
        names = sorted(path.name for path in folder.iterdir() if path.is_dir())
        self._classes = dict(class_indexing or {name: number for number, name in enumerate(names)})
        if missing := sorted(self._classes.keys() - set(names)):
            raise ArgRuntimeError(f"ImageFolderDataset: class {missing[0]!r} has no folder in {folder.name!r}")
        files = [
            (path, self._classes[name])
            for name in names if name in self._classes
            for path in sorted(path for path in (folder / name).iterdir() if path.is_file())
            if not extensions or path.suffix in extensions
        ]  # fmt: skip
        read = image_reader(decode, decrypt)
        super().__init__(files, read, "image", num_samples, shuffle, sampler, num_shards, shard_id)

    def num_classes(self) -> int:
        """The number of classes that are read."""
        return len(self._classes)

    def get_class_indexing(self) -> dict[str, int]:
        """The label of each class."""
        return dict(self._classes)


def _check_image_arguments(extensions: object, class_indexing: object, decode: object, decrypt: object) -> None:
    """Raises ``TypeError`` for arguments of another type."""
    if extensions is not None:
        check_instance("extensions", extensions, (list,))
    if class_indexing is not None:
        check_instance("class_indexing", class_indexing, (dict,))
        for label in class_indexing.values():  # type: ignore[attr-defined]
            check_instance("class_indexing", label, (int,))
    check_instance("decode", decode, (bool,))
    if decrypt is not None and not callable(decrypt):
        raise ArgTypeError(f"Argument decrypt is not a callable object, but got {type(decrypt)}")


def image_reader(decode: bool, decrypt: Callable[[str], bytes] | None) -> Callable[[Path], np.ndarray]:
    """A function that reads an image file: its bytes, or its colours."""
    decoded = IMAGE_OPERATIONS["Decode"]() if decode else None

    def read(path: Path) -> np.ndarray:
        content = np.frombuffer(path.read_bytes() if decrypt is None else decrypt(str(path)), np.uint8)
        return content if decoded is None else decoded(content)

    return read


# ---- reviews ---------------------------------------------------------------------------------------


class IMDBDataset(LabelledFilesDataset):
    """Reviews of films (Maas et al. 2011), one per file: ``text`` and ``label``, int32, 1 for positive.

    The folder has ``train/pos``, ``train/neg``, ``test/pos`` and ``test/neg``. The other arguments are those of
    ``GeneratorDataset``.
    """

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        folder, chosen = check_folder(dataset_dir), check_member_of("usage", usage, ("train", "test", "all"))
        files = [
            (path, label)
            for part in ("train", "test") if chosen in (part, "all")
            for name, label in (("pos", 1), ("neg", 0))
            for path in sorted((folder / part / name).glob("*.txt"))
        ]  # fmt: skip
        read = lambda path: read_text(path).removesuffix("\n")  # noqa: E731
        super().__init__(files, read, "text", num_samples, shuffle, sampler, num_shards, shard_id)
