"""Functions in C that read state are never called unseen by other functions in C."""

import collections
import functools
import itertools
import operator
import os
import os.path
import random
import re
import time
import types
from functools import partial, reduce
from operator import methodcaller
from os import getcwd, getenv, stat

import numpy as np
import pytest
from scipy.spatial.distance import cdist  # it loads functions in C under computed names

from minigraph import Tensor, jit, ops
from minigraph.errors import CaptureError
from tests.same_as_eager import SETTING_NAMES, SETTINGS, check

FOLDERS = ("/", "/usr", "/usr/lib", "/usr/bin")
NAME = "MINIGRAPH_FUNCTIONS_IN_C"
read_folder = partial(getcwd)
TABLE = {"folder": getcwd}


class Folder:
    """An object whose class calls functions in C."""

    __call__ = staticmethod(os.getcwd)
    path = property(operator.methodcaller("get"))
    name = property(lambda self: os.getcwd())

    def get(self):
        """The current folder."""
        return os.getcwd()


class Sized:
    """A class whose special method is in C."""

    __len__ = staticmethod(functools.partial(os.getenv, NAME, "1").__call__)
    __repr__ = staticmethod(os.getcwd)


def local_partial(x):
    return x * len(partial(os.getcwd)())


def global_partial(x):
    return x * len(read_folder())


def wrapped_partial(x):
    return x * len(partial(partial(getcwd))())


def partial_of_a_local(x):
    read = os.getcwd
    return x * len(partial(read)())


def partial_of_an_item(x):
    return x * len(partial(TABLE["folder"])())


def partial_of_getattr(x):
    return x * len(partial(getattr(os, "getcwd"))())  # noqa: B009


def partial_of_a_computed_name(x):
    return x * len(partial(getattr(os, "get" + "cwd"))())


def partial_of_the_table_of_a_module(x):
    return x * len(partial(vars(os)["get" + "cwd"])())


def method_caller(x):
    return x * len(operator.methodcaller("getcwd")(os))


def imported_method_caller(x):
    return x * len(methodcaller("getcwd")(os))


def attribute_getter(x):
    return x * len(partial(operator.attrgetter("getcwd")(os))())


def call_of_operator(x):
    return x * len(operator.call(os.getcwd))


def mapped(x):
    return x * len(next(map(getenv, [NAME], ["x"])))


def mapped_in_c(x):
    return x * len(next(map(os.readlink, ["/proc/self/cwd"])))


def mapped_status(x):
    return x * sum([entry.st_ino % 7 for entry in map(stat, ["."])])


def mapped_list(x):
    return x * (list(map(os.stat, [".", "."]))[-1].st_ino % 7)


def filtered(x):
    return x * len(list(filter(os.stat, ["."]))) * len(list(map(os.fspath, [os.curdir]))) * len(os.getcwd())


def reduced(x):
    return x * reduce(lambda total, path: total + len(partial(os.readlink)(path)), ["/proc/self/cwd"], 0)


def largest(x):
    return x * (max(["."], key=os.stat) == "." and next(map(os.stat, ["."])).st_ino % 5)


def sorted_by_status(x):
    return x * len(sorted([".", "/"], key=os.stat)[0])


def sorted_by_time(x):
    return x * len(sorted([".", "/"], key=os.path.getmtime)[0])


def iterated(x):
    return x * len(next(iter(os.getcwd, None)))


def starmapped(x):
    return x * len(next(itertools.starmap(os.getcwd, [()])))


def default_of_a_dict(x):
    return x * len(collections.defaultdict(os.getcwd)["key"])


def substituted(x):
    return x * len(re.sub("a", partial(lambda read, match: read(), partial(os.getcwd)), "bab"))


def called_object(x):
    return x * len(Folder()())


def property_in_c(x):
    return x * len(Folder().path)


def representation(x):
    return x * len(repr(Sized()))


def method_of_a_partial(x):
    return x * len(partial(os.getcwd).__call__())


def starred(x):
    return x * len([*map(os.readlink, ["/proc/self/cwd"])][-1])


def local_class(x):
    class Sized:
        __repr__ = staticmethod(os.getcwd)

    return x * len(repr(Sized()))


def keyword_default(x, read=partial(os.getcwd)):  # noqa: B008
    return x * len(read())


def in_a_helper(x):
    return _use(x, os.getcwd)


def _use(x, read):
    return x * len(partial(read)())


def method_type(x):
    return x * len(types.MethodType(os.readlink, "/proc/self/cwd")())


def changes_folder(fn):
    """A program that changes the current folder after each call."""

    def program():
        os.chdir(FOLDERS[-1])
        return fn, None, lambda number: os.chdir(FOLDERS[number])

    program.__name__ = fn.__name__
    return program


def clock_by_partial():
    return lambda x: x * (partial(time.perf_counter)() > 0)


def own_generator():
    random_numbers = random.Random(1)
    return lambda x: x * next(map(random_numbers.uniform, [1], [2]))


def numpy_generator():
    random_numbers = np.random.default_rng(1)
    return lambda x: x * float(next(map(random_numbers.normal, [1])))


def shared_generator():
    np.random.seed(3)
    return lambda x: x * float(partial(np.random.rand)())


def generator_of_python():
    random.seed(3)
    return lambda x: x * partial(random.random)()


def bytes_of_the_system():
    return lambda x: x * len(next(map(os.urandom, [3])))


PROGRAMS = [
    *map(changes_folder, (
        local_partial, global_partial, wrapped_partial, partial_of_a_local, partial_of_an_item, partial_of_getattr,
        partial_of_a_computed_name, partial_of_the_table_of_a_module, method_caller, imported_method_caller,
        attribute_getter, call_of_operator, mapped, mapped_in_c, mapped_status, mapped_list, filtered, reduced, largest,
        sorted_by_status, sorted_by_time, iterated, starmapped, default_of_a_dict, substituted, called_object,
        property_in_c, representation, method_of_a_partial, starred, local_class, keyword_default, in_a_helper,
        method_type,
    )),
    clock_by_partial, own_generator, numpy_generator, shared_generator, generator_of_python, bytes_of_the_system,
]  # fmt: skip


@pytest.fixture(autouse=True)
def _restore_folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_function_in_c_that_another_one_calls_runs_at_every_call(program, setting):
    check(program, setting)


def test_an_attribute_with_the_name_of_an_installed_function_is_no_use_of_it():
    a, b = np.eye(2), np.ones((3, 2))
    distances = jit(lambda a, b: ops.cdist(a, b), fullgraph=True)(Tensor(a), Tensor(b))
    np.testing.assert_allclose(distances.asnumpy(), cdist(a, b))


def test_the_message_names_the_function_and_the_line():
    with pytest.raises(CaptureError, match=r"'posix.getcwd' may read or change .*len\(partial.*functions_in_c.py"):
        jit(local_partial, fullgraph=True)(Tensor([1.0, 2.0]))


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_pure_functions_in_c_and_functions_that_are_called_at_once_stay_in_the_graph(mode):
    table, read = {"sin": np.sin, "len": len}, os.getcwd

    def program(x, names=("a", "bb")):
        if not names:  # never: what is called at once is refused when it is called
            return x * len(os.getcwd()) * len(read()) * len(getcwd()) * len(os.path.realpath("."))
        total = reduce(operator.add, map(len, names)) + max(names, key=len).count("b") + partial(table["len"], "a")()
        return x * total + sum(sorted([3, 1], key=operator.neg)) + methodcaller("sum")(x)

    assert jit(program, capture_mode=mode, fullgraph=True)(Tensor([1.0, 2.0])).tolist() == [13.0, 19.0]
