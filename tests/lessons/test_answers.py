"""Answers that raise, never end or have the wrong type."""

import contextlib
import sys

import pytest

from minigraph import Tensor, ops
from minigraph.lessons import WrongAnswerError
from minigraph.lessons.answers import MAX_STEPS, check_type, checker, result_of, tensor_of
from tests.tables import error_cases


def endless(x):
    while True:
        with contextlib.suppress(Exception):
            x = -x


def generator_without_end():
    return sum(1 for _ in iter(int, 1))


def busy(x):
    for _ in range(MAX_STEPS - 100):
        x = x + 1
    return x


test_what_an_answer_does_wrong = error_cases(
    ("f(1)", endless, 1, rf"f\(1\) does not end: {MAX_STEPS:,} steps were not enough in `.*` \(test_answers.py:\d+\)"),
    ("f()", lambda _: generator_without_end(), 1, "does not end"),
    ("f(1)", lambda x: x // 0, 1, r"f\(1\) fails: ZeroDivisionError: .* in `x // 0` \(test_answers.py:\d+\)"),
    ("f(x)", lambda x: x @ x, Tensor(1.0), r"f\(x\) fails: \w+: .*x @ x"),
    ("f(x)", lambda x: x, None, "f returns nothing yet: do it"),
    ("f(x)", lambda x: x, 3, r"f\(x\) is of type int: return a tensor"),
    ("f(x)", 3, 3, "f is of type int: write a function"),
    by=lambda call, function, x: tensor_of(call, function, x, blank="do it"),
    error=WrongAnswerError,
)


def test_long_answers_and_options_are_fine_and_the_trace_hook_is_removed():
    assert result_of("f(0)", busy, 0) == MAX_STEPS - 100
    assert result_of("max(0)", max, 1, 2, key=lambda x: -x) == 1
    assert sys.gettrace() is None


def test_other_errors_of_a_checker_come_from_the_answer():
    @checker
    def check(answer):
        check_type("answer", answer, (int, str), "write a number")
        ops.relu(answer)

    assert check.__name__ == "check"
    with pytest.raises(WrongAnswerError, match=r"answer is of type float: write a number"):
        check(1.0)
    with pytest.raises(WrongAnswerError, match=r"^the answer fails: [^\n]*relu[^\n]*$"):
        check("x")


def test_out_of_memory_is_raised_and_is_no_wrong_answer():
    def out_of_memory():
        raise MemoryError

    with pytest.raises(MemoryError):
        result_of("f()", out_of_memory)
