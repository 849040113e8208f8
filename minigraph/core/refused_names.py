"""Why minigraph refuses a name of MindSpore's: families of names with one reason each, from ``refused_names.txt``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

REFUSED = Path(__file__).with_name("refused_names.txt")


@cache
def _families() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """(reason, pattern of dotted names); a line ``module: names`` of the file has patterns of names of one module."""
    families: list[tuple[str, list[str]]] = []
    for line in REFUSED.read_text("utf-8").splitlines():
        if line.startswith("["):
            families.append((line.strip("[]"), []))
        elif line and not line.startswith("#"):
            module, _, names = line.partition(":")
            prefix = rf"(?:{module})\." if module else ""
            families[-1][1].append(rf"{prefix}({'|'.join(names.split())})")
    return tuple((reason, re.compile("|".join(patterns))) for reason, patterns in families)


def reason_of_refusal(path: str) -> str | None:
    """The reason for which the name at ``path`` is refused, or ``None``.

    >>> reason_of_refusal("ops.AllReduce")
    'minigraph runs in one process; train.DataParallel trains in several'
    """
    return next((reason for reason, pattern in _families() if pattern.fullmatch(path)), None)
