"""State that code reads of functions, classes, modules and libraries, not of the objects that it names: as in eager
mode at every call, or op by op.
"""

import abc
import array
import builtins
import codecs
import collections
import ctypes
import decimal
import functools
import math
import operator
import sys
import types

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, nn
from minigraph.capture.guards import Guard
from minigraph.capture.readable_attributes import (
    guards_of_class_entries,
    guards_of_global,
    guards_of_library,
    is_computed,
)
from tests.same_as_eager import SETTING_NAMES, SETTINGS, check

# Each gives a function, its observed state, and the change after a call, for ``tests.same_as_eager``.


def code_of_a_function():
    def helper(v):
        return v * 2

    codes = [helper.__code__, (lambda v: v * 3).__code__]

    def change(n):
        helper.__code__ = codes[(n + 1) % 2]

    return lambda x: helper(x), None, change


def name_doc_and_annotations_of_a_function():
    def helper(v: 1.0):
        """A text."""

    def change(n):
        helper.__name__, helper.__doc__ = "h" * (n + 1), "d" * n
        helper.__annotations__["v"] += 1

    return lambda x: x * len(helper.__name__) + len(helper.__doc__) + helper.__annotations__["v"], None, change


def name_of_a_class():
    class Named:
        pass

    return lambda x: x * len(Named.__name__), None, lambda n: setattr(Named, "__name__", "N" * (n + 2))


def class_of_an_object():
    class One:
        k = 1.0

    class Two:
        k = 5.0

    instance = One()
    return lambda x: x * instance.k, None, lambda n: setattr(instance, "__class__", (Two, One)[n % 2])


def class_of_an_object_in_a_branch():
    class One:
        k = 1.0

    class Two:
        k = 5.0

    instance = One()

    def step(x):
        if x.sum() > 3:
            instance.__class__ = Two
        return x * instance.k

    return step, lambda: type(instance).__name__


def variable_of_a_metaclass():
    class Meta(type):
        k = 1.0

    class Thing(metaclass=Meta):
        pass

    return lambda x: x * Thing.k, None, lambda n: setattr(Meta, "k", n + 2.0)


def methods_of_a_class():
    class Thing:
        def method(self):
            return 1.0

        @classmethod
        def of_class(cls):
            return 1.0

        @staticmethod
        def static():
            return 1.0

        @property
        def value(self):
            return 1.0

        def __len__(self):
            return 1

    instance = Thing()
    changes = [
        ("method", lambda self: 2.0),
        ("of_class", classmethod(lambda cls: 3.0)),
        ("static", staticmethod(lambda: 4.0)),
        ("value", property(lambda self: 5.0)),
        ("__len__", lambda self: 6),
    ]

    def step(x):
        return x * instance.method() * Thing.of_class() * instance.static() * instance.value * len(instance)

    return step, None, lambda n: setattr(Thing, *changes[n])


def property_that_counts():
    class Thing:
        count = 0

        @property
        def value(self):
            Thing.count += 1
            return Thing.count

    instance = Thing()
    return lambda x: x * instance.value, lambda: Thing.count


def cached_property_that_is_dropped():
    class Thing:
        count = 0

        @functools.cached_property
        def value(self):
            Thing.count += 1
            return Thing.count

    instance = Thing()
    return (
        lambda x: x * instance.value,
        lambda: (Thing.count, vars(instance)),
        lambda n: vars(instance).pop("value", None),
    )


def attribute_of_a_function_set_later():
    def helper(v):
        return v * 2

    return lambda x: helper(x) * getattr(helper, "factor", 1.0), None, lambda number: setattr(helper, "factor", 5.0)


def module_with_getattr():
    module, calls = types.ModuleType("lazy"), [0]

    def get(name):
        calls[0] += 1
        return float(calls[0])

    module.__getattr__ = get
    return lambda x: x * module.level, lambda: list(calls)


