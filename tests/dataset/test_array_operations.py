"""Operations on arrays: MindSpore's results, and errors."""

import numpy as np

import minigraph as ms
from minigraph.dataset import NumpySlicesDataset, transforms
from tests.tables import error_cases

X = np.array([1, 2, 3])


def test_mindspores_results():
    assert transforms.Concatenate(0, None, np.array([9]))(X[:2]).tolist() == [1, 2, 9]
    assert transforms.Fill(3)(np.array([1.0, 2.0])).tolist() == [3.0, 3.0]
    assert transforms.Mask(transforms.Relational.GE, 2)(X).tolist() == [False, True, True]
    assert transforms.PadEnd([4], -1)(X[:2]).tolist() == [1, 2, -1, -1]
    assert transforms.Slice(slice(0, 2))(X).tolist() == [1, 2] and transforms.Slice([0, 2])(X).tolist() == [1, 3]
    assert [array.tolist() for array in transforms.Duplicate()(X)] == [[1, 2, 3]] * 2


def test_other_arguments():
    grid = np.arange(6).reshape(2, 3)
    assert transforms.Slice(1, slice(None, None, 2))(grid).tolist() == [[3, 5]]
    assert transforms.Slice(None, 1)(grid).tolist() == [[1], [4]] and transforms.Slice(...)(grid) is grid
    assert transforms.PadEnd([None, 2])(grid).tolist() == [[0, 1], [3, 4]]
    assert transforms.PadEnd([2])(np.array(["a"])).tolist() == ["a", ""]
    values, indices, counts = transforms.Unique()(np.array([3, 1, 3, 2]))
    assert (values.tolist(), indices.tolist(), counts.tolist()) == ([3, 1, 2], [0, 1, 0, 2], [2, 1, 1])
    assert transforms.Mask(transforms.Relational.LT, 2, ms.int32)(X).dtype == np.int32
    assert transforms.Concatenate(1, prepend=grid)(grid, grid).shape == (2, 9)


def test_random_order_runs_all_in_a_pipeline():
    operation = transforms.RandomOrder([lambda x: x + 1, lambda x: x * 2])
    rows = NumpySlicesDataset([5] * 30, "n", shuffle=False).map(operation)
    assert {row[0].item() for row in rows} == {11, 12}


test_errors = error_cases(
    (lambda: transforms.Mask("GE", 2), TypeError, "Relational"),
    (lambda: transforms.PadEnd([1, 2])(X), RuntimeError, "has another length than the shape"),
    (lambda: transforms.RandomOrder([]), TypeError, "operations must be functions"),
)
