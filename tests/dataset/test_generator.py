import numpy as np
import pytest

import minigraph as ms
from minigraph.core.tensor import Tensor
from minigraph.dataset import samplers
from minigraph.dataset.generator import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from tests.tables import cases, error_cases, error_of, every

IMAGES = np.arange(12).reshape(6, 2).astype(np.float32)
LABELS = np.arange(6).astype(np.int32)


class Indexed:
    """A minimal random-access source."""

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return IMAGES[i], LABELS[i]


class Iterable:
    """A source that can be restarted but not indexed."""

    def __iter__(self):
        return iter(zip(IMAGES, LABELS, strict=True))


def generator():
    yield from zip(IMAGES, LABELS, strict=True)


# name -> (a function that makes the source, whether it can be indexed and so is shuffled)
SOURCES = {
    "zip": (lambda: zip(IMAGES, LABELS, strict=True), True),
    "zip of tensors": (lambda: zip(map(Tensor, IMAGES), map(Tensor, LABELS), strict=True), True),
    "list": (lambda: list(generator()), True),
    "list of lists": (lambda: [list(row) for row in generator()], True),
    "indexed object": (Indexed, True),
    "generator object": (generator, True),
    "generator function": (lambda: generator, False),
    "iterable object": (Iterable, False),
}


