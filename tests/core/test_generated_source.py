import inspect
import linecache

import numpy as np
import pytest

from minigraph import Tensor, grad
from minigraph.accel.array_vjps import array_vjps_of
from minigraph.core.generated_source import exec_with_source
from minigraph.operators.elementwise import MUL


def listed():
    return {name for name in linecache.cache if name.startswith("<minigraph")}


def test_the_source_is_registered_while_the_function_lives():
    before = listed()
    double = exec_with_source("def double(x):\n    return x + x\n", {}, "double", "doubling")
    (name,) = listed() - before
    assert name.startswith("<minigraph doubling ") and "return x + x" in inspect.getsource(double)
    del double
    assert listed() == before


def test_invalid_source_leaves_nothing():
    before = listed()
    with pytest.raises(SyntaxError):
        exec_with_source("def run(:\n", {}, "run")
    assert listed() == before


def test_generated_vjp_rules_have_a_source():
    grad(lambda x: (x * x).sum())(Tensor(np.ones(2, np.float32)))
    assert "def vjp(" in inspect.getsource(array_vjps_of(MUL)[0])
