"""Parses pipeline specifications: names, and text such as ``"lower_depend,fix(cse,dce),fuse{rules=cube}"``."""

from __future__ import annotations

from minigraph.core.errors import UnknownName, UsageError, did_you_mean
from passes.core.pipeline import Fix, Pipeline
from passes.core.pipeline_text import PipelineScanner
from passes.core.registry import Pass, as_pass, pass_named, pass_names
from passes.default import PIPELINES


def as_pipeline(spec: object) -> Pipeline:
    """A Pipeline from a Pipeline, a name of ``PIPELINES``, a textual form, or a sequence of passes and names.

    ``()`` and ``"none"`` are the empty pipeline. Raises ``UnknownName`` for an unregistered name and ``ParseError`` for
    a syntax error, both with the position.

    >>> print(as_pipeline("fix(cse, dce), fuse_elementwise{max_nodes=8}"))
    fix(cse,dce),fuse_elementwise{max_nodes=8}
    >>> as_pipeline("lower_depend,dec,cse")
    Traceback (most recent call last):
    minigraph.errors.UnknownName: no pass 'dec'; did you mean 'dce'?
      lower_depend,dec,cse
                   ^
    """
    if isinstance(spec, Pipeline):
        return spec
    if isinstance(spec, Pass):
        return Pipeline([spec])
    if isinstance(spec, str):
        return Pipeline(_parse(spec))
    if isinstance(spec, tuple | list):
        return Pipeline([part for item in spec for part in (_parse(item) if isinstance(item, str) else [item])])
    raise UsageError(f"pipeline: {spec!r:.60} is not a Pipeline, a name, a textual form or a sequence of passes")


def _parse(text: str) -> list[Pass | Fix]:
    scan = PipelineScanner(text.strip())
    steps: list[Pass | Fix] = []
    while scan.at < len(scan.text):
        steps += _parse_step(scan)
        if scan.at < len(scan.text):
            scan.expect(",", "a pass")
    return steps


def _parse_step(scan: PipelineScanner) -> list[Pass | Fix]:
    at, name = scan.at, scan.name()
    if name == "fix" and scan.accept("("):
        inside = scan.list_of(lambda: _parse_passes(scan, scan.at, scan.name()), ")", "the passes of fix(...)")
        return [Fix(tuple(step for steps in inside for step in steps))]
    if name in PIPELINES:
        return [item if isinstance(item, Fix) else as_pass(item) for item in PIPELINES[name]]
    return [_parse_pass(scan, at, name)]


def _parse_passes(scan: PipelineScanner, at: int, name: str) -> tuple[Pass, ...]:
    """One pass, or all passes of a named pipeline."""
    return Pipeline(PIPELINES[name]).passes if name in PIPELINES else (_parse_pass(scan, at, name),)


def _parse_pass(scan: PipelineScanner, at: int, name: str) -> Pass:
    try:
        step = pass_named(name)
    except UnknownName:
        known = [*pass_names(), *PIPELINES]
        raise UnknownName(scan.with_caret(f"no pass '{name}'{did_you_mean(name, known)}", at)) from None
    start = scan.at
    options = scan.attrs()
    for option, value in options.items():
        try:
            step = step.with_options(**{option: value})
        except (UnknownName, UsageError) as error:
            at = max(start, scan.text.find(option, start))
            raise type(error)(scan.with_caret(str(error), at)) from None
    return step
