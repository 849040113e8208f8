"""Tensor and Parameter: what they are made from, what they hand out, what they refuse and how they say so."""

import copy
import pickle
import sys
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, ParameterTuple, Tensor, jit, nn, ops
from minigraph.errors import DTypeError, MinigraphError, ShapeError, UsageError
from minigraph.tensor import shown, wrap
from minigraph.types import BY_NUMPY, DTYPES, TensorType


def here(error, expression):
    """Whether an error names an expression of this file."""
    return f"in `{expression}` (test_tensor.py:" in str(error)


# ---- what it is made from ----------------------------------------------------------------------------

INFERRED = [
    (3, ms.int64),
    (1.5, ms.float32),
    (True, ms.bool_),
    (2 + 3j, ms.complex128),
    ([], ms.float32),
    ([[], []], ms.float32),
    ([1, 2], ms.int64),
    ((1, 2), ms.int64),
    ([1, 2.5], ms.float32),
    ([True, False], ms.bool_),
    ([True, 1], ms.int64),
    ([1, 2j], ms.complex128),
    (range(3), ms.int64),
    (np.ones(2), ms.float64),
    (np.float64(1), ms.float64),
    (np.float16(1), ms.float16),
    (np.bool_(True), ms.bool_),
]


@pytest.mark.parametrize(("data", "dtype"), INFERRED, ids=lambda value: repr(value))
def test_the_dtype_follows_from_the_data(data, dtype):
    tensor = Tensor(data)
    assert tensor.dtype is dtype
    assert np.array_equal(tensor.array, np.array(data))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numpy_arrays_and_tensors_keep_their_dtype_and_python_numbers_take_a_given_one(dtype):
    assert Tensor(np.ones(2, dtype.numpy)).dtype is dtype
    assert Tensor(Tensor(1, dtype)).dtype is dtype
    for data in (1, True, [1, 0], np.ones(2, np.int8), Tensor([1.0, 0.0])):
        assert Tensor(data, dtype).dtype is dtype


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_it_says_of_itself(dtype):
    tensor = Tensor(np.zeros((2, 3)), dtype)
    assert tensor.type == TensorType((2, 3), dtype)
    assert (tensor.shape, tensor.ndim, tensor.size, len(tensor)) == ((2, 3), 2, 6, 2)
    assert (tensor.itemsize, tensor.nbytes) == (tensor.array.itemsize, tensor.array.nbytes)
    assert BY_NUMPY[tensor.asnumpy().dtype] is tensor.dtype is dtype
    assert str(tensor) == str(tensor.asnumpy())


def test_without_data_it_is_zero():
    assert repr(Tensor()) == "Tensor(shape=[], dtype=Float32, value= 0)"


def test_tensors_inside_of_lists():
    assert Tensor([Tensor([1.0]), (2,)]).tolist() == [[1.0], [2.0]]
    assert Tensor([Tensor(1), 2.5]).tolist() == [1.0, 2.5]


def test_a_complex_array_made_real_keeps_its_real_part_as_a_cast_does():
    data = np.array([1 + 2j, -3j])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for made in (Tensor(data, ms.float32), Tensor(Tensor(data), ms.float32)):
            assert made.array.tobytes() == Tensor(data).astype(ms.float32).array.tobytes()


