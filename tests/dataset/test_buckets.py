"""``bucket_batch_by_length``: batches as MindSpore 2.10 gives them for the same rows."""

import numpy as np
import pytest

from minigraph.core.errors import UnknownNameError
from minigraph.dataset import GeneratorDataset

LENGTHS = (1, 2, 3, 4, 5, 2, 7, 1, 9, 3)


def rows():
    for length in LENGTHS:
        yield np.arange(length, dtype=np.int32), np.float32(length)


def bucketed(columns=("a",), bounds=(3, 6), sizes=(2, 2, 1), *args, **options):
    dataset = GeneratorDataset(rows, ["a", "b"], shuffle=False)
    return dataset.bucket_batch_by_length([*columns], [*bounds], [*sizes], *args, **options)


def batches(dataset):
    """Each batch: the shape of the padded column, and the lengths of its rows."""
    return [(a.shape, b.tolist()) for a, b in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


PLAIN = [((2, 2), [1, 2]), ((2, 4), [3, 4]), ((1, 7), [7]), ((2, 2), [2, 1]), ((1, 9), [9]), ((2, 5), [5, 3])]


def test_rows_of_similar_length_are_batched_when_their_bucket_is_full():
    dataset = bucketed()
    assert batches(dataset) == PLAIN
    assert batches(dataset) == PLAIN  # another epoch starts with empty buckets
    assert (dataset.get_dataset_size(), dataset.get_batch_size()) == (6, 1)


def test_rows_left_at_the_end_come_by_bucket_or_not_at_all():
    sizes = (4, 3, 2)
    assert batches(bucketed(sizes=sizes)) == [
        ((3, 5), [3, 4, 5]), ((4, 2), [1, 2, 2, 1]), ((2, 9), [7, 9]), ((1, 3), [3]),
    ]  # fmt: skip
    assert [lengths for _, lengths in batches(bucketed(sizes=sizes, drop_remainder=True))][-1] == [7, 9]


def test_padding_has_a_size_and_a_value():
    (first, _), *_ = bucketed(pad_info={"a": ([4], -1)}).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert first.tolist() == [[0, -1, -1, -1], [0, 1, -1, -1]]
    shapes = {shape[1] for shape, _ in batches(bucketed(pad_info={"a": ([4], -1)}))}
    assert shapes == {4}  # longer rows are cropped


def test_padding_to_the_boundary_of_the_bucket():
    padded = bucketed(bounds=(3, 12), pad_info={"a": ([None], 7)}, pad_to_bucket_boundary=True)
    assert [shape for shape, _ in batches(padded)] == [(2, 2), (2, 11), (2, 11), (2, 2), (2, 11)]
    without_padding = bucketed(bounds=(3, 12), pad_to_bucket_boundary=True)
    assert [shape for shape, _ in batches(without_padding)] == [(2, 2), (2, 4), (2, 7), (2, 2), (2, 9)]
    unbounded = bucketed(pad_info={"a": ([None], 7)}, pad_to_bucket_boundary=True)
    with pytest.raises(RuntimeError, match="longer than the last of bucket_boundaries; add a larger one"):
        batches(unbounded)


def test_the_length_is_the_size_of_the_column_its_value_or_that_of_a_function():
    assert batches(bucketed(["b"])) == PLAIN
    assert batches(bucketed(["b"], (3, 6), (2, 2, 1), lambda b: b)) == PLAIN
    longer = batches(bucketed(["a", "b"], (3, 6), (2, 2, 1), lambda a, b: int(b) + 1))
    assert [lengths for _, lengths in longer] == [[2, 3], [5], [4, 2], [7], [1, 1], [9], [3]]
    with pytest.raises(RuntimeError, match="length -1; lengths are 0 or more"):
        batches(bucketed(["b"], (3, 6), (2, 2, 1), lambda b: -1))


REFUSED = [
    ({"columns": ["a", "b"]}, ValueError, "exactly one column name should be passed"),
    ({"bounds": [6, 3]}, ValueError, "bucket_boundaries should be strictly increasing"),
    ({"bounds": [3, 3]}, ValueError, "bucket_boundaries should be strictly increasing"),
    ({"bounds": [0, 3]}, ValueError, "bucket_boundaries must only contain positive numbers"),
    ({"bounds": [3]}, ValueError, "bucket_batch_sizes must contain one element more than bucket_boundaries"),
    ({"sizes": [2, 2, 0]}, ValueError, "bucket_batch_sizes must only contain positive numbers"),
    ({"bounds": []}, ValueError, "bucket_boundaries cannot be empty"),
    ({"bounds": [3.5, 4]}, TypeError, "bucket_boundaries should be a list of int"),
    ({"columns": ["z"]}, UnknownNameError, "no column 'z'; known: a, b"),
    ({"pad_info": {"q": ([2], 0)}}, UnknownNameError, "no column 'q'; known: a, b"),
]


@pytest.mark.parametrize("arguments, error, text", REFUSED, ids=[text for _, _, text in REFUSED])
def test_wrong_lists_are_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        bucketed(**arguments)


def test_lists_of_other_types_are_refused():
    dataset = GeneratorDataset(rows, ["a", "b"], shuffle=False)
    with pytest.raises(TypeError, match="column_names with value a is not of type"):
        dataset.bucket_batch_by_length("a", [3], [2, 3])
    with pytest.raises(TypeError, match="bucket_boundaries with value .3,. is not of type"):
        dataset.bucket_batch_by_length(["a"], (3,), [2, 3])
