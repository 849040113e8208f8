"""Operators under their public path: the record, the table, and ``apply``; ``minigraph.core.op`` defines them."""

from minigraph.core.deprecated_names import op_getattr as __getattr__  # noqa: F401
from minigraph.core.op import (
    TABLE,
    EachOperand,
    Op,
    Sample,
    apply,
    current_interpreter,
    define,
    is_eager,
    op_named,
    record_on,
    use_interpreter,
)
from minigraph.operators.check_operator import check_operator

__all__ = [
    "TABLE",
    "EachOperand",
    "Op",
    "Sample",
    "apply",
    "check_operator",
    "current_interpreter",
    "define",
    "is_eager",
    "op_named",
    "record_on",
    "use_interpreter",
]
