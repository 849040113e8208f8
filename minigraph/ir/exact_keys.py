"""Attribute values as exact keys, for comparisons of nodes, options and guarded values.

In Python ``1 == 1.0 == True`` and ``0.0 == -0.0``; a pass that merges nodes must distinguish them.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable

import numpy as np

from minigraph.core.aliases import Attrs, AttrValue


def exact_key(value: AttrValue) -> Hashable:
    """A key that is equal only for values of the same type and the same bits.

    >>> import math
    >>> exact_key(1) == exact_key(True), exact_key(0.0) == exact_key(-0.0), exact_key(math.nan) == exact_key(math.nan)
    (False, False, True)
    """
    kind = value.__class__
    if isinstance(value, tuple):
        return (kind, *map(exact_key, value))
    if kind is float or kind is complex:
        return kind, struct.pack("<2d", value.real, value.imag)
    if kind is slice:
        return kind, exact_key((value.start, value.stop, value.step))
    if isinstance(value, np.generic):
        return value.dtype.str, value.tobytes()
    return kind, value


def exact_attrs_key(attrs: Attrs) -> Hashable:
    """The exact key of a node's attributes, in any order."""
    if not attrs:
        return ()
    return tuple((name, exact_key(attrs[name])) for name in sorted(attrs))
