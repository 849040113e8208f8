"""Guards on values that captured code reads from objects: a change is detected for every way of access."""

import dataclasses
import functools
import types
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

import minigraph as ms
from minigraph import GradOperation, Parameter, Tensor, grad, jit, nn, ops, set_context, value_and_grad
from minigraph.capture.guards import unique_guards
from minigraph.capture.reachable_state import guards_of
from minigraph.compilation import OpByOpWarning

X = Tensor([1.0, 2.0])


class Config:
    """``k`` is a factor of the functions; ``inner`` is another ``Config``."""

    def __init__(self, k=2.0):
        self.k, self.unread = k, 0.0

    def scale_by_k(self, x):
        return x * self.k

    def __call__(self, x):
        return self.scale_by_k(x)

    @property
    def k_property(self):
        return self.k * 1

    @functools.cached_property
    def cached_one(self):
        return 1.0

    @staticmethod
    def static_scale(x):
        return x * shared.k

    @classmethod
    def scale_by_level(cls, x):
        return x * cls.level

    level = 2.0


class Slotted:
    __slots__ = ("k", "missing")

    def __init__(self):
        self.k = 2.0


@dataclasses.dataclass
class Record:
    k: float = 2.0


class Holder:
    def __init__(self, inside):
        self.inside = inside

    @jit
    def run(self, x):
        return x * self.inside.k


shared = Config()
module = types.ModuleType("settings")


def helper(config, x):
    return x * config.k


def through_attribute(config):
    holder = Holder(config)
    return lambda x: x * holder.inside.k


ACCESSES = {
    "closed over": lambda config: lambda x: x * config.k,
    "through another object": through_attribute,
    "an argument of a helper": lambda config: lambda x: helper(config, x),
    "of its own object": lambda config: Holder(config).run,
    "of a partial": lambda config: functools.partial(helper, config),
    "in a list of a partial": lambda config: functools.partial(lambda configs, x: x * configs[0].k, [config]),
    "a default": lambda config: lambda x, bound=config: x * bound.k,
    "a keyword's default": lambda config: lambda x, *, bound=config: x * bound.k,
}
OBJECTS = {"object": Config, "slots": Slotted, "dataclass": Record, "namespace": lambda: types.SimpleNamespace(k=2.0)}


@pytest.mark.parametrize("way", ACCESSES.values(), ids=ACCESSES)
@pytest.mark.parametrize("make", OBJECTS.values(), ids=OBJECTS)
def test_a_changed_attribute_is_noticed_however_it_is_reached(way, make):
    config = make()
    function = way(config)
    compiled = function if hasattr(function, "cache_info") else jit(function)
    for k, misses in ((2.0, 1), (3.0, 2), (3.0, 2), (2.0, 2)):
        config.k = k
        assert compiled(X).tolist() == [k, 2 * k]
        assert compiled.cache_info().misses == misses
    assert compiled.cache_info().reasons[1] == "'k' changed (f32[2])"


METHODS = {
    "a method": lambda config: lambda x: config.scale_by_k(x),
    "a bound method": lambda config: config.scale_by_k,
    "a call": lambda config: lambda x: config(x),
    "the object": lambda config: config,
    "a property": lambda config: lambda x: x * config.k_property,
}


@pytest.mark.parametrize("way", METHODS.values(), ids=METHODS)
def test_state_read_by_methods_and_properties_is_guarded(way):
    config = Config()
    compiled = jit(way(config))
    for k, unread in ((2.0, 0.0), (3.0, 0.0), (3.0, 1.0)):
        config.k, config.unread = k, unread
        assert compiled(X).tolist() == [k, 2 * k]
    assert compiled.cache_info().misses == 2


def test_an_object_whose_class_or_static_method_state_changes(monkeypatch):
    config = Config()
    functions = lambda x: x * config.level, lambda x: x * Config.level, lambda x: Config.scale_by_level(x)
    compiled = [jit(function) for function in (*functions, lambda x: Config.static_scale(x))]
    for k in (2.0, 3.0):
        monkeypatch.setattr(Config, "level", k)
        monkeypatch.setattr(shared, "k", k)
        assert [function(X).tolist() for function in compiled] == [[k, 2 * k]] * 4


def test_another_object_as_argument_recompiles():
    compiled, config = jit(lambda config, x: x * config.k), Config()
    closed_over = jit(lambda x: x * config.k)
    assert compiled(config, X).tolist() == closed_over(X).tolist() == [2.0, 4.0]
    config.k = 3.0
    assert compiled(config, X).tolist() == closed_over(X).tolist() == [3.0, 6.0]
    config = Config(5.0)
    assert compiled(config, X).tolist() == closed_over(X).tolist() == [5.0, 10.0]


