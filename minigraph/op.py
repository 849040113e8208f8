"""Operators under their public path: the record, the table, and ``apply``; ``minigraph.core.op`` defines them."""

from minigraph.core.op import (
    TABLE,
    EachOperand,
    Op,
    Sample,
    apply,
    computing_now,
    current_interpreter,
    define,
    interpreting,
    listening,
    op_named,
)

__all__ = [
    "TABLE",
    "EachOperand",
    "Op",
    "Sample",
    "apply",
    "computing_now",
    "current_interpreter",
    "define",
    "interpreting",
    "listening",
    "op_named",
]
