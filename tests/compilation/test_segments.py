"""A function with a statement that no graph can represent runs as graph, Python, graph, with eager mode's answer."""

import collections
import contextlib
import dataclasses
import io
import logging
import re
import traceback
import warnings

import numpy as np
import pytest

import minigraph as ms
from minigraph import GRAPH_MODE, PYNATIVE_MODE, Parameter, Tensor, jit, nn, ops, set_context
from minigraph.compilation import OpByOpWarning
from minigraph.compilation.entry_table import WARN_AFTER
from minigraph.compilation.recompile_reasons import RecompileWarning
from minigraph.core.errors import MinigraphError
from tests.same_as_eager import SETTING_NAMES, SETTINGS, check

# ---- every construct of a statement between two segments -----------------------------------------------


def converts_to_int(x):
    y = x * 2 + 1
    n = int(y.max())
    z = y * n
    return z.sum() + y


def converts_to_float_and_bool(x):
    y = x * 2 + 1
    f, b = float(y[0]), bool(y[0] > 3)
    return (y * f).sum() if b else y * f + 1


def asks_item_and_list(x):
    y = ops.sin(x) + 1
    n, values = y.max().item(), y.tolist()
    return ops.cos(y) * n + values[0]


def asks_for_the_array(x):
    y = ops.sin(x) + 1
    array = y.asnumpy()
    total = sum(float(v) for v in array)
    return ops.cos(y) * total + 1


def takes_max_min_all_any(x):
    y = ops.sin(x) + 1
    largest, smallest, any_above, all_above = max(y), min(y), any(y > 1), all(y > 0)
    z = ops.cos(y) * largest + smallest
    return z, any_above, all_above


def prints_and_formats(x):
    y = ops.sin(x) + 1
    print("y is", [round(float(v), 3) for v in y], f"{float(y.sum()):.2f}")
    return ops.cos(y) * 2 + 1


def raises_on_a_tensor(x):
    y = ops.sin(x) + 1
    if x.max() > 3.5:
        raise ValueError(f"too large: {float(x.max()):.1f}")
    return ops.cos(y) * 2 + 1


def tries(x):
    y = ops.sin(x) + 1
    try:
        n = int(x[0])
        if n > 2:
            raise KeyError(n)
    except KeyError as error:
        n = -error.args[0]
    else:
        n += 1
    finally:
        y = y + 1
    return ops.cos(y) * n + 1


def tries_with_return(x):
    y = ops.sin(x) + 1
    try:
        [][int(x[0])]
    except IndexError:
        if x[0] > 2:
            return y * 3
    return ops.cos(y) * 2 + 1


def matches(x):
    y = ops.sin(x) + 1
    match (int(x[0]), "a"):
        case (1, name):
            z = y * 2
        case (3, name):
            z = y * 3
        case _:
            z, name = y, "b"
    return ops.cos(z) * 2 + len(name)


def walrus(x):
    y = ops.sin(x) + 1
    if (n := int(x[0])) > 1:
        y = y * n
    return ops.cos(y) * n + 1


def deletes(x):
    y = ops.sin(x) + 1
    z = ops.cos(y)
    del y
    y = z + 1
    return ops.cos(y) * 2 + z


def imports(x):
    y = ops.sin(x) + 1
    import math  # noqa: PLC0415
    from os.path import join as joined  # noqa: PLC0415

    z = ops.cos(y) * math.sqrt(2.0)
    return z + len(joined("a", "b"))


def uses_with(x):
    y = ops.sin(x) + 1
    with contextlib.suppress(KeyError):
        {}[int(x[0])]
        y = y + 100
    return ops.cos(y) * 2 + 1


def defines_a_class(x):
    y = ops.sin(x) + 1

    class Pair:
        first = 2

        def second(self, v):
            return v * self.first

    z = Pair().second(y)
    return ops.cos(z) * 2 + 1


def makes_sets_and_deques(x):
    y = ops.sin(x) + 1
    seen, queue = {int(v) for v in x}, collections.deque([1, 2], maxlen=2)
    queue.append(len(seen))
    z = ops.cos(y) * sum(seen) + queue[0]
    return z, sorted(seen), list(queue)


@dataclasses.dataclass
class Sizes:
    width: int
    scale: float = 2.0


