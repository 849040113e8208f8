"""Whether this thread collects garbage now: finalizers then run amid what is captured, and are not part of it."""

from __future__ import annotations

import gc
import threading
from collections import OrderedDict
from functools import partial
from types import SimpleNamespace
from typing import Any


class _Collections(threading.local):
    """Garbage collections in a thread: they call finalizers, arbitrary Python code, between any two instructions."""

    start: Any = None  # the report of `gc` about the last collection


_collections, _last = _Collections(), SimpleNamespace(start=...)
_phases: Any = OrderedDict.fromkeys(["start", "stop"])  # a collection is running
# Each is called with a phase and gc's report. They are C, because an exception in a callback (Ctrl-C) would be lost.
gc.callbacks[:0] = [_phases.move_to_end, partial(setattr, _last), partial(setattr, _collections)]


def is_collecting() -> bool:
    """Whether this thread is collecting garbage now."""
    return list(_phases)[-1] == "start" and _collections.start is _last.start


def last_collection() -> object:
    """An object that identifies the last garbage collection of this thread."""
    return _collections.start
