"""How a capture reads the functions it meets on its way: as they are written, unless another reading is given."""

from __future__ import annotations

from typing import Any


class AsWritten:
    """Functions are called as they are, and values that are not known yet cannot be had.

    ``way_out`` is what to do instead of asking for one; error texts end with it.
    """

    way_out = (
        "use ops.where or another operator, @jit(capture_mode='ast') for if, while and numpy, or compute it outside of "
        "@jit"
    )

    def __call__(self, fn: Any) -> Any:
        """The function that is called instead of ``fn``."""
        return fn

    def to_numpy(self, tracer: Any) -> Any:
        """What ``asnumpy()`` of a value that is not known yet gives; raises ``TraceError``."""
        return tracer.array