def makes_a_dataclass(x):
    y = ops.sin(x) + 1
    sizes = Sizes(int(x[0]))
    return ops.cos(y) * sizes.width + sizes.scale


def gives_strings_and_none(x):
    y = ops.sin(x) + 1
    if x[0] > 2:
        name, extra = "large", None
    else:
        name, extra = "small", {"a": 1}
    return ops.cos(y) * 2 + 1, name, extra


def slices(x):
    y = ops.sin(x) + 1
    part = slice(0, int(x.max()))
    return ops.cos(y)[part] * 2 + 1


# ---- loops, jumps, early returns -----------------------------------------------------------------------


def loops_with_a_break_inside(x):
    total = x * 0
    for step in range(4):
        y = ops.sin(x + step) * 2
        n = int(y.sum() * 3)
        total = total + y * n
    return total * 2 + 1


def loops_with_jumps(x):
    total, count = x * 0, 0
    for step in range(6):
        y = ops.sin(x + step) * 2
        if float(y[0]) < 0:
            continue
        if step == 4:
            break
        count += 1
        total = total + ops.cos(y) * count
    return total * 2 + count


def while_on_a_number(x):
    y = ops.sin(x) + 2
    while float(y.max()) < 9:
        y = ops.exp(y) - y * 0.5
    return ops.cos(y) * 2 + 1


def returns_in_a_loop(x):
    y = ops.sin(x) + 2
    for step in range(5):
        y = ops.sqrt(y) + y
        if int(y.max()) > 4:
            return y * step + 1
    return ops.cos(y) * 2 + 1


def returns_before(x):
    if len(x.shape) == 7:
        return x + 1
    y = ops.sin(x) + 1
    n = int(x[0])
    if n == 1:
        return y * 3 + n
    z = ops.cos(y) * n
    return z + 1


def returns_by_a_tensor_before(x):
    y = ops.sin(x) + 1
    if x[0] > 2:
        return y * 3 + 1
    n = int(x[0])
    z = ops.cos(y) * n
    return z + 1


def branches_with_a_break_inside(x):
    y = ops.sin(x) + 1
    if len(x) == 2:
        z = ops.cos(y) + 1
        n = int(x[0])
        z = ops.exp(z) * n
    else:
        z = y
    return ops.sin(z) * 2 + z


def binds_perhaps(x):
    y = ops.sin(x) + 1
    if len(x) == 2:
        extra = ops.cos(y) * 2
    n = int(x[0])
    return ops.exp(y) * n + extra


def never_binds(x):
    y = ops.sin(x) + 1
    if int(x[0]) > 2:
        extra = y * 2
    return ops.exp(y) * 2 + extra


def breaks_twice(x):
    y = ops.sin(x) + 1
    n = int(x[0])
    z = ops.cos(y) * n
    m = float(z.sum())
    w = ops.exp(z) * m
    k = bool(w.sum() > 0)
    return (w * 2 + 1) if k else w * 3 - 1


# ---- identity, views, in-place writes, containers ------------------------------------------------------


def writes_through_a_view(x):
    y = ops.sin(x) * 2
    v = y[0:1]
    n = int(x[0])
    v[0] = n
    return y * 2 + v


def writes_to_a_reshaped_tensor(x):
    y = ops.sin(x) * 2
    v = (y + 1).reshape(2, 1)
    w = v.reshape(2)
    n = int(x[0])
    w[0] = n
    v[1] = -n
    return v * 2, w * 2 + 1


def writes_to_an_alias(x):
    y = z = ops.sin(x) * 2
    n = int(x[0])
    z[0] = n
    y[1] = -n
    return (y is z), y * 2 + 1, z


def writes_to_the_argument(x):
    y = x
    w = ops.sin(x) * 2
    n = int(w.sum() * 3)
    y[0] = n
    return (x is y), x + 1, w * 2 + y


def shares_a_list(x):
    y = ops.sin(x) * 2
    first = second = [y]
    n = int(x[0])
    first.append(ops.cos(y) * n)
    return len(second), second[0] is y, second[-1] + 1


def fills_a_list(x):
    observed, y = [], ops.sin(x) * 2
    observed.append(y + 1)
    for k in range(3):
        n = int(y.sum()) + k
        observed.append(ops.cos(y) * n)
    return sum(observed) * 2 + len(observed)


def updates_a_dict(x):
    table = {"a": ops.sin(x) * 2}
    n = int(x[0])
    table["b"] = ops.cos(table["a"]) * n
    table[n] = table.pop("a")
    return table


