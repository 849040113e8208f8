"""Every row of the tables in docs/concepts/capture.md that are not about MindSpore holds, in both capture modes."""

import abc
import array
import builtins
import codecs
import contextlib
import contextvars
import csv
import ctypes
import decimal
import functools
import gc
import itertools
import math
import queue
import sys
import textwrap
import threading
import types
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, jit, nn, ops
from minigraph.common.initializer import initializer
from minigraph.compilation import OpByOpWarning, capture_call

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "capture.md"
X = Tensor([1.0, 2.0])
MODES = ("ast", "trace")


def rows_below(header):
    """The rows of the table whose header starts with ``header``, as pairs of cells."""
    lines = PAGE.read_text("utf-8").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(f"| {header}"))
    rows = itertools.takewhile(lambda line: line.startswith("|"), lines[start + 2 :])
    return dict(line.strip("| ").split(" | ") for line in rows)


NEXT_CALL, STAYS = rows_below("state that is read"), rows_below("in eager mode")
CASES, CHECKS = {}, {}


def cases(row):
    """Register a function that gives the cases of a row: each a function, and a change before its next call."""
    return lambda make: CASES.setdefault(row, make)


def checks(row):
    """Register the check of a row."""
    return lambda check: CHECKS.setdefault(row, check)


def no_change():
    """No change: the function reads something else at each call by itself."""


# ---- state that is read, or has changed at the next call -------------------------------------------


@cases("another `__code__` or default of a function")
def code_and_defaults():
    def scale(x, k=2.0):
        return x * k

    def other(x, k=2.0):
        return x / k

    yield lambda x: scale(x), lambda: setattr(scale, "__code__", other.__code__)
    yield lambda x: scale(x), lambda: setattr(scale, "__defaults__", (5.0,))


class Scale:
    k = 2.0

    def of(self, x):
        return x * self.k

    @property
    def twice(self):
        return 2 * self.k


@cases("another class of an object, another method or property of its class, an attribute that hides a method")
def classes():
    class Own(Scale):
        pass

    class Other(Own):
        k = 7.0

    instance = Own()
    yield lambda x: instance.of(x), lambda: setattr(instance, "__class__", Other)
    yield lambda x: instance.of(x), lambda: setattr(Own, "of", lambda self, x: x - self.k)
    yield lambda x: x * instance.twice, lambda: setattr(Own, "twice", property(lambda self: 3.0))
    yield lambda x: x * (2.0 if instance else 1.0), lambda: setattr(Own, "__bool__", lambda self: False)
    for hidden in ("of", "kind"):  # a function, a class method
        kept = Hidden()
        yield lambda x, kept=kept: kept.kind(kept.of(x)), lambda kept=kept, name=hidden: setattr(kept, name, ops.neg)
    table = vars(cell := HiddenInCell())
    yield lambda x: cell(x), lambda: table.__setitem__("of", ops.neg)


class Hidden(Scale):
    @classmethod
    def kind(cls, x):
        return x * cls.k


class HiddenInCell(ms.nn.Cell):
    def construct(self, x):
        return self.of(x)

    def of(self, x):
        return x * 2


@cases("a global that hides a builtin; a module, class or function put in the place of another")
def replaced():
    namespace = vars(replaced_module := types.ModuleType("replaced"))
    namespace |= {"inner": replaced_module, "k": 2.0, "math": math, "Scale": Scale, "textwrap": textwrap, "ops": ops}
    sys.modules["replaced"] = sys.modules["replaced.inner"] = replaced_module
    exec(REPLACED, namespace)
    yield namespace["of_builtin"], lambda: namespace.update(max=min)
    yield namespace["of_class"], lambda: namespace.update(Scale=type("Scale", (), {"k": 5.0}))
    yield namespace["of_module"], lambda: namespace.update(textwrap=types.SimpleNamespace(dedent="a{}".format))
    yield namespace["of_module"], lambda: namespace.update(ops=types.SimpleNamespace(neg=ops.abs))
    yield namespace["of_library"], lambda: setattr(math, "floor", math.ceil)
    yield namespace["of_import"], lambda: namespace.update(inner=Scale(), k=7.0)
    bound = functools.partial(lambda x, k: x * k, k=2.0)
    yield lambda x: bound(x), lambda: bound.keywords.update(k=3.0)