def builtins_under_other_names():
    settings = types.SimpleNamespace(round=math.floor)
    cast, combine, library = int, np.add, math

    def step(x):
        y = x * settings.round(1.5) * cast(1.5) + float(combine(2.0, 3.0))
        return y if hasattr(library, "floor") else -y

    def change(n):
        nonlocal cast, combine, library
        settings.round, cast = (math.ceil, float) if n % 2 == 0 else (math.floor, int)
        combine, library = (np.multiply, np.linalg) if n == 1 else (np.add, math)

    return step, None, change


def name_added_to_builtins():
    builtins.factor_of_a_test = 1.0

    def change(n):
        builtins.factor_of_a_test += 1

    return lambda x: x * factor_of_a_test, None, change  # noqa: F821


def data_of_a_library():
    sys.path_of_a_test = ["a"]
    return lambda x: x * len(sys.path_of_a_test), None, lambda n: sys.path_of_a_test.append("b")


def module_that_is_imported_when_called():
    sys.modules["module_of_a_test"] = types.ModuleType("module_of_a_test")
    sys.modules["module_of_a_test"].k = 1.0

    def helper(x):
        import module_of_a_test  # noqa: PLC0415

        return x * module_of_a_test.k

    return lambda x: helper(x), None, lambda n: setattr(sys.modules["module_of_a_test"], "k", n + 2.0)


def packages_of_a_module_that_is_imported_when_called():
    modules = package_of_a_test()

    def fn(x):
        import package_of_a_test.inner.leaf  # noqa: PLC0415
        import package_of_a_test.inner.leaf as other  # noqa: PLC0415

        package = package_of_a_test
        return x * package.k + package.inner.k * package.inner.leaf.k - other.k

    def change(n):
        modules[n % 2].k = n + 3.0
        modules[n % 2 - 1].leaf = modules[1].leaf = types.SimpleNamespace(k=n + 5.0)

    return fn, None, change


def package_of_a_relative_import():
    modules = package_of_a_test()
    table = {"__name__": "package_of_a_test.inner.leaf", "__package__": "package_of_a_test.inner"}
    exec("def helper(x):\n    from . import k\n    from .. import k as outer\n    return x * k + outer", table)
    helper = table["helper"]
    return lambda x: helper(x), None, lambda n: setattr(modules[n % 2], "k", n + 3.0)


def package_by_dunder_import():
    modules = package_of_a_test()
    return lambda x: x * __import__("package_of_a_test.inner").k, None, lambda n: setattr(modules[0], "k", n + 3.0)


def module_with_attributes_on_demand():
    module, state = types.ModuleType("module_on_demand"), {"k": 1.0}
    module.__getattr__ = lambda name: state[name]
    return lambda x: x * module.k, None, lambda n: state.update(k=n + 2.0)


def attribute_getter():
    class Thing:
        k = 1.0

    instance, get = Thing(), operator.attrgetter("k")
    return lambda x: x * get(instance), None, lambda n: setattr(instance, "k", n + 2.0)


def parameter_attributes():
    weight = Parameter(Tensor([1.0]), name="w")

    def change(n):
        weight.name, weight.requires_grad = "w" * (n + 2), n % 2 == 1

    return lambda x: x * len(weight.name) * (2 if weight.requires_grad else 3), None, change


def names_of_parameters():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor([1.0]), name="w")

    net = Net()
    return lambda x: x * len(next(iter(net.parameters_dict()))), None, lambda n: setattr(net.w, "name", "w" * (n + 2))


def names_of_listed_parameters():
    net = nn.Dense(1, 1)
    step = lambda x: x * sum(len(parameter.name) for parameter in net.trainable_params())  # noqa: E731
    return step, None, lambda n: setattr(net.weight, "name", "w" * (n + 2))


def settings_of_minigraph():
    ms.set_context(max_call_depth=1000)
    ms.set_seed(1)
    ms.dataset.config.set_seed(1)

    def step(x):
        return x * ms.get_context("max_call_depth") + ms.get_seed() + ms.dataset.config.get_seed()

    def change(n):
        ms.set_context(max_call_depth=1001 + n)
        ms.set_seed(n + 2)
        ms.dataset.config.set_seed(n + 3)

    return step, None, change


