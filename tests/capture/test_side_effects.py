"""A function with side effects runs op by op, with one warning that names the line, and is right at every call."""

import builtins
import datetime
import itertools
import operator
import os
import random
import re
import sys
import threading
import time
import warnings
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, jit, nn, ops
from minigraph.capture.side_effects import CLOCK, SideEffectWarning
from minigraph.compilation import OpByOpWarning
from minigraph.core import bytecode
from minigraph.core.errors import CaptureError, TraceError
from tests.inspection import to_lists as plain

X = Tensor([1.0, 2.0])
LOG, TABLE, SEEN, COUNT, FLAG = [], {}, set(), 0, False
RNG, OLD, OWN = np.random.default_rng(0), np.random.RandomState(0), random.Random(0)


class Model:
    """A plain object; ``n`` counts, ``late`` is set by the first call."""

    def __init__(self):
        self.n, self.items = 0, []

    def counts(self, x):
        self.n = self.n + 1
        return x + self.n

    def keeps(self, x):
        self.items.append(1)
        return x + len(self.items)

    def starts_to_count(self, x):
        self.late = getattr(self, "late", 0) + 1
        return x * self.late


def appends(x):
    LOG.append(1)
    return x + len(LOG)


def extends(x):
    global LOG
    LOG += [1, 2]
    return x + len(LOG)


def puts(x):
    TABLE["calls"] = TABLE.get("calls", 0) + 1
    return x * TABLE["calls"]


def adds(x):
    SEEN.add(len(SEEN))
    return x * len(SEEN)


def counts(x):
    global COUNT
    COUNT = COUNT + 1
    return x + COUNT


def toggles(x):
    global FLAG
    FLAG = not FLAG
    return x * 2 if FLAG else x


def through_a_helper(x):
    return counts(x) * 2


def draws(x):
    return x + float(np.random.rand())


def draws_in_python(x):
    return x + random.random()


def draws_from_its_own(x):
    return x + float(RNG.random())


def draws_from_an_old_one(x):
    return x + float(OLD.rand())


def reads_the_time(x):
    return x * 0 + float(time.perf_counter_ns() > 0)


def reads_the_date(x):
    return x * 0 + float(datetime.datetime.now().year > 0)


def draws_from_pythons_own(x):
    return x + OWN.random()


EFFECTS = {
    appends: "the list 'LOG' is changed in place in `LOG.append(1)`",
    extends: "the list 'LOG' is changed in place in `LOG += [1, 2]`",
    puts: 'the dict \'TABLE\' is changed in place in `TABLE["calls"] = TABLE.get("calls", 0) + 1`',
    adds: "the set 'SEEN' is changed in place in `SEEN.add(len(SEEN))`",
    counts: "global 'COUNT' is set in `COUNT = COUNT + 1`",
    toggles: "global 'FLAG' is set in `FLAG = not FLAG`",
    through_a_helper: "global 'COUNT' is set in `COUNT = COUNT + 1`",
    Model.counts: "'n' of a Model is set in `self.n = self.n + 1`",
    Model.keeps: "the list 'items' is changed in place in `self.items.append(1)`",
    Model.starts_to_count: "'late' of a Model is set in `self.late = getattr(self, \"late\", 0) + 1`",
    draws: "numbers are drawn from numpy's global generator in `return x + float(np.random.rand())`",
    draws_in_python: "numbers are drawn from a random generator of Python in `random.random()`",
    draws_from_its_own: "numbers are drawn from 'RNG' in `return x + float(RNG.random())`",
    draws_from_an_old_one: "numbers are drawn from 'OLD' in `return x + float(OLD.rand())`",
    reads_the_time: f"{CLOCK} in `return x * 0 + float(time.perf_counter_ns() > 0)`",
    reads_the_date: f"{CLOCK} in `return x * 0 + float(datetime.datetime.now().year > 0)`",
    draws_from_pythons_own: "numbers are drawn from a random generator of Python in `OWN.random()`",
}


