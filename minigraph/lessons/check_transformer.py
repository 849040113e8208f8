"""The checker of the lesson on a Vision Transformer."""

from __future__ import annotations

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.answers import checker, tensor_of
from minigraph.lessons.feedback import WrongAnswerError, node_text, nodes_text, operators

IMAGE_SIDE, PATCH_SIDE = 8, 2  # pixels
MAX_OPERATORS = 4


@checker
def check_patches(patches: Function, images: Tensor) -> None:
    """Check that every pixel is in its place, with at most four operators for all images and patches."""
    answer = tensor_of("patches(images)", patches, images, blank="images.reshape(...), then two more steps")
    graph, squares = trace(patches, images), (IMAGE_SIDE // PATCH_SIDE) ** 2
    expected = TensorType((images.shape[0], squares, PATCH_SIDE * PATCH_SIDE), images.dtype)
    if answer.type != expected:
        raise WrongAnswerError(f"{node_text(graph, producer(graph.outs[0]))} is {answer.type}, not {expected}")
    _check_positions(patches, graph, len(images))
    _check_positions(patches, graph, 1)
    nodes = operators(graph)
    if len(nodes) > MAX_OPERATORS:
        raise WrongAnswerError(
            f"right pixels, but {len(nodes)} operators: {nodes_text(graph, nodes)}; reshape can split two axes"
        )
    print(f"Right: {squares} tokens of {PATCH_SIDE * PATCH_SIDE} pixels, computed by {nodes_text(graph, nodes)}.")


def _check_positions(patches: Function, graph: Graph, count: int) -> None:
    """Run ``patches`` on images of pixel numbers to see where each pixel goes."""
    pixels = np.arange(IMAGE_SIDE * IMAGE_SIDE, dtype=np.float32).reshape(1, 1, IMAGE_SIDE, IMAGE_SIDE).repeat(count, 0)
    call = f"n may be any number, but patches of images [{count}, 1, {IMAGE_SIDE}, {IMAGE_SIDE}]"
    actual = tensor_of(call, patches, Tensor(pixels), blank="return tokens").asnumpy()[-1].astype(int)
    down, across = np.divmod(np.arange(len(actual)), IMAGE_SIDE // PATCH_SIDE)
    corner = (down * IMAGE_SIDE + across) * PATCH_SIDE
    offsets = (np.arange(PATCH_SIDE)[:, None] * IMAGE_SIDE + np.arange(PATCH_SIDE)).ravel()
    expected = corner[:, None] + offsets
    for token in np.flatnonzero((actual != expected).any(axis=1))[:1]:
        last = node_text(graph, producer(graph.outs[0]))
        raise WrongAnswerError(
            f"token {token} holds pixels {_pixels(actual[token])}, not {_pixels(expected[token])} ({last})"
        )


def _pixels(numbers: np.ndarray) -> str:
    return ", ".join(str(divmod(int(number), IMAGE_SIDE)) for number in numbers)