def registered_abstract_class():
    class Base(abc.ABC):  # noqa: B024
        pass

    class Thing:
        pass

    instance = Thing()
    return lambda x: x * (2 if isinstance(instance, Base) else 3), None, lambda n: n == 1 and Base.register(Thing)


def registering_an_abstract_class():
    class Base(abc.ABC):  # noqa: B024
        pass

    class Thing:
        pass

    instance = Thing()

    def step(x):
        y = x * (2 if isinstance(instance, Base) else 3)
        Base.register(Thing)
        return y

    return step, lambda: isinstance(instance, Base)


def decimal_context():
    decimal.setcontext(decimal.Context(prec=28))

    def change(n):
        decimal.getcontext().prec = 3 + n

    return lambda x: x * float(decimal.Decimal(1) / decimal.Decimal(3)), None, change


def numpy_error_state():
    np.seterr(divide="warn")
    return lambda x: x * len(np.geterr()["divide"]), None, lambda n: np.seterr(divide=("raise", "warn")[n % 2])


def numpy_print_options():
    np.set_printoptions(precision=8)
    third = np.array([1 / 3])
    return lambda x: x * len(str(third)) + len(f"{third}"), None, lambda n: np.set_printoptions(precision=3 + n)


def numpy_bit_generator():
    bits, seeds = np.random.PCG64(3), np.random.SeedSequence(1)
    return lambda x: x * float(bits.random_raw() % 7) + len(seeds.spawn(1)[0].spawn_key) + seeds.n_children_spawned


def read_only_view():
    base = np.arange(4.0)
    view = base[1:3]
    view.flags.writeable = False
    return lambda x: x * view[0], None, lambda n: base.__setitem__(1, n + 5.0)


def read_only_buffer():
    memory = bytearray(16)
    base, view = np.frombuffer(memory), np.frombuffer(memoryview(memory).toreadonly())
    return lambda x: x * view[0], None, lambda n: base.__setitem__(0, n + 5.0)


def tensor_of_a_read_only_view():
    base = np.arange(4, dtype=np.float32)
    view = base[1:3]
    view.flags.writeable = False
    tensor = Tensor.from_numpy(view)
    return lambda x: x * tensor, None, lambda n: base.__setitem__(1, n + 5.0)


def flags_of_an_array():
    values = np.arange(2.0)

    def change(n):
        values.flags.writeable = n % 2 == 1

    return lambda x: x * (2 if values.flags.writeable else 3), None, change


def structure_of_ctypes():
    class Pair(ctypes.Structure):
        _fields_ = (("a", ctypes.c_int),)

    pair = Pair(1)

    def step(x):
        pair.a += 1
        return x * pair.a

    return step, lambda: pair.a


def array_in_a_branch():
    def step(x):
        numbers = array.array("d", [1.0])
        if x.sum() > 3:
            numbers[0] = 2.0
        return x * numbers[0]

    return step


def mapping_behind_a_proxy():
    table = {"k": 1.0}
    proxy = types.MappingProxyType(table)
    return lambda x: x * proxy["k"], None, lambda n: table.update(k=n + 2.0)


def arguments_of_an_exception():
    error = ValueError("a")
    return lambda x: x * len(error.args), None, lambda n: setattr(error, "args", (1,) * (n + 2))


def function_of_a_partial():
    scaled = functools.partial(lambda k, x: x * k, 1.0)
    return lambda x: scaled(x), None, lambda n: scaled.__setstate__((scaled.func, (n + 2.0,), {}, None))


def attribute_of_a_string():
    class Text(str):
        pass

    text = Text("a")
    text.k = 1.0
    return lambda x: x * text.k, None, lambda n: setattr(text, "k", n + 2.0)


