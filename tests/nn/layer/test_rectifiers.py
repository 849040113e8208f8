"""Rectifiers and piecewise linear activations: formulas, arguments, large inputs."""

import numpy as np

from minigraph import Tensor, float16, grad, nn, ops
from tests.nn.cells import assert_close, names, tensor
from tests.tables import cases, error_cases, every

X = np.linspace(-4, 4, 17, dtype=np.float32).reshape(1, 17)
EVERY = [nn.HShrink, nn.HSigmoid, nn.HSwish, nn.Hardtanh, nn.LeakyReLU, nn.PReLU, nn.ReLU, nn.ReLU6, nn.SoftShrink]


@cases(
    (nn.HShrink(1.25), np.where(abs(X) > 1.25, X, 0)),
    (nn.Hardtanh(-2.0, 0.5), np.clip(X, -2, 0.5)),
    (nn.LeakyReLU(0.1), np.where(X > 0, X, 0.1 * X)),
    (nn.SoftShrink(1.25), np.sign(X) * np.maximum(abs(X) - 1.25, 0)),
    ids=lambda value: type(value).__name__,
)
def test_layers_compute_their_formula(layer, expected):
    assert_close(layer(Tensor(X)), expected)


def test_prelu_has_a_slope_per_channel_and_learns_it():
    layer, x = nn.PReLU(2, Tensor([0.5, 0.25])), tensor([[[-2.0, 4.0], [-4.0, 8.0]]])
    assert layer(x).asnumpy().tolist() == [[[-1.0, 4.0], [-1.0, 8.0]]]
    assert names(layer.trainable_params()) == ["a"]
    assert grad(lambda: layer(x).sum(), None, layer.a)().asnumpy().tolist() == [-2.0, -4.0]


@every(kind=EVERY, ids=lambda kind: kind.__name__)
@every(value=[-200.0, 200.0])
def test_large_inputs_do_not_overflow(kind, value):
    x = Tensor([[value]])
    assert np.isfinite(kind()(x).asnumpy()).all()
    assert np.isfinite(grad(kind())(x).asnumpy()).all()


@every(kind=EVERY, ids=lambda kind: kind.__name__)
def test_the_dtype_is_kept_and_arguments_are_not_printed(kind):
    if kind is not nn.PReLU:  # with a float32 slope
        assert kind()(Tensor(X.astype(np.float16))).dtype is float16
    assert repr(kind()) == f"{kind.__name__}()"


test_invalid_arguments_raise = error_cases(
    (lambda: nn.Hardtanh(1.0, 1.0), "min_val must be below max_val, but got 1.0 and 1.0"),
    (lambda: nn.PReLU(0), "the 'channel' must be int and must > 0"),
    error=ValueError,
)


def test_slopes_under_another_name_as_in_mindspore(mode):
    layer, x = nn.PReLUExt(2, 0.5), Tensor([[-1.0, 2.0], [3.0, -4.0]])
    assert names(layer) == ["weight"] and layer.weight.shape == (2,) and str(layer) == "PReLUExt()"
    assert layer(x).tolist() == [[-0.5, 2.0], [3.0, -2.0]]
    assert nn.PReLUExt()(Tensor(-2.0)).shape == ()
    by_x, (by_weight,) = grad(lambda x: layer(x).sum(), 0, layer.trainable_params())(x)
    assert by_x.tolist() == [[0.5, 1.0], [1.0, 0.5]] and by_weight.tolist() == [-1.0, -4.0]


# layer, function, inputs, and the gradients of MindSpore 2.10 at bounds
AT_BOUNDS = (
    (nn.ReLU6(), ops.relu6, [-1.0, 0.0, 1.0, 6.0, 7.0], [0, 0, 1, 1, 0]),
    (nn.HSigmoid(), ops.hardsigmoid, [-4.0, -3.0, 0.0, 3.0, 4.0], [0, 0, 1 / 6, 0, 0]),
    (nn.HSwish(), ops.hardswish, [-4.0, -3.0, 0.0, 3.0, 4.0], [0, -0.5, 0.5, 1.5, 1]),
    (nn.Hardtanh(), ops.hardtanh, [-2.0, -1.0, 0.0, 1.0, 2.0], [0, 0.5, 1, 0.5, 0]),
    (nn.SoftShrink(), ops.softshrink, [-1.0, -0.5, 0.0, 0.5, 1.0], [1, 0, 0, 0, 1]),
    (nn.HShrink(), ops.hardshrink, [-1.0, -0.5, 0.0, 0.5, 1.0], [1, 0, 0, 0, 1]),
)


@cases(*AT_BOUNDS, ids=lambda value: type(value).__name__)
def test_layers_and_functions_have_the_gradients_of_mindspore_at_bounds(layer, function, x, expected):
    x = Tensor(x)
    assert_close(grad(lambda x: function(x).sum())(x), np.array(expected, np.float32))
    assert grad(lambda x: layer(x).sum())(x).tolist() == grad(lambda x: function(x).sum())(x).tolist()
    assert layer(x).tolist() == function(x).tolist()
