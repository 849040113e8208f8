"""Floating-point errors of numpy: raised, reported or ignored by captured functions as in eager mode, at every call."""

import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit, nn
from minigraph.capture.numpy_errors import ErrorLog, ErrorState, call_with_error_log, error_state_of_program
from minigraph.compilation import OpByOpWarning

X = Tensor([1.0, 2.0])


def of_numbers(x):
    return x * float(np.float64(1) / np.float64(0) > 0)


def of_an_argument(x):
    return x + Tensor(np.exp(x.asnumpy() * 1000))


def without_the_name_of_numpy(x):
    return x + Tensor(x.asnumpy() * 1e30 * 1e30)


def in_a_block(x):
    with np.errstate(over="ignore"):
        y = np.exp(x.asnumpy() * 1000)
    return x + Tensor(y)


def caught(x):
    try:
        value = float(np.float64(1) / np.float64(0) > 0)
    except FloatingPointError:
        value = 5.0
    return x * value


class Net(nn.Cell):
    def construct(self, x):
        return x + Tensor(np.exp(x.asnumpy() * 1000))


def outcome(fn, setting):
    """The result or the error of a call under a setting, and what numpy reports."""
    with warnings.catch_warnings(record=True) as reports, np.errstate(all=setting):
        warnings.simplefilter("always")
        try:
            result = fn(X).tolist()
        except FloatingPointError as error:
            result = str(error).partition(" in `")[0]
    return result, [str(report.message) for report in reports if report.category is RuntimeWarning]


FUNCTIONS = (of_numbers, of_an_argument, without_the_name_of_numpy, in_a_block, caught)


@pytest.mark.parametrize("context", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_every_call_follows_the_setting(fn, mode, context):
    ms.set_context(mode=context)
    step = jit(fn, capture_mode=mode)
    for setting in ("ignore", "raise", "warn", "ignore", "warn"):
        assert outcome(step, setting) == outcome(fn, setting), setting


def test_a_cell_follows_the_setting():
    net, other = Net(), Net()
    expected = [outcome(other, setting) for setting in ("ignore", "raise", "warn")]
    ms.set_context(mode=ms.GRAPH_MODE)
    assert [outcome(net, setting) for setting in ("ignore", "raise", "warn")] == expected


def test_the_warning_names_the_line_of_a_report():
    with np.errstate(all="warn"), pytest.warns(RuntimeWarning), pytest.warns(OpByOpWarning) as caught_warnings:
        jit(of_numbers)(X)
    text = "numpy reports: divide by zero encountered in scalar divide in `np.float64(1) / np.float64(0)` (test_numpy"
    assert [str(w.message)[: len(text)] for w in caught_warnings if w.category is OpByOpWarning] == [text]


def test_a_setting_that_is_set_again_compiles_nothing():
    step = jit(of_an_argument)
    for _ in range(3):
        outcome(step, "ignore")
    assert step.cache_info().misses == 1


def test_the_programs_setting_is_known_while_reports_are_noted():
    with np.errstate(all="warn", under="ignore", call=print):
        outer = ErrorState.current()
        inner, log = [], ErrorLog(outer)

        def run():
            inner.append(error_state_of_program())
            with np.errstate(divide="raise"):
                inner.append(error_state_of_program())
            return np.float64(1) / np.float64(0)

        assert np.isinf(call_with_error_log(log, run))
        assert inner == [outer, ErrorState(outer.modes | {"divide": "raise"}, print)]
        assert "divide by zero" in log.first[0]
        assert ErrorState.current() == outer
