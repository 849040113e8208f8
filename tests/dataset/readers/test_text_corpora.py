"""Corpora of text: usages, columns and missing files; tests/differential compares the rows with MindSpore's."""

from pathlib import Path

import pytest

import minigraph.dataset as ds


@pytest.mark.parametrize(
    ("kind", "width", "first"),
    [
        (ds.AGNewsDataset, 3, "test"), (ds.AmazonReviewDataset, 3, "test"), (ds.DBpediaDataset, 3, "test"),
        (ds.YahooAnswersDataset, 4, "test"), (ds.SogouNewsDataset, 3, "train"), (ds.YelpReviewDataset, 2, "train"),
    ],
)  # fmt: skip
def test_records(tmp_path: Path, kind: type[ds.Dataset], width: int, first: str) -> None:
    for part in ("train", "test"):
        (tmp_path / f"{part}.csv").write_text(",".join([part, *["y"] * (width - 1)]) + "\n")
    data = kind(str(tmp_path), shuffle=False)
    assert next(row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)) == first
    assert len(data.get_col_names()) == width and kind(str(tmp_path), "test").get_dataset_size() == 1
    with pytest.raises(ValueError, match="valid set"):
        kind(str(tmp_path), "valid")
    (tmp_path / "test.csv").unlink()
    with pytest.raises(RuntimeError, match="there is no file"):
        kind(str(tmp_path))


def test_the_test_set_of_sst2_has_no_labels(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("index\tsentence\n0\tuneasy\n")
    data = ds.SST2Dataset(str(tmp_path), "test")
    assert data.get_col_names() == ["sentence"] and data.output_shapes() == [[]]
    (tmp_path / "train.tsv").write_text("sentence\tlabel\none\n")
    with pytest.raises(RuntimeError, match="1 values for 2 columns"):
        list(ds.SST2Dataset(str(tmp_path)))


def test_lines(tmp_path: Path) -> None:
    (tmp_path / "enwik9").write_text("a\n\nb\n")
    assert ds.EnWik9Dataset(str(tmp_path)).get_dataset_size() == 3
    (tmp_path / "ptb.valid.txt").write_text("a\n\nb\n")
    assert ds.PennTreebankDataset(str(tmp_path), "valid").get_dataset_size() == 2
    (tmp_path / "wiki.test.tokens").write_text(" = a = \n")
    assert ds.WikiTextDataset(str(tmp_path), "test").get_dataset_size() == 1
