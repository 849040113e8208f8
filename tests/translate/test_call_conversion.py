"""The functions that translated code calls."""

import itertools
import math

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.translate.call_conversion import call
from minigraph.translate.host_arrays import host_print
from minigraph.translate.source import translate
from tests.tables import cases

X = Tensor([1.0, 2.0])


@pytest.mark.parametrize("fn", [len, int, list, X, [].append, isinstance, object(), ops.matmul, trace])
def test_most_functions_are_unchanged_and_print_is_deferred(fn):
    assert call(fn) is fn
    assert call(print) is host_print


@cases(
    (Tensor, ([1.0],)), (Tensor.from_numpy, (np.ones(1),)), (np.array, ([1, 2],)), (np.float32, (2,)),
    (math.sqrt, (4.0,)), (str, (1,)), ("{} {}".format, (1, 2)), (", ".join, (["a", "b"],)), (format, (1.5, ".2f")),
)  # fmt: skip
def test_on_known_values_converted_functions_are_the_originals(fn, args):
    assert str(call(fn)(*args)) == str(fn(*args))


def test_functions_that_call_type_get_the_class_of_eager_mode():
    def classes(x):
        types = [*map(type, [x, 1]), *(key for key, _ in itertools.groupby([x], key=type))]
        assert types == [Tensor, int, Tensor]
        return x * 2

    trace(translate(classes), X)
