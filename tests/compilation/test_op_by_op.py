"""Effects happen at every call, results equal eager mode, and calls that no graph represents run op by op."""

import collections
import contextlib
import dataclasses
import functools
import io
import itertools
import logging
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import GRAPH_MODE, PYNATIVE_MODE, Tensor, jit, nn, ops, set_context
from minigraph.compilation import OpByOpWarning
from tests.same_as_eager import SETTING_NAMES, SETTINGS, check, same_as_eager

# ---- effects ---------------------------------------------------------------------------------------


def counting_decorator():
    def count_runs(fn):
        @functools.wraps(fn)
        def wrapper(x):
            wrapper.calls += 1
            return fn(x)

        wrapper.calls = 0
        return wrapper

    fn = count_runs(lambda x: x * 2)
    return fn, lambda: fn.calls


def set_item_of_a_class():
    class Table:
        def __init__(self):
            self.log = []

        def __setitem__(self, key, value):
            self.log.append(key)

        def __iadd__(self, other):
            self.log.append(other)
            return self

    table = Table()

    def fn(x):
        nonlocal table
        table["a"] = 1
        table += 2
        return x

    return fn, lambda: table.log


def logs():
    stream = io.StringIO()
    logger = logging.Logger("of a test")
    logger.addHandler(logging.StreamHandler(stream))

    def fn(x):
        logger.warning("called")
        return x * 2

    return fn, stream.getvalue


def prints():
    def fn(x):
        print("called", x.shape)
        return x * 2

    return fn


def prints_in_a_branch():
    def fn(x):
        if x.max() > 2:
            print("large")
        return x * 2

    return fn


def own_next():
    class Numbers:
        def __init__(self):
            self.n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            return self.n

    numbers = Numbers()
    return (lambda x: x * next(numbers)), lambda: numbers.n


def outer_generator():
    numbers = (k for k in range(100))
    return (lambda x: x * next(numbers)), lambda: next(numbers)


def outer_iterators():
    numbers, pairs = itertools.count(), zip([1, 2, 3, 4, 5], [5, 6, 7, 8, 9], strict=True)
    return lambda x: x * next(numbers) + next(pairs)[1]


def fills_a_cache():
    cache = {}

    def fn(x):
        if "k" not in cache:
            cache["k"] = 3
        return x * cache["k"]

    return fn, lambda: cache


def changes_then_fails():
    log = []

    def fn(x):
        log.append(1)
        if len(log) > 1:
            raise KeyError("no more")
        return x * 2

    return fn, lambda: log


def fails_by_a_tensor():
    log = []

    def fn(x):
        log.append(1)
        if x.max() > 2:
            raise ValueError("too large")
        log.append(2)
        return x * 2

    return fn, lambda: log


def attribute_with_a_tensor():
    class Holder:
        last = None

    holder = Holder()

    def fn(x):
        before, holder.last = holder.last, x * 2
        return x if before is None else x + before

    return fn, lambda: holder.last


def calls_a_callback():
    seen = []

    def fn(x, tell=seen.append):
        tell(1)
        return x

    return fn, lambda: seen


test_effects = same_as_eager(
    counting_decorator, set_item_of_a_class, logs, prints_in_a_branch, own_next, outer_generator,
    outer_iterators, fills_a_cache, changes_then_fails, fails_by_a_tensor, attribute_with_a_tensor, calls_a_callback,
)  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS[:4], ids=SETTING_NAMES[:4])
def test_print_in_source_mode(setting):
    check(prints, setting)


# ---- results ---------------------------------------------------------------------------------------


RESULTS = {
    "dict values": lambda x: {"a": x * 2, "b": x}.values(),
    "dict items": lambda x: {"a": x * 2}.items(),
    "zip": lambda x: zip([x], [x * 2], strict=True),
    "map": lambda x: map(abs, [x]),
    "generator": lambda x: (y * 2 for y in [x]),
    "set of tensors": lambda x: len({x, x * 2}),
    "deque": lambda x: collections.deque([x, x * 2]),
    "namespace": lambda x: collections.UserList([x * 2]),
    "iterator": lambda x: iter([x * 2]),
    "nested": lambda x: [(x, {"a": [x * 2]}), None, "text", 3, 2.5, True],
    "ordered dict": lambda x: collections.OrderedDict(a=x),
    "defaultdict": lambda x: collections.defaultdict(list, a=[x]),
    "shape": lambda x: x.shape,
    "size": lambda x: (x.size, x.ndim, len(x), x.dtype),
    "int": lambda x: int(x.sum()),
    "float": lambda x: float(x.max()),
    "bool": lambda x: bool(x.max() > 2),
    "item": lambda x: x.sum().item(),
    "tolist": lambda x: x.tolist(),
    "array": lambda x: x.asnumpy() * 2,
    "max of tensors": lambda x: max(x[0], x[1]),
    "min and sorted": lambda x: (min(x), sorted(x)),
    "any and all": lambda x: (any(x > 2), all(x > 2)),
    "text or number": lambda x: "large" if x.max() > 2 else 3,
    "number": lambda x: 1 if x.max() > 2 else 2,
    "none or tensor": lambda x: x if x.max() > 2 else None,
    "dicts": lambda x: {"a": x} if x.max() > 2 else {"b": x},
    "zero d index": lambda x: x.sum()[()],
    "dtypes": lambda x: x if x.max() > 2 else x.astype(ms.int32),
    "shapes": lambda x: x if x.max() > 2 else x[:1],
    "string": lambda x: f"{x.max()}",
    "function": lambda x: x * 2 if callable(x.sum) else x,
    "isinstance": lambda x: (isinstance(x, Tensor), hasattr(x, "shape"), x is None),
    "a view of the argument": lambda x: x[0:1],
    "number loop": lambda x: sum(float(v) for v in x),
    "index of a list": lambda x: ["a", "b"][int(x[0] > 2)],
    "dict by a number": lambda x: {True: 1, False: 2}[bool(x[0] > 2)],
}


