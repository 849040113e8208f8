"""The checker of the lesson on a Vision Transformer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, producer
from minigraph.lessons.told import NotYet, listed, named, operators

SIDE, PATCH = 8, 2  # pixels
MOST = 4  # operators


def check_patches(patches: Callable[..., Any], images: Tensor) -> None:
    """Every pixel in its place, with a few operators for all images and squares."""
    answer = patches(images)
    if answer is None:
        raise NotYet("patches returns nothing yet: images.reshape(...), and two steps more")
    graph, squares = trace(patches, images), (SIDE // PATCH) ** 2
    wanted = TensorType((images.shape[0], squares, PATCH * PATCH), images.dtype)
    if answer.type != wanted:
        raise NotYet(f"{named(graph, producer(graph.outs[0]))} is {answer.type}, not {wanted}")
    _check_places(patches, graph)
    found = operators(graph)
    if len(found) > MOST:
        raise NotYet(f"right pixels, but {len(found)} operators: {listed(graph, found)}; one reshape splits both axes")
    print(f"Right: {squares} tokens of {PATCH * PATCH} pixels, made of {listed(graph, found)}.")


def _check_places(patches: Callable[..., Any], graph: Graph) -> None:
    """Pixels that carry their own number tell where they went."""
    pixels = np.arange(SIDE * SIDE, dtype=np.float32).reshape(1, 1, SIDE, SIDE)
    found = patches(Tensor(pixels)).asnumpy()[0].astype(int)
    down, across = np.divmod(np.arange(len(found)), SIDE // PATCH)
    corner = (down * SIDE + across) * PATCH
    inside = (np.arange(PATCH)[:, None] * SIDE + np.arange(PATCH)).ravel()
    want = corner[:, None] + inside
    for token in np.flatnonzero((found != want).any(axis=1))[:1]:
        last = named(graph, producer(graph.outs[0]))
        raise NotYet(f"token {token} holds pixels {_places(found[token])}, not {_places(want[token])} ({last})")


def _places(numbers: np.ndarray) -> str:
    return ", ".join(str(divmod(int(number), SIDE)) for number in numbers)