FLOOR = math.floor
REPLACED = """
def of_builtin(x): return x * max(1.0, 2.0)
def of_class(x): return x * Scale.k
def of_module(x): return ops.neg(x) * len(textwrap.dedent(" a"))
def of_library(x): return x * math.floor(2.5)
def of_import(x):
    import replaced.inner as module
    return x * module.k
"""


@cases("a function's name or another attribute of it, jitted or not")
def names():
    def named():
        pass

    yield lambda x: x * len(named.__name__), lambda: setattr(named, "__name__", "n")


@cases("`requires_grad` or another attribute of a Parameter, also by a computed name")
def trainable():
    weight = Parameter(Tensor([1.0]), name="w")
    yield lambda x: x * (3.0 if weight.requires_grad else 1.0), lambda: setattr(weight, "requires_grad", False)
    name, flagged = "layerwise_parallel", Parameter(Tensor([1.0]))
    yield lambda x: x * (3.0 if getattr(flagged, name) else 1.0), lambda: setattr(flagged, name, True)


@cases("state of an imported module or a library, such as `sys.path`")
def modules():
    yield lambda x: x * len(sys.path), lambda: sys.path.append("folder")
    yield lambda x: x * string.letters, lambda: setattr(string, "letters", 4.0)


class string:  # represents a module
    letters = 3.0


@cases("a setting of the context")
def settings():
    yield lambda x: x * len(ms.get_context("device_target")), lambda: ms.set_context(device_target="Ascend")


@cases("the registration of an abstract class")
def abstract_classes():
    class Abstract(abc.ABC):  # noqa: B024 - only registered
        pass

    class Own:
        pass

    instance = Own()
    yield lambda x: x * (1.0 if isinstance(instance, Abstract) else 2.0), lambda: Abstract.register(Own)


@cases("the seed of `set_seed`")
def seeds():
    ms.set_seed(3)
    yield lambda x: x + ops.rand(2), lambda: ms.set_seed(3)


@cases("state that a branch on a tensor changes, a list or dict that it chooses and that may be changed")
def state_in_branches():
    log = []

    def step(x):
        if x.sum() > 2:
            log.append(1)
        return x * len(log)

    yield step, no_change


@cases("the contents of a memoryview, a cell, or what a slice, a dtype or a type such as `list[box]` refers to")
def memoryviews():
    memory = bytearray(b"a")
    view, cell, box = memoryview(memory), types.CellType(1.0), [1.0]
    yield lambda x: x * view[0], lambda: memory.__setitem__(0, 3)
    yield lambda x: x * cell.cell_contents, lambda: setattr(cell, "cell_contents", 3.0)
    part, dtype, alias = slice(box, None), np.dtype("f4", metadata={"box": box}), types.GenericAlias(list, (box,))
    yield lambda x: x * part.start[0], lambda: box.__setitem__(0, 3.0)
    yield lambda x: x * dtype.metadata["box"][0], lambda: box.__setitem__(0, 4.0)
    yield lambda x: x * alias.__args__[0][0], lambda: box.__setitem__(0, 5.0)


@cases("a context variable, a weak reference, a frame")
def variables():
    box = [1.0]
    frame = sys._getframe()
    yield lambda x: x * frame.f_locals["box"][0], lambda: box.__setitem__(0, 3.0)
    variable, instances = contextvars.ContextVar("variable", default=1.0), [Scale()]
    yield lambda x: x * variable.get(), lambda: variable.set(3.0)
    reference = weakref.ref(instances[0])
    yield lambda x: x * (1.0 if reference() is None else 2.0), instances.clear


