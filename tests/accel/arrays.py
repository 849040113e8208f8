"""Helpers to compare the results of programs."""

import numpy as np

from minigraph import Tensor
from minigraph.core.pytree import leaves_of


def arrays_of(structure):
    """The arrays of all tensors of a structure."""
    return [leaf.array for leaf in leaves_of(structure, lambda item: isinstance(item, Tensor))]


def bits(arrays):
    """Shapes, dtypes and bits, with all NaNs made equal."""
    arrays = [*map(np.asarray, arrays)]
    canonical = [np.where(np.isnan(a), a.dtype.type(np.nan), a) if a.dtype.kind == "f" else a for a in arrays]
    return [(a.shape, a.dtype, a.tobytes()) for a in canonical]
