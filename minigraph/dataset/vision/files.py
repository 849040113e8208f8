"""Image files, and images of the Python Imaging Library: reading, writing, conversion.

Files need the library ``pillow``, of the extra ``pictures``.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, UnknownNameError, UsageError
from minigraph.core.files import write_atomically
from minigraph.core.lazy import resolve
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.dataset.arguments import as_array
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.vision.color import gray
from minigraph.dataset.vision.images import Size, as_image, height_and_width
from minigraph.dataset.vision.random_operations import random_resized_crop
from minigraph.dataset.vision.resize import Inter

SCALE, RATIO = (0.08, 1.0), (3 / 4, 4 / 3)


class ImageReadMode(IntEnum):
    """What ``read_image`` returns: the channels of the file, one of gray, or three of colour."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


def pillow() -> Any:
    """The module ``PIL.Image``; raises ``UsageError`` that names the extra if it is not installed."""
    try:
        return resolve("PIL.Image")
    except (ImportError, UnknownNameError):
        raise UsageError("image files need the library pillow: pip install 'minigraph[pictures]'") from None


# ---- files -----------------------------------------------------------------------------------------


def read_file(filename: str) -> np.ndarray:
    """The bytes of a file as uint8[n]; raises ``RuntimeError`` if there is no such file."""
    path = Path(filename)
    if not path.is_file():
        raise ArgRuntimeError(f"read_file: Invalid file path, {filename} does not exist.")
    return np.frombuffer(path.read_bytes(), np.uint8)


def write_file(filename: str, data: Any) -> None:
    """Writes uint8[n] as a file, atomically."""
    write_atomically(filename, _file_bytes("write_file", as_array(data)))


def _file_bytes(where: str, content: np.ndarray) -> bytes:
    """The bytes of a file from uint8[n] or one byte string, as in a column of ``MindDataset``."""
    is_string = content.dtype.kind == "S" and content.size == 1
    if not is_string and (content.dtype != np.uint8 or content.ndim != 1):
        got = f"{content.dtype}{list(content.shape)}"
        raise ArgRuntimeError(f"{where}: expected the bytes of a file, uint8[n], got {got}")
    return content.tobytes()


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """The image [H, W, C] of a file; raises ``RuntimeError`` if there is no such file, or no image in it."""
    pixels = _decode(read_file(filename), None)
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    if mode is ImageReadMode.GRAYSCALE and pixels.shape[2] == 3:
        pixels = gray(pixels)[..., None].astype(np.uint8)
    if mode is ImageReadMode.COLOR and pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, -1)
    return pixels


def _decode(content: np.ndarray, mode: str | None) -> np.ndarray:
    data = _file_bytes("Decode", content)
    try:
        picture = pillow().open(io.BytesIO(data))
        return np.array(picture if mode is None else picture.convert(mode))
    except OSError as error:
        reraise_handler_error(error)
        raise ArgRuntimeError("Decode: the bytes are no image that pillow can read") from None


def _encode(kind: str, image: Any, **options: int) -> np.ndarray:
    pixels = as_image(f"encode_{kind}", image)
    if pixels.dtype != np.uint8:
        raise ArgRuntimeError(f"encode_{kind}: The type of the image data should be UINT8, but got {pixels.dtype}.")
    out = io.BytesIO()
    pillow().fromarray(pixels.squeeze()).save(out, kind, **options)
    return np.frombuffer(out.getvalue(), np.uint8)


def encode_jpeg(image: Any, quality: int = 75) -> np.ndarray:
    """The bytes uint8[n] of an image of bytes as a JPEG file."""
    return _encode("jpeg", image, quality=quality)


def encode_png(image: Any, compression_level: int = 6) -> np.ndarray:
    """The bytes uint8[n] of an image of bytes as a PNG file."""
    return _encode("png", image, compress_level=compression_level)