@cases("objects that run code at every read (`__getattribute__`) or when they are released (`__del__`)")
def interceptions():
    reads, released = [], []

    class Reading:
        def __getattribute__(self, name):
            reads.append(name)
            return len(reads)

    class Released:
        def __init__(self):
            self.own = self

        def __del__(self):
            released.append(1)

    def makes(x):
        Released()
        return x * 2

    instance = Reading()
    yield lambda x: x * instance.k, no_change
    yield lambda x: (makes(x), gc.collect(), x * len(released))[2], no_change


@cases("a checkpoint or a dataset, a setting that the function changes, initial weights that it draws")
def effects_of_minigraph():
    def write(value):
        ms.save_checkpoint([{"name": "w", "data": Tensor([value])}], "w.ckpt")

    def sets_a_seed(x):
        ms.dataset.config.set_seed(5)
        return x

    write(1.0)
    ms.set_seed(1)
    yield lambda x: x * ms.load_checkpoint("w.ckpt")["w"].value(), lambda: write(2.0)
    yield lambda x: x * initializer("normal", (1,)), no_change
    yield sets_a_seed, no_change


@cases("a file, an iterator, a queue, a numpy array of objects")
def streams():
    numbers, waiting = iter(range(9)), queue.SimpleQueue()
    for number in range(9):
        waiting.put(number)
    yield lambda x: x * next(numbers), no_change
    yield lambda x: x * waiting.get(), no_change
    yield lambda x: x * len(open("numbers.txt").read()), lambda: Path("numbers.txt").write_text("12345")  # noqa: SIM115
    objects = np.empty(1, object)
    objects[0] = [2.0]
    yield lambda x: x * objects[0][0], lambda: objects[0].__setitem__(0, 3.0)


@cases("objects of C extensions whose module is not known to be stateless: `decimal`, `array`, `ctypes`")
def objects_in_c():
    items, number = array.array("d", [1.0]), ctypes.c_double(1.0)
    yield lambda x: x * float(decimal.Decimal(1) / 3), lambda: setattr(decimal.getcontext(), "prec", 3)
    yield lambda x: x * items[0], lambda: items.__setitem__(0, 5.0)
    yield lambda x: x * number.value, lambda: setattr(number, "value", 4.0)


@cases("numpy's handling of floating-point errors (`np.seterr`)")
def handling_of_errors():
    yield lambda x: x * float(np.float32(2) + 1), lambda: np.seterr(under="warn")


@cases("a child or Parameter of a Cell, also in its tables `_cells` and `_params`")
def tables_of_a_cell():
    net, named = nn.SequentialCell(nn.ReLU()), nn.SequentialCell(nn.ReLU())
    yield lambda x: net(x - 1.5), lambda: net._cells.update({"0": nn.Identity()})
    yield lambda x: named(x - 1.5), lambda: setattr(named, "0", nn.Identity())
    dense = nn.Dense(2, 2)
    yield lambda x: x * len(dense.trainable_params()), lambda: dense._params.pop("bias")


@cases("the hook of a gradient, also one that the function registers or removes")
def hooks_of_gradients():
    w = Parameter(Tensor([1.0, 1.0]), name="w")
    handle, handles = w.register_hook(lambda g: g * 10.0), []
    yield lambda x: ms.grad(lambda a: (a * w).sum(), None, w)(x), handle.remove

    def registers(x):
        handles.append(w.register_hook(lambda g: g * 10.0))
        handles.pop().remove()
        return x + 1.0

    yield registers, no_change


@cases("numpy's other settings")
def numpys_settings():
    yield lambda x: x * len(str(np.ones(1) / 3)), lambda: np.set_printoptions(precision=2)


@cases("a function in C that reads state, called by another one in C: `map(os.stat, names)`")
def functions_in_c():
    read = functools.partial(csv.field_size_limit)
    yield lambda x: x * (read() % 100), lambda: csv.field_size_limit(7)
    yield lambda x: x * (next(itertools.starmap(csv.field_size_limit, [()])) % 100), lambda: csv.field_size_limit(7)


