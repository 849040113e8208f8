"""Warnings and errors about gradients that are zero because a value on the way is not differentiable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.autodiff.differentiability import Cut, Cuts, NonDifferentiableWarning
from minigraph.core.context import get_context
from minigraph.core.errors import CaptureError, ValueArgument
from minigraph.core.location import expression_text, user_loc, warn
from minigraph.core.op import is_eager
from minigraph.core.tensor import Tensor

REMEDY = "compute with floats, or use ops.stop_gradient where zeros are meant"
Target = tuple[str, Any, Tensor | None]  # the name of an argument or Parameter, its tensor, and its gradient


def report_cuts(cuts: Cuts, targets: Sequence[Target]) -> None:
    """Warn once of the gradients that are zero behind a cut.

    Raises ``ValueError`` instead under ``set_context(nondifferentiable="error")``, and ``CaptureError`` during tracing
    for a gradient that only some runs of the graph have, since a graph cannot warn of it.
    """
    if not is_eager():
        for name, tensor, gradient in targets:
            _refuse_uncertain(cuts, name, tensor, gradient)
    behind = [(name, cuts.marks[t]) for name, t, gradient in targets if gradient is None and t in cuts.marks]
    if not behind:
        return
    cut = behind[0][1]
    names = " and ".join(name for name, other in behind if other == cut)
    message = f"grad: {_value_text(cut)} is not differentiable"
    if get_context("nondifferentiable") == "error":
        raise ValueArgument(f"{message}, so {names} has no gradient; {REMEDY}")
    warn(f"{message}, so the gradient w.r.t. {names} is zero; {REMEDY}", NonDifferentiableWarning)


def _refuse_uncertain(cuts: Cuts, name: str, tensor: Any, gradient: Tensor | None) -> None:
    is_zero = gradient is None and isinstance(tensor, Tensor)
    cut = cuts.marks.get(tensor) if is_zero or (gradient is not None and tensor in cuts.uncertain) else None
    if cut is not None and not (is_zero and cut.is_certain):
        message = f"grad: whether {name} has a gradient depends on a branch or loop, because {_value_text(cut)}"
        raise CaptureError(f"{message} is not differentiable; {REMEDY}")


def _value_text(cut: Cut) -> str:
    return f"the {cut.type} value{expression_text(cut.loc or user_loc())}"
