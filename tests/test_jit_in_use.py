"""``@jit`` gives the bits of eager mode: random programs, gradients, threads, Cells, pipelines and devices."""

import pickle
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import minigraph as ms
from minigraph import Parameter, Tensor, grad, jit, nn, ops, set_context, value_and_grad
from minigraph.core.errors import MinigraphError, TraceError, UnknownNameError
from minigraph.ir.text import parse
from passes import DEFAULT, Pipeline
from tests.inspection import bits, operators
from tests.random_programs import random_program
from tests.tables import error_cases

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 5.0])


def compiles(compiled):
    return compiled.cache_info().misses


# ---- the same numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(1000, 1020))
def test_random_programs_give_eager_bits_and_nothing_of_the_callers_is_reused(seed):
    program = random_program(seed)
    compiled, all_results = jit(program.function), []
    for n in (0, 1, 0):
        args = program.arguments(n)
        argument_bits, expected = bits(args), bits(program.function(*args))
        all_results.append((compiled(*args), expected))
        assert bits(args) == argument_bits
    assert all(bits(results) == expected for results, expected in all_results)
    assert compiles(compiled) == 1


@pytest.mark.parametrize("position", [0, 1, (0, 1)])
def test_gradients_have_the_bits_of_eager_whatever_is_jitted_and_second_gradients_too(position):
    def loss(x, y):
        return ((x * y).tanh() / (x + 1.5)).softmax().log().sum()

    def slope(fn):
        return grad(lambda x, y: grad(fn)(x, y).sum())

    compiled, expected = jit(loss), bits(grad(loss, position)(X, Y))
    for gradient in (grad(compiled, position), jit(grad(loss, position)), jit(grad(compiled, position))):
        assert bits(gradient(X, Y)) == expected
    assert compiled.cache_info().misses == 1
    assert bits(slope(jit(loss))(X, Y)) == bits(slope(loss)(X, Y)) == bits(jit(slope(loss))(X, Y))


def test_under_grad_parameters_are_differentiated_and_updated():
    w = Parameter(Tensor([2.0, 3.0]), name="w")

    @jit
    def step(x):
        loss = (x * w * w).sum()
        ops.assign(w, w + 1.0)
        return loss

    value, gradient = value_and_grad(step, None, w)(X)
    assert (value.item(), gradient.tolist(), w.tolist()) == (22.0, [4.0, 12.0], [3.0, 4.0])
    assert step(X).item() == 41.0
    assert w.tolist() == [4.0, 5.0]


def test_threads_may_compile_and_call_one_function_at_once():
    @jit
    def deep(x):
        for _ in range(10):
            x = (x * 1.5 - 1.0).tanh()
        return x

    wrong, start = [], threading.Barrier(6)

    def work(n):
        start.wait()
        argument = X + float(n)
        expected = bits(deep.fn(argument))
        wrong.extend(n for _ in range(20) if bits(deep(argument)) != expected)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert not wrong
    deep(X)
    assert deep.cache_info().hits > 0


# ---- Cells and their flags -------------------------------------------------------------------------


class Inner(nn.Cell):
    gain = 2.0

    def construct(self, x):
        return x * self.gain


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.bias, self.inner = 10.0, Inner()

    def construct(self, x):
        return self.inner(x) + (self.bias if self.training else 0.0)


@pytest.mark.parametrize("make", [lambda cell: cell, jit], ids=["graph mode", "jit"])
def test_flags_and_attributes_of_a_cell_and_its_children_compile_it_again(make):
    set_context(mode=ms.GRAPH_MODE)
    cell = Outer()
    run = make(cell)
    assert run(X).tolist() == [2.0, 4.0]
    cell.set_train()
    assert run(X).tolist() == [12.0, 14.0]
    cell.bias = 20.0
    assert run(X).tolist() == [22.0, 24.0]
    cell.inner.gain = 3.0
    assert run(X).tolist() == [23.0, 26.0]
    cell.set_train(False)
    assert run(X).tolist() == [3.0, 6.0]


def test_a_flag_set_to_its_old_value_hits_the_cache():
    cell = Outer()
    run = jit(cell)
    for training in (True, True, False, False):
        cell.set_train(training)
        run(X)
    assert (run.cache_info().hits, compiles(run)) == (2, 2)


