"""``MindDataset``: order, padding and samplers; tests/differential compares the rows with MindSpore's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigraph.dataset as ds
from minigraph.mindrecord import FileWriter


@pytest.fixture
def path(tmp_path: Path) -> str:
    writer = FileWriter(str(tmp_path / "rows"), 3)
    writer.add_schema({"x": {"type": "int32"}, "label": {"type": "string"}})
    writer.write_raw_data([{"x": i, "label": "ab"[i % 2]} for i in range(9)])
    writer.commit()
    return str(tmp_path / "rows0")


def x_values(*args: Any, **options: Any) -> list[int]:
    data = ds.MindDataset(*args, **options)
    return [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]


def test_files_or_the_rows_of_each_file_are_shuffled(path: str) -> None:
    rows_of_files = [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    orders = {tuple(x_values(path, shuffle=ds.Shuffle.FILES)) for _ in range(2)}
    assert all(sorted(order[i : i + 3] for i in (0, 3, 6)) == list(map(tuple, rows_of_files)) for order in orders)
    order = x_values(path, shuffle=ds.Shuffle.INFILE)
    assert [sorted(order[i : i + 3]) for i in (0, 3, 6)] == rows_of_files
    shards = [x_values(path, shuffle=ds.Shuffle.FILES, num_shards=2, shard_id=k) for k in range(2)]
    assert sorted({*shards[0], *shards[1]}) == list(range(9))
    assert [len(shard) for shard in shards] == [5, 5]


def test_a_pk_sampler_reads_rows_of_each_class(path: str) -> None:
    rows = x_values(path, sampler=ds.PKSampler(2, class_column="label"))
    assert [row % 2 for row in rows] == [0, 0, 1, 1]
    with pytest.raises(RuntimeError, match="'class_column': label_ can not"):
        x_values(path, sampler=ds.PKSampler(2, class_column="label_"))


def test_padded_rows_fill_the_shards(path: str) -> None:
    padded = {"x": np.int32(-1), "label": "none"}
    options: dict[str, Any] = {"shuffle": False, "padded_sample": padded, "num_padded": 3, "num_shards": 4}
    assert [x_values(path, ["x"], shard_id=k, **options) for k in (0, 3)] == [[0, 4, 8], [3, 7, -1]]
    with pytest.raises(RuntimeError, match="is not divisible"):
        x_values(path, ["x"], shard_id=0, **options | {"num_padded": 2})


def test_values_that_do_not_fit_their_type(tmp_path: Path) -> None:
    writer = FileWriter(path := str(tmp_path / "a"))
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": 2**40}])
    writer.commit()
    with pytest.raises(RuntimeError, match="1099511627776 is no int32"):
        x_values(path)
