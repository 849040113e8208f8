"""Tensor and Parameter: what they are made of, what they are asked, what they print."""

import copy
import itertools
import pickle

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, ParameterTuple, Tensor, trace
from minigraph.core.errors import ShapeError
from minigraph.core.types import DTYPES
from tests.observed import printed

F = Tensor([1.5])


# ---- making ------------------------------------------------------------------------------------------


def test_numpy_data_is_copied_unless_asked_otherwise():
    array = np.ones(2)
    copied, shared = Tensor(array), Tensor.from_numpy(array)
    array[0] = 7.0
    assert (copied.tolist(), shared.tolist()) == ([1.0, 1.0], [7.0, 1.0])
    shared.asnumpy()[1] = 8.0
    assert array.tolist() == [7.0, 8.0]
    assert Tensor(shared).asnumpy() is not array


def test_a_tensor_may_be_described():
    ones = Tensor(shape=(2, 3), dtype=ms.float16, init="ones").init_data()
    assert ones.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert ones.dtype is ms.float16
    assert Tensor(shape=2, dtype=ms.int32).tolist() == [0, 0]
    assert Tensor(shape=(100,), dtype=ms.float32, init=ms.nn.initializers.Normal(1.0)).asnumpy().std() > 0.5


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ({"shape": (2,), "init": "ones"}, "init, dtype and shape must have values at the same time."),
        ({"dtype": ms.float32, "init": "ones"}, "init, dtype and shape must have values at the same time."),
        ({"input_data": [1], "shape": (2,), "dtype": ms.float32}, "When initializing a tensor with 'input_data'"),
        ({"shape": (2,), "dtype": ms.float32, "init": "onez"}, "no initializer 'onez'; did you mean 'ones'?"),
    ],
)
def test_half_of_a_description_is_refused(described, told):
    with pytest.raises((ValueError, LookupError), match=told):
        Tensor(**described)


# ---- asking ------------------------------------------------------------------------------------------


def test_properties():
    x = Tensor(np.zeros((2, 3), np.float16))
    assert (x.shape, x.dtype, x.ndim, x.size, x.itemsize, x.nbytes) == ((2, 3), ms.float16, 2, 6, 2, 12)
    assert str(x.type) == "f16[2,3]"


def test_one_element_becomes_a_python_number():
    assert (float(F), int(F), bool(F), F.item()) == (1.5, 1, True, 1.5)
    assert [10, 20][Tensor(1)] == 20
    assert list(range(Tensor(2))) == [0, 1]
    assert type(Tensor(3).item()) is int


MANY = "The tensor should have only one element, but got 2, more than one element is ambiguous."


UNANSWERED = [
    (lambda: bool(Tensor([1, 2])), "ValueError", MANY),
    (lambda: Tensor([1.0, 2.0]).item(), "ValueError", MANY),
    (lambda: float(Tensor([1.0, 2.0])), "ValueError", MANY),
    (lambda: len(Tensor(1)), "TypeError", "Not support len of a 0-D tensor"),
    (lambda: list(Tensor(1)), "TypeError", "Not support len of a 0-D tensor"),
    (lambda: [1, 2][F], "DTypeError", "index: needs one integer, got f32[1]"),
    (lambda: f"{F:.2f}", "TypeError", "unsupported format string passed to Tensor.__format__"),
    (lambda: F[5], "IndexError", "index 5 is out of bounds for dimension with size 1"),
]


@pytest.mark.parametrize(("ask", "kind", "told"), UNANSWERED)
def test_questions_without_an_answer(ask, kind, told):
    with pytest.raises(Exception) as caught:
        ask()
    assert type(caught.value).__name__ == kind
    assert str(caught.value).startswith(told)
    assert str(caught.value).splitlines()[0] == told or kind == "DTypeError", "MindSpore's line is kept as it is"


@pytest.mark.parametrize("name", ["grad", "requires_grad", "name", "detach", "backward", "cpu", "relu"])
def test_what_mindspores_tensors_have_not(name):
    with pytest.raises(AttributeError, match=f"'Tensor' object has no attribute '{name}'"):
        getattr(F, name)


def test_iterating_gives_tensors():
    assert [row.tolist() for row in Tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]


def test_numpy_sees_an_array():
    assert np.asarray(F).tolist() == [1.5]
    assert np.array(F, np.float64).dtype == np.float64
    assert np.shares_memory(np.asarray(F), F.array)


def test_hashing_is_by_identity_and_comparing_by_element():
    twin = Tensor([1.5])
    assert len({F, twin}) == 2
    assert (twin == F).tolist() == [True]
    assert (F == None, F != None) == (False, True)  # noqa: E711 - what MindSpore answers is under test


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(copied):
    weight = Parameter(F, name="w", requires_grad=False)
    twin = copied(weight)
    assert (type(twin), twin.name, twin.requires_grad, twin.tolist()) == (Parameter, "w", False, [1.5])
    assert copied(F).tolist() == [1.5]


def test_in_place_operators_make_new_tensors():
    x = y = Tensor([1.0])
    x += 1.0
    assert (x.tolist(), y.tolist()) == ([2.0], [1.0])


def test_it_shows_itself_in_a_notebook():
    assert Tensor(["<"] and [1.0])._repr_html_() == "<pre>f32[1]\n[1.]</pre>"
    assert "<" not in Tensor([True])._repr_html_().removeprefix("<pre>").removesuffix("</pre>")


