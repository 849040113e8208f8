"""The commit of a program: an atomic update of its Parameters, all of them or none.

Ctrl-C, or another signal handler's error, is raised between two Python instructions. So the update is one call that
runs in C to its end. ``parameter_lock`` serialises compiled programs of other threads, which see Parameters before or
after it. Code that reads Parameters op by op in another thread does not take the lock and may see old and new values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np

from minigraph.core.scope_guard import consume
from minigraph.core.tensor import Tensor

_set_array: Any = vars(Tensor)["array"].__set__
_set_array_layout: Any = vars(Tensor)["array_layout"].__set__


def set_arrays(tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> None:
    """Assign new arrays to all tensors.

    >>> tensor = Tensor([1.0])
    >>> set_arrays([tensor], [np.float32([2.0, 3.0])])
    >>> tensor.tolist()
    [2.0, 3.0]
    """
    consume(assignments(tensors, arrays))


def assignments(tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> Iterator[object]:
    """An iterator in C that assigns new arrays to all tensors when it is consumed."""
    return chain(map(_set_array, tensors, arrays), map(_set_array_layout, tensors, repeat(None)))
