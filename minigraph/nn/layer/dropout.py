"""Dropout of elements and of channels."""

from __future__ import annotations

from collections.abc import Callable

from minigraph import ops
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.nn.arguments import check_type
from minigraph.nn.cell import Cell


class Dropout(Cell):
    """In training each element is 0 with probability ``p``, else divided by 1 - p; the identity in evaluation.

    Each call samples a new mask, in both modes (Srivastava et al. 2014). ``keep_prob`` is the older form of 1 - p and
    is used only without ``p``. Raises ``ValueError`` for p outside of [0, 1) or keep_prob outside of (0, 1].
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = float32) -> None:
        super().__init__()
        if p is None and not 0.0 < keep_prob <= 1.0:
            problem = f"the 'keep_prob' must be a number in range (0, 1], but got {keep_prob}."
            raise ArgValueError(f"For 'Dropout', {problem}")
        if p is not None and not 0.0 <= p < 1.0:
            raise ArgValueError(f"For 'Dropout', the 'p' must be a number in range [0, 1), but got {p}.")
        self.p = float(1 - keep_prob if p is None else p)
        self.setting = f"keep_prob={keep_prob}" if p is None else f"p={p}"

    def construct(self, x: Tensor) -> Tensor:
        """Float tensor of any shape; shape and dtype kept."""
        return ops.dropout(x, p=self.p) if self.training and self.p > 0.0 else x

    def extend_repr(self) -> str:
        """The probability as it was passed."""
        return self.setting


class ChannelDropout(Cell):
    """The base class: in training each whole channel is 0 with probability ``p``, else divided by 1 - p.

    (Tompson et al. 2015, arXiv 1411.4280.) Raises ``TypeError`` unless ``p`` is a float and ``ValueError`` for a ``p``
    outside of [0, 1].
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        caller = type(self).__name__
        if not 0.0 <= check_type(caller, "p", p, float) <= 1.0:
            raise ArgValueError(f"For '{caller}', the 'p' must be a number in range [0, 1], but got {p}.")
        self.p = p

    def drop_channels(self, x: Tensor, drop: Callable[[Tensor, float], Tensor], ranks: tuple[int, ...]) -> Tensor:
        """``x`` with channels dropped in training; raises ``ShapeError`` for other ranks."""
        if not self.training or self.p == 0.0:
            return x
        if len(x.shape) not in ranks:
            raise ShapeError(f"{type(self).__name__}: needs an input of rank {ranks}, got shape {list(x.shape)}")
        return drop(x, self.p)

    def extend_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Dropout1d(ChannelDropout):
    """``ChannelDropout`` of sequences."""

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, L] or [C, L]; shape and dtype kept."""
        return self.drop_channels(x, ops.dropout1d, (2, 3))


class Dropout3d(ChannelDropout):
    """``ChannelDropout`` of volumes."""

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, D, H, W] or [C, D, H, W]; shape and dtype kept."""
        return self.drop_channels(x, ops.dropout3d, (4, 5))


class Dropout2d(ChannelDropout):
    """``ChannelDropout`` of images."""

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, H, W]; shape and dtype kept."""
        return self.drop_channels(x, ops.dropout2d, (4,))


class DropoutExt(Dropout):
    """``Dropout`` with the probability of a zero as first argument; ``inplace`` has no effect."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p=p)

    def extend_repr(self) -> str:
        """Nothing, as in MindSpore."""
        return ""


class Dropout2dExt(Dropout2d):
    """``Dropout2d``; ``inplace`` has no effect."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(float(p))

    def extend_repr(self) -> str:
        """Nothing, as in MindSpore."""
        return ""
