"""Parses pipeline specifications: names, and text such as ``"lower_depend,fix(cse,dce),fuse{rules=cube}"``."""

from __future__ import annotations

from minigraph.core.errors import UnknownNameError, UsageError, did_you_mean
from passes.core.pipeline import FixedPoint, Pipeline
from passes.core.pipeline_text import PipelineScanner
from passes.core.registry import Pass, as_pass, pass_named, pass_names
from passes.default import PIPELINES


def as_pipeline(spec: object) -> Pipeline:
    """A Pipeline from a Pipeline, a name of ``PIPELINES``, a textual form, or a sequence of passes and names.

    ``()`` and ``"none"`` are the empty pipeline. Raises ``UnknownNameError`` for an unregistered name, ``ParseError``
    for a syntax error, both with the position.

    >>> print(as_pipeline("fix(cse, dce), fuse_elementwise{max_nodes=8}"))
    fix(cse,dce),fuse_elementwise{max_nodes=8}
    >>> as_pipeline("lower_depend,dec,cse")
    Traceback (most recent call last):
    minigraph.errors.UnknownNameError: no pass 'dec'; did you mean 'dce'?
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


def _parse(text: str) -> list[Pass | FixedPoint]:
    scanner = PipelineScanner(text.strip())
    steps: list[Pass | FixedPoint] = []
    while scanner.at < len(scanner.text):
        steps += _parse_step(scanner)
        if scanner.at < len(scanner.text):
            scanner.expect(",", "a pass")
    return steps


def _parse_step(scanner: PipelineScanner) -> list[Pass | FixedPoint]:
    at, name = scanner.at, scanner.name()
    if name == "fix" and scanner.accept("("):
        groups = scanner.list_of(
            lambda: _parse_passes(scanner, scanner.at, scanner.name()), ")", "the passes of fix(...)"
        )
        return [FixedPoint(tuple(step for steps in groups for step in steps))]
    if name in PIPELINES:
        return [item if isinstance(item, FixedPoint) else as_pass(item) for item in PIPELINES[name]]
    return [_parse_pass(scanner, at, name)]


def _parse_passes(scanner: PipelineScanner, at: int, name: str) -> tuple[Pass, ...]:
    """One pass, or all passes of a named pipeline."""
    return Pipeline(PIPELINES[name]).passes if name in PIPELINES else (_parse_pass(scanner, at, name),)


def _parse_pass(scanner: PipelineScanner, at: int, name: str) -> Pass:
    try:
        step = pass_named(name)
    except UnknownNameError:
        names = [*pass_names(), *PIPELINES]
        raise UnknownNameError(scanner.with_caret(f"no pass '{name}'{did_you_mean(name, names)}", at)) from None
    start = scanner.at
    options = scanner.attrs()
    for option, value in options.items():
        try:
            step = step.with_options(**{option: value})
        except (UnknownNameError, UsageError) as error:
            at = max(start, scanner.text.find(option, start))
            raise type(error)(scanner.with_caret(str(error), at)) from None
    return step
