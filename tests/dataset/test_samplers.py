"""Samplers: the indices of each epoch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigraph import dataset as ds
from tests.tables import error_cases


def indices_of(sampler, count=10, seed=0):
    return list(sampler.indices(count, np.random.default_rng(seed)))


def test_sequential_and_subset_samplers():
    # one after the other
    assert indices_of(ds.SequentialSampler(), 3) == [0, 1, 2]
    assert indices_of(ds.SequentialSampler(2, 3)) == [2, 3, 4]
    # a subset
    assert indices_of(ds.SubsetSampler([3, 1, 1])) == [3, 1, 1]
    assert indices_of(ds.SubsetSampler(range(4), num_samples=2)) == [0, 1]
    assert indices_of(ds.SubsetSampler(5)) == [5]
    shuffled = ds.SubsetRandomSampler(list(range(0, 10, 2)))
    assert sorted(indices_of(shuffled)) == [0, 2, 4, 6, 8]
    assert len({tuple(indices_of(shuffled, seed=i)) for i in range(5)}) > 1


def test_random_and_weighted_samplers():
    # at random
    assert sorted(indices_of(ds.RandomSampler())) == list(range(10))
    assert indices_of(ds.RandomSampler()) != indices_of(ds.RandomSampler(), seed=1)
    assert (
        len(indices_of(ds.RandomSampler(num_samples=4))) == len(set(indices_of(ds.RandomSampler(num_samples=4)))) == 4
    )
    again = indices_of(ds.RandomSampler(replacement=True, num_samples=50))
    assert len(again) == 50
    assert set(again) <= set(range(10))
    # by weight
    result = indices_of(ds.WeightedRandomSampler([0, 1, 3], 4000), 3)
    assert result.count(0) == 0
    assert 0.7 < result.count(2) / 4000 < 0.8
    assert sorted(indices_of(ds.WeightedRandomSampler([1, 0, 2], 2, replacement=False), 3)) == [0, 2]


@given(count=st.integers(1, 30), shards=st.integers(1, 8), shuffle=st.booleans())
def test_shards_are_of_one_size_and_have_every_row(count, shards, shuffle):
    parts = [indices_of(ds.DistributedSampler(shards, i, shuffle), count) for i in range(shards)]
    assert {len(part) for part in parts} == {-(-count // shards)}
    assert {i for part in parts for i in part} == set(range(count))


def test_a_user_defined_sampler():
    class Twice(ds.Sampler):
        def __iter__(self):
            return (i for i in range(self.dataset_size) for _ in range(2))

    assert indices_of(Twice(), 2) == [0, 0, 1, 1]
    assert indices_of(Twice(3), 2) == [0, 0, 1]


test_invalid_arguments_raise = error_cases(
    (lambda: ds.RandomSampler(num_samples=0), ValueError, "Input num_samples is not within"),
    (lambda: ds.SubsetSampler("abc"), TypeError, "indices must be ints, got str"),
    (lambda: indices_of(ds.SubsetSampler([10])), IndexError, "no row 10 among 10"),
    (lambda: ds.WeightedRandomSampler([]), ValueError, "weights must not be negative"),
    (lambda: ds.WeightedRandomSampler([1, -1]), ValueError, "weights must not be negative"),
    (lambda: ds.WeightedRandomSampler([1, 0], 2, False), ValueError, "2 samples without replacement, but only 1"),
    (lambda: ds.DistributedSampler(2, 2), ValueError, "Input shard_id is not within the required interval of .0, 1."),
    (lambda: ds.DistributedSampler(2, 0, offset=1.5), TypeError, "offset must be integer but was: 1.5"),
    (lambda: indices_of(ds.Sampler()), TypeError, "a Sampler must define __iter__"),
)


def test_rows_of_each_class():
    labels = [7, 3, 7, 7]
    sampler = ds.PKSampler(2).with_labels(labels)
    assert [labels[i] for i in indices_of(sampler, 4)] == [3, 3, 7, 7]
    assert {i for seed in range(20) for i in indices_of(sampler, 4, seed)} == {0, 1, 2, 3}
    shuffled = ds.PKSampler(1, shuffle=True, num_samples=1).with_labels(labels)
    assert {labels[i] for seed in range(20) for i in indices_of(shuffled, 4, seed)} == {3, 7}


test_refusals_of_samplers_by_class = error_cases(
    (lambda: ds.PKSampler("a"), TypeError, "num_val must be integer"),
    (lambda: ds.PKSampler(1, 2), NotImplementedError, "num_class"),
    (lambda: ds.PKSampler(1, None, 3), TypeError, "shuffle"),
    (lambda: ds.PKSampler(1, None, True, 3), TypeError, "class_column"),
    (lambda: indices_of(ds.PKSampler(0).with_labels([1]), 1), RuntimeError, "greater than 0"),
    (lambda: indices_of(ds.PKSampler(1)), ValueError, "doesn't support PKSampler"),
)


def test_offsets_of_shards():
    # MindSpore 2.10 printed these rows
    shards = [[0, 2, 4, 6], [1, 3, 5]]
    for offset in range(4):
        for shard in range(2):
            sampler = ds.DistributedSampler(2, shard, False, offset=offset)
            assert list(sampler.indices(7, None)) == shards[(shard - offset) % 2]
    assert list(ds.DistributedSampler(3, 0, False, 2, offset=1).indices(7, None)) == [2, 5]


def test_a_sampler_selects_from_the_rows_of_its_child():
    outer, child = ds.SubsetSampler([1, 0]), ds.SequentialSampler(1, 4)
    outer.add_child(child)
    assert (outer.get_child(), outer.get_num_samples(), child.get_num_samples()) == (child, 2, 4)
    data = ds.NumpySlicesDataset(np.arange(6), "x", sampler=outer)
    assert [int(row[0]) for row in data] == [2, 1] and data.get_dataset_size() == 2
    with pytest.raises(RuntimeError, match="already has a child"):
        outer.add_child(child)
