"""Converters of neural-network operators; torch is not needed."""

import numpy as np

from minigraph import Tensor
from minigraph.importers.torch.networks import CONVERTERS, _missing_elements, safe_softmax, softplus
from tests.tables import results

test_elements_missing_from_the_last_pooling_window = results(
    _missing_elements, (5, 2, 2, 0, 1), (4, 2, 2, 0, 0), (6, 3, 2, 1, 1), (3, 1, 2, 1, 0)
)  # fmt: skip


def test_a_transposed_convolution_is_the_adjoint_of_a_convolution():
    rng = np.random.default_rng(0)
    image, weight, out = (Tensor(rng.normal(size=s)) for s in ((1, 4, 7, 6), (6, 2, 3, 2), (1, 6, 3, 3)))
    window = [3, 2], [1, 0], [1, 1]
    forward = CONVERTERS["convolution"](image, weight, None, *window, False, [0, 0], 2)
    transposed = CONVERTERS["convolution"](out, weight, None, *window, True, [0, 0], 2)
    np.testing.assert_allclose((forward * out).sum().item(), (transposed * image).sum().item(), rtol=1e-9)


def test_safe_softmax_of_a_row_of_minus_infinities_is_zero():
    assert safe_softmax(Tensor([[-np.inf, -np.inf], [0.0, -np.inf]]), 1).tolist() == [[0, 0], [1, 0]]


def test_softplus_is_its_operand_above_the_threshold():
    assert softplus(Tensor([30.0, 0.0]), 1, 20).tolist() == [30.0, np.log(np.float32(2)).item()]