def keeps_numbers(x):
    y, n = ops.sin(x) * 2, len(x.shape)
    m = int(x[0]) + n
    k = m * 2 + n
    return y * k + 1, k, n


def keeps_dtypes(x):
    y = ops.sin(x) * 2
    n = x.max().item()
    return y * n, (y + 1).astype(ms.int32) * int(n), n


# ---- scopes ------------------------------------------------------------------------------------------------


def closes_over():
    scale, calls = 3.0, []

    def fn(x):
        nonlocal scale
        y = ops.sin(x) * scale
        scale += int(x[0])
        calls.append(scale)
        return ops.cos(y) * scale + 1

    return fn, lambda: (scale, calls)


COUNT = 0


def changes_a_global():
    global COUNT
    COUNT = 0

    def fn(x):
        global COUNT
        y = ops.sin(x) * 2
        COUNT += int(x[0])
        return ops.cos(y) * COUNT + 1

    return fn, lambda: COUNT


def has_helpers(x):
    def helper(v):
        return v * 2 + base

    base = ops.sin(x) + 1
    n = int(x[0])
    z = helper(ops.cos(x)) * n
    return z + helper(z)


def has_a_helper_that_sees_changes(x):
    scale = 2
    later = lambda: scale * 10  # noqa: E731
    y = ops.sin(x) * 2
    scale = int(x[0])
    return y * later() + 1


def has_a_lambda_used_at_once(x):
    y = ops.sin(x) * 2
    g = ms.grad(lambda v: (v * y).sum())(x)
    n = int(x[0])
    return ops.cos(g) * n + sum(k * n for k in (1, 2))


def has_comprehensions(x):
    y = [ops.sin(x) * k for k in range(3)]
    n = int(x[0])
    z = [v * n + k for k, v in enumerate(y)]
    return {k: v + 1 for k, v in enumerate(z)}


def has_defaults(x, /, scale=2.0, *rest, shift: float = 1.0, **more):
    y: Tensor = ops.sin(x) * scale
    n: int = int(x[0])
    return ops.cos(y) * n + shift + len(rest) + len(more)


def calls_itself(x, depth=2):
    y = ops.sin(x) * 2
    n = int(x[0])
    return y if depth == 0 else calls_itself(ops.cos(y) * n, depth - 1) + n


def has_parameters():
    weight, total = Parameter(Tensor([1.0, 2.0]), name="w"), Parameter(Tensor([0.0, 0.0]), name="t")

    def fn(x):
        ops.assign(weight, weight * 2 + x)
        n = int(weight.sum())
        ops.assign(total, total + weight * n)
        y = weight + total
        ops.assign(weight, y - 1)
        return y * 2 + weight

    return fn, lambda: (weight.asnumpy(), total.asnumpy())


def fails_in_the_middle():
    weight = Parameter(Tensor([1.0, 2.0]), name="w")

    def fn(x):
        ops.assign(weight, weight * 2 + x)
        if int(x[0]) == 3:
            raise RuntimeError("three")
        ops.assign(weight, weight + x * 2)
        return weight * 2 + 1

    return fn, lambda: weight.asnumpy()


def logs():
    lines = []

    class Keep(logging.Handler):
        def emit(self, record):
            lines.append((record.funcName, record.getMessage()))

    logger = logging.Logger("of a test")
    logger.addHandler(Keep())

    def fn(x):
        y = ops.sin(x) * 2
        logger.warning("the sum is %d", y.sum())
        return ops.cos(y) * 2 + 1

    return fn, lambda: lines


FUNCTIONS = [
    converts_to_int, converts_to_float_and_bool, asks_item_and_list, asks_for_the_array, takes_max_min_all_any,
    prints_and_formats, raises_on_a_tensor, tries, tries_with_return, matches, walrus, deletes, imports, uses_with,
    defines_a_class, makes_sets_and_deques, makes_a_dataclass, gives_strings_and_none, slices,
    loops_with_a_break_inside, loops_with_jumps, while_on_a_number, returns_in_a_loop, returns_before,
    returns_by_a_tensor_before, branches_with_a_break_inside, binds_perhaps, never_binds, breaks_twice,
    writes_through_a_view, writes_to_a_reshaped_tensor, writes_to_an_alias, writes_to_the_argument, shares_a_list,
    fills_a_list, updates_a_dict, keeps_numbers, keeps_dtypes, has_helpers, has_a_helper_that_sees_changes,
    has_a_lambda_used_at_once, has_comprehensions, has_defaults, calls_itself,
]  # fmt: skip
PROGRAMS = [closes_over, changes_a_global, has_parameters, fails_in_the_middle, logs]


