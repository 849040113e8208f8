import numpy as np
import pytest

from minigraph.core.tensor import Tensor
from minigraph.dataset.arguments import INT_MAX, as_array, as_column_names, check_callables, check_interval
from tests.tables import error_cases, every


def test_a_tensor_keeps_its_dtype_and_shape():
    array = as_array(Tensor(np.ones((2, 3), np.float16)))
    assert (array.dtype, array.shape) == (np.float16, (2, 3))


@pytest.mark.parametrize(("value", "dtype"), [(1, np.int64), (1.5, np.float64), (True, np.bool_), ([1.0], np.float64)])
def test_python_values_take_numpys_dtypes(value, dtype):
    assert as_array(value).dtype == dtype


OUTSIDE = r"^Input count is not within the required interval of \[1, 2147483647\]\.$"


test_invalid_and_repeated_names_raise = error_cases(
    *((names, TypeError, "column names must be strings") for names in ([], "", [""], [1], [None, "a"])),
    (["a", "b", "a"], ValueError, "a column name occurs twice in \\['a', 'b', 'a'\\]; rename one"),
    by=as_column_names,
)


test_operations_that_are_not_callable_raise = error_cases(
    (), (None,), (abs, 3), by=check_callables, error=TypeError, text="operations must be functions of numpy arrays"
)


@every(value=[1, 2, INT_MAX])
def test_the_interval_has_both_its_ends(value):
    check_interval("count", value, 1)


test_other_types_and_values_outside_the_interval_raise = error_cases(
    *((value, ValueError, OUTSIDE) for value in (0, -1, INT_MAX + 1)),
    *((value, TypeError, "Argument count with value .* is not of type") for value in (True, 2.0, "2", None)),
    by=lambda value: check_interval("count", value, 1),
)
