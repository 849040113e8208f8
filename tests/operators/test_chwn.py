"""Operators on images [C,H,W,N]: equivalent to operators on [N,C,H,W], and when they are preferred."""

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.errors import ShapeError
from minigraph.core.op import apply, forward_of
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW, CHWN_KERNELS, TO_CHWN, should_use_chwn
from minigraph.operators.im2col import NO_PADDING, Window

UNIT = Window((1, 1), NO_PADDING, (1, 1), 1)
RNG = np.random.default_rng(0)


def images(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def test_which_convolutions_prefer_chwn():
    assert should_use_chwn((32, 6, 14, 14), (16, 6, 5, 5), UNIT)
    assert not should_use_chwn((2, 6, 14, 14), (16, 6, 5, 5), UNIT)  # few images
    assert not should_use_chwn((32, 6, 34, 34), (16, 6, 5, 5), UNIT)  # long rows
    assert not should_use_chwn((32, 6, 14, 14), (16, 6, 1, 1), UNIT)  # more to transpose than to copy
    assert not should_use_chwn((32, 6, 3, 3), (16, 6, 5, 5), UNIT)  # no result


def test_which_convolutions_with_longer_rows_prefer_chwn():
    assert should_use_chwn((32, 1, 32, 32), (6, 1, 5, 5), UNIT)
    assert not should_use_chwn((32, 1, 32, 32), (6, 1, 5, 5), UNIT, back=True)
    assert should_use_chwn((32, 6, 14, 14), (16, 6, 5, 5), UNIT, back=True)
    assert not should_use_chwn((32, 1, 37, 37), (6, 1, 5, 5), UNIT)  # too long
    assert not should_use_chwn((32, 1, 32, 32), (16, 1, 5, 5), UNIT)  # the transposes cost more than the copies,
    assert not should_use_chwn((128, 1, 32, 32), (6, 1, 5, 5), UNIT)  # or at all
    assert not should_use_chwn((32, 6, 32, 32), (6, 6, 5, 5), UNIT)  # products take longer than copies


IMAGES, KERNELS, G = images(32, 3, 12, 12), images(8, 3, 5, 5), images(32, 8, 8, 8)
POOLED = apply("max_pool2d", Tensor(IMAGES), kernel=2).array
WINDOW = {"stride": 1, "padding": 0, "dilation": 1, "group": 1}
CALLS = {
    "conv2d": ((IMAGES, KERNELS), WINDOW),
    "conv2d_input_grad": ((G, KERNELS), {"shape": (32, 3, 12, 12)} | WINDOW),
    "conv2d_weight_grad": ((G, IMAGES), {"shape": (8, 3, 5, 5)} | WINDOW),
    "max_pool2d": ((IMAGES,), {"kernel": 2}),
    "max_pool2d_grad": ((images(32, 3, 6, 6), IMAGES, POOLED), {"kernel": 2}),
}


@pytest.mark.parametrize("op", CHWN_KERNELS, ids=str)
@pytest.mark.parametrize("which", ["as shipped", "the record's"])
def test_each_is_equivalent_to_its_operator(op, which):
    arrays, attrs = CALLS[op.name]
    attrs, record = op.canonical(*map(Tensor, arrays), **attrs), CHWN_KERNELS[op]
    ops = op, record.op
    forward, other = map(forward_of, ops) if which == "as shipped" else (each.forward for each in ops)
    expected = forward(*arrays, **attrs)
    expected = np.ascontiguousarray(expected.transpose(AXES_TO_CHWN)) if record.has_image_result else expected
    in_chwn = [
        np.ascontiguousarray(a.transpose(AXES_TO_CHWN)) if i in record.images else a for i, a in enumerate(arrays)
    ]
    assert other(*in_chwn, **attrs).tobytes() == expected.tobytes()
    if record.op.into:
        assert other(*in_chwn, **attrs, out=np.empty_like(expected)).tobytes() == expected.tobytes()


def test_conversions_between_layouts():
    x = Tensor(IMAGES)
    chwn = apply("to_chwn", x)
    assert chwn.array.flags.c_contiguous and (chwn.array == IMAGES.transpose(AXES_TO_CHWN)).all()
    assert apply("to_nchw", chwn).array.tobytes() == IMAGES.tobytes() and AXES_TO_NCHW == (3, 0, 1, 2)
    with pytest.raises(ShapeError, match="to_chwn: Float32\\[2\\] has 1 axes|to_chwn.*images have 4"):
        apply(TO_CHWN, Tensor([1.0, 2.0]))