@cases("a branch or loop on a tensor in which `for` and `while` run 10,000 times, perhaps without end")
def endless_loops():
    def counts(x):
        if x.sum() > 0:
            return x + 1.0
        n = 0
        while True:
            n += 1

    def grows(x):
        if x.sum() > 0:
            return x + 1.0
        for _ in iter(int, 1):
            x = x * 2.0
        return x

    yield counts, no_change
    yield grows, no_change


@pytest.fixture
def reset_settings(tmp_path, monkeypatch):
    """Settings that cases change are as they were afterwards; a file is there."""
    monkeypatch.chdir(tmp_path)
    path = [*sys.path]
    monkeypatch.setattr(string, "letters", 3.0)
    monkeypatch.setattr(math, "floor", FLOOR)
    with decimal.localcontext(decimal.Context(prec=28)), np.printoptions():
        yield lambda: (
            Path("numbers.txt").write_text("1"), monkeypatch.setattr(sys, "path", [*path]),
            ms.set_context(device_target="CPU"), setattr(decimal.getcontext(), "prec", 28),
            np.set_printoptions(precision=8), csv.field_size_limit(131072), setattr(string, "letters", 3.0),
            setattr(math, "floor", FLOOR),
        )  # fmt: skip


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(("row", "case"), [(row, k) for row, make in CASES.items() for k in range(7)])
def test_the_next_call_is_what_eager_mode_gives(row, case, reset_settings):
    seen, outcomes = [], []
    for mode in (None, *MODES):
        reset_settings()
        cases = list(CASES[row]())
        if case >= len(cases):
            pytest.skip("this row has fewer cases")
        function, change = cases[case]
        step = function if mode is None else jit(function, capture_mode=mode)
        results = contextvars.copy_context().run(two_calls, step, change)
        seen.append(results[0])
        outcomes += [] if mode is None else [(results[1], step.cache_info().misses)]
    assert seen == seen[:1] * 3
    promised = {"recompiles": (False, 2), "runs op by op": (True, 0)}.get(NEXT_CALL[row], (False, 1))
    assert outcomes == [promised] * 2


