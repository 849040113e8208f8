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
