"""Observations of values: one line for every leaf, with its exact type, and the identities of objects."""

import collections
import contextvars
import copy
import functools
import inspect
import io
import itertools
import queue
import random
import types
from pathlib import Path

import numpy as np

from minigraph import Tensor, nn
from minigraph.compilation import Jitted

MAX_ITEMS = 40  # items of an iterator that are looked at
MAX_DEPTH = 12
LEAF_TYPES = (type(None), bool, int, float, complex, str, bytes, range, slice, np.generic, np.dtype)
VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
ITERATOR_TYPES = (types.GeneratorType, zip, map, filter, enumerate, reversed)
OPAQUE_TYPES = (types.ModuleType, types.BuiltinFunctionType, property, staticmethod, classmethod)


class Observation:
    """The state that several values reach, as lines by path; an object that two of them reach is recognised."""

    def __init__(self):
        self.lines = {}
        self._seen = {}  # id -> (path, the object, kept alive)

    def add(self, section, value):
        """Add all that a value reaches; the paths begin with ``section``."""
        self._visit(section, value, 0)
        return self

    def paths_of(self, ids):
        """The paths at which objects with these ids were reached first."""
        return frozenset(self._seen[number][0] for number in ids if number in self._seen)

    def _visit(self, path, value, depth):
        kind = type(value).__name__
        if isinstance(value, type):
            self._visit_class(path, value, depth)
        elif isinstance(value, LEAF_TYPES):
            self.lines[path] = f"{kind} {value!r}"
        elif id(value) in self._seen:
            self.lines[path] = f"the same as {self._seen[id(value)][0]}"
        elif depth > MAX_DEPTH or isinstance(value, OPAQUE_TYPES):
            self.lines[path] = kind
        else:
            self._seen[id(value)] = path, value
            self.lines[path] = _text(value)
            for name, part in _parts(value, path.startswith("result")):
                self._visit(f"{path}{name}", part, depth + 1)

    def _visit_class(self, path, value, depth):
        self.lines[path] = f"class {value.__name__}"
        if value.__module__.startswith("program") and id(value) not in self._seen:
            self._seen[id(value)] = path, value
            for name, part in sorted(vars(value).items()):
                if not (
                    name.startswith("__") or isinstance(part, types.MemberDescriptorType | types.FunctionType | Jitted)
                ):
                    self._visit(f"{path}.{name}", part, depth + 1)


def _text(value):
    """One line for an object without its parts."""
    kind = type(value).__name__
    if isinstance(value, Tensor):
        if value.is_traced:
            return "a tracer"
        name = f" {value.name}" if hasattr(value, "name") and kind == "Parameter" else ""
        return f"{kind}{name} {_array_text(value.asnumpy())}"
    if isinstance(value, np.ndarray):
        return f"{kind} {_array_text(value)}"
    if isinstance(value, BaseException):
        return f"{kind} {value.args!r}"
    if isinstance(value, itertools.count | itertools.repeat):
        return repr(value)
    return f"{kind} of {len(value)}" if isinstance(value, list | tuple | dict | set | frozenset) else kind


def _array_text(array):
    return f"{array.dtype}{list(array.shape)} {array.tolist()}"


def _parts(value, is_result):
    """(name, part) of all that an object holds."""
    if isinstance(value, Tensor | np.ndarray):
        return []
    parts = [*_items(value, is_result)]
    if isinstance(value, nn.Cell):
        hidden = ("construct", "requires_grad")
        return [(f".{n}", v) for n, v in sorted(vars(value).items()) if not n.startswith("_") and n not in hidden]
    attributes = {} if isinstance(value, BaseException) else dict(getattr(value, "__dict__", {}))
    attributes.pop("__wrapped__", None)
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ()) if kind.__module__.startswith("program") else ()
        attributes |= {name: getattr(value, name) for name in slots if hasattr(value, name)}
    attributes = {
        name: part for name, part in attributes.items() if name.isidentifier() or not isinstance(part, Jitted)
    }
    return parts + [(f".{name}", part) for name, part in sorted(attributes.items())]


def _items(value, is_result):
    """(name, part) of the contents of an object other than its attributes."""
    if isinstance(value, Jitted):
        return [(".fn", value.fn)]
    if isinstance(value, dict):
        return [(f"[{key!r}]", part) for key, part in dict.items(value)]
    if isinstance(value, list | tuple | collections.deque):
        return [
            (f"[{k}]", part) for k, part in enumerate(list(value) if type(value).__module__ != "builtins" else value)
        ]
    if isinstance(value, set | frozenset):
        return [(f"{{{k}}}", part) for k, part in enumerate(sorted(value, key=repr))]
    if isinstance(value, VIEWS) or (isinstance(value, ITERATOR_TYPES) and is_result):
        return [(f"({k})", part) for k, part in enumerate(itertools.islice(value, MAX_ITEMS))]
    if isinstance(value, types.FunctionType):
        return [(f".{name}", part) for name, part in _function_state(value)]
    if isinstance(value, types.MethodType):
        return [(".__self__", value.__self__), (".__func__", value.__func__)]
    return [*_library_state(value)]


def _function_state(function):
    if not function.__module__.startswith("program"):
        return
    yield from zip(function.__code__.co_freevars, map(_contents, function.__closure__ or ()), strict=True)
    yield from ((f"default {k}", part) for k, part in enumerate(function.__defaults__ or ()))


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:
        return "empty"


def _library_state(value):
    """(name, part) of the state that an object of a library holds."""
    if isinstance(value, np.random.Generator):
        yield ".state", str(value.bit_generator.state)
    elif isinstance(value, np.random.RandomState):
        yield ".state", str(value.get_state())
    elif isinstance(value, random.Random):
        yield ".state", hash(value.getstate())
    elif isinstance(value, contextvars.ContextVar):
        yield ".value", value.get(None)
    elif isinstance(value, io.StringIO):
        yield ".text", value.getvalue()
    elif isinstance(value, queue.Queue):
        yield ".items", list(value.queue)
    elif isinstance(value, functools.partial):
        yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
    elif isinstance(value, collections.ChainMap):
        yield ".maps", value.maps
    elif hasattr(type(value), "cache_info"):
        yield ".cache_info", str(value.cache_info())
    elif isinstance(value, Path):
        yield ".text", value.read_text() if value.is_file() else "no file"
    elif isinstance(value, types.GeneratorType):
        names = dict(inspect.getgeneratorlocals(value)) if value.gi_frame else {}
        yield ".locals", {name: part for name, part in names.items() if not name.startswith("mg")}
    elif type(value).__module__ in ("builtins", "itertools") and hasattr(value, "__next__"):
        yield ".items", _remaining_items(value)


def _remaining_items(iterator):
    """The remaining items of a copy of an iterator, or a text if it cannot be copied."""
    try:
        return list(itertools.islice(copy.deepcopy(iterator), MAX_ITEMS))
    except (TypeError, ValueError):
        return "cannot be copied"


def state_of(namespace):
    """The variables of a program's module that hold its state."""
    names = sorted(name for name in namespace if not name.startswith("__") and name not in namespace["__given__"])
    return {name: namespace[name] for name in names}
