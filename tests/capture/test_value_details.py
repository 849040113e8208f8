"""Values that Python calls equal, but that a function can tell apart: of arguments and of branches."""

import dataclasses
import datetime
import decimal
import warnings

import numpy as np
import pytest

from minigraph import Tensor, jit
from minigraph.capture.value_details import detail_of
from minigraph.compilation import OpByOpWarning


class ById:
    """Compared by one attribute of two."""

    def __init__(self, ident, scale):
        self.ident, self.scale = ident, scale

    def __eq__(self, other):
        return self.ident == other.ident

    def __hash__(self):
        return hash(self.ident)


@dataclasses.dataclass(frozen=True)
class Noted:
    """A frozen dataclass that does not compare its note."""

    value: float
    note: object = dataclasses.field(compare=False, default=0)


@dataclasses.dataclass(unsafe_hash=True)
class Mutable:
    """A dataclass that does not compare its scale, and whose fields may be set."""

    value: float
    scale: float = dataclasses.field(compare=False, default=1.0)


class Text(str):
    """A string with attributes, which calls every other one equal."""

    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class Pair(tuple):
    """A tuple with attributes."""


def with_scale(value, scale):
    value.scale = scale
    return value


UTC, EAST = datetime.UTC, datetime.timezone(datetime.timedelta(hours=1))
NOON = datetime.datetime(2020, 1, 1, 12, tzinfo=UTC)

# a function of a tensor and a value, and values of which some are equal
CASES = {
    "an __eq__ of one attribute": (lambda x, k: x * k.scale, [ById(1, 2.0), ById(1, 3.0), ById(2, 3.0)]),
    "nested": (lambda x, k: x * k["k"][0].scale, [{"k": [ById(1, 2.0)]}, {"k": [ById(1, 3.0)]}]),
    "a field that is not compared": (lambda x, o: x * o.note, [Noted(1.0, 1), Noted(1.0, 2)]),
    "a field of an equal number": (lambda x, o: (x, o.value), [Noted(1), Noted(True), Noted(1.0)]),
    "a field that holds a tensor": (lambda x, o: x + o.note, [Noted(1, Tensor(1.0)), Noted(1, Tensor(2.0))]),
    "a field that holds such an object": (lambda x, o: x * o.note.scale, [Noted(1, ById(1, 2)), Noted(1, ById(1, 5))]),
    "a field that may be set": (lambda x, o: x * o.scale, [Mutable(1.0, 2.0), Mutable(1.0, 3.0)]),
    "ranges": (lambda x, r: x * r.stop, [range(0, 3, 2), range(0, 4, 2)]),
    "frozen sets": (lambda x, s: (x, list(s)), [frozenset([1]), frozenset([1.0]), frozenset([True])]),
    "frozen sets of tuples": (lambda x, s: (x, list(s)), [frozenset([(1,)]), frozenset([(True,)])]),
    "keys": (lambda x, t: (x, list(t)), [{1: 2.0}, {True: 2.0}, {1.0: 2.0}]),
    "time zones": (lambda x, t: x * t.hour, [NOON, NOON.astimezone(EAST)]),
    "the second hour": (lambda x, t: x * (t.fold + 1), [NOON, NOON.replace(fold=1)]),
    "decimals": (lambda x, d: (x, str(d)), [decimal.Decimal("1.0"), decimal.Decimal("1.00")]),
    "numbers of numpy": (lambda x, s: (x, np.copysign(1, s)), [np.float64(0.0), np.float64(-0.0)]),
    "strings with an __eq__": (lambda x, s: x * len(s), [Text("a"), Text("ab")]),
    "strings with attributes": (lambda x, s: x * s.scale, [with_scale(Text("a"), 2.0), with_scale(Text("a"), 3.0)]),
    "tuples with attributes": (
        lambda x, t: x * getattr(t, "scale", 1), [Pair((1,)), with_scale(Pair((1,)), 2.0), with_scale(Pair((1,)), 3.0)]
    ),
}  # fmt: skip


def plain(result):
    return [(type(part), part.tolist() if isinstance(part, Tensor) else repr(part)) for part in result]


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.replace(" ", "_"))
def test_equal_values_that_differ_are_told_apart(case, mode):
    function, values = CASES[case]

    def call(x, value):
        result = function(x, value)
        return result if isinstance(result, tuple) else (result,)

    jitted = jit(call, capture_mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value in [*values, *values]:
            x = Tensor([1.0, 2.0])
            assert plain(jitted(x, value)) == plain(call(x, value))


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.replace(" ", "_"))
def test_equal_values_of_two_branches_are_told_apart(case, mode):
    function, (first, second, *_) = CASES[case]

    def choose(x):
        if x.sum() > 0:  # noqa: SIM108
            value = first
        else:
            value = second
        result = function(x, value)
        return result if isinstance(result, tuple) else (result,)

    compiled = jit(choose, capture_mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in (1.0, -1.0, 1.0):
            x = Tensor([number, number])
            assert plain(compiled(x)) == plain(choose(x))


def test_equal_objects_before_and_in_a_loop_are_told_apart():
    first, second = ById(1, 1.0), ById(1, 3.0)

    def loop(x):
        value = first
        while x.sum() < 10:
            x, value = x * 2 * value.scale, second
        return x * value.scale

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [jit(loop)(Tensor([k])).item() for k in (1.0, 20.0, 5.0)] == [36.0, 20.0, 30.0]


def test_comparing_the_values_of_branches_calls_no_method_of_their_class():
    class Compared:
        def __eq__(self, other):
            raise AssertionError("was called")

        __hash__ = None

    first, second = Compared(), Compared()

    def choose(x):
        if x.sum() > 0:  # noqa: SIM108
            value = first
        else:
            value = second
        return x, value is first

    with pytest.warns(OpByOpWarning, match="'value' is a Compared in one branch and another in the other"):
        assert [jit(choose)(Tensor([k]))[1] for k in (1.0, -1.0)] == [True, False]


@pytest.mark.parametrize(
    "make",
    [
        lambda: "text" * 2, lambda: 10**9, lambda: -0.0, lambda: 2 + 1j, lambda: b"12" * 2, lambda: None,
        lambda: (10**9, "a" * 2), lambda: range(5), lambda: frozenset(["ab" * 2]), lambda: np.float32(1.5),
        lambda: Noted(1.5, "ab" * 2), lambda: Noted(1.5, Noted(10**9)), lambda: datetime.datetime(2020, 1, 1),
        lambda: [1, {"a": 10**9}], lambda: len, lambda: "ab".upper, lambda: float,
    ],
)  # fmt: skip
def test_equal_values_that_are_alike_share_a_program(make):
    jitted = jit(lambda x, value: x + 1)
    for _ in range(3):
        jitted(Tensor(1.0), make())
    assert jitted.cache_info().entries == 1


def test_an_object_with_its_own_equality_is_compared_by_identity():
    first, second = ById(1, 2.0), ById(1, 2.0)
    assert first == second and detail_of(first) != detail_of(second) and detail_of(first) == detail_of(first)
    assert detail_of(object()) == detail_of(object()) == ""  # their equality is identity
