import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigraph.core.tensor import Tensor
from minigraph.dataset.config import set_seed
from minigraph.dataset.pipeline import Dataset, zip_datasets
from tests.tables import cases, error_cases, error_of, every


def range_source(n, column="n"):
    """A source of the rows (0,), (1,) ... (n-1,)."""
    return Dataset([column], lambda rng: ((np.int64(i),) for i in range(n)), lambda: n)


def pairs(n=4):
    """A source of rows (image f32[2], label)."""
    images = np.arange(2 * n, dtype=np.float32).reshape(n, 2)
    return Dataset(["image", "label"], lambda rng: ((images[i], np.array(i, np.int32)) for i in range(n)), lambda: n)


def numbers(dataset):
    return [row[0].tolist() for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


# ---- rows ------------------------------------------------------------------------------------------


def test_rows_are_lists_of_tensors():
    for row in pairs():
        assert (type(row), [type(value) for value in row]) == (list, [Tensor, Tensor])
        assert [(value.shape, str(value.dtype)) for value in row] == [((2,), "Float32"), ((), "Int32")]


def test_rows_can_be_numpy_arrays_and_dicts_of_chosen_columns():
    assert {type(value) for row in pairs().create_tuple_iterator(output_numpy=True) for value in row} == {np.ndarray}
    assert [list(row) for row in pairs(2).create_dict_iterator(num_epochs=1)] == [["image", "label"]] * 2
    assert next(pairs().create_dict_iterator(output_numpy=True))["label"].dtype == np.int32
    assert isinstance(next(pairs().create_dict_iterator())["label"], Tensor)
    assert [value.shape for value in next(pairs().create_tuple_iterator(columns=["label", "image"]))] == [(), (2,)]


def test_changing_a_tensor_of_a_row_leaves_the_source_alone():
    data = pairs()
    next(iter(data))[0].asnumpy()[:] = -1
    assert next(iter(data))[0].asnumpy().tolist() == [0, 1]


# ---- epochs ----------------------------------------------------------------------------------------


def test_an_iterator_starts_the_next_epoch_when_one_ends():
    rows = range_source(3).create_tuple_iterator(num_epochs=2)
    assert [len(list(rows)) for _ in range(2)] == [3, 3]
    for _ in range(2):
        with pytest.raises(RuntimeError, match="all 2 epochs of this iterator are over"):
            list(rows)


def test_epochs_are_unlimited_by_default_and_an_interrupted_loop_continues():
    rows = range_source(3).create_dict_iterator()
    assert [len(list(rows)) for _ in range(5)] == [3] * 5
    rows = range_source(4).create_tuple_iterator(output_numpy=True)
    assert [int(row[0]) for row in itertools.islice(rows, 2)] == [0, 1]
    assert [int(row[0]) for row in rows] == [2, 3]


@pytest.mark.parametrize(("epochs", "error"), [(0, ValueError), (-2, ValueError), (1.0, TypeError), (True, TypeError)])
def test_an_invalid_number_of_epochs_raises(epochs, error):
    with pytest.raises(error):
        range_source(3).create_dict_iterator(num_epochs=epochs)


# ---- batch -----------------------------------------------------------------------------------------


def test_the_short_last_batch_is_kept_unless_dropped_and_every_column_is_stacked():
    assert numbers(range_source(5).batch(2)) == [[0, 1], [2, 3], [4]]
    assert numbers(range_source(5).batch(2, drop_remainder=True)) == [[0, 1], [2, 3]]
    stacked = [(image.shape, label.asnumpy().tolist()) for image, label in pairs(6).batch(4)]
    assert stacked == [((4, 2), [0, 1, 2, 3]), ((2, 2), [4, 5])]


@given(n=st.integers(0, 20), size=st.integers(1, 25), drop=st.booleans(), count=st.integers(1, 3))
def test_the_size_is_the_number_of_rows(n, size, drop, count):
    data = range_source(n).repeat(count).shuffle(3).batch(size, drop_remainder=drop)
    assert data.get_dataset_size() == len(numbers(data))


def ragged_rows():
    return Dataset(["a", "n"], lambda rng: ((np.arange(n), np.array(n)) for n in (1, 3, 2)), lambda: 3)


RAGGED = r"rows of column 'a' differ in shape, \[1\] and \[3\]; pad or crop"
test_errors_of_rows_and_of_the_users_function = error_cases(
    (lambda: list(ragged_rows().batch(2)), RuntimeError, RAGGED),
    (lambda: list(range_source(2).map(lambda n: 1 // int(n))), ZeroDivisionError, "zero"),
)


# ---- shuffle ---------------------------------------------------------------------------------------


@given(n=st.integers(0, 30), buffer=st.integers(2, 40))
def test_a_shuffle_is_a_permutation(n, buffer):
    assert sorted(numbers(range_source(n).shuffle(buffer))) == list(range(n))


def test_epochs_differ_and_runs_repeat():
    def run():
        data = range_source(50).shuffle(50)
        return [numbers(data) for _ in range(3)]

    first, again = run(), run()
    assert first == again
    assert len({tuple(epoch) for epoch in first}) == 3


def test_the_seed_decides():
    orders = []
    for seed in (1, 2, 1):
        set_seed(seed)
        orders.append(numbers(range_source(50).shuffle(50)))
    assert orders[0] == orders[2] != orders[1]


def test_rows_move_within_the_buffer_and_their_mean_position_is_the_middle():
    # rows move forward by no more than the buffer and batches as a whole
    order = numbers(range_source(200).shuffle(5))
    assert order != sorted(order)
    assert all(row - position < 5 for position, row in enumerate(order))
    order = numbers(range_source(40).batch(2).shuffle(100))
    assert order != sorted(order)
    assert sorted(order) == [[i, i + 1] for i in range(0, 40, 2)]
    # the mean position of a row is the middle
    data = range_source(10).shuffle(10)
    assert abs(np.mean([numbers(data).index(0) for _ in range(500)]) - 4.5) < 0.5


def test_two_shuffles_in_sequence_differ():
    """If they were equal, the permutation would be a square: applied twice to the row numbers."""
    once = numbers(range_source(30).shuffle(30))
    assert numbers(range_source(30).shuffle(30).shuffle(30)) != [once[i] for i in once]


# ---- map -------------------------------------------------------------------------------------------


def lists(dataset):
    return [[v.tolist() for v in row] for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_map_applies_operations_in_sequence_to_the_first_column():
    assert lists(pairs(2).map(lambda image: image * 2)) == [[[0, 2], 0], [[4, 6], 1]]
    assert numbers(range_source(3).map([lambda n: n + 1, lambda n: n * 10], input_columns="n")) == [10, 20, 30]


@cases(
    (lambda i: (i[:1], i[1:]), ["image"], ["left", "right"], ["label"], [[[0], [1], 0], [[2], [3], 1]]),
    (lambda i, n: i.sum() + n, ["image", "label"], ["sum"], [], [[1], [6]]),
    (lambda n, i: (n, i), ["label", "image"], ["a", "b"], [], [[0, [0, 1]], [1, [2, 3]]]),
)
def test_map_changes_columns(operation, columns, expected_inputs, left, rows):
    data = pairs(2).map(operation, input_columns=columns, output_columns=expected_inputs)
    assert (data.get_col_names(), lists(data)) == ([*expected_inputs, *left], rows)


test_invalid_maps_raise = error_cases(
    (lambda: pairs().map(abs, input_columns=["imag"]), LookupError, "no column 'imag'; did you mean 'image'"),
    (lambda: pairs().map([]), TypeError, "operations must be functions"),
    (lambda: pairs().map(abs, input_columns=["image"], output_columns=["label"]), ValueError, "occurs twice"),
    (lambda: list(pairs().map(lambda i: (i, i))), RuntimeError, r"2 results for the columns \['image'\]"),
    (lambda: pairs().create_tuple_iterator(columns=["labl"]), LookupError, "no column 'labl'; did you mean 'label'"),
    (lambda: range_source(3).filter(None), TypeError, "operations must be functions"),
    (lambda: range_source(3).filter(bool, "m"), LookupError, "no column 'm'; did you mean 'n'|no column 'm'; known: n"),
    (lambda: range_source(2).concat(range_source(2, "m")), ValueError, r"columns \['n'\] and \['m'\] differ; rename"),
    (lambda: range_source(2).concat(3), TypeError, "concat: expected a dataset, got int"),
    (lambda: pairs().rename(["image", "label"], "x"), ValueError, "2 columns and 1 names"),
    (lambda: pairs().rename("image", "label"), ValueError, "occurs twice"),
    (lambda: pairs().project("labels"), LookupError, "did you mean 'label'"),
    (lambda: range_source(2).zip(range_source(2)), ValueError, "occurs twice"),
    (lambda: zip_datasets([range_source(2), [1]]), TypeError, "zip: expected a dataset, got list"),
    (lambda: range_source(4).apply(lambda data: 3), TypeError, "apply: expected a dataset, got int"),
    (lambda: ragged_rows().padded_batch(2, pad_info={"b": ([2], 0)}), LookupError, "no column 'b'"),
    (
        lambda: list(ragged_rows().padded_batch(2, pad_info={"a": ([2, 2], 0)})),
        RuntimeError,
        "cannot pad rows of rank 1 to shape",
    ),
)


# ---- repeat ----------------------------------------------------------------------------------------


def test_repeat_shuffles_every_repetition():
    assert numbers(range_source(2).repeat(3)) == [0, 1] * 3
    assert numbers(range_source(3).repeat(2).batch(2)) == [[0, 1], [2, 0], [1, 2]]
    order = numbers(range_source(30).shuffle(30).repeat(2))
    assert sorted(order[:30]) == sorted(order[30:]) == list(range(30))
    assert order[:30] != order[30:]


@pytest.mark.parametrize("count", [None, -1])
def test_endless_repeat(count):
    data = range_source(2).repeat(count)
    assert [int(row[0]) for row in itertools.islice(data, 5)] == [0, 1, 0, 1, 0]
    assert [stage.get_dataset_size() for stage in (data, data.batch(2))] == [2, 1]


# ---- take, skip, filter, concat, split -------------------------------------------------------------


@given(n=st.integers(0, 9), first=st.integers(1, 12), rest=st.integers(0, 12))
def test_take_and_skip_split_the_rows(n, first, rest):
    head, skipped = range_source(n).take(first), range_source(n).skip(rest)
    assert numbers(head) == list(range(n))[:first]
    assert numbers(skipped) == list(range(n))[rest:]
    assert (head.get_dataset_size(), skipped.get_dataset_size()) == (min(n, first), max(0, n - rest))


def test_take_all_and_filter_by_columns():
    assert numbers(range_source(3).take()) == numbers(range_source(3).take(-1)) == [0, 1, 2]
    assert numbers(range_source(6).filter(lambda n: n % 2 == 0, "n")) == [0, 2, 4]
    filtered = pairs().filter(lambda image, label: image[0] + label > 5)
    assert ([int(row[1]) for row in filtered], filtered.get_dataset_size()) == ([2, 3], 2)


def test_counting_does_not_change_later_shuffles():
    def orders(queries):
        data = range_source(20).shuffle(20).filter(lambda n: n < 15)
        for _ in range(queries):
            assert (data.get_dataset_size(), data.output_shapes()) == (15, [[]])
        return [numbers(data) for _ in range(2)]

    assert orders(0) == orders(3)


def test_concat_and_flat_map():
    # concat
    both = range_source(2).concat(range_source(3))
    assert (numbers(both), both.get_dataset_size()) == ([0, 1, 0, 1, 2], 5)
    assert numbers(range_source(1) + range_source(1) + range_source(2)) == [0, 0, 0, 1]
    assert numbers(range_source(1).concat([range_source(1), range_source(2)])) == [0, 0, 0, 1]
    # flat map makes a pipeline of every row
    data = range_source(4).flat_map(lambda n: range_source(int(n), "m"))
    assert (data.get_col_names(), numbers(data), data.get_dataset_size()) == (["m"], [0, 0, 1, 0, 1, 2], 6)


@cases(([7, 3], [7, 3]), ([0.7, 0.3], [7, 3]), ([0.33, 0.33, 0.34], [3, 3, 4]))
@every(randomize=[False, True])
def test_split_is_the_same_in_every_epoch(sizes, counts, randomize):
    parts = range_source(10).shuffle(10).split(sizes, randomize)
    assert [part.get_dataset_size() for part in parts] == counts
    first = [numbers(part) for part in parts]
    assert sorted(row for part in first for row in part) == list(range(10))
    assert [numbers(part) for part in parts] == [numbers(part.batch(10))[0] for part in parts] == first
    assert [numbers(part) for part in range_source(5).split([2, 3], randomize=False)] == [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize("sizes", [[], [5, 6], [0, 10], [0.5, 0.4], [True, 9], [0.001, 0.999], ["a"]])
def test_invalid_split_sizes_raise(sizes):
    with pytest.raises(ValueError, match="split"):
        range_source(10).split(sizes)


# ---- columns ---------------------------------------------------------------------------------------


def test_project_rename_apply_and_zip():
    # project and rename
    assert pairs(1).project("label").get_col_names() == ["label"]
    assert [v.shape for v in next(iter(pairs().project(["label", "image"])))] == [(), (2,)]
    swapped = pairs().rename(["image", "label"], ["label", "image"])
    assert swapped.get_col_names() == ["label", "image"]
    assert next(swapped.create_dict_iterator(output_numpy=True))["label"].shape == (2,)
    # apply uses a function of pipelines
    assert numbers(range_source(4).apply(lambda data: data.batch(2))) == [[0, 1], [2, 3]]
    # zip joins columns up to the shortest source
    for data in (pairs(4).zip(range_source(3)), zip_datasets((pairs(4), range_source(3)))):
        assert (data.get_col_names(), data.get_dataset_size()) == (["image", "label", "n"], 3)
        assert [(int(label), int(n)) for _, label, n in data] == [(0, 0), (1, 1), (2, 2)]


# ---- batches of one's own --------------------------------------------------------------------------


def test_per_batch_map():
    seen = []

    def double(values, info):
        seen.append((info.get_epoch_num(), info.get_batch_num()))
        return ([value * 2 for value in values],)

    data = range_source(3).batch(2, per_batch_map=double)
    assert [numbers(data) for _ in range(2)] == [[[0, 2], [4]]] * 2
    assert seen == [(0, 0), (0, 1), (1, 0), (1, 1)]

    def add_labels(images, labels, info):
        return ([image.sum() + label for image, label in zip(images, labels, strict=True)],)

    summed = pairs(2).batch(2, per_batch_map=add_labels, output_columns=["sum"])
    assert (summed.get_col_names(), numbers(summed)) == (["sum"], [[1, 6]])


def test_variable_batch_sizes_and_padded_batches():
    # a batch size that changes
    data = range_source(7).batch(lambda info: info.get_batch_num() + 1)
    assert numbers(data) == [[0], [1, 2], [3, 4, 5], [6]]
    assert data.get_dataset_size() == 4
    # padded batches
    assert numbers(ragged_rows().padded_batch(2)) == [[[0, 0, 0], [0, 1, 2]], [[0, 1]]]
    assert numbers(ragged_rows().padded_batch(3, pad_info={"a": ([2], -1)})) == [[[0, -1], [0, 1], [0, 1]]]
    assert numbers(ragged_rows().padded_batch(3, pad_info={"a": ([None], 7)})) == [[[0, 7, 7], [0, 1, 2], [0, 1, 7]]]
    assert ragged_rows().padded_batch(2, drop_remainder=True).get_dataset_size() == 1


# ---- arguments and shape of the pipeline -----------------------------------------------------------


@cases(
    ("batch", 0, 1),
    ("shuffle", 1, 2),
    ("repeat", 0, 1),
    ("repeat", -2, 1),
    ("batch", 2**31, 1),
    ("take", 0, 1),
    ("skip", -1, 0),
    ("padded_batch", 0, 1),
)
def test_invalid_numbers_raise_with_mindspores_messages(stage, value, least):
    text = error_of(getattr(range_source(3), stage), value, error=ValueError)
    assert text.startswith("ValueError: ") and f"not within the required interval of [{least}, 2147483647]." in text
    with pytest.raises(TypeError, match="is not of type"):
        getattr(range_source(3), stage)("2")


def test_a_stage_has_one_consumer():
    # a stage feeds one stage only
    data = range_source(4)
    left, right = data.batch(2), data.batch(3)
    for use in (left.__iter__, left.create_dict_iterator, right.get_dataset_size):
        with pytest.raises(ValueError, match="The data pipeline is not a tree"):
            use()
    # a second stage is accepted after the first is deleted
    data = range_source(4)
    data.batch(2)
    assert numbers(data.batch(4)) == [[0, 1, 2, 3]]