# expression, the start of the error
UNFIT = {
    "Tensor('a')": "For 'Tensor', the type of 'input_data' should be one of '['TensorPy', 'Tensor', 'ndarray',",
    "Tensor(None)": "For 'Tensor', the type of 'input_data' should be one of",
    "Tensor({'a': 1})": "For 'Tensor', the type of 'input_data' should be one of",
    "Tensor([[1, 2], [3]])": "For Tensor, the input_data is [[1, 2], [3]] that contain unsupported element.",
    "Tensor(['a'])": "For Tensor, the input_data is ['a'] that contain unsupported element.",
    "Tensor([1, None])": "For Tensor, the input_data is [1, None] that contain unsupported element.",
    "Tensor(np.array(['a']))": "For Tensor, the input_data is array(['a'], dtype='<U1') that contain unsupported",
    "Tensor([float('nan')], ms.int32)": "For Tensor, the input_data is [nan] that contain unsupported element.",
    "Tensor(10**30)": "For Tensor, the input_data is 1000000000000000000000000000000 that contain unsupported",
    "Tensor(10**5000)": "For Tensor, the input_data is a number of thousands of digits that contain unsupported",
    "Tensor(300, ms.int8)": "Tensor: 300 does not fit into Int8 in `Tensor(300, ms.int8)` (<string>:1); give a wider",
    "Tensor([1, -1], ms.uint8)": "Tensor: [1, -1] does not fit into UInt8",
    "Tensor(10**5000, ms.int32)": "Tensor: a number of thousands of digits does not fit into Int32",
    "Tensor(1, np.float32)": "Tensor: dtype must be a minigraph dtype such as ms.float32, got <class 'numpy.float32'>",
    "Tensor(1, 'float32')": "Tensor: dtype must be a minigraph dtype such as ms.float32, got 'float32'",
    "Tensor(list(range(100)) + ['a'])": "For Tensor, the input_data is [0, 1, 2, 3, 4, 5,",
}


@pytest.mark.parametrize(("expression", "told"), UNFIT.items(), ids=UNFIT)
def test_data_that_does_not_fit_is_refused(expression, told):
    with pytest.raises(TypeError) as caught:
        eval(expression)
    text = str(caught.value)
    assert text.replace(" (<string>:1)", f" in `{expression}` (<string>:1)").startswith(told)
    assert "(<string>:1)" in text
    assert len(text) < 400
    assert caught.value.__suppress_context__


def test_a_refusal_names_the_expression():
    with pytest.raises(TypeError) as caught:
        Tensor(["a"])
    assert here(caught.value, 'Tensor(["a"])')


def test_an_int_of_any_length_is_shown():
    assert shown(10**5000) == "a number of thousands of digits"
    assert shown("x" * 100) == "'" + "x" * 79
    assert sys.get_int_max_str_digits() < 5000


# ---- memory ------------------------------------------------------------------------------------------


def test_data_is_copied_and_handed_out_shared():
    data = np.array([1.0, 2.0])
    tensor = Tensor(data)
    data[0] = 9.0
    assert tensor.tolist() == [1.0, 2.0]
    assert not np.shares_memory(Tensor(tensor).array, tensor.array)
    assert tensor.asnumpy() is tensor.asnumpy() is tensor.numpy()
    tensor.asnumpy()[0] = 7.0
    assert tensor.tolist() == [7.0, 2.0]


def test_from_numpy_and_wrap_share():
    data = np.array([1.0, 2.0])
    shared, wrapped = Tensor.from_numpy(data), wrap(data)
    data[0] = 9.0
    assert shared.tolist() == wrapped.tolist() == [9.0, 2.0]
    assert shared.array is wrapped.array is data


def test_from_numpy_refuses_what_has_no_dtype():
    with pytest.raises(TypeError, match="unsupported element"):
        Tensor.from_numpy(np.array(["a"]))


def test_the_array_protocol():
    tensor = Tensor([1.5, 2.5])
    assert np.shares_memory(np.asarray(tensor), tensor.array)
    assert not np.shares_memory(np.array(tensor), tensor.array)
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert np.asarray(tensor, np.int8).tolist() == [1, 2]
    assert np.sin(tensor.asnumpy()).tolist() == np.sin(np.array([1.5, 2.5], np.float32)).tolist()


