"""``recompute``: a Cell's call whose results MindSpore computes again for the gradient."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function, PyTree
from minigraph.core.errors import ArgTypeError
from minigraph.nn.cell import Cell


def recompute(
    block: Function, *args: PyTree, use_reentrant: bool = True, output_recompute: bool = False, early_stop: bool = True,
    context_fn: Function | None = None, **kwargs: Any,
) -> PyTree:  # fmt: skip
    """The result of ``block(*args, **kwargs)``; its gradient is the same, and nothing is computed twice.

    Raises ``TypeError`` with ``use_reentrant`` for anything but a Cell, as MindSpore does.

    >>> from minigraph import Tensor, nn
    >>> print(recompute(nn.ReLU(), Tensor([-1.0, 2.0])))
    [0. 2.]
    """
    if use_reentrant and not isinstance(block, Cell):
        raise ArgTypeError(
            "Recompute function now only support block which inherited from Cell when use_reentrant=True! "
            f"Got {type(block).__name__}; pass use_reentrant=False."
        )
    return block(*args, **kwargs)
