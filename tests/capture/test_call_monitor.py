"""State that a function reads through special methods, computed names or extension types is never stale."""

import collections
import contextlib
import contextvars
import gc
import os
import pathlib
import queue
import random
import secrets
import sys
import sysconfig
import tempfile
import threading
import types
import weakref

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.capture.call_monitor import CallMonitor, _is_interruption
from minigraph.compilation import OpByOpWarning
from minigraph.errors import TraceError
from tests.rough.interrupts import count_instructions, interrupt
from tests.same_as_eager import same_as_eager


class Bag:
    """Special methods that read ``items``."""

    def __init__(self, *items):
        self.items = list(items)
        self.n = 1

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, key):
        return self.items[key]

    def __contains__(self, item):
        return item in self.items

    def __bool__(self):
        return self.n > 2

    def __lt__(self, other):
        return self.n < other

    def __str__(self):
        return "x" * self.n

    def __enter__(self):
        return self.n

    def __exit__(self, *error):
        return None

    def __getattr__(self, name):
        if name.startswith("computed"):
            return self.__dict__["n"] * 10
        raise AttributeError(name)

    def __add__(self, other):
        return other * self.n

    def __call__(self, x):
        return x * self.n

    def __float__(self):
        return float(self.n)

    def __format__(self, spec):
        return "y" * self.n


def grow(bag):
    bag.items.append(bag.n)
    bag.n += 1


def reads_bag(read):
    """A program that reads a bag, which changes between the calls."""

    def program():
        bag = Bag(1.0, 2.0)
        return (lambda x: read(x, bag)), None, (lambda number: grow(bag))

    return program


READS = {
    "iter": lambda x, bag: sum(x * k for k in bag),
    "len": lambda x, bag: x * len(bag),
    "getitem": lambda x, bag: x * bag[-1],
    "contains": lambda x, bag: x * 2 if 2 in bag else x,
    "bool": lambda x, bag: x * 2 if bag else x,
    "lt": lambda x, bag: x * 2 if bag < 3 else x,
    "str": lambda x, bag: x * len(str(bag)),
    "format": lambda x, bag: x * len(f"{bag}"),
    "float": lambda x, bag: x * float(bag),
    "missing": lambda x, bag: x * bag.computed,
    "add": lambda x, bag: bag + x,
    "call": lambda x, bag: bag(x),
    "getattr": lambda x, bag: x * getattr(bag, "".join(["n"])),
    "vars": lambda x, bag: x * vars(bag)["n"],
    "dict": lambda x, bag: x * bag.__dict__["n"],
    "list of it": lambda x, bag: x * sum(list(bag)),
    "sorted": lambda x, bag: x * sorted(bag)[-1],
    "star": lambda x, bag: x * max(*bag),
    "map": lambda x, bag: x * sum(map(float, bag)),
}


def with_statement():
    bag = Bag()

    def fn(x):
        with bag as n:
            return x * n

    return fn, None, lambda number: grow(bag)


def global_by_name():
    globals()["SCALE"] = 1

    def fn(x):
        return x * globals()["SC" + "ALE"]

    return fn, None, lambda number: globals().update(SCALE=number + 5)


def function_attribute():
    def fn(x):
        return x * fn.scale

    fn.scale = 1
    return fn_caller(fn), None, lambda number: setattr(fn, "scale", number + 5)


def fn_caller(fn):
    return lambda x: fn(x)


def list_subclass():
    class Items(list):
        pass

    items = Items([1])
    return (lambda x: x * len(items)), None, lambda number: items.append(1)


def dict_subclass_with_missing():
    class Table(dict):
        def __missing__(self, key):
            return self.level

    table = Table()
    table.level = 2
    return (lambda x: x * table["none"]), None, lambda number: setattr(table, "level", number)


def user_dict():
    table = collections.UserDict(k=1)
    return (lambda x: x * table["k"]), None, lambda number: table.update(k=number)


def chain_map():
    inner = {"k": 1}
    table = collections.ChainMap({}, inner)
    return (lambda x: x * table["k"]), None, lambda number: inner.update(k=number)


def simple_namespace():
    space = types.SimpleNamespace(k=1)
    return (lambda x: x * space.k), None, lambda number: setattr(space, "k", number)


class Counting:
    """A descriptor with a counter."""

    def __init__(self):
        self.reads = 0

    def __get__(self, owner, kind):
        self.reads += 1
        return self.reads


def descriptor_with_a_counter():
    class Holder:
        k = Counting()

    holder = Holder()
    return lambda x: x * holder.k


def descriptor_that_reads():
    state = {"k": 1}

    class Reading:
        def __get__(self, owner, kind):
            return state["k"]

    class Holder:
        k = Reading()

    holder = Holder()
    return (lambda x: x * holder.k), None, lambda number: state.update(k=number + 3)


