"""Vectors of words; tests/differential compares their results with MindSpore's."""

from pathlib import Path

import numpy as np
import pytest

from minigraph.dataset import text


def test_a_number_that_is_none_is_refused(tmp_path: Path) -> None:
    """MindSpore 2.10 reads it as 0."""
    (tmp_path / "a.txt").write_text("ok 1 x\n")
    with pytest.raises(RuntimeError, match="the vector of 'ok': could not convert"):
        text.Vectors.from_file(str(tmp_path / "a.txt"))


def test_names_of_files(tmp_path: Path) -> None:
    for name, kind in (("glove.6B.50d.txt", text.GloVe), ("wiki.vec", text.FastText)):
        (tmp_path / name).write_text("1 2\nok 1 2\n")
        assert text.ToVectors(kind.from_file(str(tmp_path / name)))(np.array("ok")).tolist() == [1, 2]
        with pytest.raises(RuntimeError, match="can not find file"):
            kind.from_file(str(tmp_path / "other.txt"))


def test_runs_of_characters(tmp_path: Path) -> None:
    (tmp_path / "c.txt").write_text("2gram-ab 1 2\n3gram-ab#END# 3 4\n")
    vectors = text.CharNGram.from_file(str(tmp_path / "c.txt"))
    assert text.ToVectors(vectors)(np.array(["ab", "x"])).tolist() == [[2, 3], [0, 0]]