def two_calls(step, change):
    """The results before and after a change, and whether a warning says that calls run op by op."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [step(X).tolist()]
        change()
        results.append(step(X).tolist())
    return results, any(issubclass(warning.category, OpByOpWarning) for warning in caught)


# ---- differences that remain -----------------------------------------------------------------------


@checks("`print` prints at every call")
def prints_once(capsys):
    def step(x):
        print("called")
        return x + 1.0

    for mode, count in (("ast", 3), ("trace", 1)):
        captured = jit(step, capture_mode=mode)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(3):
                captured(X)
        assert capsys.readouterr().out.count("called") == count
        assert any("it prints only during tracing" in str(warning.message) for warning in caught) == (mode == "trace")


@checks("a variable is a number after one branch and a tensor after the other")
def numbers_join_tensors():
    def step(x):
        y = 1.0
        if x.sum() > 10:
            y = x.sum()
        return y

    assert (type(step(X)), type(jit(step)(X))) == (float, Tensor)
    assert jit(step)(X).item() == 1.0


@checks("a result is a view of an argument, an outer tensor or another result")
def views_are_copies():
    argument, outer = Tensor([1.0, 2.0]), Tensor([1.0, 2.0])
    whole, *views = jit(lambda x: (x + 1.0, (x + 1.0)[:1], x.reshape(2, 1)[:1], outer[:1]))(argument)
    whole[0], argument[0], outer[0] = 9.0, 9.0, 9.0
    assert [view.reshape(-1).tolist() for view in views] == [[2.0], [1.0], [1.0]]


@checks("a result is a list or dict that a branch chooses")
def chosen_lists_are_copies():
    first, second = [1], [1]
    result = jit(lambda x: (x, first if x.sum() > 100 else second), fullgraph=True)(X)[1]
    assert result == second and result is not second


@checks("an optimizer gives `True` for each Parameter")
def optimizers_give_tensors():
    def step(gradient):
        return optimizer((gradient,))

    weight = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.SGD([weight], 0.1)
    assert step(Tensor([1.0])) == (True,)
    (result,) = jit(step)(Tensor([1.0]))
    assert isinstance(result, Tensor) and bool(result)


@checks("`ops.depend(x, y)` is `x`")
def depend_gives_another_tensor():
    def ordered(x):
        result = ms.ops.depend(x, x * 2.0)
        return result, result is x

    assert ordered(X)[1] and not jit(ordered)(X)[1]
    assert jit(ordered)(X)[0].tolist() == ordered(X)[0].tolist()


@checks("a result is the argument itself in one branch or before a loop only")
def results_are_copies():
    def itself(x):
        y = x
        if x.sum() > 10:
            y = x + 1.0
        return y

    def before_a_loop(x):
        y = x
        while y.sum() < 1:
            y = y + 1.0
        return y

    assert itself(X) is before_a_loop(X) is X
    for function in (itself, before_a_loop):
        argument = Tensor([1.0, 2.0])
        result = jit(function)(argument)
        argument[0] = 9.0
        assert result.tolist() == [1.0, 2.0]


@checks("gradients of variables that are one tensor in one branch, after no iteration, or as a scan's rows: in order")
def cotangents_of_one_tensor():
    def branch(x):
        y = x
        if x.sum() > 1e5:
            y = x * 2
        return (x * 0.3 + y * 1.7 + ops.sin(x) * y).sum()

    def loop(x):
        y = x
        while ops.abs(y).sum() > 1e5:
            y = y * 2
        return (y * y * x).sum() + (y * x).sum()

    def rows(x):
        y, _ = ops.scan(lambda y, row: (ops.sin(y * x) + row, None), x, x)
        return (y * x).sum()

    x = Tensor(np.random.default_rng(3).normal(size=50).astype(np.float32))
    for function in (branch, loop, rows):
        eager, captured = ms.grad(function)(x).asnumpy(), jit(ms.grad(function))(x).asnumpy()
        assert eager.tobytes() != captured.tobytes()
        np.testing.assert_allclose(eager, captured, rtol=1e-3, atol=1e-5)


@checks("assignments before an error remain")
def errors_leave_parameters():
    weight = Parameter(Tensor([1.0, 1.0]), name="w")

    def step(x, places):
        ops.assign(weight, x)
        x[0] = 5.0
        return ops.gather(x, places, 0) + 1.0

    for function, left, argument in ((step, [1.0, 2.0], [5.0, 2.0]), (jit(step), [1.0, 1.0], [1.0, 2.0])):
        ops.assign(weight, Tensor([1.0, 1.0]))
        x = Tensor([1.0, 2.0])
        with pytest.raises(Exception, match="gather"):
            function(x, Tensor([7]))
        assert (weight.tolist(), x.tolist()) == (left, argument)


@checks("changes of Python's objects before an error remain")
def changes_before_an_error():
    def step(x, error):
        log.append(1)
        if error is not None:
            raise error
        return x

    for error, options, left in ((SystemExit(), {}, 0), (ValueError(), {}, 1), (ValueError(), {"fullgraph": True}, 0)):
        for function, entries in ((step, 1), (jit(step, **options), left)):
            log = []
            with pytest.raises(type(error)):
                function(X, error)
            assert len(log) == entries


@checks("`vars(obj)` has no entry for a method")
def compiled_methods():
    class Trainer:
        @jit
        def step(self, x):
            return x

    trainer = Trainer()
    trainer.step(X)
    assert [name.startswith("_jit") for name in vars(trainer)] == [True]


@checks("a `with` catches an error of an operator that only values cause, such as an index out of range")
def errors_of_operators_are_raised():
    def step(x, places):
        y = x
        with contextlib.suppress(Exception):
            y = ops.gather(x, places, 0)
        return y + 1.0

    assert step(X, Tensor([7])).tolist() == [2.0, 3.0]
    for mode in MODES:
        with pytest.raises(Exception, match="gather"):
            jit(step, capture_mode=mode)(X, Tensor([7]))


@checks("changes by another thread to the function's state during the call remain")
def changes_of_threads_are_undone(monkeypatch):
    log, copy_of_state = [], capture_call.Heap

    def copy_while_a_thread_appends(*roots):
        heap = copy_of_state(*roots)
        thread = threading.Thread(target=log.append, args=[1])
        thread.start()
        thread.join()
        return heap

    monkeypatch.setattr(capture_call, "Heap", copy_while_a_thread_appends)
    with pytest.warns(OpByOpWarning, match="the list 'log' is changed in place"):
        jit(lambda x: x * len(log))(X)
    assert log == []


@checks(
    "a function of `builtins` or minigraph, an error handler in C of `codecs.register_error`, or the limit of "
    "`sys.set_int_max_str_digits` was replaced"
)
def builtins_are_kept(monkeypatch):
    codecs.register_error("own", codecs.ignore_errors)
    functions = [lambda x: x * ord("\2"), lambda x: x * len("aä".encode("ascii", "own")), lambda x: ops.relu(x)]
    captured = [jit(function) for function in functions]
    assert [step(X).tolist() for step in captured] == [[2.0, 4.0], [1.0, 2.0], [1.0, 2.0]]
    codecs.register_error("own", codecs.backslashreplace_errors)
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "ord", lambda text: 10)
        patch.setattr(ops, "relu", lambda x: x * 5.0)
        assert (captured[0](X).tolist(), functions[0](X).tolist()) == ([2.0, 4.0], [10.0, 20.0])
        assert (captured[2](X).tolist(), functions[2](X).tolist()) == ([1.0, 2.0], [5.0, 10.0])
    assert (captured[1](X).tolist(), functions[1](X).tolist()) == ([1.0, 2.0], [5.0, 10.0])
    limit = sys.get_int_max_str_digits()
    digits = jit(lambda x: x * len(str(10**700)))
    try:
        assert digits(X).tolist() == [701.0, 1402.0]
        sys.set_int_max_str_digits(640)
        assert digits(X).tolist() == [701.0, 1402.0]
    finally:
        sys.set_int_max_str_digits(limit)


@checks(
    "a property `__class__` or `__dict__`, and `__hash__` and `__eq__` of the keys of a dict argument, run when the "
    "function asks"
)
def methods_that_run_more_often():
    log = []

    class Key:
        def __hash__(self):
            log.append("hash")
            return 1

        def __eq__(self, other):
            return self is other

    class Box:
        k = 2.0
        __class__ = property(lambda self: log.append("class") or Box)
        __dict__ = property(lambda self: log.append("dict") or {})

    table, box = {Key(): 1}, Box()
    for function, arguments, names in (
        (lambda x, table: x * len(table), (X, table), {"hash"}),
        (lambda x: x * box.k, (X,), {"class", "dict"}),
    ):
        log.clear()
        expected = function(*arguments).tolist()
        assert log == []
        with warnings.catch_warnings(action="ignore"):
            assert jit(function)(*arguments).tolist() == expected
        assert set(log) == names


@pytest.mark.parametrize("row", CHECKS)
def test_the_difference_is_as_described(row, request):
    code = CHECKS[row].__code__
    CHECKS[row](*map(request.getfixturevalue, code.co_varnames[: code.co_argcount]))


def test_every_row_is_checked():
    assert set(CASES) == set(NEXT_CALL)
    assert set(CHECKS) == set(STAYS)
    assert set(NEXT_CALL.values()) == {"recompiles", "runs op by op", "draws the numbers of eager mode"}
