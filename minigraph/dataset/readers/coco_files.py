"""Images with annotations in the JSON format of COCO: boxes, outlines, keypoints, captions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.readers.annotated_images import AnnotatedImages
from minigraph.dataset.readers.labelled_folders import image_reader
from minigraph.dataset.readers.reader_arguments import check_folder, check_instance, sampler_options
from minigraph.dataset.samplers import NotSupportedError, Sampler

PADDING_VALUE = -1.0  # of outlines and keypoints that are shorter than others of the image
COLUMNS = {
    "Detection": ("bbox", "category_id", "iscrowd"),
    "Stuff": ("segmentation", "iscrowd"),
    "Keypoint": ("keypoints", "num_keypoints"),
    "Panoptic": ("bbox", "category_id", "iscrowd", "area"),
    "Captioning": ("captions",),
}
KEYS = {"captions": "caption"}  # columns whose name is not that in the file
WITH_CATEGORIES = ("Detection", "Stuff", "Keypoint", "Panoptic")


class CocoDataset(AnnotatedImages):
    """Images with annotations of COCO (Lin et al. 2014), in the order of the file; those without one are left out.

    The columns after ``image`` depend on the task: "Detection" ``bbox`` float32[n, 4], ``category_id`` and ``iscrowd``
    uint32[n, 1]; "Stuff" ``segmentation`` float32[m, k], padded with -1, and ``iscrowd``; "Keypoint" ``keypoints``
    float32[n, k] and ``num_keypoints``; "Panoptic" those of "Detection" and ``area``; "Captioning" ``captions``,
    strings [n, 1]. ``decode`` gives colours instead of the bytes of a file. The other arguments are those of
    ``ImageFolderDataset``; ``extra_metadata`` must be ``False``.

    Raises ``ValueError`` for a missing folder or file, or another task, ``RuntimeError`` for a damaged file, missing
    entries, and without an image.
    """

    def __init__(
        self,
        dataset_dir: str,
        annotation_file: str,
        task: str = "Detection",
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
        folder, path = check_folder(dataset_dir), Path(annotation_file)
        if not path.is_file():
            raise ArgValueError(f"The file {path.absolute()} does not exist or permission denied!")
        check_instance("decode", decode, (bool,))
        if task not in COLUMNS:
            raise ArgValueError(f"Invalid task type: {task}.")
        self._task, self._content = task, _Annotations(path)
        rows = self._content.by_image(task)
        items = [
            (folder / file, tuple(_column(name, annotations) for name in COLUMNS[task])) for file, annotations in rows
        ]
        options = sampler_options(sampler, num_samples, shuffle, num_shards, shard_id)
        super().__init__(items, COLUMNS[task], image_reader(decode, decrypt), options, extra_metadata)

    def get_class_indexing(self) -> dict[str, list[int]]:
        """The number of each class in a list, for "Panoptic" with 1 for things and 0 for stuff.

        Raises ``NotImplementedError`` for other tasks than "Detection" and "Panoptic".
        """
        if self._task not in ("Detection", "Panoptic"):
            raise NotSupportedError("Only 'Detection' and 'Panoptic' support get_class_indexing.")
        is_panoptic = self._task == "Panoptic"
        return {category["name"]: [category["id"], category["isthing"]] if is_panoptic else [category["id"]]
                for category in self._content.entries("categories")}  # fmt: skip


class _Annotations:
    """The content of an annotation file; raises ``RuntimeError`` for what is missing."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        try:
            self.content = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            problem = f"annotation file:{path.name} load failed, error description: {error}"
            raise ArgRuntimeError(f"Invalid annotation file, Coco Dataset {problem}") from None

    def value(self, entry: Any, key: str) -> Any:
        """The value of a key of an entry."""
        if not isinstance(entry, dict) or key not in entry:
            problem = f"the attribute of '{key}' is missing in annotation file: {self.name}"
            raise ArgRuntimeError(f"Invalid annotation, {problem}.")
        return entry[key]

    def entries(self, key: str) -> list[Any]:
        """A list of the file."""
        listed: list[Any] = self.value(self.content, key)
        return listed

    def by_image(self, task: str) -> list[tuple[str, list[dict[str, Any]]]]:
        """(file of an image, its annotations) for images with annotations."""
        files = {self.value(image, "id"): self.value(image, "file_name") for image in self.entries("images")}
        if not files:
            raise ArgRuntimeError(f"Invalid annotation, the 'image' node is missing in annotation file: {self.name}.")
        annotations: dict[Any, list[dict[str, Any]]] = {image: [] for image in files}
        for image, annotation in self._annotations(task):
            if image not in files:
                raise ArgRuntimeError(f"Invalid annotation, there is no image {image} in annotation file: {self.name}.")
            self._check(annotation, task)
            annotations[image].append(annotation)
        return [(files[image], group) for image, group in annotations.items() if group]

    def _annotations(self, task: str) -> Iterable[tuple[Any, dict[str, Any]]]:
        for annotation in self.entries("annotations"):
            image = self.value(annotation, "image_id")
            if task != "Panoptic":
                self.value(annotation, "id")
            for part in self.value(annotation, "segments_info") if task == "Panoptic" else [annotation]:
                yield image, part

    def _check(self, annotation: Mapping[str, Any], task: str) -> None:
        for column in COLUMNS[task]:
            if column != "iscrowd":
                self.value(annotation, KEYS.get(column, column))
        if task in WITH_CATEGORIES:
            category = self.value(annotation, "category_id")
            if category not in {self.value(entry, "id") for entry in self.entries("categories")}:
                problem = f"the attribute of 'category_id': {category} is missing in the node of 'categories'"
                raise ArgRuntimeError(f"Invalid annotation, {problem} from annotation file: {self.name}")


def _column(name: str, annotations: Sequence[Mapping[str, Any]]) -> np.ndarray:
    """The values of a column for the annotations of one image."""
    if name == "segmentation":
        return _padded([row for annotation in annotations for row in _outlines(annotation[name])])
    values = [annotation.get(KEYS.get(name, name), 0) for annotation in annotations]
    if name in ("bbox", "keypoints"):
        return _padded(values)
    return np.array(values, str if name == "captions" else np.uint32)[:, None]


def _outlines(segmentation: Any) -> list[list[float]]:
    """The polygons of an object, or the run lengths of a crowd."""
    return [segmentation["counts"]] if isinstance(segmentation, dict) else segmentation


def _padded(rows: Sequence[Sequence[float]]) -> np.ndarray:
    """Rows as one array, the shorter ones padded.

    >>> _padded([[1, 2], [3]]).tolist()
    [[1.0, 2.0], [3.0, -1.0]]
    """
    array = np.full((len(rows), max(map(len, rows), default=0)), PADDING_VALUE, np.float32)
    for line, row in zip(array, rows, strict=True):
        line[: len(row)] = row
    return array