def test_the_construct_of_a_cell_and_a_class_of_cells():
    class Scale(nn.Cell):
        def __init__(self, value):
            super().__init__()
            self.w = Parameter(Tensor(value))

        @jit
        def construct(self, x):
            return x * self.w

    class Plain(Inner):
        def construct(self, x):
            return super().construct(x) + 1

    first, second = Scale([2.0, 2.0]), Scale([3.0, 3.0])
    assert (first(X).tolist(), second(X).tolist()) == ([2.0, 4.0], [3.0, 6.0])
    assert bits(grad(first, None, first.w)(X)) == bits(X)
    assert jit(Plain) is Plain
    assert Plain()(X).tolist() == [3.0, 5.0]
    assert Plain().construct.graph(X).title == "construct"


class Model:
    def __init__(self, gain):
        self.gain = gain

    @jit
    def run(self, x):
        """Scale."""
        return x * self.gain

    @jit(pipeline="none")
    def bare(self, x):
        return x * self.gain * 1

    @staticmethod
    @jit
    def still(x):
        return x + 1


def test_methods_keep_words_and_options_and_static_ones_are_functions():
    model = Model(2.0)
    assert (model.run.__name__, model.run.__doc__, Model.run.__doc__) == ("run", "Scale.", "Scale.")
    assert operators(model.bare.graph(X)) == ["mul", "mul"]
    assert Model.run(model, X).tolist() == [2.0, 4.0]
    assert Model.still(X).tolist() == model.still(X).tolist() == [2.0, 3.0]


class Slotted:
    __slots__ = ("gain",)
    level = 2.0

    @jit
    def run(self, x):
        return x * self.gain

    @classmethod
    @jit
    def of_class(cls, x):
        return x * cls.level


def test_methods_of_objects_without_a_dictionary_and_of_classes(monkeypatch):
    first, second = Slotted(), Slotted()
    second.gain = 3.0
    for gain in (2.0, 5.0):
        first.gain = gain
        assert (first.run(X).tolist(), second.run(X).tolist()) == ([gain, 2 * gain], [3.0, 6.0])
    for level in (2.0, 3.0):
        monkeypatch.setattr(Slotted, "level", level)
        assert Slotted.of_class(X).tolist() == first.of_class(X).tolist() == [level, 2 * level]


def test_a_pickled_object_brings_no_programs_along_and_a_function_may_jit_what_it_calls():
    model = Model(2.0)
    model.run(X)
    again = pickle.loads(pickle.dumps(model))
    again.gain = 7.0
    assert (compiles(model.run), again.run(X).tolist()) == (1, [7.0, 14.0])
    assert jit(lambda x: jit(lambda y: y * x)(x))(X).tolist() == [1.0, 4.0]


# ---- wrong use -------------------------------------------------------------------------------------


def scale_and_shift(x):
    return (x * 2 + 0.5) * 1


@pytest.mark.parametrize("thing", [3, "relu", X, classmethod(scale_and_shift)])
def test_objects_that_are_not_callable_are_refused(thing):
    with pytest.raises(TypeError, match=r"jit: \w+ cannot be called in `jit\(thing\)` \(test_jit_in_use.py:\d+\)"):
        jit(thing)


test_a_wrong_call_is_refused = error_cases(
    (lambda: jit(scale_and_shift)(), TypeError, r"scale_and_shift\(\) missing 1 required positional argument: 'x'"),
    (lambda: jit(scale_and_shift)(X, X), TypeError, "takes 1 positional argument but 2 were given"),
    (lambda: jit(scale_and_shift, pipeline="dcee")(X), UnknownNameError, r"no pass 'dcee'; did you mean 'dce'\?"),
    (
        lambda: jit(scale_and_shift, pipeline=["cse", "dcee"])(X),
        UnknownNameError,
        r"no pass 'dcee'; did you mean 'dce'\?",
    ),
)


def test_a_failed_compile_is_not_kept_and_values_that_keep_changing_do_not_fill_the_memory():
    @jit(capture_mode="trace", fullgraph=True)
    def picky(x):
        return x if x.ndim == 1 or x.sum() > 0 else -x

    for _ in range(2):
        with pytest.raises(TraceError, match="while tracing 'picky'"):
            picky(Tensor([[1.0]]))
    assert picky.cache_info() == (0, 0, 0, (), ())
    assert ((X + 1).tolist(), picky(X).tolist()) == ([2.0, 3.0], [1.0, 2.0])
    gain = 0.0
    compiled = jit(lambda x: x * gain)
    for gain in map(float, range(30)):
        assert compiled(X).tolist() == [gain, 2 * gain]
    assert compiled.cache_info().entries < compiles(compiled) == 30


# ---- pipelines -------------------------------------------------------------------------------------

