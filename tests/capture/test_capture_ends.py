"""No tracer leaves a captured function: neither in its results nor in an exception."""

import dataclasses

import pytest

from minigraph import Tensor, jit
from minigraph.capture.capture_ends import check_results
from minigraph.capture.structure import UnknownStateError, is_tensor
from minigraph.capture.trace import Tracing
from minigraph.core.errors import CaptureError
from minigraph.core.pytree import flatten
from minigraph.ir.graph import Graph
from tests.same_as_eager import SETTINGS, check


@dataclasses.dataclass(frozen=True, eq=False)
class Key:
    """A key that contains a tensor."""

    tensor: object


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class SlottedKey:
    """A key without a table of attributes."""

    tensor: object


# ---- results -----------------------------------------------------------------------------------------

WITH_KEYS = [
    lambda x: {x.sum(): 1}, lambda x: {x: 1}, lambda x: [{(x * 2, 1): x}], lambda x: {"a": {frozenset([x + 1]): 1}},
    lambda x: {Key(x * 2): 1}, lambda x: {SlottedKey((x, 1)): 1}, lambda x: dict(zip([x[0]], [1], strict=True)),
]  # fmt: skip


@pytest.mark.parametrize("function", WITH_KEYS)
def test_a_dict_with_tensors_in_its_keys_is_that_of_eager_mode(function):
    for setting in SETTINGS:
        check(lambda: function, setting)
    for mode in ("ast", "trace"):
        with pytest.raises(CaptureError, match="a dict with a tensor in a key; return tensors"):
            jit(function, capture_mode=mode, fullgraph=True)(Tensor([1.0, 2.0]))
        with pytest.warns(UserWarning, match="a dict with a tensor in a key"):
            result = jit(function, capture_mode=mode)(Tensor([1.0, 2.0]))
        assert "traced" not in repr(result)


def test_results_that_are_not_flattened_have_no_tracers():
    tracing = Tracing(Graph(title="f"))
    check_results(tracing, flatten([{(1, "a"): Tensor(1.0)}, Key(2)], is_tensor)[1])
    for value in (_ for _ in "a"), {Key(1): (_ for _ in "a")}:
        with pytest.raises(CaptureError, match="'f' returns a generator"):
            check_results(tracing, flatten([value], is_tensor)[1])


# ---- exceptions --------------------------------------------------------------------------------------


class StateError(Exception):
    """An exception with an attribute."""

    def __init__(self, value):
        super().__init__("of a state")
        self.value = value


def raises_values(x):
    y = x * 2
    raise ValueError(y, x.sum())


def raises_structure(x):
    raise ValueError({"a": [x * 2]})


def asserts(x):
    y = x * 2
    if len(x) <= 2:  # as ``assert``, which pytest rewrites
        raise AssertionError(y)


def looks_up(x):
    y = x * 2
    return {}[y]


def removes(x):
    y = x * 2
    set().remove(y)
    return y


def finds(x):
    y = x * 2
    return [].index(y)


def raises_attribute(x):
    raise StateError(x * 2)


def raises_group(x):
    raise ExceptionGroup("all", [StateError(x * 2), ValueError("other")])


def raises_from(x):
    raise ValueError("plain") from StateError(x * 2)


RAISING = [
    raises_values, raises_structure, asserts, looks_up, removes, finds, raises_attribute, raises_group, raises_from,
]  # fmt: skip


def error_of(function):
    """The exception of a function."""
    try:
        function(Tensor([1.0, 2.0]))
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", RAISING)
def test_an_exception_with_a_tensor_is_that_of_eager_mode_or_a_refusal(function, mode):
    eager, captured = (error_of(fn) for fn in (function, jit(function, capture_mode=mode)))
    assert (repr(captured), str(captured)) == (repr(eager), str(eager))
    pattern = r"(a tensor, whose value is|the text of a tensor is) unavailable .* \(test_capture_ends.py:\d+\);"
    with pytest.raises(UnknownStateError, match=pattern) as refused:
        jit(function, capture_mode=mode, fullgraph=True)(Tensor([1.0, 2.0]))
    assert refused.value.__suppress_context__ and not any(map(is_tensor, refused.value.args))


def test_another_exception_leaves_as_it_is():
    def raises(x):
        raise ValueError("plain", 3)

    with pytest.raises(ValueError, match="plain") as error:
        jit(raises, fullgraph=True)(Tensor([1.0]))
    assert error.value.args == ("plain", 3)


def test_an_error_after_a_refusal_is_the_refusal():
    def looks_up_number(x):
        k = 1
        if x.sum() > 3:
            k = 2
        return {1: "a", 2: "b"}[k]

    pattern = r"a Python number depends on a tensor.* in `\{1: \"a\", 2: \"b\"\}\[k\]`"
    with pytest.raises(UnknownStateError, match=pattern):
        jit(looks_up_number, fullgraph=True)(Tensor([1.0, 2.0]))
    with pytest.warns(UserWarning, match="a Python number depends on a tensor"):
        assert jit(looks_up_number)(Tensor([1.0, 2.0])) == "a"
