"""Gradients of operators that take any number of operands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any


@dataclass(frozen=True)
class EachOperand:
    """One gradient function for operators with any number of operands: ``fn(position, g, out, *ins, **attrs)``."""

    fn: Callable[..., Any]

    def at(self, position: int) -> Callable[..., Any]:
        """The gradient function of one operand."""
        return partial(self.fn, position)
