"""Resized images: recorded results of MindSpore, and properties of any image."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minigraph.dataset import NumpySlicesDataset, vision
from minigraph.dataset.vision import Inter
from tests.tables import cases, error_cases, every

IMAGE = (np.arange(30).reshape(5, 6) * 37 % 256).astype(np.uint8)
LINEAR = [
    [74, 44, 39, 67, 95, 123, 150, 174],
    [188, 211, 143, 11, 38, 66, 94, 117],
    [131, 154, 182, 199, 163, 73, 37, 60],
]
NEAREST = [
    [0, 0, 37, 74, 111, 111, 148, 185],
    [222, 222, 3, 40, 77, 77, 114, 151],
    [154, 154, 191, 228, 9, 9, 46, 83],
]
FLOATS = [
    [61.9167, 53.4167, 108.9167, 164.4167],
    [197.25, 60.75, 52.25, 107.75],
    [140.5833, 196.0833, 123.5833, 51.0833],
]


def test_recorded_results_of_mindspore_and_the_same_size():
    # bytes are mindspores to the bit
    assert vision.Resize((3, 8))(IMAGE).tolist() == LINEAR
    assert vision.Resize((3, 8), Inter.NEAREST)(IMAGE).tolist() == NEAREST
    # the same size changes nothing
    for inter in (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA):
        assert np.array_equal(vision.Resize((5, 6), inter)(IMAGE), IMAGE)
    # in a pipeline
    rows = NumpySlicesDataset({"image": IMAGE[None, :, :, None]}).map([vision.Resize(10), vision.HWC2CHW()], "image")
    assert rows.output_shapes() == [[1, 10, 12]]


@every(dtype=[np.float32, np.float64, np.int16, np.uint16])
def test_other_numbers_keep_their_dtype(dtype):
    result = vision.Resize((3, 4))(IMAGE.astype(dtype))
    assert result.dtype == dtype
    np.testing.assert_allclose(result, FLOATS if result.dtype.kind == "f" else np.rint(FLOATS), rtol=1e-5)


@given(
    st.tuples(*[st.integers(1, 12)] * 4),
    st.sampled_from([np.uint8, np.float32]),
    st.sampled_from([Inter.NEAREST, Inter.LINEAR, Inter.CUBIC, Inter.AREA]),
)
def test_constant_images_stay_constant_and_channels_are_independent(sizes, dtype, inter):
    height, width, *expected = sizes
    image = np.empty((height, width, 2), dtype)
    image[:] = 200, 3
    operation = vision.Resize(tuple(expected), inter)
    result = operation(image)
    assert result.shape == (*expected, 2)
    np.testing.assert_allclose(
        result, np.broadcast_to(image[0, 0], result.shape), rtol=0 if dtype is np.uint8 else 1e-6
    )
    assert np.array_equal(operation(image[:, :, 0]), result[:, :, 0])


@cases(((8, 6), 4, (5, 4)), ((6, 9), 4, (4, 6)), ((11, 7), 20, (31, 20)))
def test_one_number_is_the_shorter_side(shape, size, expected):
    assert vision.Resize(size)(np.zeros((*shape, 3), np.uint8)).shape == (*expected, 3)


test_invalid_arguments_raise = error_cases(
    (lambda: vision.Resize("a"), TypeError, "^Size should be a single integer or a list/tuple .h, w. of length 2"),
    (lambda: vision.Resize((1, 2, 3)), TypeError, "^Size should be a single integer"),
    (lambda: vision.Resize(0), ValueError, "^Resize: size must be one positive int or two, got 0"),
    (lambda: vision.Resize(3, "a"), TypeError, "^Argument interpolation with value a is not of type"),
    (lambda: vision.Resize(3, Inter.ANTIALIAS), ValueError, "Inter.ANTIALIAS is not supported; use Inter.AREA or"),
    (lambda: vision.Resize(3, Inter.PILCUBIC)(IMAGE), RuntimeError, r"needs uint8 of three channels, got uint8\[5, 6"),
    (lambda: vision.Resize(3)(IMAGE.astype(np.int32)), RuntimeError, "float64, got int32; cast first"),
    (lambda: vision.Resize(3)(IMAGE[0]), RuntimeError, r"got shape \[6\]"),
)
