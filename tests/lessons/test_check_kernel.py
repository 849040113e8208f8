"""The checker of the lesson on your own kernel; the lesson's own answers are checked by ``tests/test_tutorials.py``."""

import pytest

from minigraph import float16
from minigraph.lessons import WrongAnswerError, check_kernel, numbers
from minigraph.npu import Schedule

SIDES = (numbers(0, 1024, 1024).astype(float16), numbers(1, 1024, 1024).astype(float16))


def product(x, w):
    return x @ w


def test_a_schedule_that_is_faster_than_the_default_plan_is_right(capsys):
    check_kernel(product, SIDES, Schedule(base=(128, 192, 80)))
    assert "cycles, with Schedule(base=(128, 192, 80))" in capsys.readouterr().out


@pytest.mark.parametrize(("kernel", "message"), [
    (None, "KERNEL is None"),
    ((128, 192, 80), "KERNEL is of type tuple: write Schedule"),
    (Schedule(), r"100% of the default plan.* cycles, .* 32 tiles on 16 of 24 cores, 2 on the busiest"),
    (Schedule(base=(512, 512, 16)), "bytes of L0"),
    (Schedule(tile=64), "tile is for vector work"),
])  # fmt: skip
def test_other_answers_are_not_yet(kernel, message):
    with pytest.raises(WrongAnswerError, match=message):
        check_kernel(product, SIDES, kernel)
