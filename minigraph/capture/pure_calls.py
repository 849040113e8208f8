"""Pure calls: they depend on nothing but their arguments, so that one call during tracing is enough for all runs.

The list is closed: what is not in it, in Python, numpy or an extension, counts as reading or changing hidden state.
"""

from __future__ import annotations

import builtins
import os
import re
import sysconfig
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from functools import cache, lru_cache
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    NoneType,
    NotImplementedType,
    TracebackType,
)
from typing import Any

import numpy as np

from minigraph.core.lazy import DEPENDENCY_PATHS
from minigraph.core.location import real_path

IMPURE_BUILTINS = {
    getattr(builtins, name)
    for name in (
        "open",
        "input",
        "print",
        "breakpoint",
        "exec",
        "id",
        "globals",
        "locals",
        "compile",
        "dir",
        "__import__",
    )
}
PURE_MODULES = {
    "builtins", "math", "cmath", "_operator", "itertools", "_functools", "_collections", "_struct", "_bisect",
    "_heapq", "_string", "_sre", "_json", "_statistics", "_typing", "binascii", "zlib", "unicodedata", "_stat", "_ast",
    "_datetime",
}  # fmt: skip
# modules whose objects in C have no state, or only state that guards see; objects of other modules are unknown
KNOWN_OBJECTS = PURE_MODULES | {
    "types", "typing", "re", "datetime", "functools", "operator", "collections", "_thread", "_random",
}  # fmt: skip
PURE_TYPES = (
    str, bytes, int, float, complex, list, dict, set, frozenset, tuple, deque, bytearray, range, slice, np.ndarray,
    np.generic, np.dtype, np.ufunc, GeneratorType, OrderedDict, defaultdict, MappingProxyType, memoryview, re.Pattern,
    re.Match, property, FunctionType, BaseException,
)  # fmt: skip
KNOWN_TYPES = (
    str, bytes, int, float, complex, NoneType, list, dict, set, frozenset, tuple, deque, bytearray, memoryview, range,
    slice, type, FunctionType, BuiltinFunctionType, MethodType, ModuleType, GeneratorType, MappingProxyType,
    type(str.join), type("".__add__), type(str.__add__), type(dict.__dict__["fromkeys"]), Iterator,
    MemberDescriptorType, GetSetDescriptorType, CodeType, staticmethod, classmethod, property, BaseException,
    NotImplementedType, np.random.Generator, np.random.RandomState,
)  # fmt: skip
METHODS_IN_C = (BuiltinFunctionType, type("".__add__))  # of ``[].append`` and of ``"".__add__``
# what runs or has run: it refers to variables of functions, which change
FRAME_TYPES = (FrameType, TracebackType, CoroutineType, AsyncGeneratorType)
PURE_CLASSES = (str, bytes, int, float, dict, bytearray, frozenset, set, list, tuple, object, type)
# files of the standard library whose functions keep no state of their own
PURE_FILES = (
    "functools.py", "collections/", "copy.py", "dataclasses.py", "enum.py", "abc.py", "types.py", "typing.py",
    "numbers.py", "fractions.py", "_pydecimal.py", "decimal.py", "statistics.py", "operator.py", "contextlib.py",
    "string.py", "textwrap.py", "re/", "heapq.py", "bisect.py", "colorsys.py", "reprlib.py", "_collections_abc.py",
    "_weakrefset.py", "weakref.py", "inspect.py", "copyreg.py", "keyword.py", "datetime.py", "graphlib.py",
)  # fmt: skip
STDLIB = tuple({os.path.join(os.path.realpath(sysconfig.get_path(name)), "") for name in ("stdlib", "platstdlib")})
NUMPY = os.path.join(os.path.dirname(os.path.realpath(np.__file__)), "")
IMPURE_NUMPY = tuple(NUMPY + path for path in ("random", "lib/_datasource", "lib/_npyio_impl", "testing"))
NUMPY_SETTINGS = ("ufunc_config.py", "arrayprint.py", "printoptions.py")  # which programs may set
WITH_SETTINGS = ("inner", "__init__", "__call__", "__enter__", "__exit__")  # of ``errstate``, which restores them
# minigraph's own code that reads or writes files or settings: a graph would do it once
EFFECT_FILES = (
    "core/files.py", "dataset/config.py", "dataset/iterators.py", "dataset/pipeline.py", "dataset/readers/",
    "dataset/vision/files.py", "importers/onnx/mindspore_files.py", "mindrecord/", "npu/chips/chip_file.py",
    "npu/sweeps/", "serialize/", "train/callback/backup.py", "train/callback/checkpoint.py",
    "train/callback/on_request_exit.py",
)  # fmt: skip
EFFECT_FUNCTIONS = {
    ("core/context.py", "set_context"), ("dataset/text/vectors.py", "from_file"),
    ("dataset/text/vocabulary.py", "from_file"), ("importers/onnx/embedded_weights.py", "read_file"),
    ("importers/onnx/tensors.py", "_external_bytes"), ("npu/schedules.py", "load_schedules"),
    ("profiler/monitor.py", "__init__"), ("profiler/monitor.py", "_read_steps"),
    ("profiler/recording.py", "tensorboard_trace_handler"), ("profiler/recording.py", "_new_folder"),
    ("profiler/recording.py", "write"),
}  # fmt: skip
IMPURE_METHODS = ("tofile", "dump")  # of arrays: they write files