def bases_of_a_class():
    class One:
        def scaled(self, v):
            return v * 2

    class Two:
        def scaled(self, v):
            return v * 5

    class Middle(One):
        pass

    class Own(Middle):
        pass

    instance = Own()
    return lambda x: instance.scaled(x), None, lambda n: setattr(Middle, "__bases__", ((Two, One)[n % 2],))


def bases_that_the_function_changes():
    class One:
        k = 1.0

    class Two:
        k = 5.0

    class Own(One):
        pass

    def step(x):
        Own.__bases__ = (Two,) if Own.k == 1.0 else (One,)
        return x * Own.k

    return step, lambda: Own.__bases__[0].__name__


def slot_by_its_bound_descriptor():
    class Slots:
        __slots__ = ("value",)

    instance = Slots()
    instance.value = 1.0
    read = Slots.value.__get__
    return lambda x: x * read(instance, Slots), None, lambda n: setattr(instance, "value", n + 2.0)


def default_of_a_named_tuple():
    kind = collections.namedtuple("Pair", "first second", defaults=[2.0])
    return lambda x: x * kind(1.0).second, None, lambda n: setattr(kind.__new__, "__defaults__", (n + 3.0,))


def default_of_new():
    class Own:
        def __new__(cls, k=1.0):
            instance = object.__new__(cls)
            instance.k = k
            return instance

    return lambda x: x * Own().k, None, lambda n: setattr(Own.__new__, "__defaults__", (n + 3.0,))


PROGRAMS = [instance for instance in list(globals().values()) if getattr(instance, "__module__", "") == __name__]


def package_of_a_test():
    """A package with a module in it, ``package_of_a_test.inner.leaf``; each has a ``k``."""
    names = "package_of_a_test", "package_of_a_test.inner", "package_of_a_test.inner.leaf"
    modules = [types.ModuleType(name) for name in names]
    for name, module in zip(names, modules, strict=True):
        sys.modules[name] = module
        module.k, module.__path__, module.__package__ = 2.0, [], name
    modules[0].inner, modules[1].leaf = modules[1:]
    return modules


@pytest.fixture(autouse=True)
def same_settings():
    before = np.geterr(), np.get_printoptions(), decimal.getcontext()
    yield
    np.seterr(**before[0])
    np.set_printoptions(**before[1])
    decimal.setcontext(before[2])
    for table, name in ((vars(builtins), "factor_of_a_test"), (vars(sys), "path_of_a_test")):
        table.pop(name, None)
    for name in ("module_of_a_test", *[f"package_of_a_test{part}" for part in ("", ".inner", ".inner.leaf")]):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_call_equals_eager_mode(program, setting):
    check(program, setting)


def test_reading_guards_runs_nothing_of_the_users():
    class Thing:
        @property
        def value(self):
            raise AssertionError("was run")

        def method(self):
            return 1

    instance = Thing()
    names, bases, *guards = guards_of_class_entries(instance, {"value", "method"})
    assert (bases.name, bases.holds) == ("__bases__", True)
    assert [guard.name for guard in guards] == ["method", "value"]
    assert names.holds and all(guard.holds for guard in guards)
    Thing.value = property(lambda self: 2)
    assert [guard.name for guard in guards if not guard.holds] == ["value"]
    Thing.other = 1
    assert (names.holds, names.changed_name) == (False, "other")
    assert is_computed(Guard(instance, "method", instance.method))
    instance.kept = instance.method
    assert not is_computed(Guard(instance, "kept", instance.kept))


def test_of_libraries_data_is_followed_and_functions_are_guarded():
    names = {"pi", "argv", "exit", "path", "math", "sys"}
    table = {"math": math, "sys": sys, "collections": collections, "codecs": codecs}
    guards = [guard for module in table for guard in guards_of_global(table, module, names, False)]
    assert [guard.label for guard in guards if guard.label] == ["math.pi", "sys.argv", "sys.path"]
    function = types.FunctionType((lambda: None).__code__, table)
    assert [guard.label for guard in guards_of_library(function, names)] == ["sys.exit"]
