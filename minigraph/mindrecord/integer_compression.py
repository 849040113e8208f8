"""Arrays of integers in as few bytes per element as each needs: 1, 2, 4 or 8.

A compressed array is its number of elements (4 bytes, big-endian), two bits per element for the binary logarithm of
its size, beginning with the highest bits of a byte, and then the elements, little-endian.
"""

from __future__ import annotations

import numpy as np

COUNT_BYTES = 4  # of the number of elements
SHIFTS = np.array([6, 4, 2, 0], np.uint8)  # bits, of the four elements whose sizes a byte encodes


def compress_integers(values: np.ndarray) -> bytes:
    """The compressed bytes of an int32 or int64 array.

    >>> compress_integers(np.array([-5, 995], np.int32)).hex()
    '0000000210fbe303'
    """
    flat = values.ravel().astype("<i8")
    sizes = np.zeros(flat.size, np.uint8)
    for bits in (8, 16, 32):
        sizes += (flat < -(1 << bits - 1)) | (flat >= 1 << bits - 1)
    padded = np.zeros(-(-flat.size // 4) * 4, np.uint8)
    padded[: flat.size] = sizes
    size_codes = (padded.reshape(-1, 4) << SHIFTS).sum(1, dtype=np.uint8)
    is_used = np.arange(8) < (1 << sizes.astype(int))[:, None]
    data = flat.view(np.uint8).reshape(-1, 8)[is_used]
    return flat.size.to_bytes(COUNT_BYTES, "big") + size_codes.tobytes() + data.tobytes()


def expand_integers(data: bytes) -> np.ndarray:
    """The int64 array in compressed bytes; raises ``ValueError`` if their number contradicts the encoded sizes.

    >>> expand_integers(bytes.fromhex("0000000210fbe303")).tolist()
    [-5, 995]
    """
    count = int.from_bytes(data[:COUNT_BYTES], "big")
    start = COUNT_BYTES + -(-count // 4)
    if len(data) < start + count:  # every element has at least one byte
        raise ValueError(f"{len(data)} bytes cannot contain a compressed array of {count} integers")
    size_codes = np.frombuffer(data, np.uint8, start - COUNT_BYTES, COUNT_BYTES)
    sizes = 1 << ((size_codes[:, None] >> SHIFTS) & 3).ravel()[:count].astype(int)
    if len(data) != start + int(sizes.sum()):
        raise ValueError(f"{len(data)} bytes cannot contain a compressed array of {count} integers")
    elements = np.zeros((count, 8), np.uint8)
    is_used = np.arange(8) < sizes[:, None]
    elements[is_used] = np.frombuffer(data, np.uint8, offset=start)
    negative = elements[np.arange(count), sizes - 1] >= 128 if count else np.zeros(0, bool)
    elements[~is_used & negative[:, None]] = 255
    return elements.view("<i8").ravel()
