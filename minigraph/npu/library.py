"""The fused kernels of a chip's library: a named pipeline leaves out the passes that fuse into kernels it lacks."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from minigraph.core.context import get_context, resolve
from minigraph.npu.chips.chip import Chip

KERNELS = {"fuse_attention": "library.attention"}  # by pass: the parameter that is 0 if the library has no such kernel


def passes_without_kernel(pipeline: object, chip: Chip) -> frozenset[str]:
    """The names of the passes that a pipeline leaves out on a chip; none if the caller gives the passes themselves."""
    if not isinstance(pipeline, str):
        return frozenset()
    return frozenset(name for name, key in KERNELS.items() if not attrgetter(key)(chip) and name not in pipeline)


def pipeline_for(pipeline: object, chip: Chip) -> Any:
    """The pipeline of a name, a text or passes, without the passes whose kernels the chip's library lacks.

    A pass that the caller names or gives itself is kept: its kernel is the caller's own. Raises ``UnknownNameError`` or
    ``UsageError`` for an invalid pipeline.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> ["fuse_attention" in str(pipeline_for("cann", chip_named(name))) for name in ("ascend910b1", "ascend910a")]
    [True, False]
    """
    manager, left_out = resolve(get_context("pass_manager")), passes_without_kernel(pipeline, chip)
    resolved = manager(pipeline)
    if not any(step.name in left_out for step in (resolved.passes if left_out else ())):
        return resolved
    return manager([step for step in resolved.steps if getattr(step, "name", "") not in left_out])
