"""Recurrent cells against recorded results of MindSpore, and against the recurrent layers."""

import numpy as np

from minigraph import nn
from tests.nn.cells import assert_close, names, tensor
from tests.tables import cases, error_cases

X, H = tensor(np.cos(np.arange(6)).reshape(2, 3)), tensor(np.cos(np.arange(4)).reshape(2, 2))


def fill_parameters(cell):
    for i, parameter in enumerate(cell.get_parameters()):
        parameter.set_data(tensor(np.sin(np.arange(parameter.size) + i).reshape(parameter.shape)))
    return cell


@cases(
    (nn.RNNCell(3, 2), [0.9854913, -0.6364558, -0.45583767, 0.15648407]),
    (nn.RNNCell(3, 2, nonlinearity="relu", has_bias=False), [1.4090139, 0.0, 0.0, 0.77346295]),
    (nn.GRUCell(3, 2), [-0.22746699, 0.6759338, 0.28702253, 0.65291786]),
    (nn.GRUCell(3, 2, has_bias=False), [-0.25929812, 0.50181925, -0.12085426, -0.2341898]),
)
def test_recorded_results_of_mindspore(cell, expected):
    np.testing.assert_allclose(fill_parameters(cell)(X, H).asnumpy().ravel(), expected, rtol=2e-5, atol=1e-6)


def test_recorded_results_of_mindspore_for_a_pair():
    h, c = fill_parameters(nn.LSTMCell(3, 2))(X, (H, H * 2))
    np.testing.assert_allclose(h.asnumpy().ravel(), [-0.0967069715, 0.606658161, 0.0656872168, 0.0900060162], rtol=2e-5)
    np.testing.assert_allclose(c.asnumpy().ravel(), [-0.123504438, 0.941314638, 0.0866943151, 0.403487742], rtol=2e-5)


@cases((nn.RNN, nn.RNNCell), (nn.LSTM, nn.LSTMCell), (nn.GRU, nn.GRUCell))
def test_steps_one_by_one_are_the_layer(layer, cell):
    stack, single = layer(3, 2), cell(3, 2)
    assert names(single) == ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    assert names(stack) == [f"{name}_l0" for name in names(single)]
    for parameter, other in zip(single.get_parameters(), stack.get_parameters(), strict=True):
        parameter.set_data(other)
    x, state = tensor(np.random.default_rng(0).normal(size=(4, 2, 3))), tensor(np.zeros((2, 2)))
    state = (state, state) if cell is nn.LSTMCell else state
    for t, output in enumerate(stack(x)[0].asnumpy()):
        state = single(x[t], state)
        assert_close(state[0] if cell is nn.LSTMCell else state, output)


test_invalid_arguments_raise = error_cases(
    (lambda: nn.RNNCell(0, 2), ValueError, "^For 'RNNCell', the 'input_size' must be int and must > 0, but got '0'"),
    (lambda: nn.GRUCell(3, "a"), TypeError, "^For 'GRUCell', the 'hidden_size' must be int, but got 'str'"),
    (lambda: nn.LSTMCell(3, 2, 1), TypeError, "^For 'LSTMCell', the type of 'has_bias' should be 'bool', but got"),
    (lambda: nn.RNNCell(3, 2, nonlinearity="a"), ValueError, "the 'nonlinearity' must be in .'tanh', 'relu'."),
    (lambda: nn.RNNCell(3, 2)(X, X), ValueError, r"needs x\[N,3\] and 1 of hx\[N,2\], got shapes \[2, 3\], \[2, 3\]"),
    (lambda: nn.RNNCell(3, 2)(X, H[:1]), ValueError, r"got shapes \[2, 3\], \[1, 2\]"),
    (lambda: nn.GRUCell(3, 2)(X[0], H[0]), ValueError, r"got shapes \[3\], \[2\]"),
    (lambda: nn.LSTMCell(3, 2)(X, H), TypeError, r"^For 'LSTMCell', the 'hx' must be a tuple \(h, c\), but got 'Ten"),
    (lambda: nn.LSTMCell(3, 2)(X, (H,)), TypeError, "^For 'LSTMCell', the length of 'hx' must be '2', but got '1'"),
)
