"""Event files: records are read back by a reader of their own, with the checksums of the specification."""

import struct
import zlib

import numpy as np
import pytest

from minigraph.core.errors import ShapeError
from minigraph.train.callback.event_file import EventFile, checksum, png


def records(path):
    data, at = path.read_bytes(), 0
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        body = data[at + 12 : at + 12 + length]
        assert data[at + 8 : at + 12] == checksum(data[at : at + 8]), "the checksum of a length"
        assert data[at + 12 + length : at + 16 + length] == checksum(body), "the checksum of a message"
        yield fields(body)
        at += 16 + length


def fields(data):
    """The fields of a message by number; of several with a number the last one."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == 0:
            found[number], at = varint(data, at)
        elif kind == 2:
            size, at = varint(data, at)
            found[number], at = data[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            (found[number],), at = struct.unpack_from({1: "<d", 5: "<f"}[kind], data, at), at + size
    return found


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        if data[at] < 0x80:
            return value, at + 1
        at, shift = at + 1, shift + 7


@pytest.fixture
def written(tmp_path):
    """A function that writes by one method, and returns the step and the fields of the value."""

    def write(method, *arguments):
        file = EventFile(tmp_path / "events", "_x")
        getattr(file, method)(*arguments)
        file.flush()
        file.close()
        (path,) = (tmp_path / "events").iterdir()
        assert path.name.endswith("_x")
        version, *events = records(path)
        assert version[3] == b"brain.Event:2"
        return [(event[2], fields(fields(event[5])[1])) for event in events]

    return write


def test_a_number(written):
    ((step, value),) = written("add_scalar", "loss", 0.5, 300)
    assert (step, value) == (300, {1: b"loss", 2: 0.5})


def test_a_distribution(written):
    ((_, value),) = written("add_histogram", "w", np.array([1.0, 2.0, 4.0, np.nan], np.float32), 1)
    histogram = fields(value[5])
    assert [histogram[number] for number in range(1, 6)] == [1.0, 4.0, 3.0, 7.0, 21.0]
    limits, counts = np.frombuffer(histogram[6]), np.frombuffer(histogram[7])
    assert len(limits) == len(counts) == 30 and counts.sum() == 3 and limits[-1] == 4.0


def test_a_distribution_of_no_numbers(written):
    ((_, value),) = written("add_histogram", "w", np.array([np.nan]), 1)
    assert fields(value[5])[3] == 0.0


def test_images_are_png_files(written):
    images = np.zeros((2, 3, 4, 5), np.float32)
    images[1, 0] = 2.0
    first, (_, second) = written("add_images", "x", images, 1)
    image = fields(second[4])
    assert (first[1][1], second[1]) == (b"x/0", b"x/1") and [image[number] for number in (1, 2, 3)] == [4, 5, 3]
    assert image[4] == png((images[1].clip(0, 1) * 255).astype(np.uint8))
    start = image[4].index(b"IDAT") + 4
    pixels = np.frombuffer(zlib.decompress(image[4][start:-16]), np.uint8).reshape(4, 16)
    assert pixels[:, 0].tolist() == [0] * 4 and pixels[0, 1:7].tolist() == [255, 0, 0, 255, 0, 0]


def test_the_checksum_of_the_specification():
    unmasked = (struct.unpack("<I", checksum(b"123456789"))[0] - 0xA282EAD8) & 0xFFFFFFFF
    assert (unmasked << 15 | unmasked >> 17) & 0xFFFFFFFF == 0xE3069283


def test_images_of_another_shape_are_refused(tmp_path):
    file = EventFile(tmp_path)
    with pytest.raises(ShapeError, match=r"images 'x': shape \[2, 2\]; needs \[N, C, H, W\]"):
        file.add_images("x", np.zeros((2, 2)), 1)
    file.close()