def context_variable():
    level = contextvars.ContextVar("level", default=1)
    return (lambda x: x * level.get()), None, lambda number: level.set(number + 2)


def weak_dictionary():
    class Key:
        pass

    key, table = Key(), weakref.WeakKeyDictionary()
    table[key] = 1
    return (lambda x: x * table[key]), None, lambda number: table.__setitem__(key, number + 2)


def weak_reference():
    bag = Bag()
    reference = weakref.ref(bag)
    return (lambda x: x * reference().n), lambda: bag.n, lambda number: grow(bag)


def memory_view():
    data = bytearray(b"ab")
    view = memoryview(data)
    return (lambda x: x * view[0]), None, lambda number: data.__setitem__(0, number)


def module_getattr():
    module, state = types.ModuleType("settings_of_a_test"), {"k": 1}
    module.__getattr__ = lambda name: state["k"]
    return (lambda x: x * module.level), None, lambda number: state.update(k=number + 4)


def module_with_a_function():
    module, state = types.ModuleType("functions_of_a_test"), {"k": 1}
    module.level = lambda: state["k"]
    return (lambda x: x * module.level()), None, lambda number: state.update(k=number + 4)


def files():
    path = pathlib.Path(tempfile.mkdtemp()) / "level.txt"
    path.write_text("1")
    return (lambda x: x * int(path.read_text())), None, lambda number: path.write_text(str(number + 2))


def a_folder():
    folder = tempfile.mkdtemp()
    return (
        (lambda x: x * len(os.listdir(folder))),
        None,
        lambda number: pathlib.Path(folder, str(number)).write_text(""),
    )


def text_files_of_numpy():
    path = pathlib.Path(tempfile.mkdtemp()) / "level.txt"
    path.write_text("1 2")
    return (
        (lambda x: x * float(np.genfromtxt(path)[0])),
        None,
        lambda number: path.write_text(f"{number + 2} 1"),
    )


def numpy_generator():
    gen = np.random.default_rng(3)
    return lambda x: x - float(gen.normal())


def reached_generator():
    holder = types.SimpleNamespace(gen=np.random.default_rng(3), table={"r": random.Random(3)})
    return lambda x: x - float(holder.gen.normal()) + holder.table["r"].random()


def new_generator():
    seen = set()

    def fn(x):
        return x - float(np.random.default_rng().normal()) + random.Random().random() + secrets.randbelow(1 << 40)

    def differs(x):
        out = fn(x)
        return (out + 0 * x).sum() * 0 + len(seen)

    return differs


def seeded_generator():
    return lambda x: x - float(np.random.default_rng(3).normal()) + random.Random(3).random()


def queues():
    numbers = queue.SimpleQueue()
    for k in range(9):
        numbers.put(k)
    return (lambda x: x * numbers.get()), numbers.qsize


def python_queue():
    numbers = queue.Queue()
    for k in range(9):
        numbers.put(k)
    return (lambda x: x * numbers.get()), numbers.qsize


def deque_in_a_list():
    state = [collections.deque([1])]
    return (lambda x: x * len(state[0])), None, lambda number: state[0].append(1)


def class_attribute_by_subclass():
    class Base:
        k = 1

    class Child(Base):
        pass

    child = Child()
    return (lambda x: x * child.k), None, lambda number: setattr(Base, "k", number + 2)


def object_created_inside():
    level = {"k": 1}

    class Made:
        def __init__(self):
            self.k = level["k"]

        def __mul__(self, x):
            return x * self.k * level["k"]

    return (lambda x: Made() * x), None, lambda number: level.update(k=number + 2)


def array_that_changes():
    scale = np.ones(2, np.float32)
    return (lambda x: x * Tensor(scale)), None, lambda number: scale.__setitem__(0, number)


def nested_view_of_an_array():
    base = np.ones(4, np.float32)
    box = (base[::2],)
    return (lambda x: x * Tensor(box[0])), None, lambda number: base.__setitem__(0, number)


PROGRAMS = [reads_bag(read) for read in READS.values()]
for name, program in zip(READS, PROGRAMS, strict=True):
    program.__name__ = name

test_reads = same_as_eager(
    *PROGRAMS, with_statement, global_by_name, function_attribute, list_subclass, dict_subclass_with_missing, user_dict,
    chain_map, simple_namespace, descriptor_with_a_counter, descriptor_that_reads, context_variable, weak_dictionary,
    weak_reference, memory_view, module_getattr, module_with_a_function, files, a_folder, text_files_of_numpy,
    numpy_generator, reached_generator, new_generator, seeded_generator, queues, python_queue, deque_in_a_list,
    class_attribute_by_subclass, object_created_inside, array_that_changes, nested_view_of_an_array,
)  # fmt: skip


