import numpy as np
import pytest

from minigraph.core.tensor import Tensor
from minigraph.dataset.checks import LARGEST, as_array, check_callables, column_names_of, in_interval


def test_a_tensor_keeps_its_dtype_and_shape():
    array = as_array(Tensor(np.ones((2, 3), np.float16)))
    assert (array.dtype, array.shape) == (np.float16, (2, 3))


@pytest.mark.parametrize(("value", "dtype"), [(1, np.int64), (1.5, np.float64), (True, np.bool_), ([1.0], np.float64)])
def test_python_values_take_numpys_dtypes(value, dtype):
    assert as_array(value).dtype == dtype


@pytest.mark.parametrize("names", [[], "", [""], [1], [None, "a"]])
def test_names_that_are_no_names_are_refused(names):
    with pytest.raises(TypeError, match="column names must be strings"):
        column_names_of(names)


def test_a_name_given_twice_is_refused():
    with pytest.raises(ValueError, match="a column name stands twice in \\['a', 'b', 'a'\\]; rename one"):
        column_names_of(["a", "b", "a"])


@pytest.mark.parametrize("operations", [(), (None,), (abs, 3)])
def test_what_cannot_be_called_is_refused(operations):
    with pytest.raises(TypeError, match="operations must be functions of numpy arrays"):
        check_callables(operations)


@pytest.mark.parametrize("value", [1, 2, LARGEST])
def test_the_interval_has_both_its_ends(value):
    in_interval("count", value, 1)


@pytest.mark.parametrize("value", [0, -1, LARGEST + 1])
def test_outside_of_the_interval_is_refused_in_mindspores_words(value):
    with pytest.raises(ValueError) as caught:
        in_interval("count", value, 1)
    assert str(caught.value) == "Input count is not within the required interval of [1, 2147483647]."


@pytest.mark.parametrize("value", [True, 2.0, "2", None])
def test_what_is_no_int_is_refused(value):
    with pytest.raises(TypeError, match="Argument count with value .* is not of type"):
        in_interval("count", value, 1)
