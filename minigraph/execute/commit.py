"""Parameters get their new values: all of them or none, whatever happens meanwhile.

Ctrl-C, or another handler's error, is raised between two instructions of Python. So the last part of a program is one
call that goes on in C until all is done. Compiled programs in other threads wait for each other here, and see
Parameters before or after a step; who reads a Parameter op by op in another thread may see some of each.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from threading import RLock
from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor

changing = RLock()  # held by programs while they look at the values of Parameters, or change them

_set_array: Any = vars(Tensor)["array"].__set__
_set_form: Any = vars(Tensor)["form"].__set__
exhaust: Any = deque[Any](maxlen=0).extend  # goes through an iterator in C


def keep(tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> None:
    """Give all tensors other arrays.

    >>> tensor = Tensor([1.0])
    >>> keep([tensor], [np.float32([2.0, 3.0])])
    >>> tensor.tolist()
    [2.0, 3.0]
    """
    exhaust(assignments(tensors, arrays))


def assignments(tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> Iterator[Any]:
    """An iterator in C; whoever exhausts it gives all tensors other arrays."""
    return chain(map(_set_array, tensors, arrays), map(_set_form, tensors, repeat(None)))


if hasattr(os, "register_at_fork"):  # a child begins when nobody is changing anything
    os.register_at_fork(before=changing.acquire, after_in_parent=changing.release, after_in_child=changing.release)