def start():
    """Reset all state; returns an object."""
    LOG.clear(), TABLE.clear(), SEEN.clear()
    globals().update(COUNT=0, FLAG=False)
    np.random.seed(0), random.seed(0), OLD.seed(0), OWN.seed(0)
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state
    return Model()


def bound(program):
    model = start()
    return program.__get__(model) if "." in program.__qualname__ else program


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize(("program", "words"), EFFECTS.items(), ids=lambda item: getattr(item, "__name__", None))
def test_every_call_is_correct_and_the_side_effect_is_reported_once(program, words, mode):
    eager = bound(program)
    expected = [eager(X).tolist() for _ in range(4)]
    compiled = jit(bound(program), capture_mode=mode)
    with pytest.warns(OpByOpWarning) as caught:
        assert [compiled(X).tolist() for _ in range(4)] == expected
    assert len(caught) == 1
    text = str(caught[0].message)
    assert words in text or not bytecode.IS_SUPPORTED
    assert "; " in text
    assert "runs op by op" in text
    assert len(text.splitlines()) <= 3
    assert re.search(r"\(test_side_effects.py:\d+\)", text)
    assert caught[0].filename == __file__
    assert compiled.cache_info()[:2] == (0, 0)


def test_a_cache_filled_by_the_first_call_is_captured_at_the_second():
    def remembers(x):
        if "factor" not in TABLE:
            TABLE["factor"] = 3.0
        return x * TABLE["factor"]

    start()
    compiled = jit(remembers)
    with pytest.warns(OpByOpWarning, match="this call of 'remembers' runs op by op"):
        assert [compiled(X).tolist() for _ in range(4)] == [[3.0, 6.0]] * 4
    assert compiled.cache_info()[:2] == (2, 1)
    TABLE["factor"] = 5.0
    assert compiled(X).tolist() == [5.0, 10.0]


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_the_warning_names_the_line_of_a_first_attribute_of_a_function_and_of_a_hook(mode):
    def counts(x):
        counts.calls = getattr(counts, "calls", 0) + 1
        return x * counts.calls

    seen, cell = [], nn.Dense(2, 2)
    cell.register_forward_hook(lambda cell, inputs, output: seen.append(1))
    for function, x, line in ((counts, X, "counts.calls = getattr"), (lambda x: cell(x), X[None], "seen.append(1)")):
        compiled = jit(function, capture_mode=mode)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            results = [compiled(x) for _ in range(3)]
        assert len(caught) == 1 and line in str(caught[0].message)
    assert counts.calls == len(seen) == len(results) == 3


def test_changes_from_outside_also_of_elements_are_detected_without_a_warning():
    start()
    fixed, mask = Tensor([1.0, 1.0]), np.ones(2, np.float32)
    compiled = jit(lambda x: x * (len(LOG) + 1) + sum(TABLE.values()))
    of_elements = jit(lambda x: x * fixed + Tensor(mask))
    observed = [(compiled(X).tolist(), of_elements(X).tolist())]
    for change, other in (
        (lambda: LOG.append(1), lambda: operator.setitem(fixed.asnumpy(), 0, 5.0)),
        (lambda: TABLE.update(a=1.0), lambda: setattr(fixed, "array", np.array([5.0, 0.0], np.float32))),
        (lambda: None, lambda: operator.setitem(mask, slice(None), 0.0)),
    ):
        change(), other()
        observed.append((compiled(X).tolist(), of_elements(X).tolist()))
    assert [first for first, _ in observed] == [[1.0, 2.0], [2.0, 4.0], [3.0, 5.0], [3.0, 5.0]]
    assert [second for _, second in observed] == [[2.0, 3.0], [6.0, 3.0], [6.0, 1.0], [5.0, 0.0]]
    reasons = compiled.cache_info().reasons[1:]
    assert reasons == ("the contents of 'LOG' changed (f32[2])", "the contents of 'TABLE' changed (f32[2])")
    assert of_elements.cache_info()[:2] == (0, 4)
    assert of_elements.cache_info().reasons[-1] == "the elements of 'mask' changed (f32[2])"