@pytest.mark.parametrize(("shape", "dtype"), list(itertools.product([(), (3,), (0,), (2, 3)], DTYPES)), ids=repr)
def test_str_is_numpys(shape, dtype):
    array = np.ones(shape, dtype.numpy)
    assert str(Tensor(array)) == str(array)
    assert repr(Tensor(array)).startswith(f"Tensor(shape={list(shape)}, dtype={dtype}, value=")


# ---- Parameters --------------------------------------------------------------------------------------


def test_a_parameter_is_a_tensor_that_prints_its_metadata():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    assert isinstance(weight, Tensor)
    assert str(weight) == repr(weight) == "Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)"
    assert str(weight.value()) == str(weight.data) == "[1. 2.]"
    assert type(weight + 1) is Tensor


def test_names_and_dtypes_of_parameters():
    assert Parameter(3).dtype is ms.int32
    assert Parameter(True).dtype is ms.bool_
    assert Parameter(3.0).dtype is ms.float32
    first, second = Parameter(F), Parameter(F)
    assert first.name.startswith("Parameter#")
    assert first.name != second.name


def test_a_parameter_keeps_what_is_for_several_devices():
    weight = Parameter(F, "w", False, True, False, "", "CPU")
    assert (weight.layerwise_parallel, weight.parallel_optimizer, weight.requires_grad) == (True, False, False)
    plain = Parameter(F)
    assert (plain.layerwise_parallel, plain.parallel_optimizer, plain.storage_format) == (False, True, "")


@pytest.mark.parametrize("word", ["requires_grad", "layerwise_parallel", "parallel_optimizer"])
def test_flags_of_a_parameter_are_bools(word):
    with pytest.raises(TypeError, match=f"The argument `{word}` must be bool type."):
        Parameter(F, **{word: 1})
    with pytest.raises(ValueError, match="Only 'CPU' is supported for device, but got 'NPU'."):
        Parameter(F, device="NPU")


def test_a_parameter_has_memory_of_its_own():
    data = Tensor([1.0])
    weight = Parameter(data, name="w")
    data.asnumpy()[0] = 9.0
    assert weight.tolist() == [1.0]


def test_set_data_casts_and_returns_the_parameter():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    assert weight.set_data(Tensor([3, 4])) is weight
    assert (weight.dtype, weight.tolist()) == (ms.float32, [3.0, 4.0])
    given = Tensor([5.0, 6.0])
    weight.set_data(given)
    given.asnumpy()[0] = 0.0
    assert weight.tolist() == [5.0, 6.0]


def test_set_data_of_another_shape_must_be_asked_for():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    with pytest.raises(ShapeError, match=r"'w': its type is f32\[2\], the new value has shape \[3\].*; pass slice"):
        weight.set_data(Tensor([1.0, 2.0, 3.0]))
    assert weight.tolist() == [1.0, 2.0]
    assert weight.set_data(Tensor([1.0]), slice_shape=True).shape == (1,)


def test_set_data_refuses_arrays():
    with pytest.raises(TypeError, match="wrap it in Tensor"):
        Parameter(F, name="w").set_data(np.ones(1))


def test_set_data_is_refused_while_capturing():
    weight = Parameter(F, name="w")
    with pytest.raises(RuntimeError, match="method 'set_data' is not supported in 'construct' or function with @jit"):
        trace(lambda x: (weight.set_data(Tensor([2.0])), x)[1], F)
    assert weight.tolist() == [1.5]


def test_a_value_keeps_what_it_was_when_the_parameter_is_set():
    weight = Parameter(F, name="w")
    before = weight.value()
    weight.set_data(Tensor([9.0]))
    assert before.tolist() == [1.5]


def test_a_parameter_tuple_is_a_tuple():
    weights = ParameterTuple([Parameter(F, name="a"), Parameter(F, name="b")])
    assert isinstance(weights, tuple)
    assert [weight.name for weight in weights] == ["a", "b"]


# ---- methods that are attached late ----------------------------------------------------------------

LATE = """
from minigraph.core.tensor import Parameter, Tensor
import copy, pickle, sys
x = Tensor([1.0, 2.0])
names, mine = dir(Tensor), type("Mine", (Tensor,), {"cumsum": lambda x, axis: "mine"})
print(mine([1.0]).cumsum(0), pickle.loads(pickle.dumps(x)), copy.copy(x), hasattr(x, "no_such"), hasattr(x, "__array_"))
assert "minigraph.ops" not in sys.modules
"""


LOOKED_UP = [
    ("x.cumsum(0).tolist()", "[1.0, 3.0]"),
    ("Tensor.cumsum(x, 0).tolist()", "[1.0, 3.0]"),
    ("Parameter(x).cumsum(0).tolist()", "[1.0, 3.0]"),
    ("mine([3.0]).sum().item()", "3.0"),
    ("x.strides", "(4,)"),
    ("x.add_(1) is x, str(x.char().dtype)", "(True, 'Int8')"),
    ("hasattr(x, 'detach'), hasattr(Tensor, 'cumsum')", "(False, True)"),
]


@pytest.mark.parametrize(("look_up", "found"), LOOKED_UP)
def test_the_tensor_alone_brings_its_methods(look_up, found):
    program = f"{LATE}\nprint(({look_up}))\nassert 'minigraph.ops' in sys.modules and dir(Tensor) == names"
    assert printed(program).splitlines() == ["mine [1. 2.] [1. 2.] False False", found]
