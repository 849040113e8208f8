"""``nn.utils``."""

import numpy as np

import minigraph as ms
from minigraph import nn
from minigraph.nn.utils import no_init_parameters


def test_parameters_have_their_usual_values():
    ms.set_seed(1)
    usual = nn.Dense(2, 3).weight.asnumpy()
    ms.set_seed(1)
    with no_init_parameters():
        net = nn.Dense(2, 3)
    np.testing.assert_array_equal(net.weight.asnumpy(), usual)
    net.init_parameters_data()
    np.testing.assert_array_equal(net.weight.asnumpy(), usual)
