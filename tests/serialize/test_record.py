"""Records and the stored form of arrays: every dtype is restored bit for bit; wrong fields are refused."""

import numpy as np
import pytest

from minigraph.core.types import DTYPES
from minigraph.serialize.record import COMPONENT_DTYPES, from_stored, record_of, to_stored
from tests.tables import every

SHAPES = [(), (0,), (3,), (2, 0, 3), (2, 3)]


def record(name="w", dtype="float32", shape=(2, 3), requires_grad=True, crc32=1):
    return record_of([name, dtype, list(shape), requires_grad, crc32])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arrays_keep_their_bits(dtype, shape):
    bits = np.random.default_rng(1).integers(0, 2 if dtype.kind == "b" else 256, (*shape, dtype.itemsize), np.uint8)
    array = bits.reshape(-1).view(dtype.numpy).reshape(shape)  # NaNs with payloads, infinities, -0 among them
    about = record(dtype=dtype.name, shape=shape)
    assert (to_stored(array).dtype, list(to_stored(array).shape)) == (about.part.numpy, about.stored_shape)
    again = from_stored(to_stored(array), about)
    assert (again.shape, again.dtype, again.tobytes()) == (array.shape, array.dtype, array.tobytes())


def test_a_record_describes_the_stored_array():
    for name in COMPONENT_DTYPES:
        numbers = to_stored(np.ones((2, 3), name))
        assert (record(dtype=name).part.numpy, record(dtype=name).stored_shape) == (numbers.dtype, list(numbers.shape))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_strided_views_are_stored_contiguously(dtype):
    for view in (np.arange(6).astype(dtype.numpy)[::-2], np.arange(6).reshape(2, 3).astype(dtype.numpy).T):
        about = record(dtype=dtype.name, shape=view.shape)
        assert to_stored(view).flags.c_contiguous
        assert from_stored(to_stored(view), about).tolist() == view.tolist()


@every(
    wrong=[
        {"name": 3},
        {"dtype": "object"},
        {"dtype": ["float32"]},
        {"shape": (-1,)},
        {"shape": (2.0,)},
        {"shape": (True,)},
        {"requires_grad": 1},
        {"crc32": "1"},
    ],
    ids=str,
)
def test_a_field_of_the_wrong_type_is_refused(wrong):
    with pytest.raises((ValueError, TypeError)):
        record(**wrong)
    with pytest.raises(TypeError):
        record_of(["w", "float32"])
