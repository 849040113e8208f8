"""Tables by object: equal objects have entries of their own."""

import gc
import sys
import threading
import warnings

import numpy as np

from minigraph import Tensor, jit
from minigraph.core.weak_table import WeakTable


def equal_codes():
    return [compile("1 + x", "same.py", "eval") for _ in range(2)]


def test_equal_code_objects_have_entries_of_their_own():
    (first, second), table = equal_codes(), WeakTable()
    table[first], table[second] = 1, 2
    assert first == second
    assert (table.get(first), table.get(second), [*table]) == (1, 2, [first, second])
    del first
    assert (table.get(second), len(table)) == (2, 1)
    assert table.get(compile("2", "other.py", "eval")) is None
    table.discard(second)
    table.discard(second)
    assert [*table] == []


class Item:
    pass


def test_a_table_is_listed_while_other_threads_add_and_drop_objects():
    table, kept, is_done = WeakTable(), [Item() for _ in range(9)], threading.Event()
    for item in kept:
        table[item] = True

    def add():
        while not is_done.is_set():
            table[Item()] = True

    threads, interval = [threading.Thread(target=add) for _ in range(3)], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for _ in range(2000):
            assert {*kept} <= {*table}
    finally:
        is_done.set()
        sys.setswitchinterval(interval)
        for thread in threads:
            thread.join()


def make():
    @jit
    def halve(x):
        n = float(x.sum().asnumpy())  # a graph break
        while x.sum() > 1:
            x = x / 2
        return x * n

    return halve


def test_a_function_keeps_its_parts_when_another_one_of_its_code_is_dropped():
    first, second = make(), make()
    with warnings.catch_warnings(action="ignore"):
        for function in (first, second):
            function(Tensor(np.ones(2, np.float32)))
        del first, function
        gc.collect()
        second(Tensor(np.ones(3, np.float32)))
    assert [str(part).partition(":")[0] for part in second.cache_info().segments].count("graph") == 1
