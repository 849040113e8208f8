"""Arguments that are other arguments or views of them, where a function writes to one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.inplace import root_of


def may_alias(written: Tensor, other: Tensor | Array) -> bool:
    """Whether a write may change another tensor or array; after a write, views of one tensor share no memory."""
    if isinstance(other, np.ndarray):
        return np.may_share_memory(written.array, other)
    return root_of(written) is root_of(other) or np.may_share_memory(written.array, other.array)


def is_alias_written(written: Sequence[int | Tensor], leaves: Sequence[Tensor]) -> bool:
    """Whether a target that a function writes to, a leaf's position or another tensor, may alias another leaf."""
    targets = [(target, leaves[target]) if isinstance(target, int) else (None, target) for target in written]
    return any(k != own and may_alias(target, leaf) for own, target in targets for k, leaf in enumerate(leaves))
