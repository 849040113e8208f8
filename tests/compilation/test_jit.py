"""@jit: when and why it compiles, arguments and results, methods, effects, and inspection."""

import copy
import gc
import signal
import warnings
import weakref
from contextlib import suppress
from types import FunctionType, SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from minigraph import Parameter, Tensor, jit, ops
from minigraph.compilation import OpByOpWarning
from minigraph.compilation.jit import Jitted
from minigraph.core.errors import CaptureError
from tests.inspection import at_depth, operators
from tests.inspection import to_lists as plain
from tests.tables import error_cases, results

X = Tensor([1.0, 2.0, 3.0])
SCALE = 2.0
OFFSET = Tensor([10.0, 10.0, 10.0])


@pytest.fixture
def collector_off():
    gc.disable()
    yield
    gc.enable()


def scaled(x):
    return x * SCALE


def call_helper(x):
    return scaled(x) + OFFSET


# ---- when it compiles --------------------------------------------------------------------------------


def misses(fn, *calls):
    """How many of the calls compiled."""
    fn = jit(fn)
    for call in calls:
        fn(*call)
    return fn.cache_info().misses


test_it_compiles_for_new_types_and_new_static_values_only = results(
    lambda calls: misses(lambda x, other: x * 2.0, *calls),
    ([(X, 1), (X + 1, 1)], 1),
    ([(X, 1), (X, 2), (X, 1)], 2),
    ([(X, 1), (X, 1.0), (X, True)], 3),
    ([(X, float("nan")), (X, float("nan"))], 1),
    ([(X, "a"), (X, "b"), (X, None)], 3),
    ([(X, (1, X)), (X, (1, X + 1))], 1),
    ([(X, [X]), (X, (X,))], 2),
    ([(X, {"a": X}), (X, {"a": X + 1}), (X, {"b": X})], 2),
    ([(X, X), (X, Parameter(X, name="p"))], 1),
)


# ---- Python values it depends on ---------------------------------------------------------------------


def test_a_changed_global_is_detected(monkeypatch):
    fn = jit(call_helper)
    assert fn(X).tolist() == [12.0, 14.0, 16.0]
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert fn(X).tolist() == [15.0, 20.0, 25.0]
    monkeypatch.setitem(globals(), "OFFSET", Tensor([0.0, 0.0, 0.0]))
    assert fn(X).tolist() == [5.0, 10.0, 15.0]
    assert fn.cache_info().reasons[1:] == ("'SCALE' changed (f32[3])", "'OFFSET' changed (f32[3])")


def test_a_function_that_counts_its_calls_counts_on():
    count = 0

    @jit
    def counting(x):
        nonlocal count
        count += 1
        return x + float(count)

    with pytest.warns(OpByOpWarning, match=r"the variable 'count' is set in `count \+= 1` \(test_jit.py:\d+\)"):
        assert [counting(X)[0].item() for _ in range(3)] == [2.0, 3.0, 4.0]


def test_a_parameter_of_another_shape_is_detected_and_new_values_need_no_compilation():
    weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="w")
    fn = jit(lambda x: x * weight + weight.value())
    fn(X)
    weight.set_data(Tensor([0.0, 0.0, 1.0]))
    assert fn(X).tolist() == [0.0, 0.0, 4.0]
    assert fn.cache_info().misses == 1
    weight.set_data(Tensor([2.0]), slice_shape=True)
    assert fn(X).tolist() == [4.0, 6.0, 8.0]
    assert fn.cache_info().reasons[1] == "the shape or dtype of Parameter 'w' changed (f32[3])"


# ---- methods -----------------------------------------------------------------------------------------


class Model:
    def __init__(self, k):
        self.k = k

    @jit
    def method(self, x):
        return x * self.k

    other = jit(lambda self, x: x + self.k)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda model: Model(0.0)])
def test_each_object_has_its_own_programs_and_a_copy_runs_on_itself(copied):
    model = Model(2.0)
    assert model.method is model.method and model.other is model.other
    assert (model.method(X).tolist(), (model.other(X) - X).tolist()) == ([2.0, 4.0, 6.0], [2.0, 2.0, 2.0])
    clone = copied(model)
    clone.k = 100.0
    assert (clone.method(X).tolist(), model.method(X).tolist()) == ([100.0, 200.0, 300.0], [2.0, 4.0, 6.0])
    assert model.method.cache_info().misses == 1


def test_a_method_may_be_replaced_on_one_object_which_is_garbage_in_the_end():
    model, other = Model(2.0), Model(2.0)
    other.method = lambda x: x
    assert other.method(X) is X
    assert model.method(X).tolist() == [2.0, 4.0, 6.0]
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


BODIES = {
    "plain": scaled,
    "a constant": call_helper,
    "a fused product": lambda x: ops.relu(x.reshape(1, 3) @ ops.ones((3, 3)) + x),
    "rewritten": lambda x: (x * 1).reshape(3).exp(),
}


