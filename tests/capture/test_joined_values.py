"""Numbers and tensors that two branches, or a loop, give the same variable."""

import warnings

import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.capture.joined_values import WRITTEN_JOIN, examples_in_eager_mode, mark_numbers
from minigraph.capture.tracer import NUMBER_FROM_TENSOR, is_number_tracer
from minigraph.compilation import OpByOpWarning
from minigraph.core.errors import ArgIndexError, CaptureError
from tests.same_as_eager import SETTINGS, check, description

X = Tensor([1.0, 2.0])


def returns_number(x):
    return 1 if x.sum() > 0 else 2


def adds_large_number(x):
    k = 3 if x.sum() > 0 else 4
    return k * 0.5


def writes_to_what_may_be_its_argument(x):
    y = x if x.sum() > 0 else x + 1
    y[0] = 5.0
    return x


@pytest.mark.parametrize(("function", "reason"), [
    (returns_number, NUMBER_FROM_TENSOR), (adds_large_number, NUMBER_FROM_TENSOR),
    (writes_to_what_may_be_its_argument, WRITTEN_JOIN),
])  # fmt: skip
def test_graphs_that_would_differ_from_eager_mode_are_refused(function, reason):
    with pytest.raises(CaptureError, match=reason):
        ms.jit(function, fullgraph=True)(Tensor([1.0, 2.0]))
    with pytest.warns(UserWarning):
        captured = ms.jit(function)(Tensor([1.0, 2.0]))
    eager = function(Tensor([1.0, 2.0]))
    assert type(captured) is type(eager) and str(captured) == str(eager)


def test_a_number_that_is_an_operand_is_captured():
    def scale(x):
        k = 1.0 if x.sum() > 0 else 2.0
        return x * k

    assert ms.jit(scale, fullgraph=True)(X).tolist() == scale(X).tolist()


def test_only_tracers_are_marked():
    mark_numbers([X], [[1]])
    assert not is_number_tracer(X)
    assert examples_in_eager_mode([X, 1], [2, 3]) == [X, 3]


# ---- numbers of several Python types -----------------------------------------------------------------


def program(first, second, expression, dtype=ms.int32):
    """A program whose variable ``k`` is one of two numbers, after a branch on a tensor."""

    def fn(x):
        k = first
        if x.sum() > 3:
            k = second
        return expression(x.astype(dtype), k)

    return fn


def check_in_all_ways(fn, is_captured, reason=NUMBER_FROM_TENSOR, inputs=([1.0, 1.0], [3.0, 2.0], [1.0, 1.0])):
    """Compare a function with eager mode; ``is_captured``: it is one graph, else it is refused with a reason."""
    for setting in SETTINGS:
        texts = check(lambda: fn, setting, inputs)
        if setting[0] == "ast":
            assert bool(texts) != is_captured and (is_captured or reason in texts[0]), (setting, texts)
            assert len(texts) == (not is_captured)
    jitted = ms.jit(fn, fullgraph=True)
    for values in inputs:
        if is_captured:
            assert description(jitted(Tensor(values))) == description(fn(Tensor(values)))
        else:
            with pytest.raises(CaptureError, match=reason):
                jitted(Tensor(values))


@pytest.mark.parametrize("expression", [
    lambda x, k: x * k, lambda x, k: k - x, lambda x, k: x // k, lambda x, k: k**x, lambda x, k: x.add(k),
    lambda x, k: sum([x, k]), lambda x, k: (x > 1) * k, lambda x, k: ops.where(x > 1, k, 0),
    lambda x, k: ops.clamp(x, k, 5), lambda x, k: ops.maximum(x, k),
])  # fmt: skip
def test_an_int_in_one_branch_and_a_float_in_the_other_keep_the_dtypes_of_eager_mode(expression):
    check_in_all_ways(program(2, 2.5, expression), False)


@pytest.mark.parametrize("expression", [
    lambda x, k: (x > 1) * k, lambda x, k: (x > 1) & k, lambda x, k: x[k], lambda x, k: k + 1, lambda x, k: ~k * x,
])  # fmt: skip
def test_a_bool_in_one_branch_and_an_int_in_the_other_differ(expression):
    check_in_all_ways(program(0, True, expression), False)