def program_of(fn):
    def program():
        return fn

    return program


RESULT_PROGRAMS = [program_of(fn) for fn in RESULTS.values()]
for name, result_program in zip(RESULTS, RESULT_PROGRAMS, strict=True):
    result_program.__name__ = name


def number_set_in_a_branch():
    def fn(x):
        n = 0
        if x.max() > 2:
            n = n + 1
        return x, n

    return fn


def number_counted_in_a_loop():
    def fn(x):
        n = 0
        while x.sum() < 9:
            x, n = x + 1, n + 1
        return n

    return fn


def number_carried_by_a_helper():
    def helper(x):
        if x.max() > 2:
            return x, 1
        return x * 2, 2

    def fn(x):
        y, n = helper(x)
        return y * n, n

    return fn


def early_return_of_numbers():
    def fn(x):
        if x.max() > 2:
            return 1
        return 2.5

    return fn


test_results = same_as_eager(
    *RESULT_PROGRAMS, number_set_in_a_branch, number_counted_in_a_loop, number_carried_by_a_helper,
    early_return_of_numbers,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_results_alias_arguments_as_in_eager_mode():
    x = Tensor([1.0, 2.0])
    for mode in ("ast", "trace"):
        assert jit(lambda x: x, capture_mode=mode)(x) is x
        first, second = jit(lambda x: (x, [x, x * 2]), capture_mode=mode)(x)
        assert first is x
        assert second[0] is x
        assert second[1] is not x


# ---- statements ------------------------------------------------------------------------------------


def try_statement():
    def fn(x):
        try:
            y = x.reshape(3)
        except ValueError:
            y = x * 3
        finally:
            y = y + 1
        return y

    return fn


def match_statement():
    def fn(x):
        match x.shape:
            case (2,):
                return x * 2
            case _:
                return x

    return fn


def walrus():
    return lambda x: (y := x * 2) + y


def del_statement():
    def fn(x):
        y, z = x * 2, [x, x]
        del x, z[0]
        return y + z[0]

    return fn


def import_statement():
    def fn(x):
        import math  # noqa: PLC0415
        from collections import OrderedDict  # noqa: PLC0415

        return x * math.floor(2.5) * len(OrderedDict(a=1))

    return fn


def assert_statement():
    def fn(x):
        assert x.max() < 3.5, "too large"
        return x * 2

    return fn


def return_out_of_with():
    def fn(x):
        with contextlib.nullcontext():
            if x.max() > 2:
                return x * 2
        return x

    return fn


def class_statement():
    def fn(x):
        class Pair:
            first = x

        return Pair.first * 2

    return fn


def variable_of_one_branch():
    def fn(x):
        if x.max() > 2:
            y = x * 2
        else:
            return x
        return y

    return fn


def variable_of_one_branch_only():
    def fn(x):
        if x.max() > 2:
            y = x * 2
        return y

    return fn


def recursion():
    def fn(x):
        return x if x.max() > 2 else fn(x + 1)

    return fn


def yields():
    def numbers(x):
        yield x
        yield x * 2

    return lambda x: sum(numbers(x))


test_statements = same_as_eager(
    try_statement, match_statement, walrus, del_statement, import_statement, assert_statement, return_out_of_with,
    class_statement, variable_of_one_branch, variable_of_one_branch_only, recursion, yields,
)  # fmt: skip


# ---- arguments -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Pair:
    a: object
    b: object


ARGUMENTS = {
    "set": lambda: {1, 2},
    "slice": lambda: slice(0, 1),
    "deque": lambda: collections.deque([1, 2]),
    "dataclass": lambda: Pair(1.0, Tensor([2.0])),
    "array": lambda: np.ones(2, np.float32),
    "list": lambda: [1.0, Tensor([2.0])],
    "bytearray": lambda: bytearray(b"ab"),
    "iterator": lambda: iter([1, 2]),
    "generator": lambda: np.random.default_rng(1),
    "range": lambda: range(3),
    "ordered dict": lambda: collections.OrderedDict(a=Tensor([1.0])),
}


def uses(x, argument):
    """Use and change an argument of any kind."""
    if isinstance(argument, set | collections.deque | bytearray):
        argument.pop()
        return x * len(argument)
    if isinstance(argument, Pair):
        argument.a += 1
        return x * argument.b * argument.a
    if isinstance(argument, slice):
        return x[argument]
    if isinstance(argument, np.ndarray):
        argument[0] += 1
        return x * Tensor(argument)
    if isinstance(argument, np.random.Generator):
        return x * float(argument.normal())
    if isinstance(argument, dict):
        argument.move_to_end("a")
        return x * argument["a"]
    return x * sum(argument)


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
@pytest.mark.parametrize("make", ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_of_any_kind(make, setting):
    def program():
        argument = make()
        return functools.partial(_with_argument, argument), (lambda: None if hasattr(argument, "normal") else argument)

    check(program, setting, inputs=([1.0, 2.0],) * 2)


def _with_argument(argument, x):
    return uses(x, argument)


def test_one_list_given_twice():
    def both(x, a, b):
        a.append(x)
        return len(b) * x

    for mode in ("ast", "trace"):
        items = []
        with warnings.catch_warnings(action="ignore"):
            out = jit(both, capture_mode=mode)(Tensor([1.0]), items, items)
        assert (out.tolist(), len(items)) == ([1.0], 1)


# ---- one warning, and fullgraph --------------------------------------------------------------------


class Ragged(nn.Cell):
    def construct(self, x):
        return x if x.max() > 2 else x[:1]


def test_a_cell_in_graph_mode_whose_branches_differ_in_shape_runs_op_by_op_with_one_warning():
    set_context(mode=GRAPH_MODE)
    try:
        net = Ragged()
        with pytest.warns(OpByOpWarning, match=r"one branch.*test_op_by_op.py:\d+") as caught:
            outputs = [net(Tensor(values)).tolist() for values in ([1.0, 2.0], [3.0, 4.0], [1.0, 2.0])]
        assert outputs == [[1.0], [3.0, 4.0], [1.0]]
        assert len(caught) == 1
    finally:
        set_context(mode=PYNATIVE_MODE)


@pytest.mark.parametrize("program", [prints_in_a_branch, fills_a_cache, own_next, outer_iterators, try_statement])
def test_fullgraph_refuses_or_is_right(program):
    parts = program()
    fn = parts[0] if isinstance(parts, tuple) else parts
    compiled = jit(fn, fullgraph=True, capture_mode="trace")
    try:
        out = compiled(Tensor([3.0, 4.0]))
    except Exception as error:
        assert "test_op_by_op.py" in str(error)
    else:
        assert out.tolist() == parts(Tensor([3.0, 4.0])).tolist()


def test_the_warning_names_the_reason_and_the_line_once():
    compiled = jit(try_statement())
    with pytest.warns(OpByOpWarning) as caught:
        compiled(Tensor([1.0, 2.0])), compiled(Tensor([1.0, 2.0, 3.0])), compiled(Tensor([1.0, 2.0]))
    (text,) = [str(warning.message) for warning in caught]
    assert "'Try'" in text and "'fn' runs op by op at line" in text
    assert "test_op_by_op.py:" in text
    assert len(text.splitlines()) <= 3


def test_ops_inside_of_a_cell_stay_captured():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1))
    with warnings.catch_warnings(action="error"):
        compiled = jit(net)
        compiled(ops.ones((1, 2))), compiled(ops.ones((1, 2)))
    assert compiled.cache_info()[:2] == (1, 1)


