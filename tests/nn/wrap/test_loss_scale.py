import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn

X = Tensor(np.ones((2, 4), np.float32))


def step_of(scale):
    net = nn.SequentialCell(nn.Dense(4, 1, weight_init="ones", bias_init="zeros"))
    loss = nn.WithLossCell(net, nn.MSELoss())
    return net, nn.TrainOneStepWithLossScaleCell(loss, nn.SGD(net.trainable_params(), 0.1), scale)


def test_the_scale_is_updated_as_in_mindspore():
    update, scale = nn.DynamicLossScaleUpdateCell(64, 2, 3), Parameter(Tensor(64.0), name="scale")
    scales = [(update(scale, Tensor(o)).item(), scale.item()) for o in (True, False, False, False, True)]
    assert scales == [(True, 32), (False, 32), (False, 32), (False, 64), (True, 32)]
    assert update.get_loss_scale() == 64


@pytest.mark.parametrize("scale", [nn.FixedLossScaleUpdateCell(64), Tensor(64.0)])
def test_a_scaled_step_is_the_plain_step(scale):
    net, step = step_of(scale)
    loss, overflow, used = step(X, X[:, :1])
    plain = nn.SequentialCell(nn.Dense(4, 1, weight_init="ones", bias_init="zeros"))
    expected = nn.TrainOneStepCell(nn.WithLossCell(plain, nn.MSELoss()), nn.SGD(plain.trainable_params(), 0.1))
    assert (loss.item(), overflow.item(), used.item()) == (expected(X, X[:, :1]).item(), False, 64)
    np.testing.assert_allclose(net[0].weight.asnumpy(), plain[0].weight.asnumpy())


def test_the_scale_can_be_set_and_has_to_be_a_tensor_or_a_cell():
    _, step = step_of(Tensor(64.0))
    step.set_sense_scale(Tensor(8.0))
    assert step(X, X[:, :1])[2].item() == 8
    for wrong in (lambda: step.set_sense_scale(8.0), lambda: step_of(64.0)):
        with pytest.raises(TypeError, match="Tensor"):
            wrong()