def test_a_module_of_the_users():
    module.k, module.scale_by_k = 2.0, lambda x: x * shared.k
    compiled = jit(lambda x: module.scale_by_k(x) * module.k)
    assert compiled(X).tolist() == [4.0, 8.0]
    module.k = 3.0
    assert compiled(X).tolist() == [6.0, 12.0]
    module.scale_by_k = lambda x: x
    assert compiled(X).tolist() == [3.0, 6.0]


class Net(nn.Cell):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def construct(self, x):
        return x * self.config.k


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("make", [lambda cell: cell, jit, lambda cell: jit(lambda x: cell(x))])
def test_objects_of_cells_and_of_their_children(make, nested):
    set_context(mode=ms.GRAPH_MODE)
    config = Config()
    run = make(nn.SequentialCell(nn.ReLU(), Net(config)) if nested else Net(config))
    for k in (2.0, 3.0):
        config.k = k
        assert run(X).tolist() == [k, 2 * k]


def second_of(function):
    return lambda x: function(x)[1]


class IdentityWithGradient(nn.Cell):
    """The identity; ``fn`` makes the gradient."""

    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        return self.fn(dout)


WRAPPINGS = {
    "grad": lambda fn: grad(fn),
    "value_and_grad": lambda fn: second_of(value_and_grad(fn)),
    "GradOperation": lambda fn: GradOperation()(fn),
    "a gradient of a Cell's own": lambda fn: grad(IdentityWithGradient(fn)),
    "an inner jit": lambda fn: grad(jit(fn)),
}


@pytest.mark.parametrize("wrap", WRAPPINGS.values(), ids=WRAPPINGS)
def test_functions_inside_of_our_own_closures(wrap):
    config, gain = Config(), 1.0
    compiled = jit(wrap(lambda x: x * config.k * gain))
    for k, gain in ((2.0, 1.0), (3.0, 1.0), (3.0, 2.0)):
        config.k = k
        assert compiled(X).tolist() == [k * gain] * 2


def test_two_closures_of_one_text_are_both_guarded():
    def closure_over(k):
        def scale(x):
            return x * k

        def change(new):
            nonlocal k
            k = new

        return scale, change

    (first, _), (second, change) = closure_over(2.0), closure_over(3.0)
    compiled = jit(lambda x: first(x) + second(x))
    assert compiled(X).tolist() == [5.0, 10.0]
    change(5.0)
    assert compiled(X).tolist() == [7.0, 14.0]


# ---- state without guards --------------------------------------------------------------------------


class CustomAttributes:
    """Attributes that differ from the instance dictionary, and one that must not be evaluated."""

    def __init__(self):
        vars(self).update(k=1.0, must_not_run=2.0)

    @property
    def k(self):
        return object()

    @property
    def must_not_run(self):
        raise AssertionError("a property was run")


def test_properties_are_not_run_and_a_guard_that_never_holds_is_left_out():
    strange = CustomAttributes()
    assert all(guard.holds for guard in guards_of(lambda x: strange.k))
    with pytest.raises(AssertionError, match="was run"):
        jit(lambda x: strange.must_not_run)(X)


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")  # the call that sets ``cached_one``
def test_a_compiled_function_settles():
    """A value that the call itself sets does not count as a change."""
    model, config = Holder(Config()), Config()
    everything = jit(lambda x: model.run(x) + config.scale_by_k(x) * np.pi + config.cached_one + ops.relu(x) + WEIGHT)
    for _ in range(4):
        everything(X)
    assert everything.cache_info().misses <= 2


WEIGHT = Parameter(Tensor([1.0, 2.0]), name="w")


def test_installed_modules_and_our_own_are_not_searched_and_every_place_is_guarded_once():
    assert [guard.name for guard in guards_of(lambda x: ops.relu(x) * np.pi + np.sqrt(2.0))] == [
        "__code__", "ops", "np", "pi", "sqrt"
    ]  # fmt: skip
    assert all(guard.owner is not np for guard in guards_of(lambda x: np.linalg.norm(np.pi)))
    config = Config()
    guards = guards_of(lambda x: helper(config, x) + config.scale_by_k(x))
    assert len(unique_guards(guards + guards)) == len(guards)


def two_results(function, change, mode):
    compiled = jit(function, capture_mode=mode)
    first = compiled(X).tolist()
    change()
    return [first, compiled(X).tolist(), compiled(X).tolist(), compiled.cache_info().misses]


OBJECT_ARRAYS = {
    "small": lambda: np.array([[2.0], [0.0]], object).reshape(-1)[:1],
    "large": lambda: np.array([2.0] * 1000, object),
    "a field": lambda: np.array([(2.0,)], [("k", object)])["k"],
}