def has_effects_of_its_own(code: CodeType) -> bool:
    """Whether code of minigraph reads or writes files or settings, so that a graph cannot represent its call."""
    path = _path_in_minigraph(code)
    return path.startswith(EFFECT_FILES) or (path, code.co_name) in EFFECT_FUNCTIONS


def draws_numbers(code: CodeType) -> bool:
    """Whether code is the function of minigraph that advances the global sequence of random numbers."""
    return code.co_name == "next_key" and _path_in_minigraph(code) == "operators/random.py"


def _path_in_minigraph(code: CodeType) -> str:
    return code.co_filename.rpartition(f"{os.sep}minigraph{os.sep}")[2].replace(os.sep, "/")


def is_pure_builtin(fn: Any) -> bool:
    """Whether a function written in C depends on nothing but its arguments.

    >>> import math, time
    >>> is_pure_builtin(math.sin), is_pure_builtin([].append), is_pure_builtin(time.time), is_pure_builtin(print)
    (True, True, False, False)
    """
    owner, module = getattr(fn, "__self__", None), getattr(fn, "__module__", None)
    if module is not None:
        package = str(module).partition(".")[0]
        if package == "numpy":
            return not module.startswith("numpy.random")
        return package in PURE_MODULES and fn not in IMPURE_BUILTINS
    if isinstance(owner, set) and fn.__name__ == "pop":  # after a restore, it may take another item
        return False
    if isinstance(owner, type):
        return owner in PURE_CLASSES or issubclass(owner, np.generic | np.ndarray)
    return isinstance(owner, PURE_TYPES) and fn.__name__ not in IMPURE_METHODS


KNOWN_MODULES = ("minigraph", "passes", "viz", "networkx", "numpy", "functools", "operator", "_operator", "types")
PROTOCOLS = ("__getitem__", "__len__", "__iter__", "__next__", "__float__", "__index__", "__bool__", "__call__")
CACHED_FUNCTION = type(cache(len))  # counts its hits, and would keep tracers
HEAP_TYPE, IMMUTABLE_TYPE = 1 << 9, 1 << 8  # of type.__flags__: made at run time; an extension's, without attributes


def has_hidden_state(value: object) -> bool:
    """Whether an object may change without being seen: a file, a weak reference, an array of objects, a dict's view,
    one that runs code.

    >>> table = {}
    >>> has_hidden_state(table), has_hidden_state(table.keys()), has_hidden_state(len)
    (False, True, False)
    """
    if intercepts_reads(type(value)) or (isinstance(value, np.ndarray) and value.dtype.hasobject):
        return True
    if isinstance(value, FRAME_TYPES):
        return True
    if isinstance(value, defaultdict) and isinstance(value.default_factory, METHODS_IN_C):  # called without being seen
        return not is_pure_builtin(value.default_factory)
    if isinstance(value, KNOWN_TYPES):
        return False
    if isinstance(value, CACHED_FUNCTION):
        return not str(value.__module__).startswith(KNOWN_MODULES)
    return is_unknown_class(type(value)) or any(
        name in vars(kind) for kind in _bases_in_c(type(value)) for name in PROTOCOLS
    )


def intercepts_reads(kind: type) -> bool:
    """Whether reading any attribute of an object of a class runs the program's code."""
    method = type.__getattribute__(kind, "__getattribute__")
    return isinstance(method, FunctionType) and not str(kind.__module__).startswith(KNOWN_MODULES)


def is_unknown_class(kind: type) -> bool:
    """Whether the behavior of operators on objects of a class is unknown, because a base class is written in C.

    >>> import array, decimal
    >>> is_unknown_class(array.array), is_unknown_class(decimal.Decimal), is_unknown_class(dict)
    (True, True, False)
    """
    return not issubclass(kind, KNOWN_TYPES) and any(base.__module__ not in KNOWN_OBJECTS for base in _bases_in_c(kind))


def _bases_in_c(kind: type) -> list[type]:
    return [base for base in kind.__mro__ if base is not object and not _is_python_class(base)]


def _is_python_class(kind: type) -> bool:
    """Whether the state of an object is in its attributes: its class is written in Python, or known to be immutable."""
    if str(kind.__module__).startswith(KNOWN_MODULES) and not str(kind.__module__).startswith("numpy.random"):
        return True
    return bool(kind.__flags__ & HEAP_TYPE) and not kind.__flags__ & IMMUTABLE_TYPE


@lru_cache(maxsize=4096)
def is_standard_file(file: str) -> bool:
    """Whether a source file belongs to Python, numpy or what minigraph imports, or is code that a program generated."""
    path = real_path(file)
    return (
        file.startswith("<")
        or path.startswith(DEPENDENCY_PATHS)
        or (path.startswith(STDLIB) and "site-packages" not in path and "dist-packages" not in path)
    )


def accesses_numpy_settings(code: CodeType, caller: CodeType) -> bool:
    """Whether code of numpy that a program calls reads or sets numpy's print options or error handling."""
    if not code.co_filename.endswith(NUMPY_SETTINGS) or code.co_name in WITH_SETTINGS:
        return False
    called, calling = (real_path(c.co_filename).startswith(NUMPY) for c in (code, caller))
    return called and not calling


@lru_cache(maxsize=4096)
def is_pure_file(file: str) -> bool:
    """Whether the functions of a source file of Python or numpy keep no state of their own."""
    if file.startswith("<frozen"):
        return True
    path = real_path(file)
    if path.startswith(NUMPY):
        return not path.startswith(IMPURE_NUMPY)
    return any(path.startswith(tuple(folder + name for name in PURE_FILES)) for folder in STDLIB)
