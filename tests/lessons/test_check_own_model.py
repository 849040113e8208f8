"""The checker of the lesson on your own model; the lesson's own answers are checked by ``tests/test_tutorials.py``."""

import pytest

from minigraph import Parameter, nn, ops
from minigraph.lessons import WrongAnswerError, check_norm_rule, numbers
from passes import fuse


class Norm(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(ops.ones(8))

    def construct(self, x):
        return x * ops.rsqrt(ops.mean(x * x, -1, True) + 1e-5) * self.weight


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.dense = Norm(), nn.Dense(8, 8)

    def construct(self, x):
        return self.dense(self.norm(x))


def test_a_complete_rule_is_right(capsys):
    rule = fuse("N", lambda x, w, e: w * (x * ops.rsqrt(ops.mean(x * x, -1, True) + e)))
    check_norm_rule(rule, Net(), numbers(0, 4, 8))
    assert "fires 1 times, with the same bits" in capsys.readouterr().out


@pytest.mark.parametrize("rule, text", [
    (None, "NORM is None"),
    (3, "NORM is of type int: write a rule"),
    (fuse("N", lambda x: ops.tanh(x)), "fires 0 times, not once for each of the 1 norms"),
    (fuse("N", lambda x: ops.mean(x * x, -1, True)), "is still outside the fused nodes"),
])  # fmt: skip
def test_other_answers_are_not_yet(rule, text):
    with pytest.raises(WrongAnswerError, match=text):
        check_norm_rule(rule, Net(), numbers(0, 4, 8))
