"""Methods that convert, copy and query a tensor."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float16, float32, grad, int32, jit, ops, uint8
from minigraph.compilation import OpByOpWarning
from minigraph.ops.tensor_methods.conversion import DTYPES

X = np.array([[1.6, -0.6], [0.0, -2.3]], np.float32)


@pytest.mark.parametrize("name", DTYPES)
def test_conversions_by_name(name):
    result = getattr(Tensor(X.clip(0)), name)() if hasattr(Tensor, name) else pytest.skip("not one of MindSpore's")
    assert result.dtype is DTYPES[name]
    np.testing.assert_array_equal(result.asnumpy(), X.clip(0).astype(DTYPES[name].numpy))


def test_copy_copies_values_and_passes_gradients():
    x = Tensor(X)
    for copied in (x.copy(), x.clone()):
        x.zero_()
        assert copied.asnumpy().tolist() == X.tolist()
        x.copy_(Tensor(X))
    assert grad(lambda x: x.copy() * 3)(Tensor([1.0])).tolist() == [3.0]
    assert x.contiguous() is x


def test_new_tensors_have_the_dtype_and_properties():
    x = Tensor(X, float16)
    assert x.new_ones((2,)).tolist() == [1.0, 1.0]
    assert (x.new_zeros(2, 1).shape, x.new_zeros(3).dtype) == ((2, 1), float16)
    assert x.new_full((1,), 2.5, dtype=float32).dtype is float32
    assert x.new_ones((1,), dtype=int32).dtype is int32
    assert x.fill(2.0).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert (x.dim(), x.ndimension(), x.numel(), x.nelement()) == (2, 2, 4, 4)
    tensors = Tensor(X), Tensor([1], uint8), Tensor([1]), Tensor([True])
    assert [tensor.is_signed() for tensor in tensors] == [True, False, True, False]
    assert Tensor(np.zeros((2, 3, 4))).stride() == [12, 4, 1]
    assert Tensor(1.0).strides == ()


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"capture_mode": "trace"}], ids=str)
@pytest.mark.parametrize("name", ["value", "data"])
def test_the_value_of_a_parameter_is_another_tensor_also_in_a_graph(name, options):
    def snapshot(parameter):
        return parameter.value() if name == "value" else parameter.data

    for function in (snapshot, jit(snapshot, **options)):
        parameter = Parameter(Tensor([1.0]), name="p")
        old = function(parameter)
        ops.assign(parameter, Tensor([9.0]))
        assert type(old) is Tensor and old.tolist() == [1.0]
    x = Tensor([1.0])
    assert jit(snapshot, **options)(x) is snapshot(x) is x


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_clone_of_a_parameter_argument_is_a_parameter_also_with_jit(mode):
    parameter = Parameter(Tensor([1.0]), name="p")
    compiled = jit(lambda p: p.clone("zeros"), capture_mode=mode)
    with pytest.warns(OpByOpWarning, match="clone: a graph cannot create a Parameter"):
        clone = compiled(parameter)
    assert (type(clone), clone.name, clone.tolist()) == (Parameter, "p", [0.0])
    assert jit(lambda x: x.clone(), fullgraph=True)(Tensor([1.0])).tolist() == [1.0]
