"""Layers of one function: MindSpore's numbers, the arguments in print, and errors."""

import numpy as np
import pytest

from minigraph import Tensor, nn, ops, set_seed
from tests.tables import error_cases

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
Z = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3))
VOLUME = Tensor(np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4))

# printed by MindSpore 2.10
RECORDED = {
    "Range": (nn.Range(1, 8, 2), (), [1, 3, 5, 7]),
    "Norm": (nn.Norm(1), (X,), [2.2360680103302, 7.071067810058594]),
    "ReduceLogSumExp": (nn.ReduceLogSumExp(1), (X,), [2.407604932785034, 5.4076056480407715]),
    "Moments": (nn.Moments(0), (X,), [[1.5, 2.5, 3.5], [2.25, 2.25, 2.25]]),
    "Tril": (nn.Tril(), (Z,), [[0, 0, 0], [3, 4, 0], [6, 7, 8]]),
    "Triu": (nn.Triu(), (Z, 1), [[0, 1, 2], [0, 0, 5], [0, 0, 0]]),
    "IGamma": (nn.IGamma(), (Tensor([2.0]), Tensor([3.0])), [0.8008517026901245]),
    "TripletMarginWithDistanceLoss": (nn.TripletMarginWithDistanceLoss(), (X, X * 2, X * 3), 0.0),
    "AdaptiveAvgPool3d": (nn.AdaptiveAvgPool3d(2), (VOLUME,),
                          [[[[[10.5, 12.5], [18.5, 20.5]], [[42.5, 44.5], [50.5, 52.5]]]]]),
    "AdaptiveMaxPool3d": (nn.AdaptiveMaxPool3d(2), (VOLUME,), [[[[[21, 23], [29, 31]], [[53, 55], [61, 63]]]]]),
    "MaxUnpool1d": (nn.MaxUnpool1d(2), (Tensor([[[6.0, 8.0]]]), Tensor([[[1, 3]]])), [[[0, 6, 0, 8]]]),
    "MaxUnpool2d": (nn.MaxUnpool2d(2), (Tensor([[[[6.0, 8.0]]]]), Tensor([[[[5, 7]]]])),
                    [[[[0, 0, 0, 0], [0, 6, 0, 8]]]]),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "inputs", "expected"), RECORDED.values(), ids=RECORDED)
def test_mindspores_numbers(layer, inputs, expected):
    result = layer(*inputs)
    result = ops.stack(result) if isinstance(result, tuple) else result
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


def test_pooling_of_volumes():
    maxima, at = nn.MaxPool3d(2, 2, return_indices=True)(VOLUME)
    unpooled = nn.MaxUnpool3d(2)(maxima, at, output_size=(1, 1, 4, 4, 4))
    assert unpooled.sum().item() == maxima.sum().item() and unpooled.shape == VOLUME.shape
    assert nn.MaxPool3d(3, 2, "same")(VOLUME[0]).shape == (1, 2, 2, 2)
    means = nn.AvgPool3d(3, 2, "same")(ops.ones((1, 1, 4, 4, 4)))
    np.testing.assert_allclose(means.asnumpy(), 1, rtol=1e-6)  # the padding does not count
    assert nn.AvgPool3d(2, divisor_override=2)(ops.ones((1, 2, 2, 2))).tolist() == [[[[4.0]]]]


def test_random_slopes_and_crops():
    set_seed(4)
    slopes = -nn.RReLU(0.25, 0.5)(ops.full((1000,), -1.0)).asnumpy()
    assert slopes.min() >= 0.25 and slopes.max() <= 0.5 and slopes.std() > 0.05
    assert nn.CentralCrop(0.5)(ops.ones((2, 3, 8, 4))).shape == (2, 3, 4, 2)
    losses = nn.TripletMarginWithDistanceLoss(swap=True, reduction="none", margin=9.0)(X, X * 2, X * 3)
    assert losses.shape == (2,) and losses.sum().item() == pytest.approx(
        nn.TripletMarginWithDistanceLoss(swap=True, reduction="sum", margin=9.0)(X, X * 2, X * 3).item())  # fmt: skip


def test_printed_as_by_mindspore():
    assert str(nn.AvgPool3d(2)) == "AvgPool3d(kernel_size=2, stride=1, pad_mode=VALID)"
    assert (str(nn.Norm(1)), str(nn.RReLU())) == ("Norm(axis=1, keep_dims=False)", "RReLU()")


test_errors = error_cases(
    (lambda: nn.MaxPool3d(2, pad_mode="full")(VOLUME), ValueError, "pad_mode must be"),
    (lambda: nn.AvgPool3d(2, padding=1)(VOLUME), ValueError, "needs pad_mode 'pad'"),
    (lambda: nn.MaxPool3d(3, 2, "same", return_indices=True)(VOLUME), ValueError, "return_indices needs"),
    (lambda: nn.CentralCrop(2.0)(X), ValueError, "central_fraction"),
    (lambda: nn.TripletMarginWithDistanceLoss(reduction="max")(X, X, X), ValueError, "reduction is"),
)
