"""Warnings and errors about gradients that are zero because a value on the way is not differentiable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.autodiff.differentiability import Blocker, Diagnostics, NonDifferentiableWarning
from minigraph.core.context import get_context
from minigraph.core.errors import ArgValueError, CaptureError
from minigraph.core.location import expression_text, user_loc, warn
from minigraph.core.op import is_eager
from minigraph.core.tensor import Tensor

REMEDY = "compute with floats, or use ops.stop_gradient where zeros are meant"
Target = tuple[str, Any, Tensor | None]  # the name of an argument or Parameter, its tensor, and its gradient


def report_blocked_gradients(diagnostics: Diagnostics, targets: Sequence[Target]) -> None:
    """Warn once of the gradients that are zero because of a blocker.

    Raises ``ValueError`` instead under ``set_context(nondifferentiable="error")``, and ``CaptureError`` during tracing
    for a gradient that only some runs of the graph have, since a graph cannot warn of it.
    """
    if not is_eager():
        for name, tensor, gradient in targets:
            _refuse_uncertain(diagnostics, name, tensor, gradient)
    blockers = diagnostics.blockers
    blocked = [(name, blockers[t]) for name, t, gradient in targets if gradient is None and t in blockers]
    if not blocked:
        return
    blocker = blocked[0][1]
    names = " and ".join(name for name, other in blocked if other == blocker)
    message = f"grad: {_value_text(blocker)} is not differentiable"
    if get_context("nondifferentiable") == "error":
        raise ArgValueError(f"{message}, so {names} has no gradient; {REMEDY}")
    warn(f"{message}, so the gradient w.r.t. {names} is zero; {REMEDY}", NonDifferentiableWarning)


def _refuse_uncertain(diagnostics: Diagnostics, name: str, tensor: Any, gradient: Tensor | None) -> None:
    is_zero = gradient is None and isinstance(tensor, Tensor)
    is_uncertain = gradient is not None and tensor in diagnostics.uncertain
    blocker = diagnostics.blockers.get(tensor) if is_zero or is_uncertain else None
    if blocker is not None and not (is_zero and blocker.is_certain):
        message = f"grad: whether {name} has a gradient depends on a branch or loop, because {_value_text(blocker)}"
        raise CaptureError(f"{message} is not differentiable; {REMEDY}")


def _value_text(blocker: Blocker) -> str:
    return f"the {blocker.type} value{expression_text(blocker.loc or user_loc())}"
