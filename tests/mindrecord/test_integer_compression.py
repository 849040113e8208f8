"""Compressed integers: all sizes, and damaged bytes."""

import numpy as np
import pytest

from minigraph.mindrecord.integer_compression import compress_integers, expand_integers

EDGES = [sign * 2**bits + more for bits in (0, 7, 8, 15, 16, 31, 62) for sign in (1, -1) for more in (-1, 0, 1)]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, len(EDGES)])
def test_integers_come_back(count: int) -> None:
    values = np.array(EDGES[:count], np.int64)
    data = compress_integers(values)
    assert expand_integers(data).tolist() == values.tolist()
    sizes = [1 + (x != np.int8(x % 256 - 256 * (x % 256 > 127))) for x in values if -(2**15) <= x < 2**15]
    assert len(data) >= 4 + -(-count // 4) + sum(sizes)
    for wrong in (data[:-1], data + b"\0"):
        with pytest.raises(ValueError, match="cannot contain a compressed array"):
            expand_integers(wrong)


def test_a_count_that_is_too_large_takes_no_memory() -> None:
    with pytest.raises(ValueError, match="9 bytes cannot contain a compressed array of 4294967295 integers"):
        expand_integers(b"\xff\xff\xff\xff" + bytes(5))


def test_sizes() -> None:
    assert len(compress_integers(np.full(4, 127))) == 4 + 1 + 4
    assert len(compress_integers(np.full(4, 128))) == 4 + 1 + 8
    assert len(compress_integers(np.full((2, 2), -(2**31)))) == 4 + 1 + 16
    assert len(compress_integers(np.full(4, 2**31))) == 4 + 1 + 32