def through_object(array):
    holder = types.SimpleNamespace(array=array)
    return lambda x: x * holder.array[0][0]


WAYS_TO_AN_ARRAY = (
    lambda array: lambda x: x * array[0][0],
    lambda array: lambda x, given=array: x * given[0][0],
    through_object,
    lambda array: functools.partial(lambda array, x: x * array[0][0], array),
)


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("make", OBJECT_ARRAYS.values(), ids=OBJECT_ARRAYS)
def test_an_element_of_an_array_of_objects_that_changes_is_seen_however_the_array_is_reached(make, mode):
    for way in WAYS_TO_AN_ARRAY:
        array, inner = make(), [2.0]
        array[0] = inner
        change = partial(inner.__setitem__, 0, 3.0)
        assert two_results(way(array), change, mode)[:3] == [[2.0, 4.0], [3.0, 6.0], [3.0, 6.0]]


def test_an_array_of_objects_as_argument():
    array = np.array([[2.0], 0.0], object)
    compiled = jit(lambda array, x: x * array[0][0])
    with pytest.warns(OpByOpWarning, match="argument of type ndarray"):
        assert compiled(array, X).tolist() == [2.0, 4.0]
        array[0][0] = 3.0
        assert compiled(array, X).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_slot_that_is_unset_and_set_again(mode):
    instance = Slotted()
    function = lambda x: x * (instance.missing if hasattr(instance, "missing") else 2.0)  # noqa: E731
    assert two_results(function, lambda: setattr(instance, "missing", 3.0), mode) == [[2, 4], [3, 6], [3, 6], 2]


class Matched:
    __match_args__ = ("one", "two")
    one, two = 2.0, 3.0


def matches(x):
    match MATCHED:
        case Matched(k):
            return x * k


MATCHED = Matched()


def test_the_attributes_that_a_pattern_reads_by_position(monkeypatch):
    change = partial(monkeypatch.setattr, Matched, "__match_args__", ("two", "one"))
    assert two_results(matches, change, "trace") == [[2, 4], [3, 6], [3, 6], 2]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_an_attribute_that_a_program_adds_to_the_class_of_tensors(mode, monkeypatch):
    monkeypatch.setattr(Tensor, "mine", 2.0, raising=False)
    change = partial(monkeypatch.setattr, Tensor, "mine", 3.0)
    assert two_results(lambda x: x * x.mine, change, mode) == [[2, 4], [3, 6], [3, 6], 2]
    change = partial(monkeypatch.setattr, Tensor, "other", 3.0, raising=False)
    assert two_results(lambda x: x * getattr(x, "other", 2.0), change, mode) == [[2, 4], [3, 6], [3, 6], 2]


class Base:
    k = 2.0

    def scaled(self, x):
        return x * self.factor()

    def factor(self):
        return 2.0


class Derived(Base):
    k = 5.0

    def scaled(self, x):
        return super().scaled(x) * super().k

    def factor(self):
        return super().factor()


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(
    ("name", "value"), [("k", 3.0), ("scaled", lambda self, x: x * 3.0), ("factor", lambda self: 3.0)]
)
def test_what_super_reads_in_a_base_class(name, value, mode, monkeypatch):
    instance = Derived()
    change = partial(monkeypatch.setattr, Base, name, value)
    assert two_results(lambda x: instance.scaled(x), change, mode) == [[4, 8], [6, 12], [6, 12], 2]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_base_class_that_is_found_by_its_place(mode, monkeypatch):
    change = partial(monkeypatch.setattr, Base, "k", 3.0)
    assert two_results(lambda x: x * Derived.__mro__[1].k, change, mode) == [[2, 4], [3, 6], [3, 6], 2]


def pair_product(x):
    match PAIR:
        case [a, b]:
            return x * a * b
        case _:
            return x


class Pair:
    def __len__(self):
        return 2

    def __getitem__(self, k):
        return (2.0, 3.0)[k]


PAIR = Pair()


def test_a_class_that_is_registered_as_a_sequence():
    change = partial(Sequence.register, Pair)
    assert two_results(pair_product, change, "trace") == [[1, 2], [6, 12], [6, 12], 2]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_another_wrapped_function(mode):
    @functools.wraps(helper)
    def function(x):
        return function.__wrapped__(shared, x)

    change = partial(setattr, function, "__wrapped__", lambda config, x: x * 3.0)
    assert two_results(function, change, mode) == [[2, 4], [3, 6], [3, 6], 2]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_an_attribute_that_hides_a_jitted_method(mode):
    instance = Holder(Config())
    assert two_results(lambda x: instance.run(x), lambda: setattr(instance, "run", lambda x: x * 3.0), mode) == [
        *([2, 4], [3, 6], [3, 6], 2)
    ]
