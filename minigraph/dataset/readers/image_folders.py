"""Published collections of photographs, one folder per class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.dataset.readers.labelled_folders import LabelledFilesDataset, image_reader
from minigraph.dataset.readers.reader_arguments import check_folder, check_instance, check_member_of
from minigraph.dataset.readers.text_files import read_text
from minigraph.dataset.samplers import Sampler

SUFFIXES = (".jpg", ".jpeg", ".png")


class ImageClasses(LabelledFilesDataset):
    """The base class: ``image`` and ``label`` of the files that ``files_in`` lists for a folder.

    ``image`` holds the bytes of the file, uint8[n], or with ``decode`` the colours, uint8[H, W, 3], which needs the
    library pillow. The other arguments are those of ``GeneratorDataset``, or a ``PKSampler``. Raises ``ValueError`` for
    a missing folder, ``RuntimeError`` if there is no file.
    """

    def __init__(
        self,
        dataset_dir: str,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        check_instance("decode", decode, (bool,))
        files = self.files_in(check_folder(dataset_dir))
        super().__init__(
            files, image_reader(decode, None), "image", num_samples, shuffle, sampler, num_shards, shard_id
        )

    def files_in(self, folder: Path) -> list[tuple[Path, int]]:
        """The files with their labels; here the folders of the classes are numbered in sorted order."""
        return labelled_images([entry for entry in sorted(folder.iterdir()) if entry.is_dir()])


def labelled_images(folders: Iterable[Path]) -> list[tuple[Path, int]]:
    """The images in folders, sorted, with a label for each name of a folder, in the order of the folders."""
    labels: dict[str, int] = {}
    return [
        (path, labels.setdefault(folder.name, len(labels)))
        for folder in folders
        for path in sorted(folder.iterdir())
        if path.suffix.lower() in SUFFIXES and path.is_file()
    ]


class Caltech256Dataset(ImageClasses):
    """Photographs of 257 classes (Griffin et al. 2007), in folders such as ``001.ak47``; labels are int32.

    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> for name in ("001.ak47", "002.american-flag"):
    ...     (root / name).mkdir()
    ...     _ = (root / name / "1.jpg").write_bytes(b"...")
    >>> [int(row[1]) for row in Caltech256Dataset(str(root), shuffle=False)]
    [0, 1]
    """


class SUN397Dataset(ImageClasses):
    """Photographs of 397 scenes (Xiao et al. 2010), in the folders that ``ClassName.txt`` lists; labels are uint32."""

    label_type = np.uint32

    def files_in(self, folder: Path) -> list[tuple[Path, int]]:
        """The files with the numbers of their lines in ``ClassName.txt``."""
        names = [line.strip().strip("/") for line in read_text(folder / "ClassName.txt").splitlines() if line.strip()]
        if missing := [name for name in names if ".." in Path(name).parts or not (folder / name).is_dir()]:
            raise ArgRuntimeError(f"SUN397Dataset: class {missing[0]!r} has no folder in {folder.name!r}")
        parts = enumerate(labelled_images([folder / name]) for name in names)
        return [(path, number) for number, part in parts for path, _ in part]


class RenderedSST2Dataset(ImageClasses):
    """Sentences of reviews as images, of the folders ``train``, ``test`` and ``valid`` (usage ``val``); uint32 labels.

    Each has a folder per class: ``negative`` is 0 and ``positive`` 1.
    """

    label_type = np.uint32
    parts: Mapping[str, str] = {"test": "test", "train": "train", "val": "valid"}

    def __init__(
        self,
        dataset_dir: str,
        usage: str | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        self._usage = check_member_of("usage", usage, (*self.parts, "all"))
        super().__init__(
            dataset_dir, num_samples, None, shuffle, decode, sampler, num_shards=num_shards, shard_id=shard_id
        )

    def files_in(self, folder: Path) -> list[tuple[Path, int]]:
        """The files of the usage; a class has one number in all parts."""
        parts = [folder / name for key, name in self.parts.items() if self._usage in (key, "all")]
        if missing := [part.name for part in parts if not part.is_dir()]:
            raise ArgRuntimeError(f"RenderedSST2Dataset: there is no folder {missing[0]!r} in {folder.name!r}")
        return labelled_images([entry for part in parts for entry in sorted(part.iterdir()) if entry.is_dir()])
