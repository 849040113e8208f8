"""Tracebacks that show the user's frames only, for notebooks."""

from __future__ import annotations

import traceback

from minigraph.core.location import is_user_file, source_name


def short_traceback(error: BaseException) -> list[str]:
    """The traceback of an error in lines, without minigraph's and installed packages' frames: the user's line is last.

    Frames are all shown if none is the user's.
    """
    text = traceback.TracebackException.from_exception(error)
    errors = [text]
    for each in errors:  # which grows
        user_stack = [frame for frame in each.stack if is_user_file(frame.filename)]
        for frame in user_stack:
            frame.line  # noqa: B018 - reads the line before the file gets the name of its cell
            frame.filename = source_name(frame.filename)
        each.stack = traceback.StackSummary.from_list(user_stack or each.stack)
        errors += filter(None, (each.__cause__, each.__context__, *(each.exceptions or ())))
    lines: list[str] = "".join(text.format()).splitlines()
    return lines
