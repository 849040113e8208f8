"""Operators that are one ufunc: it gives the forward's results."""

import numpy as np
import pytest

from minigraph.accel.host.ufuncs import ufunc_of
from minigraph.core.op import TABLE
from minigraph.operators.comparison import WHERE
from minigraph.operators.elementwise import ADD, POW

UFUNCS = [op for op in TABLE.values() if ufunc_of(op)]


def test_which_operators_are_a_ufunc():
    assert ufunc_of(ADD) is np.add and ufunc_of(POW) is None and ufunc_of(WHERE) is None


@pytest.mark.parametrize("op", UFUNCS, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_ufunc_equals_its_forward(op):
    for sample in op.samples(np.random.default_rng(0)):
        if len({array.dtype for array in sample.args}) == 1:
            expected = np.asarray(op.forward(*sample.args))
            assert np.asarray(ufunc_of(op)(*sample.args)).tobytes() == expected.tobytes()