class WithInnerFunction(nn.Cell):
    def construct(self, x):
        def double(y):
            return y * 2

        return double(x)


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("container", [nn.CellList, nn.SequentialCell])
def test_cells_in_containers_may_define_functions(container, mode):
    net = container([WithInnerFunction(), WithInnerFunction()])
    with warnings.catch_warnings(action="error"):
        assert jit(lambda x: net[1](net[0](x)), capture_mode=mode)(Tensor([1.0])).tolist() == [4.0]


def exact_type_in_a_container():
    class Doubling(nn.Cell):
        def construct(self, x):
            return x * 2 if type(x) is Tensor else x

    return nn.SequentialCell(Doubling())


test_cells_in_containers_see_the_exact_type = same_as_eager(exact_type_in_a_container)


# ---- errors whose text contains a tensor -------------------------------------------------------------


def an_error_with_a_formatted_tensor():
    def step(x):
        y = x * 2
        raise ValueError(f"got {y}")

    return step


def an_error_whose_text_fails():
    class Failing(Exception):
        def __str__(self):
            return self.args[0].asnumpy().tolist().no_such_attribute

    def step(x):
        raise Failing(x * 2)

    return lambda x: step(x) if x.ndim else x


test_errors_with_tensors = same_as_eager(an_error_with_a_formatted_tensor)


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("program", [an_error_with_a_formatted_tensor, an_error_whose_text_fails])
def test_with_fullgraph_an_error_that_contains_a_tensor_can_be_printed(mode, program):
    with pytest.raises(Exception) as caught:
        jit(program(), capture_mode=mode, fullgraph=True)(Tensor([1.0, 2.0]))
    assert str(caught.value)
