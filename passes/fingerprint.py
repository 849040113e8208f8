"""Fingerprints of pipelines: the part of a cache key that identifies the passes and options that produced a result."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from passes.core.registry import Pass
from passes.rewrite.costs import COST_FUNCTIONS
from passes.rulebook import BUILT_IN_SETS, RULES


def fingerprint(passes: Iterable[Pass]) -> str | None:
    """The passes with all of their options; ``None`` if they involve a user's code or files, which may change.

    >>> from passes.core.registry import as_pass
    >>> fingerprint([as_pass("cse"), as_pass("constant_fold")])
    'cse(); constant_fold(max_bytes=65536)'
    """
    passes = list(passes)
    has_user_code = any(not pass_.body.__module__.startswith("passes.") for pass_ in passes)
    has_file = any(_is_file(value) for pass_ in passes for value in pass_.options.values())
    if has_user_code or has_file or COST_FUNCTIONS or RULES.keys() != BUILT_IN_SETS:
        return None
    return "; ".join(map(_pass_text, passes))


def _pass_text(pass_: Pass) -> str:
    return f"{pass_.name}({', '.join(f'{name}={value!r}' for name, value in sorted(pass_.options.items()))})"


def _is_file(value: object) -> bool:
    """Whether an option is the name of a file, such as a chip file."""
    return isinstance(value, str) and bool(value) and Path(value).exists()