def test_tensors_created_during_tracing_are_not_guarded():
    def makes(x):
        return x * Tensor([2.0, 3.0]) if x.sum() > 0 else x + Tensor([1.0, 1.0])

    compiled = jit(makes)
    compiled(X)
    (entry,) = compiled._entries
    assert [guard.description for guard in entry.guards if "elements" in guard.description] == []


# ---- tensors left in Python ------------------------------------------------------------------------------

LAST, HISTORY = None, []


def remembers_in_a_list(x):
    HISTORY.append(x.sum())
    return x * len(HISTORY)


def remembers_deeper(x):
    TABLE.setdefault("losses", []).append({"loss": x.sum(), "step": len(TABLE["losses"])})
    return x


def remembers_in_a_global(x):
    global LAST
    before, LAST = LAST, x * 2
    return x if before is None else x + before


def replaces_an_item(x):
    HISTORY[:] = [HISTORY[0] + x if HISTORY else x]
    return HISTORY[0]


class Remembering(nn.Cell):
    def __init__(self):
        super().__init__()
        self.items = [0]

    def construct(self, x):
        self.last = x * 2
        self.items[0] = (x.sum(), "loss")
        return self.last + self.items[0][0]


def left_behind():
    return plain([LAST, HISTORY, TABLE])


@pytest.mark.parametrize("mode", ["ast", "trace"])
@pytest.mark.parametrize("program", [remembers_in_a_list, remembers_deeper, remembers_in_a_global, replaces_an_item])
def test_tensors_left_in_python_have_their_values_after_the_call(program, mode):
    def outcome(fn):
        start(), HISTORY.clear(), globals().update(LAST=None)
        return [fn(x).tolist() for x in (X, -X, X * 3)], left_behind()

    compiled = jit(program, capture_mode=mode)
    expected = outcome(program)
    with pytest.warns(OpByOpWarning):
        assert outcome(compiled) == expected
    HISTORY.clear(), globals().update(LAST=None)


@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_tensors_left_in_a_cell_or_under_a_gradient_have_their_values_too(mode):
    eager, net = Remembering(), Remembering()
    compiled = jit(net, capture_mode=mode)
    HISTORY.clear()
    with pytest.warns(OpByOpWarning):
        for x in (X, -X):
            assert compiled(x).tolist() == eager(x).tolist()
            assert plain([net.last, net.items]) == plain([eager.last, eager.items])
        assert grad(jit(remembers_in_a_list, capture_mode=mode))(X).tolist() == [1.0, 1.0]
    assert plain(HISTORY) == [3.0]
    HISTORY.clear()


# ---- print -------------------------------------------------------------------------------------------


def prints(x):
    print("hello")
    return x


def test_print_during_tracing_is_reported(capsys):
    compiled, original = jit(prints, capture_mode="trace"), builtins.print
    with pytest.warns(SideEffectWarning, match=r"print is called in `print\(\"hello\"\)` .*: it prints only during"):
        compiled(X), compiled(X)
    assert builtins.print is original
    assert capsys.readouterr().out == "hello\n"


def prints_and_branches(x):
    print("hello")
    return x if x.sum() > 0 else -x


def prints_by_a_computed_name(x):
    getattr(builtins, "".join(["pr", "int"]))("hello")
    return x


def prints_to_a_file(x):
    print("hello", file=sys.stderr)
    return x


@pytest.mark.parametrize("program", [prints_and_branches, prints_by_a_computed_name, prints_to_a_file])
def test_a_function_that_runs_op_by_op_in_trace_mode_prints_once_per_call(program, capsys):
    compiled = jit(program, capture_mode="trace")
    with pytest.warns(OpByOpWarning):
        compiled(X), compiled(X)
    assert "".join(capsys.readouterr()) == "hello\nhello\n"


# ---- failures ----------------------------------------------------------------------------------------


