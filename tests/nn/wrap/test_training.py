"""WithLossCell and TrainOneStepCell in every mode."""

import numpy as np
import pytest

from minigraph import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn, ops, set_context
from tests.tables import every

X, Y = Tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), Tensor([[1.0, 1.0], [1.0, 1.0]])


def step_of(sens=None, return_grad=False):
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    network, optimizer = nn.WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return net, nn.TrainOneStepCell(network, optimizer, sens, return_grad).set_train()


@pytest.mark.parametrize("mode", ["pynative", "graph", "jit"])
def test_the_loss_is_the_one_before_the_update(mode):
    set_context(mode=GRAPH_MODE if mode == "graph" else PYNATIVE_MODE)
    _, cell = step_of()
    step = jit(lambda x, y: cell(x, y)) if mode == "jit" else cell
    np.testing.assert_allclose([step(X, Y).item() for _ in range(3)], [62.5, 195.5125, 27.2726], rtol=1e-5)


def test_sens_scales_the_gradients_not_the_loss(mode):
    _, plain = step_of(return_grad=True)
    _, scaled = step_of(sens=4.0, return_grad=True)
    (loss, grads), (same_loss, four_times) = plain(X, Y), scaled(X, Y)
    assert loss.item() == same_loss.item() == 62.5
    assert list(grads) == list(four_times) == ["weight", "bias"]
    for name in grads:
        np.testing.assert_array_equal(grads[name].asnumpy() * 4, four_times[name].asnumpy())


def test_names_are_not_prefixed_and_updates_survive():
    # names of the network are not prefixed
    net, cell = step_of()
    assert [p.name for p in net.get_parameters()] == ["weight", "bias"]
    assert [p.name for p in cell.optimizer.parameters] == ["weight", "bias"]
    assert cell.network.backbone_network is net
    # set train reaches the network
    net, cell = step_of()
    assert net.training
    assert not cell.set_train(False).network.training
    # the update survives without auto depend
    net, cell = step_of()
    jit(lambda x, y: cell(x, y), auto_depend=False)(X, Y)
    assert (net.weight.asnumpy() != 1).all()


@every(sens=[None, 4.0])
def test_a_user_defined_construct(mode, sens):
    class ByHand(nn.TrainOneStepCell):
        def construct(self, *inputs):
            loss = self.network(*inputs)
            grads = self.grad(self.network, self.weights)(*inputs, ops.ones_like(loss) * self.sens)
            return ops.depend(loss, self.optimizer(self.grad_reducer(grads)))

    result = []
    for kind in (nn.TrainOneStepCell, ByHand):
        net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        step = kind(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), sens).set_train()
        x, y = Tensor([[1.0, 2.0], [3.0, -1.0]]), Tensor([[1.0], [0.0]])
        result.append(([step(x, y).item() for _ in range(3)], net.weight.asnumpy().tolist()))
    assert result[0] == result[1]


def test_a_sensitivity_of_0_raises():
    net = nn.Dense(2, 1)
    with pytest.raises(ValueError, match="The input argument of 'sens' can not be 0."):
        nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), 0)
