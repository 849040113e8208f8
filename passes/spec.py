"""Pipelines by name and as text: ``"lower_depend,fix(cse,dce),fuse_elementwise{max_nodes=64}"``."""

from __future__ import annotations

from typing import Any

from minigraph.errors import UnknownName, UsageError, did_you_mean
from minigraph.ir.scanner import Scanner
from passes.default import PIPELINES
from passes.pipeline import Fix, Pipeline
from passes.registry import PASSES, Pass, pass_named


def as_pipeline(spec: Any) -> Pipeline:
    """A Pipeline from a Pipeline, a name of ``PIPELINES``, a textual form, or a sequence of passes and names.

    ``()`` and ``"none"`` are the empty pipeline. Raises ``UnknownName`` for a name nobody registered and
    ``ParseError`` for text that is no pipeline.

    >>> print(as_pipeline("fix(cse, dce), fuse_elementwise{max_nodes=8}"))
    fix(cse,dce),fuse_elementwise{max_nodes=8}
    """
    if isinstance(spec, Pipeline):
        return spec
    if isinstance(spec, Pass):
        return Pipeline([spec])
    if isinstance(spec, str):
        return Pipeline(_parsed(spec))
    if isinstance(spec, tuple | list):
        return Pipeline([part for item in spec for part in (_parsed(item) if isinstance(item, str) else [item])])
    raise UsageError(f"pipeline: {spec!r:.60} is not a Pipeline, a name, a textual form or a sequence of passes")


def _parsed(text: str) -> list[Pass | Fix]:
    scan = Scanner(text.strip(), "pipeline")
    steps: list[Pass | Fix] = []
    while scan.at < len(scan.text):
        steps += _step(scan)
        if scan.at < len(scan.text):
            scan.expect(",", "a pass")
    return steps


def _step(scan: Scanner) -> list[Pass | Fix]:
    name = scan.name()
    if name == "fix" and scan.found("("):
        return [Fix(tuple(scan.listed(lambda: _one(scan, scan.name()), ")", "the passes of fix(...)")))]
    if name in PIPELINES:
        return [*map(_as_step, PIPELINES[name])]
    return [_one(scan, name)]


def _one(scan: Scanner, name: str) -> Pass:
    try:
        found = pass_named(name)
    except UnknownName:
        raise UnknownName(f"no pass '{name}'{did_you_mean(name, [*PASSES, *PIPELINES])}") from None
    options = scan.attrs()
    return found.having(**options) if options else found


def _as_step(item: Any) -> Pass | Fix:
    return item if isinstance(item, Fix) else Pipeline([item]).passes[0]
