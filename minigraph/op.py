"""Operators under their public path: the record, the table, and ``apply``; ``minigraph.core.op`` defines them."""

from minigraph.core.deprecated_names import deprecated_getattr
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

__all__ = [
    "TABLE",
    "EachOperand",
    "Op",
    "Sample",
    "apply",
    "current_interpreter",
    "define",
    "is_eager",
    "op_named",
    "record_on",
    "use_interpreter",
]

__getattr__ = deprecated_getattr(
    __name__, {"computing_now": "is_eager", "interpreting": "use_interpreter", "listening": "record_on"}
)
