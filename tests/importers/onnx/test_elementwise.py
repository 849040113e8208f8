"""ONNX's elementwise operators: its node tests, integers at their limits, gradients at kinks."""

import numpy as np

import minigraph as ms
from minigraph import Tensor, int64
from minigraph.importers.onnx.elementwise import CONVERTERS
from tests.importers.onnx.node_tests import failing_tests


def test_node_tests_of_these_operators_pass():
    assert failing_tests(CONVERTERS) == set()


def test_division_of_integers_is_rounded_towards_zero():
    least = np.iinfo(np.int64).min
    pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (-1, 3), (6, -3), (0, 5), (least, 3), (least, -3), (least, 1)]
    a, b = (Tensor(list(numbers), int64) for numbers in zip(*pairs, strict=True))
    quotients = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs]
    assert CONVERTERS["Div"](a, b).tolist() == quotients


def test_the_gradient_of_selu_at_zero_is_that_of_its_left_side():
    gradients = [ms.grad(CONVERTERS[name])(Tensor([0.0])).item() for name in ("Elu", "Selu", "Celu")]
    np.testing.assert_allclose(gradients, [1, 1.6732632 * 1.0507010, 1], rtol=1e-6)