def program_of(fn):
    def program():
        return fn

    return fn if fn in PROGRAMS else program


@pytest.mark.parametrize("setting", SETTINGS, ids=SETTING_NAMES)
@pytest.mark.parametrize("fn", [*FUNCTIONS, *PROGRAMS], ids=lambda fn: fn.__name__)
def test_segments_give_the_answer_of_eager_mode(fn, setting):
    check(program_of(fn), setting)


def segments_of(fn, *inputs, mode="ast"):
    """How a function runs after a call with each of the inputs, without reasons."""
    jitted = fn if hasattr(fn, "cache_info") else jit(fn, capture_mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OpByOpWarning)
        for values in inputs or ([1.0, 2.0],):
            jitted(Tensor(values))
    first = fn.__code__.co_firstlineno if hasattr(fn, "__code__") else fn.fn.__code__.co_firstlineno
    return [_without_name(segment, first) for segment in jitted.cache_info().segments]


def _without_name(segment, first):
    """``graph 1-2`` or ``line 3``, with lines counted from that of ``def``."""
    kind, _, rest = segment.partition(": ")
    where = rest.partition(",")[0].strip("'")
    lines = where.rpartition(":")[2].removeprefix("line ")
    numbers = [str(int(line) - first) for line in lines.split("-")] if lines[0].isdigit() else ["all"]
    return f"{'graph' if kind == 'graph' else 'line'} {'-'.join(numbers)}"


SEGMENTS = {
    converts_to_int: ["graph 1", "line 2", "graph 3-4"],
    asks_for_the_array: ["graph 1", "line 2", "line 3", "graph 4"],
    tries: ["graph 1", "line 2", "line 3", "graph 4-5", "graph 7", "line 9", "line 11", "graph 12"],
    walrus: ["graph 1", "line 2", "line 3", "graph 4"],
    uses_with: ["graph 1", "line 3", "line 4", "graph 5"],
    loops_with_a_break_inside: ["line 1", "graph 3", "line 4", "graph 5", "graph 6"],
    returns_before: ["graph 1-3", "line 4", "graph 5-8"],
    breaks_twice: ["graph 1", "line 2", "graph 3", "line 4", "graph 5", "line 6", "graph 7"],
    writes_through_a_view: ["graph 1", "line 2", "line 3", "line 4-5"],
    has_a_helper_that_sees_changes: ["graph 3", "line 4"],
    lambda x: x + int(x.sum()): ["line all"],
}


def test_parts_that_are_no_segment_are_listed_with_the_reason():
    def breaks(x):
        y = ops.sin(x) * 2 + 1
        n = int(y.sum())
        return y * n

    first = breaks.__code__.co_firstlineno
    jitted = jit(breaks)
    with pytest.warns(OpByOpWarning, match=f"op by op at lines {first + 2}, {first + 3}; "):
        jitted(Tensor([1.0, 2.0]))
    assert jitted.cache_info().segments[-1] == f"op by op: line {first + 3}, because of fewer than 2 operators"


def test_the_segments_are_listed_in_the_order_of_the_program():
    for fn, segments in SEGMENTS.items():
        assert segments_of(fn) == segments, fn.__name__
    jitted = jit(converts_to_int)
    with pytest.warns(OpByOpWarning, match=r"'converts_to_int' runs op by op at line \d+; cache_info"):
        jitted(Tensor([1.0, 2.0]))
    with warnings.catch_warnings(action="error"):  # once
        jitted(Tensor([1.0, 2.0]))
    assert "int(y.max())" in jitted.cache_info().segments[1]
    assert jit(lambda x: x + 1).cache_info().segments == ()


def falls_back_in_its_last_lines_later(x, k):
    y = ops.sin(x) * 2 + 1
    n = int(y.sum())
    z = ops.cos(y) * n + 1
    if k:
        z = z * float(y.max()) + 1
    return z


