"""Lines that assign, mutate or load a name, found in bytecode."""

import random

import numpy as np
import pytest

from minigraph.capture.bytecode import asks_identity, find_assignment, find_load, find_mutation

LOG, TABLE = [], {}


def first_line(fn, loc):
    return loc and loc.line - fn.__code__.co_firstlineno


def sets(x):
    global LOG
    y = x
    LOG = [y]
    x.size = 1
    return y


def computes(x):
    name = "si" + "ze"
    setattr(x, name, 1)


def computes_items(x):
    y = x
    vars(y).update(size=1)


def changes(x):
    before = len(LOG)
    LOG.append(before)
    TABLE["a"] = before
    del x[0]
    return LOG


def only_reads(x):
    items = LOG
    return items


def inside(x):
    def inner():
        nonlocal x
        x = 2

    return inner


def draws(x):
    y = np.sin(1.0)
    y += np.random.rand()
    return y + random.random()


LINES = {
    "a global set": (find_assignment, [sets], "LOG", 3),
    "an attribute set": (find_assignment, [sets], "size", 4),
    "an attribute set by a computed name": (find_assignment, [computes], "size", 2),
    "a table of attributes": (find_mutation, [computes_items], "Table", 2),
    "a local set": (find_assignment, [sets], "y", None),
    "a nonlocal set": (find_assignment, [only_reads, inside], "x", 3),
    "a list changed": (find_mutation, [changes], "LOG", 2),
    "a dict changed": (find_mutation, [changes], "TABLE", 3),
    "an item deleted": (find_mutation, [changes], "x", 4),
    "only read": (find_mutation, [only_reads], "LOG", 1),
    "nothing changed": (find_mutation, [only_reads], "nowhere", None),
    "a module's module loaded": (find_load, [draws], lambda name, value: value is np.random, 2),
    "a module loaded": (find_load, [draws], lambda name, value: value is random, 3),
    "a name loaded": (find_load, [draws], lambda name, value: name == "sin", 1),
    "nothing loaded": (find_load, [draws], lambda name, value: value is LOG, None),
}


@pytest.mark.parametrize(("look", "functions", "what", "line"), LINES.values(), ids=LINES)
def test_lines_that_set_change_or_load(look, functions, what, line):
    assert first_line(functions[-1], look(functions, what)) == line


def test_a_closure_variable():
    generator = random.Random(0)

    def drawing(x):
        return generator.random()

    loc = find_load([drawing], lambda name, value: value is generator)
    assert (first_line(drawing, loc), loc.function, loc.text) == (1, "drawing", "return generator.random()")


def test_names_of_attributes_that_code_sets_and_of_its_variables_compare_no_objects():
    class Counter:
        def __init__(self):
            self.count = 0

        def rises(self, items):
            self.count += 1
            index = len(items)
            return index

    assert not asks_identity([Counter.__init__, Counter.rises])
    assert asks_identity([lambda items, x: items.count(x)])
    assert asks_identity([lambda items, x: any(x is item for item in items)])
