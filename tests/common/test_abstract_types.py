"""Types of objects that are not tensors: text, comparison and lookup are as in MindSpore."""

import minigraph as ms
from minigraph import Tensor
from tests.tables import error_cases


def test_types_print_like_dtypes():
    types = (ms.number, ms.string, ms.list_, ms.tuple_, ms.type_none, ms.tensor_type, ms.TensorType(ms.int8))
    assert [*map(str, types)] == ["Number", "String", "List", "Tuple", "None", "Tensor", "Tensor[Int8]"]
    assert repr(ms.string) == "mindspore.string_" and repr(ms.TensorType(ms.int8)) == "mindspore.tensor[int8]"


def test_classes_know_their_types():
    assert isinstance(ms.int8, ms.Int) and not isinstance(ms.uint8, ms.Int) and not isinstance(ms.float32, ms.Int)
    assert isinstance(ms.float32, ms.Type) and isinstance(ms.list_, ms.Type) and not isinstance(3, ms.Type)
    assert ms.Int(16) is ms.int16 and issubclass(ms.Int, ms.Type)
    assert len({ms.TensorType(ms.int8), ms.TensorType(ms.int8), ms.tensor_type}) == 2


def test_objects_have_types():
    types = [ms.get_py_obj_dtype(value) for value in ("a", [1], (1,), None, 2)]
    assert types == [ms.string, ms.list_, ms.tuple_, ms.type_none, ms.int64]
    assert ms.get_py_obj_dtype(Tensor([1.0])) == ms.TensorType(ms.float32)
    assert ms.pytype_to_dtype(tuple) is ms.tuple_ and ms.dtype_to_pytype(ms.string) is str


test_errors = error_cases(
    (lambda: ms.Int(7), LookupError, "no signed integer has 7 bits"),
    (lambda: ms.dtype_to_pytype(ms.number), LookupError, "no Python type for mindspore.number"),
)