@pytest.mark.parametrize("pipeline", ["default", "fuse{cost=ascend910b1}"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_programs_and_buffers_are_freed_with_their_function(body, pipeline, collector_off):
    fn = jit(body, pipeline=pipeline)
    fn(X)
    program = fn.program(X)
    left = [weakref.ref(resource) for resource in (program, program.graph, program.functions["run"])]
    del program, fn
    assert [ref() for ref in left] == [None] * 3, "no circles, which would wait for a collection"


def test_a_copied_jitted_function_compiles_again_and_keeps_the_name():
    fn = jit(scaled)
    assert (fn.__name__, repr(fn)) == ("scaled", "<jit scaled, 0 compiled>")
    fn(X)
    clone = copy.deepcopy(fn)
    assert clone.cache_info().entries == 0
    assert clone(X).tolist() == fn(X).tolist()


# ---- arguments and results ---------------------------------------------------------------------------


class Pair(NamedTuple):
    first: object
    second: object


def nested(x, more, *rest, flag, **named):
    return x, [more["k"] + 1.0, {"deep": (rest[0] * 2.0,)}], None, 3, "s", x.shape, Pair(named["y"], flag), True, 2.5


def test_structures_keywords_and_defaults_are_arguments_and_new_containers_are_results():
    def fn(x, y=2.0, *, z=1.0):
        return x * y + z

    args, named = (X, {"k": X}, X), {"flag": "on", "y": X}
    assert plain(jit(nested)(*args, **named)) == plain(nested(*args, **named))
    fast, lists = jit(fn), jit(lambda x: [x, []])
    for args, named in [((X,), {}), ((X, 3.0), {}), ((X,), {"z": 5.0}), ((X,), {"y": Tensor(1.0), "z": 0.0})]:
        assert fast(*args, **named).tolist() == fn(*args, **named).tolist()
    lists(X)[1].append(1)
    assert lists(X)[1] == []


NEITHER = "'<lambda>': argument of type {} is neither a tensor nor a hashable"
HIDDEN = r"the result is a new \w+ in .*; return tensors, numbers"
test_arguments_that_are_neither_tensors_nor_static_and_tensors_hidden_in_results_are_refused = error_cases(
    (lambda: jit(lambda x, other: x, fullgraph=True)(X, {1, 2}), NEITHER.format("set")),
    (lambda: jit(lambda x, other: x, fullgraph=True)(X, bytearray(b"a")), NEITHER.format("bytearray")),
    (lambda: jit(lambda x, other: x, fullgraph=True)(X, np.ones(2)), NEITHER.format("ndarray")),
    (lambda: jit(lambda x: {x}, fullgraph=True)(X), HIDDEN),
    (lambda: jit(lambda x: Model(x), fullgraph=True)(X), HIDDEN),
    error=CaptureError,
    by=lambda call: call(),
)


# ---- inside other traces and eager code --------------------------------------------------------------


def test_a_jitted_function_inside_another_is_inlined_with_its_guards():
    inner, model = jit(scaled), Model(2.0)
    assert operators(jit(lambda x: inner(x) + 1.0).graph(X, pipeline=())) == ["mul", "add"]
    assert inner.cache_info().misses == 0
    outer = jit(lambda x: model.method(x) + 1.0)
    for k, expected in ((2.0, [3.0, 5.0, 7.0]), (3.0, [4.0, 7.0, 10.0])):
        model.k = k
        assert outer(X).tolist() == expected


# ---- effects -----------------------------------------------------------------------------------------


def test_capture_changes_nothing_and_without_auto_depend_unused_updates_are_eliminated():
    count = Parameter(Tensor([0.0]), name="counter")

    def update(x):
        ops.assign_add(count, Tensor([1.0]))
        return x * 2.0

    def tie(x):
        return ops.depend(x * 2.0, ops.assign_add(count, Tensor([1.0])))

    fn = jit(update)
    fn.graph(X), fn.records(X), fn.program(X)
    assert count.tolist() == [0.0]
    for step, counted in ((jit(update, auto_depend=False), 0.0), (jit(tie, auto_depend=False), 1.0), (fn, 2.0)):
        step(X)
        assert count.item() == counted


# ---- inspection --------------------------------------------------------------------------------------


def test_the_graph_as_captured_and_after_the_pipeline_and_the_program_that_runs():
    fn = jit(lambda x: (x * 2.0 + 1.0, x * 2.0)[0])
    assert operators(fn.graph(X, pipeline=())) == ["mul", "add", "mul"]
    assert len(operators(fn.graph(X))) < 3
    assert fn.cache_info().misses == 0
    assert fn.program(X)(X.array)[0].tolist() == fn(X).tolist()
    assert fn.cache_info().misses == 1


def test_zeros_of_either_sign_are_distinguished():
    times = jit(lambda x, k: x * k)
    assert [bool(np.signbit(times(X, zero).array).any()) for zero in (0.0, -0.0)] == [False, True]


@pytest.mark.parametrize("name", ["gt", "sum", "add", "a b", "import"])
def test_a_function_may_have_any_name(name):
    """MindSpore's tracer crashes for a function called like a Tensor method."""
    fn = FunctionType((lambda x: x * 2.0).__code__, {}, name)
    assert jit(fn)(X).tolist() == [2.0, 4.0, 6.0]


def changes_a_list(state):
    return lambda x, items: (items.append(5.0), x * state.it[-1])[1]


def changes_a_list_inside(state):
    return lambda x, items: (items[0].append(5.0), x * len(state.it))[1]


def writes_a_tensor(state):
    def fn(x, target):
        target[0] = 7.0
        return x * state.it[0]

    return fn


def assigns_a_parameter(state):
    return lambda x, target: (ops.assign(target, target * 2.0), x * state.it[0])[1]


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(
    ("make", "value", "wrap"),
    [
        (changes_a_list, lambda: [3.0, 1.0], lambda it: it),
        (changes_a_list_inside, lambda: [3.0, 1.0], lambda it: [it]),
        (writes_a_tensor, lambda: Tensor([3.0, 1.0]), lambda it: it),
        (assigns_a_parameter, lambda: Parameter(Tensor([3.0, 1.0]), name="w"), lambda it: it),
    ],
)
def test_an_argument_that_is_changed_may_be_state_that_the_function_reads(make, value, wrap, mode, is_first):
    results = []
    for is_captured in (False, True):
        state = SimpleNamespace(it=value())
        fn = jit(make(state), capture_mode=mode) if is_captured else make(state)
        if not is_first:
            fn(X, wrap(value()))  # compiled for another argument
        results.append([fn(X, wrap(state.it)).tolist() for _ in range(2)])
    assert results[0] == results[1]


def doubled(x):
    return x * 2.0


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="needs signals of POSIX")
@pytest.mark.parametrize("kind", [TimeoutError, MemoryError])
def test_a_deadline_and_a_lack_of_memory_during_capture_are_raised_and_the_next_call_is_captured(kind, monkeypatch):
    def stop(*_):
        raise kind("in the middle")

    def interrupted(*args, **kwargs):
        try:
            signal.raise_signal(signal.SIGUSR1)
        except kind as error:
            raise CaptureError("no type can be inferred") from error

    fn, before = jit(doubled), signal.signal(signal.SIGUSR1, stop)
    try:
        with monkeypatch.context() as patch, pytest.raises(kind, match="in the middle"):
            patch.setitem(Jitted._entry.__globals__, "capture_call", interrupted)
            fn(X)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert fn(X).tolist() == doubled(X).tolist()
    assert fn.cache_info()[:2] == (0, 1), "captured, not op by op"


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_capture_for_which_too_little_of_the_stack_is_left_is_tried_again(mode):
    def halved(x):
        return ops.softmax(x / 2.0)

    expected, tried_again = halved(X).tolist(), 0
    for part in np.arange(0.9, 0.98, 0.005):
        fn = jit(halved, capture_mode=mode)
        with warnings.catch_warnings(record=True) as caught, suppress(RecursionError):
            warnings.simplefilter("always")
            assert at_depth(part, fn, X).tolist() == expected
        if caught:
            assert "'halved': capture needs more of Python's stack than is left here" in str(caught[0].message)
            assert "this call of 'halved' runs op by op" in str(caught[0].message)
            with pytest.raises(CaptureError, match="more of Python's stack"):
                at_depth(part, jit(halved, capture_mode=mode, fullgraph=True), X)
        assert fn(X).tolist() == expected
        assert sum(fn.cache_info()[:2]) in (1, 2) and not fn.cache_info().segments, part
        tried_again += bool(caught)
    assert tried_again


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_a_function_whose_capture_never_ends_runs_op_by_op_for_good():
    def endless(x):
        return endless(x + 1.0) if x.sum() < 9.0 else x

    fn = jit(endless)
    assert fn(X).tolist() == fn(X).tolist() == [2.0, 3.0, 4.0]
    assert fn.cache_info()[:2] == (0, 0) and "write it as a while" not in fn.cache_info().segments[0]
    with pytest.raises(CaptureError, match="endless recursion in .*; write it as a while"):
        fn.program(X)


@pytest.mark.filterwarnings("ignore::minigraph.compilation.RecompileWarning")
def test_tensors_that_were_compared_with_arguments_are_freed():
    space = SimpleNamespace()

    @jit
    def fn(x):
        return x * 2.0 if x is space.tensor else x + space.tensor.sum()

    references = []
    for _ in range(60):
        space.tensor = Tensor([1.0, 1.0, 1.0])
        references.append(weakref.ref(space.tensor))
        assert fn(X).tolist() == (X + 3.0).tolist()
    gc.collect()
    assert sum(reference() is not None for reference in references) <= 9