def test_copies_are_apart_and_equal():
    for tensor in (Tensor([1.0, 2.0]), Parameter(Tensor([1.0, 2.0]), name="w", requires_grad=False)):
        for again in (copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
            assert type(again) is type(tensor)
            assert repr(again) == repr(tensor)
            assert again.array.tobytes() == tensor.array.tobytes()
            assert not np.shares_memory(again.array, tensor.array)


# ---- as a Python value -------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [True, 3, 2.5, 2 + 3j])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_the_only_element_is_a_python_number(value, shape):
    tensor = Tensor(np.full(shape, value))
    assert (tensor.item(), type(tensor.item())) == (value, type(value))
    assert bool(tensor) is True
    if not isinstance(value, complex):
        assert (int(tensor), float(tensor)) == (int(value), float(value))


@pytest.mark.parametrize("read", [bool, int, float, lambda t: t.item()], ids=["bool", "int", "float", "item"])
@pytest.mark.parametrize("data", [[1, 2], [], [[1], [2]]])
def test_several_elements_or_none_are_ambiguous(read, data):
    size = Tensor(data).size
    text = f"The tensor should have only one element, but got {size}, more than one element is ambiguous."
    with pytest.raises(ValueError) as caught:
        read(Tensor(data))
    assert str(caught.value).splitlines()[0] == text
    assert type(caught.value).__name__ == "ValueError"


def test_an_error_of_the_python_protocols_names_the_line():
    two, scalar = Tensor([1, 2]), Tensor(1)
    for read, expression in (
        (lambda: bool(two), "bool(two)"),
        (lambda: len(scalar), "len(scalar)"),
        (lambda: [0, 1][Tensor(1.0)], "[0, 1][Tensor(1.0)]"),
    ):
        with pytest.raises(MinigraphError) as caught:
            read()
        assert here(caught.value, expression)


def test_length_and_iteration():
    rows = list(Tensor([[1, 2], [3, 4], [5, 6]]))
    assert [row.tolist() for row in rows] == [[1, 2], [3, 4], [5, 6]]
    assert list(Tensor([])) == []
    for read in (len, list, iter):
        with pytest.raises(TypeError, match="Not support len of a 0-D tensor"):
            read(Tensor(1))


def test_an_integer_tensor_is_an_index_and_others_are_not():
    assert "abc"[Tensor(1)] == "b"
    assert list(range(Tensor([3]))) == [0, 1, 2]
    for wrong in (Tensor(1.0), Tensor(True)):
        with pytest.raises(DTypeError, match="index: needs one integer, got (f32|bool)"):
            "abc"[wrong]


def test_equality_is_elementwise_and_hashing_by_identity():
    x = Tensor([1, 2])
    assert (x == Tensor([1, 3])).tolist() == [True, False]
    assert (x != 2).tolist() == [True, False]
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    assert len({x, x, Tensor([1, 2])}) == 2


def test_what_mindspore_tensors_do_not_have_is_missing_here():
    for name in ("grad", "requires_grad", "name", "detach", "backward"):
        with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{name}'"):
            getattr(Tensor([1.0]), name)
    with pytest.raises(TypeError, match="unsupported format string passed to Tensor.__format__"):
        format(Tensor([1.0]), ".2f")


def test_html_is_escaped():
    assert Tensor([1.0])._repr_html_() == "<pre>f32[1]\n[1.]</pre>"
    weight = Parameter(Tensor([1.0]), name="<script>&amp;")
    html = weight._repr_html_()
    assert "<script>" not in html
    assert "&lt;script>&amp;amp;" in html


# ---- Parameters --------------------------------------------------------------------------------------


def test_a_parameter_prints_what_it_is_and_not_what_it_holds():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    assert repr(weight) == str(weight) == "Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)"
    assert str(weight.value()) == "[1. 2.]"
    assert isinstance(weight, Tensor)
    assert type(weight + 1) is Tensor


@pytest.mark.parametrize(
    ("data", "dtype"),
    [(3, ms.int32), (True, ms.bool_), (3.0, ms.float32), ([1, 2], ms.int64), (np.ones(2), ms.float64)],
)
def test_a_parameter_of_one_int_is_int32(data, dtype):
    assert Parameter(data).dtype is dtype


def test_unnamed_parameters_are_numbered_until_a_cell_names_them():
    first, second = Parameter(1.0), Parameter(2.0)
    numbers = [int(p.name.removeprefix("Parameter#")) for p in (first, second)]
    assert numbers[1] == numbers[0] + 1
    cell = nn.Cell()
    cell.weight = first
    cell.bias = Parameter(3.0, name="own")
    assert (first.name, cell.bias.name) == ("weight", "own")


@pytest.mark.parametrize("name", [3, "", b"w", ("w",)])
def test_a_name_that_is_no_text_is_refused(name):
    with pytest.raises(UsageError, match="Parameter: a name is a string with at least one letter, got"):
        Parameter(1.0, name=name)


def test_its_value_is_a_plain_tensor_that_later_assignments_leave_alone():
    weight = Parameter(Tensor([1.0]), name="w")
    before = weight.value()
    ops.assign(weight, Tensor([2.0]))
    assert (type(before), before.tolist(), weight.data.tolist()) == (Tensor, [1.0], [2.0])


@pytest.mark.parametrize(
    ("new", "expected"),
    [(Tensor([5, 6]), [5.0, 6.0]), ([7.0, 8.0], [7.0, 8.0]), (Parameter([1.0, 2.0]), [1.0, 2.0])],
    ids=["tensor", "list", "parameter"],
)
def test_set_data_casts_and_returns_the_parameter(new, expected):
    weight = Parameter(Tensor([1.0, 2.0], ms.float16), name="w")
    assert weight.set_data(new) is weight
    assert (weight.dtype, weight.tolist()) == (ms.float16, expected)
    assert not isinstance(new, Tensor) or not np.shares_memory(new.array, weight.array)


@pytest.mark.parametrize(
    ("new", "error", "told"),
    [
        (np.ones(2), TypeError, r"set_data of Parameter 'w': got numpy.ndarray; wrap it in Tensor\(...\)"),
        (1.0, ShapeError, r"set_data of Parameter 'w': its type is f32\[2\], the new value has shape \[\] "),
        (Tensor([1.0]), ShapeError, r"the new value has shape \[1\]"),
        ("a", TypeError, "For 'Tensor', the type of 'input_data'"),
        (None, TypeError, "For 'Tensor', the type of 'input_data'"),
    ],
    ids=["ndarray", "number", "shape", "text", "None"],
)
def test_set_data_refuses_before_anything_changes(new, error, told):
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    array = weight.array
    with pytest.raises(error, match=told) as caught:
        weight.set_data(new)
    assert here(caught.value, "weight.set_data(new)")
    assert weight.array is array


def test_set_data_takes_another_shape_when_told_to():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    assert weight.set_data(Tensor([[3.0]]), slice_shape=True).tolist() == [[3.0]]


def test_set_data_while_capturing_is_refused():
    weight = Parameter(Tensor([1.0]), name="w")
    with pytest.raises(
        RuntimeError, match=r"'set_data' is not supported(.|\n)*set_data of Parameter 'w'.*use ops.assign"
    ):
        jit(lambda x: weight.set_data(x))(Tensor([2.0]))
    assert weight.tolist() == [1.0]


def test_a_tuple_of_parameters_is_a_tuple():
    weights = ParameterTuple([Parameter(1.0, name="a"), Parameter(2.0, name="b")])
    assert isinstance(weights, tuple)
    assert [p.name for p in weights] == ["a", "b"]


# ---- inf and nan are values, whatever the user's filters make of warnings ------------------------------


@pytest.mark.parametrize(
    "made",
    [
        lambda: Tensor(1e6, ms.float16),
        lambda: Tensor([1e40]),
        lambda: Tensor(np.array([1e40]), ms.float32),
        lambda: Parameter(Tensor([1.0], ms.float16)).set_data(Tensor([1e6])),
    ],
    ids=["number", "list", "array", "set_data"],
)
def test_what_is_too_large_for_a_float_is_inf_without_a_warning(made):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(made().array).all()
