"""What operators of one family share, so that a record states only what is its own.

``elementwise(...)``, ``reduction(...)``, ``view(...)`` and ``composite(...)`` fill in type inference, work
and tests, and enter the record into the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.errors import DTypeError
from minigraph.op import VJP, Op, Sample, Work, apply, define
from minigraph.types import DType, TensorType, bool_, broadcast


def traffic(out: Any, ins: Sequence[TensorType]) -> dict[str, int]:
    """The bytes read and written when every operand and result crosses global memory once."""
    outs = out if isinstance(out, tuple) else (out,)
    return {"read": sum(t.nbytes for t in ins), "written": sum(t.nbytes for t in outs)}
