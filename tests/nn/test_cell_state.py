"""The state of a Cell as a dict: names as MindSpore's, values that are copied, and all or nothing."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn
from tests.tables import refusals


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = 0
        self.register_buffer("seen", Tensor([1.0]))
        self.register_buffer("scratch", Tensor([1.0]), persistent=False)

    def get_extra_state(self):
        return self.count

    def set_extra_state(self, state):
        self.count = state


def test_names_and_values():
    net = nn.SequentialCell(nn.Dense(2, 3), Counter())
    state = net.state_dict(prefix="net.")
    assert list(state) == ["net.0.weight", "net.0.bias", "net.1.seen", "net.1._extra_state"]
    assert not isinstance(state["net.0.weight"], Parameter)
    assert net.state_dict(keep_vars=True)["0.weight"] is net[0].weight


def test_loading_copies_the_values():
    first, second = (nn.SequentialCell(nn.Dense(2, 3), Counter()) for _ in range(2))
    first[1].count, first[1].seen = 7, Tensor([5.0])
    assert second.load_state_dict(first.state_dict()) == ([], [])
    np.testing.assert_array_equal(second[0].weight.asnumpy(), first[0].weight.asnumpy())
    assert second[1].count == 7 and second[1].seen.tolist() == [5.0]
    first[0].weight[...] = 0
    assert second[0].weight.asnumpy().any()


def test_a_state_that_does_not_fit_changes_nothing():
    net = nn.Dense(2, 2)
    before = net.weight.asnumpy().copy()
    ones = Tensor(np.ones((2, 2), np.float32))
    with pytest.raises(RuntimeError, match=r'loading state_dict for Dense:\n\tMissing key\(s\) in state_dict: "bias".'):
        net.load_state_dict({"weight": ones})
    assert net.load_state_dict({"bias": ones[0], "x": ones}, strict=False) == (["weight"], ["x"])
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        net.load_state_dict({"weight": ones[0], "bias": ones[0] * 3})
    np.testing.assert_array_equal(net.weight.asnumpy(), before)
    assert net.bias.tolist() == [1.0, 1.0]


test_refusals = refusals(
    (lambda: nn.ReLU().load_state_dict([]), TypeError, "dict-like"),
    (lambda: nn.ReLU().load_state_dict({"x": 1}), RuntimeError, r"Unexpected key\(s\)"),
    (lambda: nn.ReLU().get_extra_state(), RuntimeError, "not defined"),
    (lambda: nn.ReLU().set_extra_state(1), RuntimeError, "not defined"),
)
