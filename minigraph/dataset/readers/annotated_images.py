"""Images with annotations in XML (VOC) or JSON lines (manifests): objects, their boxes and classes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError, UsageError
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.dataset.generator import GeneratorDataset
from minigraph.dataset.readers.labelled_folders import image_reader
from minigraph.dataset.readers.reader_arguments import check_folder, check_instance, check_member_of, sampler_options
from minigraph.dataset.samplers import NotSupportedError, Sampler

AnnotatedImage = tuple[Path, tuple[np.ndarray, ...]]  # the file of an image, and the values of the other columns


class AnnotatedImages(GeneratorDataset):
    """The base class: images and the values of other columns; raises ``RuntimeError`` in an epoch without an image."""

    def __init__(
        self,
        items: Sequence[AnnotatedImage],
        columns: Sequence[str],
        read: Callable[[Path], np.ndarray],
        options: dict[str, Any],
        extra_metadata: bool = False,
    ) -> None:
        if extra_metadata:
            name = type(self).__name__
            raise UsageError(f"{name}: extra_metadata=True is not supported; set it to False")
        super().__init__(_ImageRows(items, read), ["image", *columns], **options)
        if not items:
            self._rows = self._no_rows

    def _no_rows(self, rng: np.random.Generator) -> Any:
        name = type(self).__name__
        raise ArgRuntimeError(
            f"Invalid data, '{name}' API can't read the data file (interface mismatch or no data found)."
        )


class _ImageRows:
    """Rows of an image and its annotations; the image is read when the row is needed."""

    def __init__(self, items: Sequence[AnnotatedImage], read: Callable[[Path], np.ndarray]) -> None:
        self.items, self.read = items, read

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> tuple[np.ndarray, ...]:
        path, values = self.items[index]
        return read_image(path, self.read), *(
            read_image(value, self.read) if isinstance(value, Path) else value for value in values
        )


def read_image(path: Path, read: Callable[[Path], np.ndarray]) -> np.ndarray:
    """The image of a file; raises ``RuntimeError`` for a file that does not exist."""
    try:
        return read(path)
    except OSError as error:
        reraise_handler_error(error)
        raise ArgRuntimeError(f"Invalid file path, {path} does not exist.") from None


# ---- VOC -------------------------------------------------------------------------------------------

VOC_FOLDERS = {"Segmentation": "Segmentation", "Detection": "Main"}
VOC_COLUMNS = {"Segmentation": ["target"], "Detection": ["bbox", "label", "difficult", "truncate"]}
BOX_TAGS = ("xmin", "ymin", "xmax", "ymax")


class VOCDataset(AnnotatedImages):
    """Images of PASCAL VOC (Everingham et al. 2010) of the list ``usage``, such as "train", in ``ImageSets``.

    Task "Segmentation" has the columns ``image`` and ``target``, a segmentation mask; "Detection" has ``image``,
    ``bbox`` float32[n, 4] (x, y, width, height), ``label``, ``difficult`` and ``truncate``, uint32[n, 1]. With
    ``class_indexing`` (task "Detection") only objects of these classes count; by default, classes are numbered in
    sorted order. ``decode`` decodes images to RGB; otherwise they are the bytes of their files. The other arguments are
    those of ``ImageFolderDataset``; ``extra_metadata`` must be ``False``.

    Raises ``ValueError`` for a missing folder or list, or another task, ``RuntimeError`` for missing or damaged
    annotations, and without an image.
    """

    def __init__(
        self,
        dataset_dir: str,
        task: str = "Segmentation",
        usage: str = "train",
        class_indexing: Mapping[str, int] | None = None,
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        decode: bool = False,
        sampler: Sampler | Iterable[int] | None = None,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
        extra_metadata: bool = False,
        decrypt: Callable[[str], bytes] | None = None,
    ) -> None:
        folder, self._task = check_folder(dataset_dir), task
        check_instance("decode", decode, (bool,))
        _check_class_indexing(class_indexing)
        if task not in VOC_FOLDERS:
            raise ArgValueError(f"Invalid task : {task}.")
        if task == "Segmentation" and class_indexing is not None:
            raise ArgValueError("class_indexing is not supported in Segmentation task.")
        names = _listed_names(folder / "ImageSets" / VOC_FOLDERS[task] / f"{usage}.txt")
        images = {name: folder / "JPEGImages" / f"{name}.jpg" for name in names}
        items: list[AnnotatedImage] = []
        if task == "Segmentation":
            masks = [folder / "SegmentationClass" / f"{name}.png" for name in names]
            items = [(images[name], (mask,)) for name, mask in zip(names, masks, strict=True)]  # type: ignore[misc]
        else:
            objects = {name: read_objects(folder / "Annotations" / f"{name}.xml") for name in names}
            class_names = sorted({item["name"] for items in objects.values() for item in items})
            self._classes = dict(class_indexing or {name: number for number, name in enumerate(class_names)})
            classes = self._classes
            selected = {name: [item for item in items if item["name"] in classes] for name, items in objects.items()}
            items = [(images[name], self._values(group)) for name, group in selected.items() if group]
        options = sampler_options(sampler, num_samples, shuffle, num_shards, shard_id)
        super().__init__(items, VOC_COLUMNS[task], image_reader(decode, decrypt), options, extra_metadata)

    def _values(self, objects: Sequence[Mapping[str, Any]]) -> tuple[np.ndarray, ...]:
        boxes = [
            (item["xmin"], item["ymin"], item["xmax"] - item["xmin"], item["ymax"] - item["ymin"]) for item in objects
        ]
        labels = [self._classes[item["name"]] for item in objects]
        numbers = (labels, [item["difficult"] for item in objects], [item["truncated"] for item in objects])
        return np.array(boxes, np.float32), *(np.array(values, np.uint32)[:, None] for values in numbers)

    def get_class_indexing(self) -> dict[str, int]:
        """The label of each class; raises ``NotImplementedError`` unless the task is "Detection"."""
        if self._task != "Detection":
            raise NotSupportedError("Only 'Detection' support get_class_indexing.")
        return dict(self._classes)


def _listed_names(path: Path) -> list[str]:
    """The first word of each line of a list of images."""
    if not path.is_file():
        raise ArgValueError(f"The file {path.absolute()} does not exist or permission denied!")
    return [line.split()[0] for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_objects(path: Path) -> list[dict[str, Any]]:
    """The objects of an annotation in XML: name, box, ``difficult`` and ``truncated``.

    Raises ``RuntimeError`` for a missing or damaged file, without an object, and for an object without a box.
    """
    if not path.is_file():
        raise ArgRuntimeError(f"Invalid file path, {path} does not exist.")
    try:
        objects = ElementTree.parse(path).getroot().findall("object")
    except ElementTree.ParseError:
        problem = "the xml file is damaged or incorrect format"
        raise ArgRuntimeError(f"Invalid xml, failed to load {path}: {problem}.") from None
    if not objects:
        raise ArgRuntimeError(f"Invalid xml, the node of object is missing in {path}.")
    try:
        return [_voc_object(element) for element in objects]
    except ValueError:
        raise ArgRuntimeError(f"Invalid xml, an object of {path} has no name, or no box of numbers.") from None


def _voc_object(node: ElementTree.Element) -> dict[str, Any]:
    """Raises ``ValueError`` for an object without a name or box."""
    box = {name: float(node.findtext(f"bndbox/{name}", "")) for name in BOX_TAGS}
    if not (name := node.findtext("name")) or box["xmin"] > box["xmax"] or box["ymin"] > box["ymax"]:
        raise ValueError
    flags = {flag: int(node.findtext(flag, "0")) for flag in ("difficult", "truncated")}
    return {"name": name, **box, **flags}


# ---- manifests -------------------------------------------------------------------------------------


class ManifestDataset(AnnotatedImages):
    """The images that a manifest lists for ``usage``: "train", "eval" or "inference".

    Each line is a JSON object with ``source``, ``usage`` and ``annotation``, a list of objects with the ``name`` of a
    class. The columns are ``image`` and ``label``, int32, a vector for several classes. With ``class_indexing`` only
    these classes count; by default all are numbered in sorted order. The other arguments are those of
    ``ImageFolderDataset``. Raises ``ValueError`` for a missing file, ``RuntimeError`` for damaged lines, missing
    images, another usage, and without an image.
    """

    def __init__(
        self,
        dataset_file: str,
        usage: str = "train",
        num_samples: int | None = None,
        num_parallel_workers: int | None = None,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable[int] | None = None,
        class_indexing: Mapping[str, int] | None = None,
        decode: bool = False,
        num_shards: int | None = None,
        shard_id: int | None = None,
        cache: object = None,
    ) -> None:
        path = Path(dataset_file)
        if not path.is_file():
            raise ArgValueError(f"The file {path.absolute()} does not exist or permission denied!")
        check_instance("decode", decode, (bool,))
        _check_class_indexing(class_indexing)
        try:
            check_member_of("usage", usage, ("train", "eval", "inference"))
        except ValueError as error:
            raise ArgRuntimeError(str(error)) from None
        entries = [entry for entry in read_manifest(path) if entry[2] == usage]
        names = sorted({name for _, classes, _ in entries for name in classes})
        self._classes = dict(class_indexing or {name: number for number, name in enumerate(names)})
        items: list[AnnotatedImage] = []
        for source, classes, _ in entries:
            if labels := [self._classes[name] for name in classes if name in self._classes]:
                items.append((source, (np.array(labels if len(labels) > 1 else labels[0], np.int32),)))
        options = sampler_options(sampler, num_samples, shuffle, num_shards, shard_id)
        super().__init__(items, ["label"], image_reader(decode, None), options)

    def get_class_indexing(self) -> dict[str, int]:
        """The label of each class."""
        return dict(self._classes)

    def num_classes(self) -> int:
        """The number of classes."""
        return len(self._classes)


def read_manifest(path: Path) -> list[tuple[Path, list[str], str]]:
    """(image, names of its classes, usage) of every line; raises ``RuntimeError`` for a damaged line."""
    entries = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            entry = json.loads(line)
            classes = [str(item["name"]) for item in entry["annotation"]]
            entries.append((Path(entry["source"]), classes, str(entry["usage"]).lower()))
        except (ValueError, KeyError, TypeError):
            problem = "needs an object with 'source', 'usage' and 'annotation', a list of objects with 'name'"
            raise ArgRuntimeError(f"Invalid manifest file {path.name!r}: line {number} {problem}") from None
        if not entries[-1][0].is_file():
            raise ArgRuntimeError(f"Invalid file path, {entries[-1][0]} does not exist.")
    return entries


def _check_class_indexing(class_indexing: object) -> None:
    if class_indexing is not None:
        check_instance("class_indexing", class_indexing, (dict,))
