"""Annotated corpora: damaged files; tests/differential compares the rows with MindSpore's."""

import json
from pathlib import Path

import pytest

import minigraph.dataset as ds
from minigraph.dataset.readers.annotated_corpora import NO_ANSWER, read_tagged


def test_tagged_sentences(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("Conf NN B\nin IN C\n\n\nx Y Z\n")
    first, second = read_tagged(tmp_path / "train.txt", " ")
    assert [column.tolist() for column in first] == [["Conf", "in"], ["NN", "IN"], ["B", "C"]] and len(second[0]) == 1
    (tmp_path / "train.txt").write_text("x Y\n")
    with pytest.raises(RuntimeError, match="not a word and two tags"):
        list(ds.CoNLL2000Dataset(str(tmp_path), "train"))
    (tmp_path / "en-ud-tag.v2.dev.txt").write_text("a\tb\tc\n\n")
    assert ds.UDPOSDataset(str(tmp_path), "valid").get_dataset_size() == 1


def test_questions(tmp_path: Path) -> None:
    paragraph = {"context": "c", "qas": [{"question": "q", "answers": []}]}
    (tmp_path / "dev-v2.0.json").write_text(json.dumps({"data": [{"paragraphs": [paragraph]}]}))
    (row,) = ds.SQuADDataset(str(tmp_path), "dev").create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert row[2].tolist() == [""] and row[3].tolist() == [NO_ANSWER]
    (tmp_path / "dev-v2.0.json").write_text("{}")
    with pytest.raises(RuntimeError, match="format of SQuAD"):
        list(ds.SQuADDataset(str(tmp_path), "dev"))


def test_translations_have_equally_many_lines(tmp_path: Path) -> None:
    (tmp_path / "validation").mkdir()
    (tmp_path / "validation" / "val.en").write_text("a\nb\n")
    (tmp_path / "validation" / "val.de").write_text("a\n")
    with pytest.raises(RuntimeError, match="not as many lines"):
        list(ds.Multi30kDataset(str(tmp_path), "valid"))
