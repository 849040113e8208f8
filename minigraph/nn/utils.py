"""``nn.utils``: MindSpore's block in which Parameters get no initial values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_init_parameters"]


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """A block in which MindSpore leaves the values of new Parameters to a checkpoint; here they are drawn as usual.

    >>> from minigraph import nn
    >>> with no_init_parameters():
    ...     net = nn.Dense(2, 3)
    >>> net.weight.shape
    (3, 2)
    """
    yield
