"""Nothing that all threads share is replaced while one of them captures, compiles and differentiates."""

import ast
import builtins
import copy
import functools
import gc
import inspect
import itertools
import linecache
import os
import random
import signal
import sys
import threading
import time
import types
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.inspection import bits
from tests.rough.test_threads import work

WATCHED = (ast, builtins, copy, functools, gc, inspect, itertools, linecache, np, np.random, os, random, signal, sys,
           threading, time, types, warnings)  # fmt: skip


def global_state():
    """What a thread could change for the others: the contents of modules, and settings that only functions tell.

    Only ``sys.stdout`` is replaced, by a stream that gives the output of other threads to the old one.
    """
    state = {(module.__name__, name): id(value) for module in WATCHED for name, value in [*vars(module).items()]}
    del state["sys", "stdout"]
    return state | {
        "collection": (gc.isenabled(), gc.get_threshold()), "filters": tuple(warnings.filters),
        "environment": {**os.environ}, "folder": os.getcwd(),
        "limits": (sys.getrecursionlimit(), sys.getswitchinterval()), "hooks": (sys.gettrace(), sys.getprofile()),
        "numpy": (str(np.geterr()), str(np.get_printoptions()), str(np.random.get_state())),
        "random": random.getstate(), "signals": [signal.getsignal(number) for number in signal.valid_signals()],
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")  # for callbacks of a garbage collection
def test_nothing_global_is_replaced_while_another_thread_compiles(effort, report, capsys):
    work(0)  # imports what it needs
    samples, interval = 0, sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        before = global_state()
        with ThreadPoolExecutor(1) as pool:
            for k in effort.rounds(seconds=3, most=20):
                working = pool.submit(work, k)
                while not working.done():
                    state = global_state()
                    assert {key for key in state.keys() | before.keys() if state.get(key) != before.get(key)} == set()
                    samples += 1
                assert bits(working.result())
    finally:
        sys.setswitchinterval(interval)
    report("another thread compiles", f"{samples} samples", "nothing global is replaced")
