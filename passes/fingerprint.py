"""Fingerprints of pipelines: the part of a cache key that identifies the passes and options that produced a result."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from passes.core.registry import Pass
from passes.rewrite.costs import COSTS
from passes.rulebook import RULES, SHIPPED


def fingerprint(passes: Iterable[Pass]) -> str | None:
    """The passes with all of their options; ``None`` if code or files of users are involved, which may change.

    >>> from passes.core.registry import as_pass
    >>> fingerprint([as_pass("cse"), as_pass("constant_fold")])
    'cse(); constant_fold(max_bytes=65536)'
    """
    passes = list(passes)
    has_user_code = any(not step.body.__module__.startswith("passes.") for step in passes)
    has_file = any(_is_file(value) for step in passes for value in step.options.values())
    if has_user_code or has_file or COSTS or RULES.keys() != SHIPPED:
        return None
    return "; ".join(map(_pass_text, passes))


def _pass_text(step: Pass) -> str:
    return f"{step.name}({', '.join(f'{name}={value!r}' for name, value in sorted(step.options.items()))})"


def _is_file(value: object) -> bool:
    """Whether an option is the name of a file, such as a chip file."""
    return isinstance(value, str) and bool(value) and Path(value).exists()
