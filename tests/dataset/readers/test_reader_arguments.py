"""Arguments of readers: what they accept, and the errors of MindSpore."""

from pathlib import Path

import pytest

from minigraph.dataset.readers.reader_arguments import (
    Shuffle,
    check_folder,
    check_instance,
    check_member_of,
    check_samples,
    check_shards,
    check_shuffle,
    matching_files,
    sampler_options,
    with_labels,
)
from minigraph.dataset.samplers import PKSampler, SequentialSampler, SubsetSampler
from tests.tables import error_cases, results

test_shuffles = results(
    check_shuffle, (None, Shuffle.GLOBAL), (True, Shuffle.GLOBAL), (False, Shuffle.FALSE), (Shuffle.FILES,) * 2
)
test_samples = results(check_samples, (None, None), (0, None), (3, 3))
test_shards = results(check_shards, (None, None, (1, 0)), (3, 2, (3, 2)))
test_members = results(check_member_of, ("usage", None, ("a",), "all"), ("usage", "a", ("a",), "a"))
test_errors = error_cases(
    (lambda: check_instance("decode", 3, (bool,)), TypeError, "decode with value 3"),
    (lambda: check_instance("number", True, (int,)), TypeError, "not of type"),
    (lambda: check_shuffle("files"), TypeError, "shuffle must be of boolean"),
    (lambda: check_samples(-1), ValueError, "num_samples exceeds"),
    (lambda: check_shards(2, None), RuntimeError, "requires shard_id"),
    (lambda: check_shards(None, 1), RuntimeError, "num_shards is not"),
    (lambda: check_shards(2, 2), ValueError, r"interval of \[0, 1\]"),
    (lambda: check_shards(0, 0), ValueError, "num_shards"),
    (lambda: check_folder("no such folder"), ValueError, "does not exist"),
    (lambda: check_member_of("usage", "b", ("a",)), ValueError, r"valid set of \['a'\]"),
    (lambda: matching_files("no such file"), ValueError, "did not match any files"),
    (lambda: matching_files([]), ValueError, "can not be empty"),
    (lambda: sampler_options([0], None, True, None, None), RuntimeError, "sampler and shuffle"),
    (lambda: sampler_options([0], 1, None, None, None), RuntimeError, "sampler and num_samples"),
    (lambda: sampler_options([0], None, None, 1, 0), RuntimeError, "sampler and sharding"),
    (lambda: sampler_options("a", None, None, None, None), TypeError, "Unsupported sampler"),
    (lambda: sampler_options(None, None, 3, None, None), TypeError, "shuffle"),
)


def test_files_of_several_patterns_are_sorted(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", "c.csv"):
        (tmp_path / name).write_text(name)
    paths = matching_files([str(tmp_path / "*.csv"), str(tmp_path / "*.txt")])
    assert [path.name for path in paths] == ["a.txt", "b.txt", "c.csv"]
    assert check_folder(str(tmp_path)) == check_folder(tmp_path) == tmp_path  # type: ignore[arg-type]


def test_only_a_sampler_of_classes_gets_the_labels() -> None:
    options = sampler_options(PKSampler(1), None, None, None, None)
    assert with_labels(options, [4, 5])["sampler"].labels == [4, 5] and options["sampler"].labels is None
    options_without_labels = sampler_options(SequentialSampler(), None, None, None, None)
    assert with_labels(options_without_labels, [4]) is options_without_labels
    assert isinstance(sampler_options([1], None, None, None, None)["sampler"], SubsetSampler)
    assert sampler_options(None, 3, False, None, None) == {
        "num_samples": 3, "shuffle": False, "num_shards": None, "shard_id": None,
    }  # fmt: skip


@pytest.mark.parametrize("shuffle", [Shuffle.GLOBAL, "global"])
def test_members_are_their_values(shuffle: str) -> None:
    assert shuffle == "global"
