"""Parameters get their new values, large ones where the old ones lie: all of them or none.

The last part of a program is one call that goes on in C until all is done: it writes over the arrays of Parameters, as
far as that is meant, and gives others new ones. Who reads a Parameter op by op in another thread meanwhile may see an
array that is half written over. An array that anybody else holds, which a view of it does, stays as it is, and the
Parameter gets a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from itertools import chain
from sys import getrefcount
from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.execute.updating import assignments, exhaust


def commit(updates: Iterable[Iterator[Any]], tensors: Sequence[Tensor], arrays: Sequence[np.ndarray]) -> None:
    """Give all tensors other arrays behind iterators in C, which write into arrays; who calls it holds ``changing``."""
    _silently(exhaust, chain(*updates, assignments(tensors, arrays)))


def _silent() -> Callable[..., Any]:
    """What calls a function while numpy says nothing of inf and nan: numpy 2 asks the context what to say."""
    if np.lib.NumpyVersion(np.__version__) < "2.0.0":
        return np.errstate(all="ignore")(lambda function, *given: function(*given))
    context = copy_context()
    context.run(np.seterr, all="ignore")
    return context.run


_silently = _silent()


def places_for(tensors: Sequence[Tensor], arrays: list[np.ndarray], which: Iterable[int]) -> list[np.ndarray]:
    """Where new values of ``which`` tensors may be written: their own arrays if nobody else would see it, or new ones.

    ``arrays`` has the arrays of all tensors, and is the only list of them.

    >>> tensor = Tensor([1.0])
    >>> places_for([tensor], [tensor.array], [0])[0] is tensor.array
    True
    >>> seen = tensor.asnumpy()
    >>> places_for([tensor], [tensor.array], [0])[0] is tensor.array
    False
    """
    counts = [*map(getrefcount, arrays)]  # called by C, which holds as many references everywhere
    return [_place(tensors[k], arrays[k], counts[k] == _FREE) for k in which]


def _place(tensor: Tensor, array: np.ndarray, free: bool) -> np.ndarray:
    """The array, if it is a tensor's alone, has memory of its own, and lies as a new one would; else a new one."""
    mine = free and tensor.array is array and array.__class__ is np.ndarray and array.base is None
    return array if mine and array.flags.carray else np.empty(array.shape, array.dtype)


def _references() -> int:
    """What is counted for an array that a tensor and a list hold."""
    tensor = Tensor(0.0)
    return next(map(getrefcount, [tensor.array]))


_FREE = _references()
