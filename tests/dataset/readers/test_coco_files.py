"""Annotations of COCO; tests/differential compares ``CocoDataset`` with MindSpore."""

import json
from pathlib import Path

import numpy as np
import pytest

import minigraph.dataset as ds

ONE = {"id": 1, "image_id": 3, "category_id": 7, "bbox": [1, 2, 3, 4]}
CONTENT = {
    "images": [{"id": 3, "file_name": "a.jpg"}, {"id": 4, "file_name": "b.jpg"}],
    "categories": [{"id": 7, "name": "cat"}],
    "annotations": [ONE, {**ONE, "iscrowd": 1}],
}


def test_boxes_of_an_image(tmp_path: Path) -> None:
    # an image without annotations is left out
    (tmp_path / "a.json").write_text(json.dumps(CONTENT))
    (tmp_path / "a.jpg").write_bytes(b"...")
    data = ds.CocoDataset(str(tmp_path), str(tmp_path / "a.json"))
    ((_, boxes, categories, crowds),) = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(boxes, np.float32([[1, 2, 3, 4]] * 2))
    assert (categories.tolist(), crowds.tolist(), str(crowds.dtype)) == ([[7], [7]], [[0], [1]], "uint32")
    assert data.get_class_indexing() == {"cat": [7]}


def test_an_annotation_of_no_image(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**CONTENT, "annotations": [{**ONE, "image_id": 9}]}))
    with pytest.raises(RuntimeError, match=r"there is no image 9 in annotation file: a\.json"):
        ds.CocoDataset(str(tmp_path), str(tmp_path / "a.json"))
