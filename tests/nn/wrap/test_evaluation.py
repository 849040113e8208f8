"""The evaluation Cell: loss, outputs and label of a batch."""

from minigraph import float16, float32, nn, ops
from tests.nn.cells import names


def test_operands_of_metrics_optionally_in_float32():
    # inputs of metrics
    net, x, y = nn.Dense(3, 2), ops.ones((4, 3)), ops.zeros((4, 2))
    loss, outputs, label = nn.WithEvalCell(net, nn.MSELoss())(x, y)
    assert outputs.asnumpy().tobytes() == net(x).asnumpy().tobytes()
    assert loss.item() == nn.MSELoss()(net(x), y).item()
    assert label.asnumpy().tobytes() == y.asnumpy().tobytes()
    # the parameters keep their names
    assert names(nn.WithEvalCell(nn.Dense(3, 2), nn.MSELoss())) == ["weight", "bias"]
    # in float32 with add_cast_fp32
    x = ops.ones((4, 3), float16)
    kinds = [nn.WithEvalCell(nn.Identity(), nn.MSELoss(), cast)(x, x)[1].dtype for cast in (False, True)]
    assert kinds == [float16, float32]