@pytest.mark.parametrize(("first", "second", "expression"), [
    (True, False, lambda x, k: (k + k) * x), (True, False, lambda x, k: ~k * x),
    (0.1, 0.7, lambda x, k: x * 2 if k > 0.1 + 1e-12 else x * 3), (1, 2, lambda x, k: ~(k + 1) * x),
    (1, 2, lambda x, k: x * (3 // k)), (1, 2, lambda x, k: x * 2**k), (1, 2, lambda x, k: x * (k / 2)),
])  # fmt: skip
def test_arithmetic_whose_result_python_computes_otherwise_is_refused(first, second, expression):
    check_in_all_ways(program(first, second, expression), False)


@pytest.mark.parametrize(("first", "second", "dtype", "expression"), [
    (1, 2, ms.int64, lambda x, k: x * k + ~k), (1, 2, ms.int64, lambda x, k: x * (k // 2 + k % 2 - k**2)),
    (2, 2.5, ms.float32, lambda x, k: x * k), (True, 3, ms.int64, lambda x, k: x * k),
    (0, 1, ms.int64, lambda x, k: x[k]),
    (1, 2, ms.int32, lambda x, k: x * 2 if k > 1 else x),
])  # fmt: skip
def test_numbers_that_behave_alike_stay_in_the_graph(first, second, dtype, expression):
    check_in_all_ways(program(first, second, expression, dtype), True)


def test_a_division_of_numbers_raises_the_error_of_eager_mode():
    jitted = ms.jit(program(0, 1, lambda x, k: x * (10 // k)))
    with pytest.raises(ZeroDivisionError):
        jitted(Tensor([1.0, 1.0]))


def reads_item(x):
    k = 0
    if x.sum() > 1:
        k = 5
    return x[k]


def reads_item_of_row(x):
    k = 0
    if x.sum() > 1:
        k = -5
    return x.reshape(1, 2)[0, k]


def writes_item(x):
    k, y = 0, x * 1
    if x.sum() > 1:
        k = 5
    y[k] = 3
    return y


@pytest.mark.parametrize("function", [reads_item, reads_item_of_row, writes_item])
def test_a_number_that_is_out_of_range_as_an_index_raises_the_error_of_eager_mode(function):
    texts = []
    for fn in (function, ms.jit(function), ms.jit(function, fullgraph=True)):
        with pytest.raises(ArgIndexError) as error:
            fn(X)
        texts.append(str(error.value))
    assert texts == [texts[0]] * 3 and "test_joined_values.py" in texts[0]


def changes_type_in_loop(x):
    k = 1
    while x.sum() < 10:
        x, k = x * 2, 2.5
    return x.astype(ms.int32) * k


def adds_to_bool_in_loop(x):
    k = True
    while x.sum() < 10:
        x, k = x * 2, k + 1
    return x.astype(ms.int32) * k


@pytest.mark.parametrize("function", [changes_type_in_loop, adds_to_bool_in_loop])
def test_a_number_whose_type_changes_in_a_loop(function):
    check_in_all_ways(function, False)


# ---- hashes ------------------------------------------------------------------------------------------


def counts_in_set(x):
    n = 0
    while x.sum() < 10:
        x = x * 2
        n += 1
        if n in {2, 3}:
            x = x + 100
    return x


@pytest.mark.parametrize("expression", [
    lambda x, k: {1: 2.0, 2: 5.0}.get(k, 0.0) * x, lambda x, k: x * (k in {1, 4}), lambda x, k: x * (k in {1: 0}),
    lambda x, k: x * (k in frozenset([1, 4])), lambda x, k: len({k, 2}) * x, lambda x, k: len({1: 0, k: 1}) * x,
    lambda x, k: ({k} == {1}) * x, lambda x, k: {2: 1}.pop(k, 9) * x, lambda x, k: len(dict.fromkeys([k, 1])) * x,
    lambda x, k: hash(k) * x, lambda x, k: (k in {2: 1}.keys() | {4}) * x, lambda x, k: {1: 5}.setdefault(k, 7) * x,
    lambda x, k: len({0: 1} | {k: 2}) * x, lambda x, k: ({0, 1} >= {k}) * x, lambda x, k: len({0, 1} - {k}) * x,
    lambda x, k: len({0, 1} & {k}) * x, lambda x, k: len(frozenset({k}) | {2}) * x, lambda x, k: {1: 2, 2: 3}[k] * x,
    lambda x, k: {k: x}, lambda x, k: dict(zip([k], [1], strict=True)), lambda x, k: {(k, 1): 2}.get((1, 1), 3) * x,
])  # fmt: skip
def test_the_hash_of_a_number_that_depends_on_a_tensor_is_unknown(expression):
    check_in_all_ways(program(1, 2, expression), False)


def test_the_hash_of_a_flag_and_of_the_counter_of_a_loop_is_unknown():
    check_in_all_ways(counts_in_set, False)
    check_in_all_ways(lambda x: {True: 2, False: 3}[not x.sum() > 3] * x, False)


OUTER = Tensor([1.0, 2.0])
CHOSEN = "a tensor that may be the same as another one, after a branch or loop"


@pytest.mark.parametrize("expression", [
    lambda x, a: {x: 1}.get(a, 5) * x, lambda x, a: len({x, a}) * x, lambda x, a: ({a, x} == {x}) * x,
    lambda x, a: {x: 2}.pop(a, 8) * x, lambda x, a: (hash(a) == hash(x)) * x, lambda x, a: {OUTER: 2}.get(a, 8) * x,
])  # fmt: skip
def test_the_hash_of_a_tensor_that_a_branch_chooses_is_unknown(expression):
    def choose(x):
        a = x if x.sum() > 3 else OUTER
        return expression(x, a)

    def repeat(x):
        a, z = x, x * 1
        while z.sum() < 4:
            a, z = x * 1, z * 2
        return expression(x, a)

    check_in_all_ways(choose, False, CHOSEN)
    check_in_all_ways(repeat, False, CHOSEN)


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", [
    lambda x, a: {x: 1}.get(a, 5) * x, lambda x, a: len({x, a}) * x, lambda x, a: {OUTER: 2}.get(a, 8) * x,
    lambda x, a: {x * 1: 1}.get(a, 5) * x,
])  # fmt: skip
def test_arguments_that_are_one_tensor_have_one_hash(mode, function):
    jitted, x, y = ms.jit(function, capture_mode=mode), Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    for args in ((x, y), (x, x), (y, x), (OUTER, x), (x, OUTER), (OUTER, OUTER), (x, x)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OpByOpWarning)
            assert jitted(*args).tolist() == function(*args).tolist()
    refused = ms.jit(function, capture_mode=mode, fullgraph=True)
    assert refused(x, x).tolist() == function(x, x).tolist() and refused(x, y).tolist() == function(x, y).tolist()
