"""The reachable state of a function, and its guards."""

import collections
import functools
import types
import weakref

import numpy as np
import pytest

from minigraph import Parameter, Tensor, float32, nn
from minigraph.capture.guards import IMPLEMENTATION, MISSING
from minigraph.capture.names_in_code import codes_in
from minigraph.capture.query_guards import ClassNamesGuard, names_of_class
from minigraph.capture.reachable_state import ReachableState, guards_of

RATE, NAMES, WEIGHT, MASK = 0.5, {"is": "guarded"}, Parameter(Tensor([1.0]), name="w"), np.ones(2)


def values(fn):
    """The guarded values that a function reads, without their contents."""
    return [guard.value for guard in guards_of_data(fn) if hasattr(guard, "value")]


def places(fn):
    return sorted(guard.description for guard in guards_of_data(fn))


def guards_of_data(fn):
    """The guards, except for guards on code and on classes."""
    return [guard for guard in guards_of(fn) if not is_implementation(guard)]


def is_implementation(guard):
    return getattr(guard, "name", "") in IMPLEMENTATION or isinstance(getattr(guard, "owner", None), type)


def reads_globals(x):
    return x * RATE + WEIGHT if NAMES else float32


def test_globals_arrays_closures_and_their_contents_are_guarded():
    rate, empty, from_c = 3.0, [], (collections.deque([1]), np.float32(2.0))
    assert places(reads_globals) == ["'NAMES'", "'RATE'", "'WEIGHT'", "'float32'", "the contents of 'NAMES'"]
    assert places(lambda x: x + MASK) == ["'MASK'", "the elements of 'MASK'"]
    assert values(lambda x: (x * rate, empty)) == [[], 3.0]
    assert places(lambda x: (x * rate, empty)) == ["'empty'", "'rate'", "the contents of 'empty'"]
    assert from_c in values(lambda x: from_c)


def test_functions_and_objects_in_containers_are_analysed():
    table = {"first": [functools.partial(reads_globals)], "second": (Model(),)}
    guards_list = values(lambda x: table["first"][0](table["second"][0].run(x)))
    assert RATE in guards_list and 2.0 in guards_list


def test_an_unbound_closure_variable_has_no_guard():
    def early_return(x):
        return later(x)

    assert guards_of_data(early_return) == []
    later = reads_globals
    assert RATE in values(early_return)


def test_nested_called_wrapped_and_partial_functions_are_analysed_once():
    def outer(x):
        return [reads_globals(y) for y in (lambda: x)()]

    @functools.wraps(reads_globals)
    def wrapper(x):
        return reads_globals(x)

    assert all(RATE in values(fn) for fn in (outer, wrapper, functools.partial(reads_globals, 1)))
    assert [guard for guard in values(ping) if guard == RATE] == [RATE], "they call each other"


def ping(x):
    return pong(x) * RATE


def pong(x):
    return ping(x)


class Model:
    def __init__(self):
        self.k, self.items = 2.0, [1]

    def run(self, x):
        return self.helper(x) + len(self.items)

    def helper(self, x):
        return x * self.k


def test_attributes_of_the_object_are_found_through_its_methods():
    model = Model()
    assert 2.0 in values(model.run)
    guards = guards_of(model.run)
    model.k = 3.0
    assert [guard.description for guard in guards if not guard.holds] == ["'k'"]
    model.items.append(2)
    assert [guard.description for guard in guards if not guard.holds] == ["'k'", "the contents of 'items'"]


def test_a_cell_is_guarded_by_the_count_of_its_changes():
    class Net(nn.Cell):
        def construct(self, x):
            return x

    net = Net()
    guards = guards_of(net.construct)
    assert guards and all(guard.holds for guard in guards)
    net.extra = 1
    assert [guard.name for guard in guards if not guard.holds] == ["_version"]


@pytest.mark.parametrize("callable_", [len, int, print, object(), guards_of])
def test_built_in_functions_and_ours_have_no_guards(callable_):
    assert guards_of(callable_) == []


def test_special_methods_of_a_class_of_the_users_are_guarded():
    guards = guards_of(Model)
    assert {getattr(guard, "name", "") for guard in guards} == {"__init__", "__code__", "__bases__", ""}
    assert [guard.value for guard in guards if isinstance(guard, ClassNamesGuard)] == [names_of_class(Model)]