def labels(dataset):
    return [int(row[1]) for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("name", SOURCES)
def test_every_type_of_source_yields_all_rows_in_every_epoch(name):
    # every kind of source gives all rows in every epoch
    make, shuffled = SOURCES[name]
    source = make() if name != "generator function" else generator
    data = GeneratorDataset(source, ["image", "label"])
    epochs = [labels(data) for _ in range(4)]
    assert [sorted(epoch) for epoch in epochs] == [[0, 1, 2, 3, 4, 5]] * 4
    assert (len({tuple(epoch) for epoch in epochs}) > 1) == shuffled
    assert (data.get_dataset_size(), data.get_col_names()) == (6, ["image", "label"])
    # rows stay whole and keep their dtypes
    source = SOURCES[name][0]()
    for image, label in GeneratorDataset(source, ["image", "label"]):
        assert (str(image.dtype), str(label.dtype)) == ("Float32", "Int32")
        assert image.asnumpy().tolist() == [2 * int(label), 2 * int(label) + 1]


@pytest.mark.parametrize("name", [name for name, (_, shuffled) in SOURCES.items() if shuffled])
def test_without_shuffle_the_order_is_the_sources(name):
    data = GeneratorDataset(SOURCES[name][0](), ["image", "label"], shuffle=False)
    assert [labels(data) for _ in range(2)] == [[0, 1, 2, 3, 4, 5]] * 2


def test_tensors_can_be_zipped_whole_and_one_column_takes_bare_values():
    data = GeneratorDataset(zip(Tensor(IMAGES), Tensor(LABELS), strict=True), column_names=["image", "label"])
    assert sorted(labels(data)) == [0, 1, 2, 3, 4, 5]
    assert [int(row[0]) for row in GeneratorDataset([3, 4], "n", shuffle=False)] == [3, 4]
    assert [row[0].shape for row in GeneratorDataset(IMAGES, ["image"])] == [(2,)] * 6
    # a list is a row, as in MindSpore: of one value, not one value of two elements
    assert [row[0].asnumpy().tolist() for row in GeneratorDataset([[1]], ["x"])] == [1]
    assert [row[0].asnumpy().tolist() for row in GeneratorDataset([([1, 2],)], ["pair"])] == [[1, 2]]
    with pytest.raises(RuntimeError, match=r"pass the list as \(\[1, 2\],\)"):
        list(GeneratorDataset([[1, 2]], ["pair"]))


def test_epochs_may_be_short_and_counting_takes_no_rows_away():
    # num samples ends an epoch early and 0 is all
    data = GeneratorDataset(Indexed(), ["image", "label"], num_samples=2, shuffle=False)
    assert (labels(data), data.get_dataset_size()) == ([0, 1], 2)
    assert GeneratorDataset(generator, ["image", "label"], num_samples=99).get_dataset_size() == 6
    assert GeneratorDataset([1, 2], "a", num_samples=0).get_dataset_size() == 2
    # counting a generator function takes no rows away
    data = GeneratorDataset(generator, ["image", "label"])
    assert [data.get_dataset_size(), labels(data), data.get_dataset_size()] == [6, [0, 1, 2, 3, 4, 5], 6]


def test_missing_column_names_raise_with_mindspores_message():
    text = "ValueError: Neither columns_names nor schema are provided."
    assert error_of(GeneratorDataset, [1], error=ValueError) == text


@pytest.mark.parametrize("source", [3, None, {"a": [1]}, "rows"])
def test_a_source_without_rows_raises(source):
    with pytest.raises(TypeError, match=f"{type(source).__name__} has no rows"):
        GeneratorDataset(source, ["a"])


@pytest.mark.parametrize("source", [generator, Iterable()])
def test_shuffling_needs_an_indexable_source(source):
    with pytest.raises(ValueError, match=r"or use \.shuffle\(n\)"):
        GeneratorDataset(source, ["a", "b"], shuffle=True)


def test_a_restartable_iterator_is_not_read_ahead():
    class Counting:
        def __iter__(self):
            self.i = 0
            return self

        def __next__(self):
            self.i += 1
            if self.i <= 3:
                return (self.i,)
            raise StopIteration

    data = GeneratorDataset(Counting(), ["n"])
    assert [[int(row[0]) for row in data] for _ in range(2)] == [[1, 2, 3]] * 2


def test_columns_can_be_cast_and_text_is_returned_unchanged():
    data = GeneratorDataset([(1, 2.0)], ["a", "b"], column_types=[ms.float32, ms.int8])
    assert [str(value.dtype) for value in next(iter(data))] == ["Float32", "Int8"]
    assert next(iter(GeneratorDataset(["abc"], "word"))) == [np.array("abc")]


@pytest.mark.parametrize("kind", [GeneratorDataset, NumpySlicesDataset])
def test_samplers_and_shards(kind):
    def rows_of(**options):
        return [int(row[0]) for row in kind([0, 1, 2, 3, 4], "n", **options)]

    assert rows_of(sampler=[4, 0, 0]) == rows_of(sampler=samplers.SubsetSampler([4, 0, 0])) == [4, 0, 0]
    assert rows_of(sampler=samplers.SequentialSampler(2)) == [2, 3, 4]
    assert [rows_of(num_shards=2, shard_id=i, shuffle=False) for i in (0, 1)] == [[0, 2, 4], [1, 3, 0]]
    assert {i for shard in (0, 1) for i in rows_of(num_shards=2, shard_id=shard)} == {0, 1, 2, 3, 4}
    assert kind([0, 1, 2], "n", sampler=[1, 1]).get_dataset_size() == 2
    for wrong in ({"sampler": [0], "shuffle": True}, {"sampler": [0], "num_shards": 2, "shard_id": 0}, {"shard_id": 0}):
        with pytest.raises(ValueError, match="contradict|together or not at all"):
            kind([0, 1], "n", **wrong)


@pytest.mark.parametrize("name", ["schema", "batch_sampler", "collate_fn"])
def test_unsupported_arguments_raise(name):
    with pytest.raises(ValueError, match=f"{name} is not supported"):
        GeneratorDataset([1], "a", **{name: object()})


# ---- slices of arrays ------------------------------------------------------------------------------


@cases(
    ({"image": IMAGES, "label": LABELS}, ["image", "label"]),
    ((IMAGES, LABELS), ["column_0", "column_1"]),
    ((Tensor(IMAGES), LABELS.tolist()), ["column_0", "column_1"]),
)
def test_columns_are_sliced_together(data, names):
    rows = NumpySlicesDataset(data)
    assert (rows.get_col_names(), rows.get_dataset_size()) == (names, 6)
    for image, label in rows:
        assert image.asnumpy().tolist() == [2 * int(label), 2 * int(label) + 1]


@every(data=[IMAGES, IMAGES.tolist()])
def test_one_array_is_one_column(data):
    rows = NumpySlicesDataset(data, shuffle=False)
    assert rows.get_col_names() == ["column_0"]
    assert [row[0].asnumpy().tolist() for row in rows] == IMAGES.tolist()


def test_slices_are_shuffled_by_default_and_can_be_named():
    rows = NumpySlicesDataset((IMAGES, LABELS), ["x", "y"])
    assert rows.get_col_names() == ["x", "y"]
    assert len({tuple(labels(rows)) for _ in range(4)}) > 1
    assert NumpySlicesDataset(LABELS, num_samples=2).get_dataset_size() == 2


UNEQUAL = (IMAGES, LABELS[:5]), {"a": [1, 2], "b": [1]}, ()
test_columns_of_unequal_length_raise = error_cases(
    *UNEQUAL, by=NumpySlicesDataset, error=ValueError, text="columns of unequal length"
)


test_errors = error_cases(
    (lambda: GeneratorDataset([1], "a", num_samples=-1), ValueError, "num_samples"),
    (lambda: GeneratorDataset([(1, 2.0)], ["a", "b"], [ms.float32]), ValueError, "1 column_types for the columns"),
    (lambda: list(GeneratorDataset([(1, 2)], ["a"])), RuntimeError, r"a row has 2 values for the columns \['a'\]"),
)


def test_rows_as_dicts():
    data = PaddedDataset([{"x": np.zeros(2), "n": np.array(1)}, {"n": np.array(2), "x": np.ones(2)}])
    assert data.get_col_names() == ["x", "n"] and [int(row[1]) for row in data] == [1, 2]
    joined = NumpySlicesDataset({"n": [5]}) + PaddedDataset([{"n": np.array(7)}])
    assert [int(row[0]) for row in joined] == [5, 7]


test_refusals_of_rows_as_dicts = error_cases(
    (lambda: PaddedDataset([]), ValueError, "cannot be empty"),
    (lambda: PaddedDataset([3]), TypeError, "padded_element"),
    (lambda: PaddedDataset({"a": 1}), TypeError, "padded_samples"),
    (lambda: list(PaddedDataset([{"a": np.array(1)}, {"b": np.array(1)}])), RuntimeError, "row 1 has no array for"),
    (lambda: list(PaddedDataset([{"a": 3}])), RuntimeError, "row 0 has no array for"),
)
