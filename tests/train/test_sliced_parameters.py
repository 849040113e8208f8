"""Slices of a Parameter become one, in their order."""

from minigraph import Parameter, Tensor
from minigraph.train import ConvertModelUtils, merge_sliced_parameter
from tests.tables import error_cases


def slice_of(values, name="w", requires_grad=False):
    return Parameter(Tensor(values), name=name, requires_grad=requires_grad)


def test_slices_are_joined_along_the_first_axis():
    merged = merge_sliced_parameter([slice_of([[1.0, 2.0]]), slice_of([[3.0, 4.0], [5.0, 6.0]], requires_grad=True)])
    assert merged.asnumpy().tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert (merged.name, merged.requires_grad) == ("w", False)


def test_a_model_is_unchanged():
    model = object()
    assert ConvertModelUtils.convert_to_thor_model(model, None) is model


test_errors = error_cases(
    (lambda: merge_sliced_parameter(3), TypeError, "should be list"),
    (lambda: merge_sliced_parameter([]), ValueError, "should not be empty"),
    (lambda: merge_sliced_parameter([3]), TypeError, "at index 0"),
    (lambda: merge_sliced_parameter([slice_of([1.0]), slice_of([1.0], "v")]), ValueError, "one name and shape"),
    (lambda: merge_sliced_parameter([slice_of([1.0]), slice_of([[1.0]])]), ValueError, "one name and shape"),
    (lambda: merge_sliced_parameter([slice_of([1.0])], {"w": 1}), ValueError, "a strategy is MindSpore's"),
)