def write_jpeg(filename: str, image: Any, quality: int = 75) -> None:
    """Writes an image of bytes as a JPEG file."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: Any, compression_level: int = 6) -> None:
    """Writes an image of bytes as a PNG file."""
    write_file(filename, encode_png(image, compression_level))


def get_image_size(image: Any) -> list[int]:
    """[height, width] of an image.

    >>> get_image_size(np.zeros((4, 5, 3), np.uint8)), get_image_num_channels(np.zeros((4, 5, 3), np.uint8))
    ([4, 5], 3)
    """
    return list(as_image("get_image_size", image).shape[:2])


def get_image_num_channels(image: Any) -> int:
    """The number of channels of an image."""
    pixels = as_image("get_image_num_channels", image)
    return pixels.shape[2] if pixels.ndim == 3 else 1


# ---- images of pillow ------------------------------------------------------------------------------


def decode(content: np.ndarray, to_pil: bool) -> Any:
    """The colours [H, W, 3] of the bytes of an image file; ``to_pil``: as an image of pillow."""
    pixels = _decode(content, "RGB")
    return to_pil_image(pixels) if to_pil else pixels


def to_pil_image(image: np.ndarray) -> Any:
    """An image of pillow from [H, W, C] or [H, W] of bytes."""
    return pillow().fromarray(as_image("ToPIL", image).squeeze())


def to_numpy(image: np.ndarray) -> np.ndarray:
    """The array [H, W, C] of an image of pillow."""
    return np.array(image)


def grayscale(image: np.ndarray, num_output_channels: int) -> Any:
    """An image of pillow in gray, with one or three equal channels."""
    if num_output_channels not in (1, 3):
        raise ArgValueError(f"num_output_channels must be either 1 or 3, but got {num_output_channels}.")
    picture = to_pil_image(image).convert("L")
    return picture if num_output_channels == 1 else picture.convert("RGB")


def five_crop(image: np.ndarray, size: Size) -> tuple[Any, ...]:
    """The corners (top left, top right, bottom left, bottom right) and the middle, as images of pillow."""
    (height, width), (rows, columns) = image.shape[:2], height_and_width("FiveCrop", size)
    if rows > height or columns > width:
        raise ArgValueError(f"Crop size {[rows, columns]} is bigger than input size {[height, width]}.")
    bottom, right = height - rows, width - columns
    corners = ((0, 0), (0, right), (bottom, 0), (bottom, right), (round(bottom / 2), round(right / 2)))
    return tuple(to_pil_image(image[i : i + rows, j : j + columns]) for i, j in corners)


def ten_crop(image: np.ndarray, size: Size, use_vertical_flip: bool) -> tuple[Any, ...]:
    """``FiveCrop`` of the image and of the flipped one."""
    flipped = image[::-1] if use_vertical_flip else image[:, ::-1]
    return five_crop(image, size) + five_crop(flipped, size)


def random_grayscale(rng: np.random.Generator, image: np.ndarray, prob: float) -> Any:
    """``Grayscale`` with as many channels as before, with probability ``prob``."""
    channels = 3 if image.ndim == 3 and image.shape[2] == 3 else 1
    return grayscale(image, channels) if rng.random() < prob else to_pil_image(image)


def random_crop_decode_resize(rng: np.random.Generator, content: np.ndarray, **options: Any) -> np.ndarray:
    """``RandomResizedCrop`` of the decoded bytes of a file."""
    return random_resized_crop(rng, _decode(content, "RGB"), **options)


def to_type(image: np.ndarray, data_type: Any) -> np.ndarray:
    """The image cast to a dtype."""
    try:
        return image.astype(np.dtype(getattr(data_type, "numpy", data_type)))
    except TypeError:
        raise ArgTypeError(f"ToType: expected a dtype such as np.float32, got {data_type!r}") from None


def not_random(func: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a user's operation as not random, which is for readers; it returns the function."""
    return func


OPERATION_TABLE: OperationTable = {
    "Decode": (decode, lambda to_pil=False: dict(locals())),
    "FiveCrop": (five_crop, lambda size: dict(locals())),
    "Grayscale": (grayscale, lambda num_output_channels=1: dict(locals())),
    "TenCrop": (ten_crop, lambda size, use_vertical_flip=False: dict(locals())),
    "ToNumpy": (to_numpy, dict),
    "ToPIL": (to_pil_image, dict),
    "ToType": (to_type, lambda data_type: dict(locals())),
}
RANDOM_OPERATION_TABLE: OperationTable = {
    "RandomCropDecodeResize": (random_crop_decode_resize, lambda size, scale=SCALE, ratio=RATIO, interpolation=
                               Inter.BILINEAR, max_attempts=10: dict(locals())),
    "RandomGrayscale": (random_grayscale, lambda prob=0.1: dict(locals())),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision")
OPERATIONS |= operation_classes(RANDOM_OPERATION_TABLE, "minigraph.dataset.vision", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = [  # noqa: PLE0604 - strings
    "ImageReadMode", "encode_jpeg", "encode_png", "get_image_num_channels", "get_image_size", "not_random",
    "read_file", "read_image", "write_file", "write_jpeg", "write_png", *OPERATIONS,
]  # fmt: skip
