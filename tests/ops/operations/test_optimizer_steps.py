"""One step of each optimizer: the numbers of MindSpore 2.10."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops

GRADIENT = Tensor([0.5, -1.0])
BETAS = (Tensor(0.9), Tensor(0.99))

# primitive, number of Parameters [1, 2] k, arguments after them, first Parameter and last one after the step
RECORDED = [
    (ops.Adam(), 3, (*BETAS, 0.1, *BETAS, 1e-8, GRADIENT), [0.892697, 1.856513], [2.9725, 5.95]),
    (ops.AdamWeightDecay(), 3, (0.1, 0.9, 0.99, 1e-8, 0.01, GRADIENT), [0.891697, 1.85451], [2.9725, 5.95]),
    (ops.ApplyAdaMax(), 3, (Tensor(0.9), 0.1, 0.9, 0.99, 1e-8, GRADIENT), [0.377105, 1.41077], [2.97, 5.94]),
    (ops.ApplyAdadelta(), 3, (0.1, 0.9, 1e-6, GRADIENT), [0.935894, 2.12734], [2.7411, 5.56216]),
    (ops.ApplyAdagrad(), 2, (0.1, GRADIENT), [0.966667, 2.04472], [2.25, 5.0]),
    (ops.ApplyAdamWithAmsgradV2(), 4, (*BETAS, 0.1, *BETAS, 1e-8, GRADIENT), [0.9075, 1.87626], [4, 8]),
    (ops.ApplyGradientDescent(), 1, (0.1, GRADIENT), [0.95, 2.1], [0.95, 2.1]),
    (ops.ApplyFtrl(), 3, (GRADIENT, 0.1, 0.01, 0.02, -0.5), [-0.175009, -0.0119925], [2.64214, 0.27864]),
    (ops.ApplyAdagradV2(1e-3), 2, (0.1, GRADIENT), [0.966689, 2.0447], [2.25, 5.0]),
    (ops.ApplyProximalGradientDescent(), 1, (0.1, 0.2, 0.3, GRADIENT), [0.902913, 2.01942], [0.902913, 2.01942]),
    (ops.ApplyProximalAdagrad(), 2, (0.1, 0.2, 0.3, GRADIENT), [0.934641, 2.00883], [2.25, 5.0]),
    (ops.ApplyAddSign(), 2, (0.1, 0.9, 0.5, 0.7, GRADIENT), [0.93, 2.04], [1.55, 2.5]),
    (ops.ApplyPowerSign(), 2, (0.1, 2.0, 0.5, 0.7, GRADIENT), [0.864086, 2.03679], [1.55, 2.5]),
    (ops.ApplyRMSProp(), 3, (0.1, GRADIENT, 0.9, 0.5, 1e-6), [-0.537012, -0.948013], [1.53701, 2.94801]),
]


@pytest.mark.parametrize(("step", "count", "arguments", "first", "last"), RECORDED, ids=lambda value: str(value)[:20])
def test_mindspores_numbers(step, count, arguments, first, last):
    parameters = [Parameter(Tensor([1.0, 2.0]) * (i + 1), name=f"p{i}") for i in range(count)]
    step(*parameters, *arguments)
    np.testing.assert_allclose(parameters[0].asnumpy(), first, rtol=1e-5)
    np.testing.assert_allclose(parameters[-1].asnumpy(), last, rtol=1e-5)


def test_steps_with_several_states():
    weight, velocity, first = (Parameter(Tensor([1.0, 2.0]) * k, name=f"p{k}") for k in (1, 2, 3))
    ops.SGD()(weight, GRADIENT, Tensor(0.1), velocity, Tensor(0.9), first)
    assert velocity.tolist() == [0.5, -1.0] and first.tolist() == [0.0, 0.0]  # the first step
    ops.SGD(nesterov=True)(weight, GRADIENT, Tensor(0.1), velocity, Tensor(0.9), first)
    np.testing.assert_allclose(weight.asnumpy(), [0.95 - 0.1355, 2.1 + 0.271], rtol=1e-5)
    rows, squares = (Parameter(Tensor([[1.0], [2.0]]) * k, name=f"r{k}") for k in (1, 2))
    ops.SparseApplyAdagrad(lr=0.1)(rows, squares, Tensor([[0.5]]), Tensor([1]))
    np.testing.assert_allclose(rows.asnumpy(), [[1.0], [1.975746]], rtol=1e-5)
    mean, square, moment = (Parameter(Tensor([1.0, 2.0]) * k, name=f"m{k}") for k in (0, 3, 4))
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    ops.ApplyCenteredRMSProp()(weight, mean, square, moment, GRADIENT, 0.1, 0.9, 0.0, 1e-6)
    np.testing.assert_allclose(weight.asnumpy(), [0.969697, 2.04268], rtol=1e-5)


def test_adam_without_its_variable_and_dual_averaging():
    moments = [Parameter(Tensor([1.0, 2.0])), Parameter(Tensor([2.0, 4.0]))]
    var, m, v = (Parameter(Tensor([1.0, 2.0]) * k) for k in (5, 1, 2))
    numbers = (*BETAS, Tensor(0.1), *BETAS, Tensor(1e-3))
    step = ops.AdamNoUpdateParam()(*moments, *numbers, GRADIENT)
    updated = ops.Adam()(var, m, v, *numbers, GRADIENT)[0]
    assert (Tensor([5.0, 10.0]) + step).tolist() == pytest.approx(updated.tolist())
    assert [moment.tolist() for moment in moments] == [m.tolist(), v.tolist()]
    var, total, squares = (Parameter(Tensor([1.0, 2.0]) * k) for k in (1, 2, 3))
    ops.ApplyAdagradDA()(var, total, squares, GRADIENT, 0.1, 0.2, 0.3, 4)
    expected = [-0.1 * 1.7 / (0.12 + 3.25**0.5), -0.1 * 2.2 / (0.12 + 7**0.5)]
    assert var.tolist() == pytest.approx(expected) and total.tolist() == [2.5, 3] and squares.tolist() == [3.25, 7]
