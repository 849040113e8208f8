"""How much the score of a class falls where a part of the input is covered (Zeiler & Fergus 2014)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.train.metrics import Metric


class OcclusionSensitivity(Metric):
    """By how much the class's score falls with the input covered around each element.

    ``update(network, input, label)``, then ``eval()``.

    The input is one row [1, ...]. The ``margin`` elements before the chosen one, it and ``margin - 1`` after it are
    ``pad_val``; ``n_batch`` inputs run at once. ``b_box``, such as [0, 1, 2, 4], limits the elements to [0, 1] and
    [2, 4] of its axes.

    >>> metric = OcclusionSensitivity(margin=1)
    >>> metric.update(lambda x: x * 2, np.array([[1.0, 3.0]], np.float32), 0)
    >>> metric.eval().tolist()
    [2.0, 2.0]
    """

    def __init__(
        self, pad_val: float = 0.0, margin: int | Sequence[int] = 2, n_batch: int = 128,
        b_box: Sequence[int] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self) -> None:
        """Resets the metric."""
        self.result: np.ndarray | None = None

    def update(self, *inputs: Any) -> None:
        """(network, input [1, ...], the label of the class)."""
        network, image, label = inputs
        pixels = self._convert_data(image)
        if pixels.shape[0] != 1:
            raise ShapeError(f"OcclusionSensitivity: expected one input [1, ...], got shape {list(pixels.shape)}")
        shape = pixels.shape[1:]
        margins = [self.margin] * len(shape) if isinstance(self.margin, int) else list(self.margin)
        box = self.b_box or [end for size in shape for end in (0, size - 1)]
        limits = list(zip(box[::2], box[1::2], strict=True))
        places = list(np.ndindex(*(high - low + 1 for low, high in limits)))
        scores = [self._scores(network, pixels, int(np.ravel(label)[0]), margins, limits, places[i : i + self.n_batch])
                  for i in range(0, len(places), self.n_batch)]  # fmt: skip
        self.result = np.concatenate(scores).reshape([high - low + 1 for low, high in limits])

    def _scores(
        self, network: Callable[[Tensor], Tensor], pixels: np.ndarray, label: int, margins: Sequence[int],
        limits: Sequence[tuple[int, int]], places: Sequence[tuple[int, ...]],
    ) -> np.ndarray:  # fmt: skip
        covered = np.repeat(pixels, len(places), 0)
        for row, place in enumerate(places):
            centers = [low + offset for (low, _), offset in zip(limits, place, strict=True)]
            part = tuple(slice(max(at - m, 0), at + m) for at, m in zip(centers, margins, strict=True))
            covered[row][part] = self.pad_val
        before, after = (network(Tensor(inputs)).asnumpy()[:, label] for inputs in (pixels, covered))
        return np.asarray(before - after)

    def eval(self) -> np.ndarray:
        """The difference for every covered element; raises ``RuntimeError`` before ``update``."""
        if self.result is None:
            raise ArgRuntimeError("OcclusionSensitivity can not be evaluated: call 'update' before 'eval'")
        return self.result