class Full:
    """Changes one of every kind of state."""

    def __init__(self):
        self.number, self.deque, self.array = 1, deque([1]), np.ones(2)
        self.cell = nn.Dense(2, 2)

    def change(self, x):
        global COUNT, made_by_change
        LOG.append(x)
        TABLE["x"], COUNT, made_by_change = x, COUNT + 1, x
        SEEN.add(1)
        self.number, self.late = 2, x
        self.deque.append(x)
        self.array[0] = 5.0
        self.cell.note = x.shape
        return np.random.rand() + random.random() + float(RNG.random())

    def state(self):
        kept = [LOG, TABLE, SEEN, COUNT, "made_by_change" in globals(), self.number, hasattr(self, "late"), self.deque]
        drawn = np.random.get_state()[2], random.getstate()[1][-1], RNG.bit_generator.state["state"]["state"]
        return repr([*kept, self.array.tolist(), vars(self.cell).get("note"), self.cell._version, drawn])


@pytest.mark.parametrize("error", [TraceError, ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("mode", ["ast", "trace"])
def test_a_failed_capture_changes_nothing_and_an_error_has_the_effects_of_eager_mode(error, mode):
    def outcome(run):
        start()
        globals().pop("made_by_change", None)
        full = Full()

        def fails(x):
            full.change(x)
            if error is TraceError:
                return float(x[0])
            raise error("stop")

        before = full.state()
        with nullcontext() if error is TraceError and run is not jit_in_full else pytest.raises(Exception_of[error]):
            run(fails)(X)
        globals().pop("made_by_change", None)
        return full.state(), full.state() == before

    Exception_of = {TraceError: CaptureError, ZeroDivisionError: BaseException, KeyboardInterrupt: BaseException}
    jit_in_full = partial(jit, capture_mode=mode, fullgraph=True)
    assert outcome(jit_in_full)[1]
    with warnings.catch_warnings(action="ignore"):
        assert outcome(partial(jit, capture_mode=mode)) == outcome(lambda fn: fn)


@pytest.mark.parametrize("ending", ["ragged", "recursive"])
def test_running_op_by_op_makes_every_side_effect_once(ending):
    def ragged(x):
        full.change(x)
        return x if x.sum() > 0 else x[0]

    def recursive(x):
        full.change(x)
        return x if x.sum() > 5 else recursive(x + 1)

    program = {"ragged": ragged, "recursive": recursive}[ending]
    results = []
    for fn in (program, jit(program)):
        start()
        globals().pop("made_by_change", None)
        full = Full()
        with pytest.warns(OpByOpWarning) if fn is not program else nullcontext():
            results.append([[fn(x).tolist() for x in (X, -X)], full.state()])
    globals().pop("made_by_change", None)
    assert results[0] == results[1]


def test_warnings_as_errors_stop_the_call_and_inspecting_the_graph_warns_too():
    start()
    compiled = jit(appends)
    with warnings.catch_warnings():
        warnings.simplefilter("error", OpByOpWarning)
        with pytest.raises(OpByOpWarning):
            compiled(X)
    assert compiled.cache_info().entries == 0
    with pytest.warns(SideEffectWarning, match="'LOG'"):
        jit(appends).graph(X)


# ---- no side effects -----------------------------------------------------------------------------------

WEIGHT = Parameter(Tensor([1.0, 1.0]), name="weight")


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        self.count = Parameter(Tensor([0.0]), name="count")

    def construct(self, x):
        self.count += 1
        return self.dense(x)


def quiet(x):
    local = []
    for k in range(3):
        local.append(x * k)
    table = {"sum": sum(local)}
    table["more"] = ops.standard_normal((2,))
    ops.assign(WEIGHT, WEIGHT + 1)
    ops.Print()("quiet")
    return table["sum"] + WEIGHT


@pytest.mark.parametrize("program", [quiet, Net(), grad(quiet)], ids=["function", "cell", "gradient"])
def test_effects_in_the_graph_and_local_containers_are_not_reported(program):
    x = Tensor([[1.0, 2.0]]) if isinstance(program, Net) else X
    for mode in ("ast", "trace"):
        compiled = jit(program, capture_mode=mode)
        compiled(x), compiled(x)
        assert compiled.cache_info()[:2] == (1, 1)


def test_print_is_never_replaced(capsys):
    original, seen = builtins.print, []

    def work(_):
        for _ in range(20):
            jit(lambda x: (print("traced"), x)[1], capture_mode="trace")(X)
            seen.append(builtins.print)
            print("not traced")

    start()
    with warnings.catch_warnings(record=True, action="always") as caught, ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert all(value is original for value in seen) and len(seen) == 80
    assert not any("not traced" in str(warning.message) for warning in caught)
    out = capsys.readouterr().out
    assert (out.count("\ntraced") + out.startswith("traced"), out.count("not traced")) == (80, 80)


RATE = "RATE_OF_A_TEST"


def test_iterators_files_and_environment_variables_are_read_at_every_call(tmp_path, monkeypatch):
    counter, file = itertools.count(1), tmp_path / "rate.txt"
    monkeypatch.setenv(RATE, "1")
    file.write_text("1")
    x = Tensor([1.0])
    with pytest.warns(OpByOpWarning, match="'counter' is an iterator"):
        counted = jit(lambda x: x * next(counter))
        assert [counted(x).item() for _ in range(3)] == [1.0, 2.0, 3.0]
    with pytest.warns(OpByOpWarning, match="reads a clock, a file or the system"):
        read, asked, observed = (
            jit(lambda x: x * float(np.loadtxt(file))),
            jit(lambda x: x * float(os.environ[RATE])),
            [],
        )
        for rate in ("1", "2"):
            file.write_text(rate)
            monkeypatch.setenv(RATE, rate)
            observed.append((read(x).item(), asked(x).item()))
        assert observed == [(1.0, 1.0), (2.0, 2.0)]


SHUFFLE, DRAWS = np.random.shuffle, {"uniform": np.random.uniform}


def draws_under_another_name(x):
    return x + float(DRAWS["uniform"](1.0, 2.0))


def draws_under_a_computed_name(x):
    return x + float(getattr(np.random, "ran" + "dom")())


def draws_in_place(x):
    numbers = [1.0, 2.0, 3.0]
    SHUFFLE(numbers)
    return x + numbers[0]


@pytest.mark.parametrize("fn", [draws_under_another_name, draws_under_a_computed_name, draws_in_place])
def test_global_generator_is_detected_under_any_name(fn):
    np.random.seed(3)
    expected = [fn(X).tolist() for _ in range(3)]
    np.random.seed(3)
    step = jit(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [step(X).tolist() for _ in range(3)] == expected


def test_seeding_a_generator_with_its_old_seed_is_detected():
    def step(x):
        np.random.seed(5)
        return x * 2.0

    np.random.seed(5)
    with pytest.warns(UserWarning, match="numpy's global generator"):
        jit(step)(X)


def test_draws_of_another_thread_while_a_function_is_captured_stay_its_own():
    drawn, stop = [], threading.Event()

    def draw():
        while not stop.is_set():
            drawn.append(np.random.standard_normal())

    np.random.seed(7)
    thread = threading.Thread(target=draw)
    thread.start()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the draws are not the function's
        for k in range(20):
            jit(lambda x, k=k: (x * k + 1.0).tanh())(X)
    stop.set()
    thread.join()
    np.random.seed(7)
    assert drawn == [np.random.standard_normal() for _ in drawn]


class Base:
    @property
    def scale(self):
        return 2.0


class Derived(Base):
    pass


@pytest.mark.parametrize("owner", [Base, Derived])
def test_a_property_that_a_function_sets_runs_op_by_op(owner, monkeypatch):
    monkeypatch.setattr(Base, "scale", Base.scale)
    instance = Derived()

    def step(x):
        owner.scale = property(lambda self: 7.0)
        return x * instance.scale

    with pytest.warns(OpByOpWarning, match=f"'{owner.__name__}.scale' is set in"):
        assert jit(step)(X).tolist() == [7.0, 14.0]
    if owner is Derived:
        del Derived.scale
