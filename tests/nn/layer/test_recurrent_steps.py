"""The steps shared by recurrent layers and recurrent cells."""

import pytest

from minigraph import Tensor, nn
from minigraph.nn.layer.recurrent_steps import ElmanStep, GRUStep, LSTMStep, Step, check_nonlinearity
from tests.tables import cases, error_cases


@cases((ElmanStep, (nn.RNN, nn.RNNCell)), (LSTMStep, (nn.LSTM, nn.LSTMCell)), (GRUStep, (nn.GRU, nn.GRUCell)))
def test_layers_and_cells_take_the_same_step(kind, users):
    assert all(user.step is kind.step for user in users)


def test_gates_and_known_values():
    # gates are concatenated
    result = LSTMStep().split(Tensor([[1.0, 2, 3, 4, 5, 6, 7, 8]]))
    assert [part.tolist() for part in result] == [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]], [[7.0, 8.0]]]
    # known values
    zero = Tensor([[0.0] * 4])
    h, c = LSTMStep().step(zero, zero, (Tensor([[7.0]]), Tensor([[4.0]])))
    assert c.tolist() == [[2.0]]
    assert h.item() == pytest.approx(0.5 * 0.9640276)
    assert GRUStep().step(zero[:, :3], zero[:, :3], (Tensor([[7.0]]),))[0].tolist() == [[3.5]]


test_invalid_arguments_raise = error_cases(
    (lambda: Step().step(1, 2, ()), r"a subclass of Step must define step\(x, h, state\)"),
    (lambda: check_nonlinearity("RNN", "sin"), "^For 'RNN', the 'nonlinearity' must be in .* 'relu'., but got sin"),
    error=ValueError,
)