PIPELINES = [
    ("none", []), ("dce", ["dce"]), ("cse,dce", ["cse", "dce"]), (["cse", "dce"], ["cse", "dce"]), ((), []), ([], []),
    ("default", [step.name for step in DEFAULT]), (DEFAULT[:2], [step.name for step in DEFAULT[:2]]),
    (Pipeline(["dce"]), ["dce"]),
]  # fmt: skip


def passes_of(compiled, **options):
    return [record.name for record in compiled.records(X, **options)]


@pytest.mark.parametrize(("pipeline", "names"), PIPELINES, ids=lambda value: str(value)[:30])
def test_a_pipeline_is_chosen_by_call_before_function_before_context(pipeline, names):
    compiled = jit(scale_and_shift, pipeline=pipeline)
    set_context(pipeline="none")
    assert passes_of(jit(scale_and_shift), pipeline=pipeline) == passes_of(compiled) == names
    assert passes_of(jit(scale_and_shift, pipeline="cse")) == ["cse"]
    assert passes_of(jit(scale_and_shift, pipeline="cse"), pipeline=pipeline) == names
    set_context(pipeline=pipeline)
    assert passes_of(jit(scale_and_shift)) == names
    assert bits(jit(scale_and_shift)(X)) == bits(compiled(X)) == bits(scale_and_shift(X))


def test_the_graph_after_the_pipeline_reads_back_and_the_source_of_the_program_is_python():
    graph, program = jit(scale_and_shift).graph(X), jit(scale_and_shift).program(X)
    assert operators(graph) == ["fused"]
    assert parse(str(graph)).same_as(graph)
    lines = [line.strip() for line in program.source.splitlines() if "# " in line]
    assert [line.split("(")[0].split()[-1] for line in lines] == ["mul", "add"]
    compile(program.source, "program", "exec")


def test_records_hold_the_graphs_and_the_cost_of_both():
    records = jit(scale_and_shift).records(X, cost=len)
    assert [record.name for record in records] == [step.name for step in DEFAULT]
    assert all(record.cycles == (len(record.before), len(record.after)) for record in records)
    assert records[0].cycles[0] == len(jit(scale_and_shift).graph(X, pipeline=()))
    assert any(record.changed for record in records)
    assert jit(scale_and_shift).records(X)[0].cycles is None


# ---- devices and files -----------------------------------------------------------------------------


def test_a_report_of_the_chosen_chip_is_left_under_a_tape_too():
    compiled = jit(scale_and_shift)
    assert compiled.report(X, chip="ascend910b4").chip.name != compiled.report(X).chip.name
    assert compiled.report(X, pipeline="none").cycles > compiled.report(X).cycles
    assert compiled.last_report is None
    with pytest.raises(MinigraphError, match="no chip 'ascend910b9'"):
        compiled.report(X, chip="ascend910b9")
    set_context(device_target="Ascend")
    squared = jit(lambda x: (x * x).sum())
    assert grad(squared)(X).tolist() == [2.0, 4.0]
    assert squared.last_report is not None


def test_on_the_simulated_device_numbers_are_equal_and_the_report_is_made_once():
    compiled = jit(scale_and_shift)
    expected = bits(compiled(X))
    set_context(device_target="Ascend")
    assert bits(compiled(X)) == expected
    first = compiled.last_report
    assert first.cycles == jit(scale_and_shift).report(X).cycles
    compiled(Y)
    assert compiled.last_report is first, "the same types cost the same"
    set_context(chip="ascend910b4")
    compiled(X)
    assert compiled.last_report is not first
    assert compiles(compiled) == 1


@pytest.mark.parametrize(("level", "kinds"), [(0, set()), (1, {"ir"}), (2, {"ir", "diff", "html"})])
def test_save_graphs_writes_the_compiled_graphs(tmp_path, level, kinds):
    set_context(save_graphs=level, save_graphs_path=str(tmp_path))
    compiled = jit(scale_and_shift)
    compiled(X)
    assert {path.suffix[1:] for path in tmp_path.iterdir()} == kinds
    texts = [path.read_text().partition("\n}")[0] for path in sorted(tmp_path.glob("*.ir"))]
    if level:
        assert re.findall(r" = PrimFunc_(\w+)", texts[0]) == ["Mul", "Add", "Mul"]
        assert re.findall(r" = call @(\w+)_\d+\(", texts[-1]) == ["GraphKernel_Mul_Add_fusion"]
    for path in tmp_path.iterdir():
        path.unlink()
    compiled(Y)
    assert not list(tmp_path.iterdir()), "nothing was compiled, so nothing is written"
