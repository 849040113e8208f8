"""Compares eager mode and ``@jit`` over several calls: results, their types, state, output and errors."""

import contextlib
import io
import itertools
import types
import warnings
from collections import deque

import numpy as np
import pytest

from minigraph import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn, set_context
from minigraph.compilation import OpByOpWarning

SETTINGS = list(itertools.product(("ast", "trace"), ("function", "cell"), (PYNATIVE_MODE, GRAPH_MODE)))
SETTING_NAMES = [f"{m}-{kind}-{'graph' if context == GRAPH_MODE else 'pynative'}" for m, kind, context in SETTINGS]
INPUTS = ([1.0, 2.0], [3.0, 4.0], [-1.0, 1.0], [3.0, 4.0])


class Wrapper(nn.Cell):
    """A Cell that calls a function."""

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, *args):
        return self.fn(*args)


def description(value):
    """A value with its type and the types of everything inside, comparable with ``==``."""
    kind = type(value).__name__
    if isinstance(value, Tensor):
        assert not value.is_traced, f"a tracer is left: {value!r}"
        return kind, str(value.dtype), value.shape, repr(value.asnumpy().tolist())
    if isinstance(value, np.ndarray):
        return kind, str(value.dtype), value.shape, repr(value.tolist())
    if isinstance(value, dict):
        return kind, [(description(key), description(item)) for key, item in value.items()]
    if isinstance(value, list | tuple | deque):
        return kind, [description(item) for item in value]
    if isinstance(value, set | frozenset):
        return kind, sorted(map(repr, map(description, value)))
    if hasattr(value, "__next__") or kind.startswith("dict_"):
        return kind, [description(item) for item in value]
    if hasattr(value, "__dict__") and not isinstance(value, type | types.FunctionType | types.ModuleType):
        return kind, {name: description(item) for name, item in vars(value).items()}
    return kind, repr(value)


def outcomes(program, wrap, inputs=INPUTS):
    """The outcome of each call of a program: the result or the error, the state after it, and the output."""
    parts = program()
    fn, state, between = (*parts, None, None)[:3] if isinstance(parts, tuple) else (parts, None, None)
    fn, observed = wrap(fn), []
    for number, values in enumerate(inputs):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            try:
                result = description(fn(Tensor(values)))
            except Exception as error:
                result = "raised", type(error).__name__, str(error) if not hasattr(error, "has_mindspore_text") else ""
        observed.append((result, description(state()) if state else None, out.getvalue()))
        if between:
            between(number)
    return observed


def graph_mode(setting):
    """A function that makes another one run as a graph, in one of ``SETTINGS``."""
    mode, kind, context = setting
    if kind == "cell" and mode == "ast" and context == GRAPH_MODE:
        return Wrapper
    return lambda fn: jit(Wrapper(fn) if kind == "cell" else fn, capture_mode=mode)


def check(program, setting, inputs=INPUTS):
    """Compare a program in eager mode with one of ``SETTINGS``; returns the warnings that it gave."""
    set_context(mode=PYNATIVE_MODE)
    expected = outcomes(program, lambda fn: fn, inputs)
    set_context(mode=setting[2])
    try:
        with warnings.catch_warnings(record=True, action="always") as caught:
            assert outcomes(program, graph_mode(setting), inputs) == expected
    finally:
        set_context(mode=PYNATIVE_MODE)
    return [str(warning.message) for warning in caught if issubclass(warning.category, OpByOpWarning)]


def same_as_eager(*programs):
    """A test that runs each program in all ``SETTINGS``."""

    @pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
    @pytest.mark.parametrize("program", programs, ids=lambda program: program.__name__)
    def test(program, setting):
        check(program, setting)

    return test