# ---- unset names -------------------------------------------------------------------------------------


class Lazy:
    def count(self, x):
        global counted
        self.calls = getattr(self, "calls", 0) + 1
        counted = self.calls
        return x * self.calls


def test_unset_names_that_code_may_set():
    lazy = Lazy()
    empty = [guard for guard in ReachableState(lazy.count).guards() if getattr(guard, "value", None) is MISSING]
    assert sorted(guard.description for guard in empty if guard.owner in (Tensor, Parameter)) == ["'calls'"] * 2
    empty = [guard for guard in empty if guard.owner not in (Tensor, Parameter)]
    assert sorted(guard.description for guard in empty) == ["'calls'"] * 2 + ["'counted'", "'getattr'"]  # a builtin
    assert all(guard.holds for guard in empty)
    lazy.calls = 1
    assert [guard.description for guard in empty if not guard.holds] == ["'calls'"]
    data = [g for g in guards_of_data(lazy.count) if getattr(g, "value", 0) is MISSING]
    assert sorted(g.name for g in data if g.owner not in (Tensor, Parameter)) == ["calls", "getattr"]  # of the function


class Proxy:
    def __getattr__(self, name):
        raise AssertionError("was asked")


def test_objects_with_getattr_methods_are_not_queried():
    proxy = Proxy()

    def sets(x):
        proxy.calls = 1
        return x

    assert values(sets) == [proxy, MISSING]  # no global hides ``AssertionError``


def test_reached_functions_are_the_users_and_code_includes_nested_functions():
    def outer(x):
        return [lambda: x for _ in (lambda: 1,)]

    functions = ReachableState(functools.partial(reads_globals, ping, guards_of)).functions
    assert {function.__name__ for function in functions} == {"reads_globals", "ping", "pong"}
    assert [code.co_name for code in codes_in(outer.__code__)].count("<lambda>") == 2


def test_defaults_and_arguments_of_partials_are_guarded():
    kept = [2.0]

    def scaled(x, by=kept, *, and_by=3.0):
        return x * by[0] * and_by

    partial = functools.partial(lambda by, x: x * by[0], kept)
    guards_list = guards_of(lambda x: scaled(x))
    others = [guards_of(program) for program in (lambda x: partial(x), partial)]
    assert all(guard.holds for guard in guards_list)
    kept[0] = 9.0
    assert [guard.description for guard in guards_list if not guard.holds] == ["the contents of 'scaled.__defaults__'"]
    assert all(any("the contents of" in guard.description for guard in guards if not guard.holds) for guards in others)
    scaled.__kwdefaults__ = {"and_by": 4.0}
    assert "'scaled.__kwdefaults__'" in [guard.description for guard in guards_list if not guard.holds]


def test_an_attribute_that_hasattr_did_not_find_is_guarded():
    class Settings:
        pass

    settings = Settings()
    for program in (lambda x: x if hasattr(settings, "rate") else -x, lambda x: x * getattr(settings, "rate", 1)):
        guards_list = guards_of(program)
        assert all(guard.holds for guard in guards_list)
        settings.rate = 2
        assert [guard.description for guard in guards_list if not guard.holds] == ["'rate'"]
        del settings.rate


def test_the_builtins_of_a_users_module_are_not_its_state():
    module = types.ModuleType("module_of_a_test")
    exec("factor = 3.0\ndef scale(x):\n    return x * factor", vars(module))
    guards_list = guards_of(lambda x: module.scale(x))
    assert "__builtins__" in vars(module)
    assert 3.0 in [guard.value for guard in guards_list if hasattr(guard, "value")]
    assert "__builtins__" not in [getattr(guard, "name", "") for guard in guards_list]


def test_finalizers_and_weak_references_see_that_objects_are_released():
    class Released:
        def __del__(self):
            pass

    weak_set, reference = weakref.WeakSet(), weakref.ref(reads_globals)
    seen = [lambda x: Released(), lambda x: reference(), lambda x: weakref.finalize(x, print), lambda x: weak_set]
    assert [ReachableState(fn).sees_releases for fn in (*seen, reads_globals)] == [True] * 4 + [False]
