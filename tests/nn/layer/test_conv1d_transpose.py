"""Transposed convolution over sequences: the adjoint of ``Conv1d``."""

import numpy as np

from minigraph import Tensor, grad, nn
from tests.nn.cells import assert_close, tensor
from tests.tables import error_cases, every


@every(
    options=[
        {},
        {"stride": 2, "pad_mode": "valid"},
        {"stride": 2, "pad_mode": "pad", "padding": 1, "dilation": 2},
        {"group": 2, "pad_mode": "pad", "padding": 2},
    ],
    ids=str,
)
def test_it_is_the_gradient_of_the_convolution(options):
    rng = np.random.default_rng(0)
    transposed, y = nn.Conv1dTranspose(4, 6, 3, **options), tensor(rng.normal(size=(2, 4, 5)))
    ahead = nn.Conv1d(6, 4, 3, weight_init=Tensor(transposed.weight.asnumpy()), **options)
    assert ahead.weight.shape == transposed.weight.shape == (4, 6 // options.get("group", 1), 1, 3)
    start = tensor(rng.normal(size=transposed(y).shape))
    assert_close(transposed(y), grad(lambda x: (ahead(x) * y).sum())(start).asnumpy(), 1e-4, 1e-5)


def test_recorded_results_of_mindspore():
    layer = nn.Conv1dTranspose(2, 3, 4)
    layer.weight.set_data(tensor(np.sin(np.arange(24)).reshape(2, 3, 1, 4)))
    expected = [
        [[-0.9465127, -1.9221957, -1.3013587], [1.7668756, 1.4927809, -0.2457815], [-1.363301, -0.0292977, 1.6226659]],
        [[0.1410848, 2.015259, 4.628067], [-2.680666, -4.500365, -3.4615724], [3.3633153, 3.86801, -0.1027976]],
    ]
    assert_close(layer(tensor((np.arange(12) / 4 - 1).reshape(2, 2, 3))), expected)
    assert repr(layer).startswith(
        "Conv1dTranspose(input_channels=2, output_channels=3, kernel_size=(1, 4), stride=(1, 1), pad_mode=same, "
        "padding=(0, 0, 0, 0), dilation=(1, 1), group=1, has_bias=False, "
    )


test_invalid_arguments_raise = error_cases(
    ({"pad_mode": "x"}, "^For 'Conv1dTranspose', the 'pad_mode' must be str and must be in '"),
    ({}, "^For 'Conv1dTranspose', the dimension of input must be 3d, but got 4"),
    by=lambda options: nn.Conv1dTranspose(2, 3, 4, **options)(Tensor(np.zeros((1, 2, 5, 5), np.float32))),
    error=ValueError,
)
