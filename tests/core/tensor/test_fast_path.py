"""Operators of Tensor as users get it: the accelerator's from the first call, or the plain methods."""

import pytest

from minigraph import Tensor
from minigraph.core.seams import VARIABLE
from minigraph.core.tensor.fast_path import OPERATORS
from tests.inspection import run_program

PROGRAM = """
import os
os.environ[{variable!r}] = {value!r}
import sys
import minigraph as ms
x = ms.Tensor(1.0)
print(x + x, ms.Tensor.__add__.__code__.co_filename, "minigraph.ops" in sys.modules)
"""


@pytest.mark.parametrize(("value", "file"), [("1", "accel/fast_dispatch.py"), ("0", "core/tensor/operator_methods.py")])
def test_a_process_that_only_adds_has_its_methods(value, file):
    total, where, is_api_loaded = run_program(PROGRAM.format(variable=VARIABLE, value=value)).split()
    assert (total, is_api_loaded) == ("2.0", "False") and where.endswith(file)


def test_methods_that_are_one_operator_are_methods_of_a_tensor():
    assert all(callable(getattr(Tensor, name)) for methods in OPERATORS.values() for name in methods)
