"""The state of a Cell as a dict: names as MindSpore's, values that are copied, and all or nothing."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, nn
from tests.tables import error_cases


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


def test_hooks_change_what_is_saved():
    net, seen = nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()), []
    before = net[0].register_state_dict_pre_hook(lambda cell, prefix, keep_vars: seen.append((prefix, keep_vars)))
    after = net[0].register_state_dict_post_hook(lambda _, state, prefix, metadata: state.__delitem__(prefix + "bias"))
    assert list(net.state_dict(keep_vars=True)) == ["0.weight"] and seen == [("0.", True)]
    before.remove()
    after.remove()
    before.remove()
    assert list(net.state_dict()) == ["0.weight", "0.bias"] and len(seen) == 1


def test_hooks_change_what_is_loaded_and_which_names_may_be_missing():
    net = nn.SequentialCell(nn.Dense(2, 2))

    def rename(cell, state, prefix, metadata, strict, missing, unexpected, errors):
        state["0.weight"] = state.pop("w")

    state = {"w": Tensor(np.ones((2, 2), np.float32))}
    handle = net.register_load_state_dict_pre_hook(rename)
    with pytest.raises(RuntimeError, match="Missing"):
        net.load_state_dict(state)
    net.register_load_state_dict_post_hook(lambda cell, keys: keys.missing_keys.clear())
    assert net.load_state_dict(state) == ([], []) and net[0].weight.tolist() == [[1.0, 1.0]] * 2
    assert list(state) == ["w"]
    handle.remove()
    with pytest.raises(RuntimeError, match="Unexpected"):
        net.load_state_dict(state)


def test_errors_of_hooks_and_of_missing_extra_state_are_raised():
    net = nn.SequentialCell(nn.Dense(2, 2), Counter())
    state = net.state_dict()
    del state["1._extra_state"]
    with pytest.raises(RuntimeError, match='Missing.*"1._extra_state"'):
        net.load_state_dict(state)
    net.register_load_state_dict_pre_hook(lambda *rest: rest[-1].append("not this one"))
    with pytest.raises(RuntimeError, match="not this one"):
        net.load_state_dict(net.state_dict())


def test_a_cell_in_two_places_and_an_optimizer_have_all_their_names():
    shared = nn.Dense(2, 2)
    net = nn.SequentialCell(shared, shared)
    assert list(net.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert net.load_state_dict(net.state_dict()) == ([], [])
    assert "weight" in nn.SGD(nn.Dense(2, 2).trainable_params()).state_dict()


def state_with_a_hook(register, hook):
    net = nn.ReLU()
    getattr(net, register)(hook)
    return net.load_state_dict(net.state_dict())


test_errors = error_cases(
    (lambda: state_with_a_hook("register_state_dict_post_hook", lambda *rest: 3), RuntimeError, "a hook returned int"),
    (lambda: state_with_a_hook("register_load_state_dict_post_hook", lambda *rest: 3), RuntimeError, "returned int"),
    (lambda: nn.ReLU().load_state_dict([]), TypeError, "dict-like"),
    (lambda: nn.ReLU().load_state_dict({"x": 1}), RuntimeError, r"Unexpected key\(s\)"),
    (lambda: nn.ReLU().get_extra_state(), RuntimeError, "not defined"),
    (lambda: nn.ReLU().set_extra_state(1), RuntimeError, "not defined"),
)