def has_another_reason_later(x, k):
    y = ops.sin(x) * 2 + 1
    return y * int(y.sum()) if k else y * len(SEEN) + (SEEN.append(1) or 0)


SEEN = []


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("function", [falls_back_in_its_last_lines_later, has_another_reason_later])
def test_a_function_warns_once_also_if_other_statements_run_op_by_op_later(function, mode):
    jitted = jit(function, capture_mode=mode)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        described = [jitted(Tensor([1.0, 2.0]), k) is None or str(jitted.cache_info().segments) for k in (0, 1, 0, 1)]
    assert len(caught) == 1
    assert described[1] == described[3] != described[0]  # which say why


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")
def test_the_segments_belong_to_the_latest_call():
    @jit
    def double(x, changes):
        return changes.append(1) or x + len(changes) if isinstance(changes, list) else x * 2

    x, calls = Tensor([1.0]), [("graph", 0), ("op by op", collections.deque()), ("graph", 0), ("graph", 0)]
    for mode, changes in calls:
        double(x, changes)
        assert bool(double.cache_info().segments) == (mode == "op by op")


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_one_warning_names_the_lines_of_all_statements_that_run_op_by_op(mode):
    for fn in {*FUNCTIONS} - {never_binds}:
        jitted = jit(fn, capture_mode=mode)
        recorded = warnings.catch_warnings(record=True, action="always")
        with recorded as caught, contextlib.redirect_stdout(io.StringIO()):
            jitted(Tensor([1.0, 2.0])), jitted(Tensor([1.0, 2.0]))
        texts = [str(warning.message) for warning in caught if warning.category is OpByOpWarning]
        places = [line.split(": ")[1].partition(",")[0] for line in jitted.cache_info().segments if line[0] == "o"]
        assert len(texts) == bool(places), (fn.__name__, texts)
        lines = {place.removeprefix("line ").rpartition(":")[2].strip("'") for place in places}
        for text in texts if fn.__name__ not in lines else ():
            named = text.rpartition(" at line")[2].partition(";")[0].removeprefix("s")
            assert set(named.strip().split(", ")) <= lines, fn.__name__  # not those inside of another


def test_a_full_graph_is_not_split():
    with pytest.raises(MinigraphError, match="int"):
        jit(converts_to_int, fullgraph=True)(Tensor([1.0, 2.0]))


def test_a_segment_with_ever_new_values_is_not_compiled_for_each():
    jitted = jit(converts_to_int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OpByOpWarning)
        for k in range(20):
            assert jitted(Tensor([1.0, k])).tolist() == converts_to_int(Tensor([1.0, k])).tolist()
    assert "'n' changes at every call" in jitted.cache_info().segments[2]
    kinds = [segment.partition(":")[0] for segment in jitted.cache_info().segments]
    assert kinds == ["graph", "op by op", "op by op", "graph"]


def test_one_of_two_values_that_change_together_splits_a_segment():
    @jit
    def step(x):
        n, m = int(x.sum()), int(x[1])
        y = x * 2 + 1
        z = y * n * m
        return (z - 3) * (z + x)

    with warnings.catch_warnings(action="ignore"):
        for k in range(20):
            step(Tensor([1.0, float(k)]))
    segments = step.cache_info().segments
    assert [segment.partition(":")[0] for segment in segments].count("graph") == 2
    assert any(re.search("'[nm]' changes at every call", segment) for segment in segments)


def test_the_traceback_has_the_users_lines():
    def fails(x):
        y = ops.sin(x) * 2
        n = int(y.sum())
        z = ops.cos(y) * n
        return z.reshape(n, 7) + 1

    with pytest.raises(ValueError, match="7") as eager:
        fails(Tensor([1.0, 2.0]))
    with pytest.raises(ValueError, match="7") as caught:
        jit(fails)(Tensor([1.0, 2.0]))
    own_lines = [frame.lineno for frame in traceback.extract_tb(caught.tb) if frame.filename == __file__]
    assert own_lines[-1] == traceback.extract_tb(eager.tb)[1].lineno
    assert caught.value.__context__ is None or not isinstance(caught.value.__context__, UnboundLocalError)


def weigh(x):
    y = ops.sin(x) * W + 1
    if float(y.sum()) > 2:
        y = y * x
    n = int(y.max()) + 1
    return (ops.exp(y) * n * W).sum()


