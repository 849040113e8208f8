"""Optimizer steps for some rows, against the steps of whole Parameters."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, int32, ops

ROWS, GRADIENT = Tensor([2, 0], int32), np.array([[0.5, 0.7], [-3.0, 0.2]], np.float32)
WHOLE = np.array([GRADIENT[1], [0, 0], GRADIENT[0]], np.float32)


def parameters(count):
    first = np.array([[1.0, 2.0], [0.5, 3.0], [4.0, 5.0]], np.float32)
    return [Parameter(Tensor(first * (k + 1)), name=f"p{k}") for k in range(count)]


def scalars(*numbers):
    return [Tensor(number) for number in numbers]


STEPS = {  # step of rows, step of the whole: both for (state, gradient, rows)
    "SparseApplyFtrl": (3, lambda s, g, r: ops.SparseApplyFtrl(0.1, 0.2, 0.3, -0.5)(*s, g, r),
                        lambda s, g: ops.ApplyFtrl()(*s, g, 0.1, 0.2, 0.3, -0.5)),
    "FusedSparseFtrl": (3, lambda s, g, r: ops.FusedSparseFtrl(0.1, 0.2, 0.3, -0.5)(*s, g, r),
                        lambda s, g: ops.ApplyFtrl()(*s, g, 0.1, 0.2, 0.3, -0.5)),
    "SparseApplyAdagradV2": (2, lambda s, g, r: ops.SparseApplyAdagradV2(0.1, 0.0)(*s, g, r),
                             lambda s, g: ops.ApplyAdagradV2(0.0)(*s, 0.1, g)),
    "SparseApplyRMSProp": (3, lambda s, g, r: ops.SparseApplyRMSProp(0.2, 0.5, 1e-3)(*s, 0.1, g, r),
                           lambda s, g: ops.ApplyRMSProp()(*s, 0.1, g, 0.2, 0.5, 1e-3)),
    "FusedSparseProximalAdagrad": (
        2, lambda s, g, r: ops.FusedSparseProximalAdagrad()(*s, *scalars(0.1, 0.2, 0.3), g, r),
        lambda s, g: ops.ApplyProximalAdagrad()(*s, *scalars(0.1, 0.2, 0.3), g)),
    "FusedSparseLazyAdam": (
        3, lambda s, g, r: ops.FusedSparseLazyAdam()(*s, *scalars(0.9, 0.99, 0.1, 0.9, 0.99, 1e-3), g, r),
        lambda s, g: ops.Adam()(*s, *scalars(0.9, 0.99, 0.1, 0.9, 0.99, 1e-3), g)),
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_rows_are_those_of_the_whole_step(name):
    count, step, whole_step = STEPS[name]
    state, whole = parameters(count), parameters(count)
    before = [parameter.asnumpy()[1].tolist() for parameter in state]
    step(state, Tensor(GRADIENT), ROWS)
    whole_step(whole, Tensor(WHOLE))
    for parameter, other in zip(state, whole, strict=True):
        np.testing.assert_allclose(parameter.asnumpy()[[0, 2]], other.asnumpy()[[0, 2]], rtol=1e-6)
    assert [parameter.asnumpy()[1].tolist() for parameter in state] == before


def test_fused_steps_add_the_gradients_of_a_row():
    numbers = scalars(0.9, 0.99, 0.1, 0.9, 0.99, 1e-3)
    results = []
    for rows, gradient in (([2, 2, 0], [[0.2, 0.3], [0.3, 0.4], [-3.0, 0.2]]), ([2, 0], GRADIENT)):
        state = parameters(3)
        ops.FusedSparseAdam(use_nesterov=True)(*state, *numbers, Tensor(np.array(gradient, np.float32)), Tensor(rows))
        results.append([parameter.asnumpy() for parameter in state])
    np.testing.assert_allclose(*results, rtol=1e-6)
    np.testing.assert_allclose(results[0][1][1], [0.9, 5.4], rtol=1e-6)  # without a gradient the moments decay
