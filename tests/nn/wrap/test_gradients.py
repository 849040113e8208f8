"""Wrappers that return gradients: what they return for each choice."""

from minigraph import Tensor, nn
from tests.tables import results

NET = nn.Dense(2, 1, "ones", "zeros")
X = Tensor([[1.0, 2.0]])


def shapes(value):
    return tuple(map(shapes, value)) if isinstance(value, tuple) else value.shape


test_shapes_of_results = results(
    lambda options: shapes(nn.ForwardValueAndGrad(NET, NET.trainable_params(), *options)(X)),
    ((), ((1, 1), (1, 2))),
    ((True,), ((1, 1), ((1, 2),))),
    ((False, True), ((1, 1), ((1, 2), (1,)))),
    ((True, True), ((1, 1), (((1, 2),), ((1, 2), (1,))))),
)


def test_a_seed_and_a_loss():
    value, gradient = nn.ForwardValueAndGrad(nn.Tanh(), sens_param=True)(X * 0, Tensor([[2.0, 3.0]]))
    assert value.tolist() == [[0.0, 0.0]] and gradient.tolist() == [[2.0, 3.0]]
    assert nn.WithGradCell(NET, nn.MSELoss())(X, Tensor([[1.0]]))[0].tolist() == [[4.0, 8.0]]
    assert nn.WithGradCell(NET, sens=Tensor([[2.0]]))(X)[0].tolist() == [[2.0, 4.0]]


class Cube(nn.Cell):
    def construct(self, x, y):
        return x**3 + y


class CubeAndDouble(nn.Cell):
    def construct(self, x):
        return x**3, x * 2


def values(tree):
    return tuple(map(values, tree)) if isinstance(tree, tuple) else tree.tolist()


def test_products_with_jacobians_as_in_mindspore():
    x, v = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [1.0, 1.0]])
    slopes, ones, twos = [[3.0, 12.0], [27.0, 48.0]], [[1.0, 1.0], [1.0, 1.0]], [[2.0, 2.0], [2.0, 2.0]]
    assert values(nn.Jvp(Cube())(x, x, (v, v))[1]) == [[4.0, 13.0], [28.0, 49.0]]
    assert values(nn.Jvp(CubeAndDouble())(x, v)) == (values(CubeAndDouble()(x)), (slopes, twos))
    assert values(nn.Vjp(Cube())(x, x, v)) == (values(Cube()(x, x)), (slopes, ones))
    assert values(nn.Vjp(CubeAndDouble())(x, (v, v))[1]) == [[5.0, 14.0], [29.0, 50.0]]