W = Parameter(Tensor([0.5, 2.0]), name="w")


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_gradients_go_through_the_segments(mode):
    jitted = jit(weigh, capture_mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OpByOpWarning)
        for values in ([1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]):
            x = Tensor(values)
            for transform in (
                lambda fn: ms.value_and_grad(fn, 0, [W]),
                lambda fn: ms.grad(lambda v: ms.grad(fn)(v).sum()),
                lambda fn: jit(ms.grad(fn), capture_mode=mode),
            ):
                assert str(transform(jitted)(x)) == str(transform(weigh)(x))
    assert any(segment.startswith("graph") for segment in jitted.cache_info().segments)


class Counting(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.calls = nn.Dense(2, 2, weight_init="ones", has_bias=False), 0
        self.__hidden = 3.0

    def construct(self, x):
        y = ops.sin(self.dense(x)) * self.__hidden
        self.calls += int(y.shape[0])
        return super().extend_repr() or ops.cos(y) * self.calls + 1


@pytest.mark.parametrize("context", [PYNATIVE_MODE, GRAPH_MODE])
def test_methods_are_split_with_their_object(context):
    def observed_values(captured, net):
        observed = []
        for _ in range(4):
            set_context(mode=PYNATIVE_MODE if captured is net.construct else context)
            observed.append((captured(Tensor([[1.0, 2.0]])).tolist(), net.calls))
        set_context(mode=PYNATIVE_MODE)
        return observed

    eager = Counting()
    expected = observed_values(eager.construct, eager)
    nets = [Counting(), Counting(), Counting(), jit(type("Own", (Counting,), {}))()]
    captured = [jit(nets[0]), jit(nets[1], capture_mode="trace"), jit(nets[2].construct), nets[3]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OpByOpWarning)
        for net, fn in zip(nets, captured, strict=True):
            assert observed_values(fn, net) == expected
    segments = [line.partition(":")[0] for line in captured[0].cache_info().segments]
    assert segments == ["graph", "op by op", "graph"]


def train_with(wrap, train):
    """The results of a training loop: the sum of its losses, the weights, the output; and how it ran."""
    ms.set_seed(0)
    net = nn.Dense(2, 1, weight_init="ones")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    batches = [(Tensor([[1.0, 2.0], [3.0, k]]), Tensor([[1.0], [float(k)]])) for k in range(3)]
    fn, out = wrap(train), io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore", OpByOpWarning)
        total = fn(7, net, optimizer, batches)
    weights = [parameter.asnumpy().tolist() for parameter in net.trainable_params()]
    return (total, weights, out.getvalue()), fn


def train_by_hand(steps, net, optimizer, batches):
    def loss_of(x, y):
        return ((net(x) - y) ** 2).mean()

    step_of = ms.value_and_grad(loss_of, None, optimizer.parameters)
    total = 0.0
    for step in range(steps):
        x, y = batches[step % len(batches)]
        loss, grads = step_of(x, y)
        optimizer(grads)
        total += float(loss)
        if step % 3 == 0:
            print(f"{step}: {float(loss):.4f}")
    return total


def test_the_body_of_a_training_loop_runs_as_graphs():
    expected, _ = train_with(lambda fn: fn, train_by_hand)
    result, fn = train_with(jit, train_by_hand)
    assert result == expected
    kinds = [segment.partition(":")[0] for segment in fn.cache_info().segments]
    assert kinds == ["op by op", "op by op", "graph", "op by op", "op by op"]


def test_a_part_whose_argument_has_new_shapes_at_every_call_warns_once():
    @jit
    def seg(x):
        y = ops.tanh(x) * 2 + 1
        n = int(y.sum())
        return ops.exp(y) * 2 + n

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        for size in [1, 2, 3, 4, 5] * 2:  # few shapes are graphs
            seg(Tensor(np.ones(size, np.float32)))
        kinds = [segment.partition(":")[0] for segment in seg.cache_info().segments]
        assert kinds.count("graph") >= 1 and RecompileWarning not in [warning.category for warning in shown]
        for size in range(6, WARN_AFTER + 3):
            seg(Tensor(np.ones(size, np.float32)))
    recompiled = [str(warning.message) for warning in shown if warning.category is RecompileWarning]
    assert any("shapes of argument 'x'" in text and "pad 'x' to a few shapes" in text for text in recompiled)
    assert len(recompiled) == len(set(recompiled)) <= 2
