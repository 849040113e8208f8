"""Layers made of others equal their parts."""

import numpy as np

from minigraph import Tensor, float32, grad, int32, jit, nn, ops
from tests.nn.cells import assert_close
from tests.tables import error_cases, table

X = Tensor(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3) - 4)


def test_a_layer_with_normalization_and_activation():
    net = nn.Conv2dBnAct(1, 2, 2, weight_init="ones", has_bn=True, activation="relu")
    expected = ops.relu(nn.BatchNorm2d(2)(nn.Conv2d(1, 2, 2, weight_init="ones")(X)))
    np.testing.assert_allclose(net(X).asnumpy(), expected.asnumpy(), rtol=1e-6)
    slope = nn.DenseBnAct(3, 2, "ones", activation="leakyrelu", alpha=0.5)
    np.testing.assert_allclose(slope(Tensor([[-1.0, 0.0, 0.0]])).asnumpy(), [[-0.5, -0.5]])


def test_dense_under_another_name():
    net = nn.Linear(2, 1, weight_init="ones", bias_init="zeros")
    assert str(net) == "Linear(input_features=2, output_features=1, has_bias=True)"
    assert net(Tensor([[1.0, 2.0]])).tolist() == [[3.0]]


def test_rows_of_a_table():
    net = nn.EmbeddingLookup(3, 2, param_init="ones", max_norm=1.0)
    np.testing.assert_allclose(net(Tensor([[2]])).asnumpy(), [[[0.5**0.5] * 2]], rtol=1e-6)


def test_a_layer_for_every_step_of_a_sequence():
    dense, steps = nn.Dense(3, 2), ops.ones((2, 4, 3))
    for axis in (1, -2):
        net = nn.TimeDistributed(dense, time_axis=axis, reshape_with_axis=0)
        np.testing.assert_allclose(net(steps).asnumpy(), dense(steps).asnumpy(), rtol=1e-6)


def test_norms_gradients_of_images_and_gamma_functions():
    x = Tensor([[3.0, 4.0], [0.3, 0.4]])
    expected = [[0.6, 0.8], [0.3, 0.4]]
    np.testing.assert_allclose(nn.ClipByNorm(axis=1)(x, Tensor(1.0)).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(nn.L1Regularizer(0.5)(x).asnumpy(), 3.85, rtol=1e-6)
    dy, dx = nn.ImageGradients()(X)
    assert dy.asnumpy()[0, 0].tolist() == [[3.0] * 3, [3.0] * 3, [0.0] * 3]
    assert dx.asnumpy()[0, 0].tolist() == [[1.0, 1.0, 0.0]] * 3
    for layer, values, expected in (  # recorded from MindSpore 2.10
        (nn.LGamma(), ([0.5, -1.5, 3.0],), [0.57236516, 0.86004674, 0.69314826]),
        (nn.DiGamma(), ([0.5, -1.5, 3.0],), [-1.96351, 0.7031567, 0.92278475]),
        (nn.LBeta(), ([0.5, 3.0], [2.0, 4.0]), [0.28768194, -4.094345]),
    ):
        np.testing.assert_allclose(layer(*map(Tensor, values)).asnumpy(), expected, rtol=2e-5)


TABLE = Tensor(np.arange(14, dtype=np.float32).reshape(7, 2))
INDICES = Tensor([[2, 4, 6, 0, 0], [1, 3, 5, 0, 0]], int32)
WEIGHTS = Tensor([[1, 0.5, 1, 0, 0], [1, 1, -2, 0, 0]], float32)
FIELDS = Tensor([[0, 1, 1, 0, 0], [0, 0, 2, 0, 0]], int32)


def check_fields(operator, expected, gradient):
    net = nn.MultiFieldEmbeddingLookup(7, 2, 3, TABLE, operator=operator)
    for run in (lambda fn: fn, jit):
        assert_close(run(net)(INDICES, WEIGHTS, FIELDS).reshape(-1), expected)
        slope = run(grad(lambda *args: net(*args) * ops.arange(12).reshape(2, 3, 2), 1))(INDICES, WEIGHTS, FIELDS)
        assert_close(slope.reshape(-1), gradient)


test_features_of_a_field_are_merged_as_by_mindspore = table(
    ["operator", "expected", "gradient"],
    [
        ("SUM", [4, 5, 16, 17.5, 0, 0, 8, 10, 0, 0, -20, -22], [5, 43, 63, 1, 1, 33, 85, 221, 7, 7]),
        ("MAX", [4, 5, 12, 13, 0, 0, 6, 7, 0, 0, -20, -22], [5, 0, 63, 0, 0, 0, 85, 221, 0, 0]),
        (
            "MEAN",
            [4, 5, 16 / 1.5, 17.5 / 1.5, 0, 0, 4, 5, 0, 0, -10, -11],
            [0, -8.888889, 4.444444, 1, 1, -13, 13, 0, 3.5, 3.5],
        ),
    ],
    check_fields,
)

test_errors = error_cases(
    (lambda: nn.MultiFieldEmbeddingLookup(7, 2, 3, operator="X"), ValueError, "'operator' must be one of"),
    (lambda: nn.MultiFieldEmbeddingLookup(7, 2, 0), ValueError, "field_size"),
    (lambda: nn.MultiFieldEmbeddingLookup(7, 2, 3)(INDICES[0], WEIGHTS, FIELDS), ValueError, "one shape"),
    (lambda: nn.EmbeddingLookup(7, 2, target="X"), ValueError, "'target' must be one of"),
    (lambda: nn.EmbeddingLookup(7, 2, sparse=False), ValueError, "'sparse' must be True"),
    (lambda: nn.EmbeddingLookup(0, 2), ValueError, "vocab_size"),
)