def test_callbacks_of_a_garbage_collection_are_not_calls_of_the_function():
    seen = []

    def callback(phase, info):
        seen.append(_is_interruption(sys._getframe()))

    gc.callbacks.append(callback)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(callback)
    assert len(seen) >= 2 and all(seen) and not _is_interruption(sys._getframe())


FINALIZED = []


class Cyclic:
    """Garbage in a reference cycle, whose finalizer has effects that no captured function may have."""

    def __init__(self, log):
        self.me, self.log = self, log

    def __del__(self):
        FINALIZED.append((os.getpid(), sys.getprofile() is not None))
        self.log.append(len(FINALIZED))


@pytest.mark.parametrize("changes_what_is_read", [False, True])
def test_finalizers_of_a_garbage_collection_are_not_calls_of_the_function(changes_what_is_read):
    before, x = gc.get_threshold(), Tensor([1.0, 2.0])
    FINALIZED.clear()
    try:
        for count in range(100, 4000, 60):
            log = list[int]()

            def function(x, log=log):
                return x * 2.0 + float(len(log) * 0)

            gc.collect()
            gc.set_threshold(100_000)
            Cyclic(log if changes_what_is_read else [])
            gc.set_threshold(count)
            assert jit(function, fullgraph=True)(x).tolist() == [2.0, 4.0]
    finally:
        gc.set_threshold(*before)
    assert any(is_captured for _, is_captured in FINALIZED), "no finalizer ran while a call was monitored"


def test_an_exception_at_any_instruction_around_the_monitored_call_leaves_no_hook():
    """A hook that stays would refuse calls of the user's code for good."""
    monitor = CallMonitor([])
    monitor.call(len, ())
    count = count_instructions(lambda: monitor.call(len, ()))
    assert count > 20
    for at in range(1, count + 1):
        interrupt(lambda: monitor.call(len, ()), at)
        assert sys.getprofile() is None


LIBRARY = """
def get_ipython():
    return interactive_shell()

def interactive_shell():
    return None
"""


def test_calls_of_libraries_by_minigraph_during_tracing_are_not_calls_of_the_program(monkeypatch):
    """In a notebook, the message of an error asks IPython for the number of the cell."""
    library = types.ModuleType("IPython")
    exec(compile(LIBRARY, os.path.join(sysconfig.get_path("purelib"), "shell.py"), "exec"), vars(library))
    monkeypatch.setitem(sys.modules, "IPython", library)

    def branches(x):
        return x * 2 if x.sum() > 0 else -x

    def asks(x):
        return x if library.interactive_shell() else x + 1

    with pytest.raises(TraceError, match="is unavailable while tracing"):
        jit(branches, capture_mode="trace", fullgraph=True)(Tensor([1.0]))
    assert jit(asks, fullgraph=True)(Tensor([1.0])).tolist() == [2.0]


class Catching:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("manager", [lambda: contextlib.suppress(Exception), Catching, contextlib.ExitStack])
@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_no_with_catches_what_only_capture_raises(manager, mode):
    def step(x):
        y = x
        with manager() as stack:
            if hasattr(stack, "enter_context"):
                stack.enter_context(Catching())
            y = x * 2 + 1
            y = y * int(y.max())
        return y

    captured = jit(step, capture_mode=mode)
    for values in ([1.0, 2.0], [3.0, 1.0]):
        assert captured(Tensor(values)).tolist() == step(Tensor(values)).tolist()


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_with_that_an_exception_leaves_is_seen_also_after_another_of_its_kind(mode):
    def step(x):
        y = x
        for k in range(3):
            with contextlib.suppress(Exception):
                y = ops.cond(x.sum() > 2, lambda v, k=k: v * [2.0, 3.0][k], lambda v: v + 1, y)
        return y

    captured = jit(step, capture_mode=mode)
    for values in ([1.0], [3.0], [1.0]):
        assert captured(Tensor(values)).tolist() == step(Tensor(values)).tolist()


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_what_a_failed_capture_created_is_released_before_its_changes_are_undone():
    log = []

    def finish():
        try:
            yield 1.0
        finally:
            log.append("closed")

    def step(x):
        started = finish()
        y = x * next(started)
        return y * int(y.max()) + len(log)

    captured = jit(step)
    assert [captured(Tensor([1.0])).tolist() for _ in range(3)] == [[1.0], [2.0], [3.0]]
    assert log == ["closed"] * 3


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_lock_is_released_although_its_release_is_refused(mode):
    lock, count = threading.Lock(), [0]

    def counts(x):
        with lock:
            count[0] += 1
        return x * count[0]

    compiled = jit(counts, capture_mode=mode)
    with pytest.warns(OpByOpWarning, match=r"lock.__exit__"):
        assert [compiled(Tensor([1.0])).tolist() for _ in range(3)] == [[1.0], [2.0], [3.0]]
    assert not lock.locked()
