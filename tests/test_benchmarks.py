"""The benchmarks run at small sizes, and their contenders have equal results. No test depends on a time."""

import gc
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import group
from benchmarks.cases import (
    backends,
    eager,
    explorer,
    fused,
    kernels,
    networks,
    pass_speed,
    programs,
    rewriting,
    start,
    step,
)
from benchmarks.measuring import conditions, counts, harness
from benchmarks.measuring.conditions import CONDITIONS
from benchmarks.measuring.goal import Goal
from benchmarks.measuring.harness import (
    Case,
    Contender,
    MismatchError,
    Result,
    Seconds,
    Table,
    check_agreement,
    measure,
)
from benchmarks.measuring.records import Gap, Record, read, write
from benchmarks.peers import local as peers
from benchmarks.peers import remote, rewriters, worker
from benchmarks.reporting import chart, gap, goals, notes, report
from benchmarks.work import graph_specs, manual_gradients, manual_networks, workloads
from minigraph.ir.text import to_text
from tests.tables import cases

QUICK = 2, 1e-6  # rounds, and seconds per sample


@pytest.fixture(autouse=True)
def without_peers(request, monkeypatch):
    """Peers do not take part, except in tests with the fixture ``installed_peers``."""
    if "installed_peers" not in request.fixturenames:
        monkeypatch.setattr(peers, "PEER_FACTORIES", ())
    monkeypatch.setattr(remote, "interpreter", lambda: None)
    monkeypatch.setattr(remote, "reference", lambda: None)
    remote.mindspore.cache_clear()


@pytest.fixture
def installed_peers():
    """The installed peers."""
    return [module for module, _ in peers.PEER_FACTORIES if importlib.util.find_spec(module)]


def small_cases():
    return [
        eager.forward_case(10),
        eager.gradient_case(10),
        eager.call_case(),
        *map(eager.operator_case, workloads.OPERATORS),
        kernels.loop_case(4, 3),
        kernels.elementwise_case(10),
        *fused.cases(small=True),
        *programs.cases(small=True),
        *networks.cases(small=True),
        step.case(),
        pass_speed.capture_case(50),
        pass_speed.passes_case(50),
        pass_speed.first_call_case(10),
        *(rewriting.case(task, 40) for task in rewriting.PASS_TASKS),
        *(rewriting.wide_case(task, 40, 8) for task in rewriting.REWRITING_TASKS),
        *(rewriting.growth_case(task, 40) for task in rewriting.PASS_TASKS),
        start.case(("numpy", "minigraph")),
    ]


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(peers, "PEER_FACTORIES", ())
        patch.setattr(remote, "interpreter", lambda: None)
        patch.setattr(remote, "reference", lambda: None)
        return [measure(case, *QUICK) for case in small_cases()]


# ---- every benchmark -----------------------------------------------------------------------------------


def test_every_case_compares_several_contenders_and_gives_a_figure_for_each(results):
    for result in results:
        names = [contender.name for contender in result.case.contenders]
        assert len(names) >= 2
        assert list(result.seconds) == list(result.speed) == list(result.spread) == list(result.wall_speed) == names
        assert result.speed[names[0]] == result.wall_speed[names[0]] == 1.0
        assert all(seconds >= 0 for seconds in result.seconds.values())


def test_minigraph_is_in_every_case_except_cases_of_passes(results):
    missing = [r.title for r in results if not any("minigraph" in name for name in r.seconds)]
    assert [title.split()[0] for title in missing] == ["passes"]


@pytest.mark.parametrize("make", [lambda: eager.forward_case(10), lambda: eager.gradient_case(10), step.case])
def test_contenders_return_arrays_to_compare(make):
    assert all(harness._arrays(c.run(*c.prepare())) for c in make().contenders)


def test_eager_step_graph_and_optimised_graph_are_bitwise_equal():
    batch = step.first_batch()
    first, *others = [harness._arrays(c.run(*c.prepare())) for c in step.minigraph_contenders(batch)]
    for other in others:
        assert all(np.array_equal(x, y) for x, y in zip(first, other, strict=True))


def test_each_call_of_a_training_step_starts_from_the_same_weights():
    contender = next(step.minigraph_contenders(step.first_batch()))
    first, second = (harness._arrays(contender.run(*contender.prepare())) for _ in range(2))
    assert all(np.array_equal(x, y) for x, y in zip(first, second, strict=True))


def test_the_numpy_step_trains():
    batch = step.first_batch()
    weights, speeds = step.numpy_contender(batch).prepare()
    losses = [step.numpy_step(batch.images, batch.labels, weights, speeds) for _ in range(30)]
    assert losses[-1] < losses[0] / 3


def test_installed_peers_agree(installed_peers, monkeypatch):
    """Except ``torch.compile``, whose first call takes half a minute and needs a C++ compiler."""
    monkeypatch.setattr(
        peers, "PEER_FACTORIES", tuple(pair for pair in peers.PEER_FACTORIES if pair[1] is not peers.torch_compile)
    )
    cases = [eager.forward_case(10), eager.gradient_case(10), eager.operator_case("add"), kernels.loop_case(4, 3)]
    cases += [step.case(), pass_speed.capture_case(50), programs.hessian_case(small=True), *networks.cases(small=True)]
    for case in cases:
        check_agreement(case)
    frameworks = {contender.name.split(".")[0].split()[0] for case in cases for contender in case.contenders}
    assert frameworks >= set(installed_peers)


def test_the_tape_holds_at_most_500_bytes_per_operator():
    assert 300 < eager.bytes_per_operator() <= 500


def test_captured_networks_have_the_requested_number_of_operators():
    graph = pass_speed.capture_network(50)
    assert sum(not graph.op(node).is_leaf for node in graph) == 50


def test_timed_passes_work_on_copies():
    case = pass_speed.passes_case(50)
    texts = set()
    for contender in case.contenders:
        for graph in contender.prepare():
            texts.add(to_text(graph))
            contender.run(graph)
    assert len(texts) == 1


def test_a_rewrite_that_changes_a_value_is_rejected():
    def change_output(graph):
        dead = next(node for node in graph if not graph.use_count(node))
        graph.set_outs([graph.ins(graph.outs[0])[0]])
        graph.erase([dead])

    with pytest.raises(MismatchError, match="'?change_output'? changed what the graph computes"):
        pass_speed.check_values(pass_speed.capture_network(50), [("change_output", change_output)])


def test_a_rewrite_that_does_nothing_is_rejected():
    with pytest.raises(MismatchError, match="idle did nothing to"):
        pass_speed.check_values(pass_speed.capture_network(50), [("idle", lambda graph: None)])


# ---- passes of other systems -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [graph_specs.half_dead_graph, graph_specs.half_repeated_graph, graph_specs.multiply_add_graph]
)
def test_every_system_builds_the_same_graph(make):
    spec = make(400)
    graph, reference = rewriting.build_minigraph(spec), graph_specs.build_networkx_graph(spec)
    assert len(graph) == len(reference) == len(spec.nodes) + graph_specs.INPUT_COUNT == 404
    assert sorted(graph.edges()) == sorted(reference.edges())
    assert graph.outs == tuple(spec.outs)
    assert spec == make(400)


def test_half_of_the_operators_can_be_removed():
    assert 150 < graph_specs.half_dead_graph(400).remaining < 250
    assert 150 < graph_specs.half_repeated_graph(400).remaining < 250
    assert graph_specs.multiply_add_graph(400).remaining == 300


def test_passes_leave_the_expected_number_of_operators():
    rewriting.check_counts([], 400)


def test_a_pass_that_leaves_too_much_or_too_little_is_not_timed():
    for left in (5, 1000):
        task = rewriters.Task(lambda g: g, lambda g, left=left: left)
        idle = rewriters.Rewriter("idle", lambda spec: spec, {"dce": task})
        with pytest.raises(MismatchError, match=f"idle, dead code: {left} operators are left instead of"):
            rewriting.check_counts([idle], 400)


def test_installed_rewriters_do_every_task():
    systems = rewriters.rewriters()
    rewriting.check_counts(systems, 40)
    for task in rewriting.PASS_TASKS:
        names = [contender.name for contender in rewriting.case(task, 40, systems).contenders]
        supporting = [peer.name for peer in systems if task in peer.tasks]
        assert names[len(names) - len(supporting) :] == supporting


def test_rewriters_skip_graphs_that_are_too_large_and_missing_rewriters_are_named(monkeypatch):
    slow = rewriters.Rewriter("slow", lambda spec: spec, {"dce": rewriters.Task(lambda g: g, None, 20)})
    assert [c.name for c in rewriting.case("dce", 20, [slow]).contenders][-1] == "slow"
    assert "slow" not in [c.name for c in rewriting.case("dce", 40, [slow]).contenders]
    monkeypatch.setattr(rewriters, "REWRITER_FACTORIES", (("no_such_system", None),))
    assert rewriters.rewriters() == [] and rewriters.missing_systems() == ["no_such_system"]


def test_the_garbage_collector_is_on_during_the_build_only():
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        assert graph_specs.call_with_garbage_collector(gc.isenabled) and not gc.isenabled()
    finally:
        (gc.enable if was_enabled else gc.disable)()


# ---- the harness ---------------------------------------------------------------------------------------


@cases(
    (np.ones(3), r"result 0 differs by 1, more than 1e-05 of 2"),
    (np.full(3, np.nan), r"result 0 differs by nan"),
    (np.full(4, 2.0), r"result 0 has shape \(4,\) instead of \(3,\)"),
    (None, r"0 results instead of 1"),
)
def test_contenders_that_disagree_are_not_timed(answer, complaint):
    case = Case("row", [Contender("right", lambda: np.full(3, 2.0)), Contender("wrong", lambda: answer)])
    with pytest.raises(MismatchError, match=f"row: wrong, call 1: {complaint}"):
        measure(case, *QUICK)


def test_a_contender_that_disagrees_in_a_later_call_is_found():
    counts = iter(range(10))
    case = Case("row", [Contender("right", lambda: 0), Contender("drifting", lambda: next(counts))])
    with pytest.raises(MismatchError, match="drifting, call 2"):
        check_agreement(case)


def test_contenders_alternate_and_each_is_first_in_one_round():
    calls = []
    case = Case("row", [Contender(name, lambda name=name: calls.append(name)) for name in "abc"])
    measure(case, rounds=3, sample_seconds=0.0)
    assert calls[-9:] == ["a", "b", "c", "b", "c", "a", "c", "a", "b"]


def test_preparation_is_not_timed():
    clock = [0.0]

    def spend(seconds):
        clock[0] += seconds

    slow_start = Contender("prepared", lambda: spend(1.0), lambda: spend(50.0) or ())
    case = Case("row", [Contender("bare", lambda: spend(2.0)), slow_start], clock=lambda: clock[0])
    result = measure(case, *QUICK)
    assert result.seconds == {"bare": 2.0, "prepared": 1.0}
    assert result.speed == {"bare": 1.0, "prepared": 2.0}


def test_a_sample_lasts_long_enough():
    clock = [0.0]

    def tick():
        clock[0] += 0.001

    assert harness._repetitions(Contender("short", tick), 0.02, lambda: clock[0]) >= 20


def test_cpu_time_and_wall_time_are_kept():
    clock = [0.0]

    def work(seconds):
        clock[0] += seconds

    remote_contender = Contender("there", lambda: None, timer=lambda times: Seconds(4.0 * times, 1.0 * times))
    case = Case("row", [Contender("here", lambda: work(2.0)), remote_contender], clock=lambda: clock[0])
    result = measure(case, *QUICK)
    assert (result.seconds["there"], result.speed["there"]) == (4.0, 0.5)
    assert result.wall_speed["there"] < 0.5
    assert "(wall" in report.table_text(Table("", "", [result]))


# ---- workers -------------------------------------------------------------------------------------------


ARRAYS = [np.linspace(0.1, 0.9, 4, dtype=np.float32), np.ones(4, np.float32), np.eye(2, dtype=np.float32)]


@pytest.fixture(scope="module")
def numpy_worker():
    """A worker process of this interpreter with the framework numpy."""
    process = remote.RemoteWorker(sys.executable, "numpy")
    yield process
    process.close()


def test_remote_contenders_compute_and_are_timed(numpy_worker):
    contender = numpy_worker.contender("plain", "chain", ARRAYS[:2], length=10)
    here = Contender("here", lambda: workloads.chain(10)(*ARRAYS[:2]))
    result = measure(Case("row", [here, contender]), *QUICK)
    assert (numpy_worker.name, numpy_worker.version) == ("numpy", np.__version__)
    assert list(result.seconds) == ["here", "numpy plain"]


@pytest.mark.parametrize("name", workloads.OPERATORS)
def test_every_operator_runs_in_a_worker(numpy_worker, name):
    contender = numpy_worker.contender("plain", "operator", ARRAYS, operator=name)
    check_agreement(Case(name, [Contender("here", lambda: workloads.repeat_operator(name, 1)(np, *ARRAYS)), contender]))
    assert min(contender.timer(2)) >= 0.0


@pytest.mark.parametrize("workload", sorted(set(worker.WORKLOAD_BUILDERS) - {"operator", "program", "network"}))
def test_every_workload_runs_in_a_worker(numpy_worker, workload):
    shapes = programs.PROGRAM_SHAPES.get(workload)
    arrays = programs.arrays_of(*shapes[2]) if shapes else [ARRAYS[2]] * 2
    arrays = [ARRAYS[2], np.stack([ARRAYS[2]] * 2), np.float32(1.0)] if workload == "hessian product" else arrays
    contender = numpy_worker.contender("plain", workload, arrays, length=3)
    assert all(np.isfinite(array).all() for array in contender.run())


def test_errors_of_a_worker_are_reported(numpy_worker):
    with pytest.raises(remote.WorkerError, match="KeyError: 'no_such_workload'"):
        numpy_worker.contender("plain", "no_such_workload", [])
    with pytest.raises(remote.WorkerError, match="the worker has exited"):
        remote.RemoteWorker(sys.executable, "no_such_framework")


def test_missing_mindspore_is_reported(monkeypatch, capsys):
    assert remote.contenders("add", ARRAYS[:2]) == []
    assert "mindspore is left out: MINIGRAPH_MINDSPORE does not name" in capsys.readouterr().err
    monkeypatch.setattr(remote, "interpreter", lambda: "no/such/python")
    remote.mindspore.cache_clear()
    assert remote.contenders("add", ARRAYS[:2], ("jit",)) == []
    assert "MINIGRAPH_MINDSPORE=no/such/python" in capsys.readouterr().err
    assert remote.versions() == []


def test_the_variable_names_the_interpreter(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setenv(remote.VARIABLE, "somewhere/python")
    assert remote.interpreter() == "somewhere/python"


class Counter:
    """A program for ``worker``: parameters, an optimizer's state, a step."""

    TEXT = (
        "from types import SimpleNamespace as N\nimport numpy as np\nfrom minigraph.dataset import load_digits\n"
        "first, _ = load_digits().split()\nw = np.zeros(2)\nmoment = np.zeros(2)\n"
        "net, optimizer = N(trainable_params=lambda: [w]), N(moments=[moment])\n"
        "ops = N(assign=lambda target, value: target.__setitem__(..., value))\n"
        "def train_step(x, y):\n    w[:] += x.sum()\n    moment[:] += 1\n    return moment[0]\n"
    )


@pytest.fixture
def import_folder(monkeypatch, tmp_path):
    """A folder and modules for the imports of a worker, removed after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, "minigraph.dataset", sys.modules["minigraph.dataset"])
    for name in ("program", "program1"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_each_call_of_a_program_starts_from_the_same_weights(import_folder):
    operands = [worker.pack(np.asarray(a, np.float64)) for a in ([1.0, 2.0], [0.0], [5.0, 6.0])]
    request = {
        "do": "make",
        "mode": "plain",
        "workload": "program",
        "arrays": operands,
        "text": Counter.TEXT,
        "length": 3,
    }
    lines = [request, {"do": "run", "number": 0}, {"do": "time", "number": 0, "times": 2}, {"do": "run", "number": 0}]
    answers = io.StringIO()
    worker.serve(worker.Worker(worker.numpy()), io.StringIO("\n".join(map(json.dumps, lines))), answers)
    answer, first, timed, again = map(json.loads, answers.getvalue().splitlines())
    assert (answer, set(timed)) == ({"number": 0}, {"cpu", "wall"})
    assert first == again
    assert [worker.unpack(item).tolist() for item in first["results"]] == [3.0, [14.0, 15.0]]


NETWORK = (
    "from types import SimpleNamespace as N\nimport numpy as np\nw = np.zeros(2)\n"
    "def step(x, y):\n    w[:] += x.sum()\n    return w[0]\n"
    "def make(side, width):\n"
    "    return N(forward=lambda x: x * side, step=step, weights=[w], set=lambda given: w.__setitem__(..., given[0]))\n"
    "NETWORKS = {'adder': make}\n"
)


@pytest.mark.parametrize(("step", "expected"), [(False, [[4.0, 8.0]]), (True, [8.0, [8.0, 9.0]])])
def test_networks_in_a_worker_start_from_the_same_weights(step, expected, import_folder):
    operands = [worker.pack(np.asarray(a, np.float64)) for a in ([1.0, 2.0], [0.0], [5.0, 6.0])]
    request = {"mode": "plain", "workload": "network", "arrays": operands, "text": NETWORK}
    network_worker = worker.Worker(worker.numpy())
    network_worker.do_make({**request, "network": "adder", "sizes": [4, 3], "step": step})
    for _ in range(2):
        results = network_worker.do_run({"number": 0})["results"]
        assert [worker.unpack(item).tolist() for item in results] == expected


def test_modules_in_a_worker_do_not_replace_each_other(import_folder):
    assert [worker.module_of(f"N = {k}\n").N for k in range(2)] == [0, 1]


# ---- networks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", networks.TITLES)
def test_hand_written_networks_have_the_gradients_of_their_loss(name):
    data = networks.network_data(name, small=True)
    gradients = manual_networks.GRADIENTS[name]
    loss, slopes = gradients(data.images, data.labels, data.weights)
    rng = np.random.default_rng(3)
    assert [g.shape for g in slopes] == [w.shape for w in data.weights]
    for i, weight in enumerate(data.weights):
        direction = rng.standard_normal(weight.shape).astype(np.float32)
        direction *= np.float32(3e-3 / np.linalg.norm(direction))
        sides = [[*data.weights[:i], weight + sign * direction, *data.weights[i + 1 :]] for sign in (1, -1)]
        up, down = (gradients(data.images, data.labels, weights)[0] for weights in sides)
        assert (up - down) / 2 == pytest.approx(float((direction * slopes[i]).sum()), rel=0.05, abs=2e-6)
    scores = manual_networks.FORWARDS[name](data.images, data.weights)
    assert manual_networks.cross_entropy(scores, data.labels)[0] == loss


@pytest.mark.parametrize("name", networks.TITLES)
def test_eager_and_compiled_networks_are_bitwise_equal(name):
    data = networks.network_data(name, small=True)
    for training in (False, True):
        eager_run, jit_run, *_ = (
            harness._arrays(c.run(*c.prepare())) for c in networks.minigraph_contenders(data, True, training)
        )
        assert all(np.array_equal(x, y) for x, y in zip(eager_run, jit_run, strict=True))


def test_the_hand_written_hessian_product_is_the_derivative_of_the_gradient():
    x, w = (a.astype(np.float64) for a in programs.arrays_of((3, 4), (2, 4, 4)))
    v = np.random.default_rng(2).standard_normal(w.shape)
    slopes = [manual_gradients.mlp(x, w + step * v)[1] for step in (1e-5, -1e-5)]
    product = manual_gradients.hessian_vector_product(x, w, v)
    np.testing.assert_allclose(product, (slopes[0] - slopes[1]) / 2e-5, atol=1e-8)


# ---- counted -------------------------------------------------------------------------------------------


def test_counts_are_deterministic():
    for call in counts.measured_functions().values():
        first, again = counts.count(call), counts.count(call)
        assert first == again
        assert min(first.calls, first.bytecodes) > 0


def test_counts_distinguish_python_calls_and_c_calls():
    def inner():
        return abs(-1)

    assert counts.count(lambda: (inner(), inner()))[:2] == (3, 2)


def test_the_table_of_counts_names_every_subject(monkeypatch):
    monkeypatch.setattr(counts, "count_instructions", lambda names: dict.fromkeys(names, 1234))
    text = counts.section(with_instructions=True)
    assert all(f"| {name} |" in text for name in counts.measured_functions())
    assert text.count("| 1,234 |") == len(counts.measured_functions())


def test_instructions_are_the_difference_of_two_runs(monkeypatch):
    def count(arguments):
        return 10_000 + 5 * {"add": 7_000, "exp": 9_000}.get(arguments[-1], 0)

    monkeypatch.setattr(counts, "_count_with_perf", lambda arguments: None)
    monkeypatch.setattr(counts, "_count_with_valgrind", count)
    assert counts.count_instructions(["add", "exp"]) == {"add": 7, "exp": 9}
    monkeypatch.setattr(counts, "_count_with_valgrind", lambda arguments: None)
    assert counts.count_instructions(["add", "exp"]) == {}


# ---- the chart -----------------------------------------------------------------------------------------


def test_the_chart_has_a_bar_for_every_contender(results):
    root = xml.etree.ElementTree.fromstring(chart.bar_chart(results))
    compared = [result for result in results if result.baseline == "numpy"]
    bars = root.findall("{*}rect")
    assert len(compared) >= 10
    assert len(bars) == sum(len(result.speed) for result in compared)
    assert float(root.get("height")) > float(bars[-1].get("y"))
    assert all(float(bar.get("x")) >= 0 and float(bar.get("width")) > 0 for bar in bars)


# ---- the report ----------------------------------------------------------------------------------------


def test_the_file_has_every_figure_and_every_goal_that_was_measured(results):
    measured = [report.ConditionTables(condition, [Table("Everything", "small", results)]) for condition in CONDITIONS]
    text = report.results_file(measured, ["a note"], "a gap", ["counted here"], ["framework 1.0"])
    for result in results:
        assert text.count(f"**{result.title}**") == len(CONDITIONS)
        assert all(
            f"| {name} | {report.three_digits(result.time_per_operator(name))} |" in text for name in result.seconds
        )
    measured_goals = [goal for goal in (*goals.GOALS, *goals.SECONDARY_GOALS) if goal.values_in(results)]
    assert len(measured_goals) >= 6
    for goal in measured_goals:
        for stated in (goal, goal.with_slack(0.9)):
            assert f"| {goal.case} | {goal.contender} | {stated} |" in text
    in_both_modes = [r.title for r in results if {goals.EAGER, goals.JIT} <= r.seconds.keys() and r.title != goals.CALL]
    assert [goal.case for goal in goals.not_slower(results)] == in_both_modes and len(in_both_modes) > 10
    assert all(f"| {title} | {goals.JIT} | ≥ 1 of {goals.EAGER} |" in text for title in in_both_modes)
    assert all(part in text for part in ("a note", "counted here", *(c.description for c in CONDITIONS)))
    assert "framework 1.0" in text.splitlines()[2]


@cases(
    (Goal("row", "us", "speed", 1.5), "≥ 1.5", 2.0, 1.0),
    (Goal("row", "us", "wall", 1.5), "≥ 1.5 by the wall clock", 2.0, 1.0),
    (Goal("row", "us", "ms", 1.5), "≤ 1.5 ms", 1.0, 2.0),
    (Goal("row", "us", "ms", 1.5, relative_to="they"), "≤ 1.5 ms more than they", 1.0, 2.0),
    (Goal("row", "us", "speed", 1.5, relative_to="they"), "≥ 1.5 of they", 2.0, 1.0),
    (Goal("row", "us", "speed", 1.5).with_slack(0.9), "≥ 1.35", 1.4, 1.3),
    (Goal("row", "us", "ms", 1.5).with_slack(0.9), "≤ 1.5 ms", 1.5, 1.6),
)
def test_a_goal_has_a_better_direction(goal, text, good, bad):
    assert [goal.is_met(good), goal.is_met(bad), str(goal)] == [True, False, text]


def test_a_goal_relative_to_another_contender_is_a_median_ratio_or_a_time_difference():
    samples = {"they": [1.0, 2.0, 9.0], "us": [2.0, 1.0, 3.0]}
    result = Result("row", {"they": 2e-3, "us": 3e-3}, {"they": 1.0, "us": 0.7}, {}, {}, 3, 1, "ms", samples)
    assert Goal("row", "us", "speed", 1.0, relative_to="they").values_in([result]) == [2.0]
    assert Goal("row", "us", "ms", 1.0, relative_to="they").values_in([result]) == [pytest.approx(1.0)]
    assert replace(result, samples={}).speed_ratio("us", "they") == 0.7


def test_the_worst_gap_is_the_goal_missed_by_most(results, monkeypatch):
    far = Goal("eager index", "minigraph eager", "speed", 1e9)
    near, met = far._replace(case="eager add", bound=1e6), far._replace(case="eager exp", bound=1e-9)
    monkeypatch.setattr(gap, "SECONDARY_GOALS", (far,))
    monkeypatch.setattr(gap, "GOALS", (near, met))
    assert gap.worst_gap(results)[:2] == (near.case, near.contender), "what is wanted comes first"
    monkeypatch.setattr(gap, "SECONDARY_GOALS", ())
    monkeypatch.setattr(gap, "GOALS", (near, met, far))
    worst = gap.worst_gap(results)
    assert worst[:2] == (far.case, far.contender)
    text = gap.section([worst._replace(reached=0.5), worst])
    assert text.startswith("minigraph eager, eager index: 0% of the goal. numpy reads an element")
    assert "minigraph/" in text, "the functions are named with their source location"
    monkeypatch.setattr(gap, "GOALS", (met,))
    assert gap.worst_gap(results) is None
    assert gap.section([]) == "Every goal is met."


def test_every_goal_names_a_contender_that_exists(results):
    known = {(r.title, name) for r in results for name in r.seconds}
    # may be missing here: numba, and the reference, which has goals for eager and compiled rows
    known |= {(case, f"{name}{other}") for case, name in known for other in (", numba", ", reference")}
    # first calls of other sizes than here, and longer loops
    known |= {(f"first call, {n:,} operators", "minigraph jit") for n in pass_speed.FIRST_CALL_OPERATORS}
    loops = [f"{kernels.CHAIN_STEPS} x (matmul, tanh), n={n}" for n in kernels.MATRIX_SIZES]
    loops.append(f"{programs.LOOP_STEPS} x (matmul, tanh), n={programs.LOOP[0][0]}, gradient")
    known |= {(loop, name) for loop in loops for name in (goals.JIT, goals.REFERENCE_JIT)}
    sized = {*rewriting.goals(), *fused.goals()}
    small = {goal for goal in fused.goals(10_000, 10_000) if goal.contender in backends.backends()}
    all_goals = {*goals.GOALS, *goals.SECONDARY_GOALS, *goals.REFERENCE} - sized | {*rewriting.goals(40, 8)} | small
    assert {(goal.case, goal.contender) for goal in all_goals} <= known


def test_notes_are_about_measured_rows_only(results):
    longer = measure(pass_speed.first_call_case(200), *QUICK)
    sentences = notes.notes([Table("Everything", "small", [*results, longer])])
    step_result = next(r for r in results if r.title == "digits training step")
    assert any(report.three_digits(step_result.speed["minigraph jit"]) in sentence for sentence in sentences)
    assert notes.notes([]) == []
    assert len(notes.notes([Table("One", "small", [step_result])])) == 1, "only about what was measured"


# ---- records and the command ----------------------------------------------------------------------------


@pytest.fixture
def record(results):
    longer = measure(pass_speed.first_call_case(200), *QUICK)
    lines = ["| `call` minigraph/accel/fast_dispatch.py:1 | 50% | 1 |"]
    return Record(
        [Table("All", "all", [*results, longer])], remote_frameworks=["there 1.0"], gap=Gap("a", "b", 0.5, lines)
    )


DEFAULT_CONDITION, *OTHERS = conditions.NAMES


def test_a_record_is_written_and_read(record, tmp_path):
    write(record, tmp_path / "all.json")
    copy = read(tmp_path / "all.json")
    assert copy == record
    assert all(result.case is None for result in copy.results)
    assert all(result.case is not None for result in record.results), "the one at hand is as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["all.json"]
    assert report.table_text(copy.tables[0]) == report.table_text(record.tables[0])


def test_a_group_measures_its_tables_and_its_worst_gap(monkeypatch, results, capsys):
    def tables(quick, rounds):
        return [Table("A title", f"{quick} {rounds}", results)]

    monkeypatch.setitem(group.ALL_TABLES, "eager", tables)
    monkeypatch.setattr(conditions, "neighbor", nullcontext)
    monkeypatch.setattr(gap, "GOALS", (Goal("eager index", "minigraph eager", "speed", 1e9),))
    measured = group.measure_group("eager", quick=True)
    assert (measured.tables[0].description, measured.section) == (f"True {group.QUICK_ROUNDS}", "")
    assert measured.gap is not None and measured.gap.case == "eager index" and measured.gap.hot_spots
    assert "A title: True" in capsys.readouterr().out
    monkeypatch.setitem(group.SECTIONS, "counts", lambda quick: "## Counted")
    assert group.measure_group("counts") == Record(section="## Counted")
    measured = group.measure_group("eager", rounds=2, condition="busy")
    assert (measured.tables[0].description, measured.condition) == ("False 10", "busy")


def test_a_group_in_a_process_of_its_own(monkeypatch, tmp_path, record):
    expected = {("step", True, 3, "busy"): record}
    monkeypatch.setattr(group, "measure_group", lambda *arguments: expected[arguments])
    words = ["group", "step", str(tmp_path / "step.json"), "--quick", "--rounds", "3", "--condition", "busy"]
    monkeypatch.setattr("sys.argv", words)
    group.main()
    assert read(tmp_path / "step.json") == record


@pytest.fixture
def run(monkeypatch, tmp_path, record):
    """Runs the command with arguments; its processes only write a record or fail, and are recorded."""
    started, failing = [], set()

    def child(words, *, cwd, env, check):
        name, file, _, condition = words[3:7]
        assert words[1:3] == ["-m", "benchmarks.group"] and (cwd / "benchmarks").is_dir()
        assert env == conditions.condition_named(condition).environment(os.environ) and not check
        started.append((name, condition, *words[7:]))
        if name not in failing:
            content = record if name == "all" else Record(section=f"## About {name}")
            write(replace(content, condition=condition), Path(file))
        return subprocess.CompletedProcess(words, int(name in failing))

    def run(*words):
        monkeypatch.setattr("sys.argv", ["benchmarks", *words])
        started.clear()
        return command.main()

    run.started, run.failing = started, failing
    monkeypatch.setattr(subprocess, "run", child)
    monkeypatch.setattr(command, "GROUPS", ("all", "counts"))
    monkeypatch.setattr(command, "FOLDER", tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return run


@pytest.mark.parametrize("words", [["--quick"], ["all"], ["--condition", DEFAULT_CONDITION]])
def test_small_runs_print_and_write_nothing(words, run, capsys, tmp_path):
    assert run(*words) == 0
    assert "| what | contender | goal |" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
    assert run.started[0] == ("all", DEFAULT_CONDITION, *(["--quick"] if words == ["--quick"] else ()))
    assert {started[1] for started in run.started} == (
        {DEFAULT_CONDITION} if "--condition" in words else {*conditions.NAMES}
    )


def test_small_runs_write_to_the_folder_of_out(run, tmp_path):
    assert run("all", "--quick", "--out", str(tmp_path / "there")) == 0
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["RESULTS.md", "results.svg"]


@pytest.mark.parametrize("option", ["--out", "--keep"])
def test_a_folder_that_cannot_be_written_is_one_error_before_anything_is_measured(option, run, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit) as ended:
        run(option, str(tmp_path / "file" / "there"))
    assert ended.value.code == 2 and run.started == []
    assert re.fullmatch(r"benchmarks: cannot write to '.*there': .+; choose another folder\n", capsys.readouterr().err)


def test_a_whole_run_writes_the_file(run, tmp_path):
    assert run("--rounds", "2") == 0
    measured = [("all", DEFAULT_CONDITION), ("counts", DEFAULT_CONDITION), *(("all", other) for other in OTHERS)]
    assert run.started == [(*case, "--rounds", "2") for case in measured], "what is counted is counted once"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["RESULTS.md", "results.svg"]
    assert (tmp_path / "results.svg").read_text(encoding="utf-8").startswith("<svg")
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert text.startswith("# Results")
    assert "there 1.0" in text and text.count("b, a: 50% of the goal.") == 1
    headings = [line for line in text.splitlines() if line.startswith("#")]
    titles = [condition.title for condition in CONDITIONS]
    tables = [line for title in titles for line in (f"# {title}", "## All")]
    expected = ["## Goals", *(f"### {title}" for title in titles), "## Notes", "## The worst gaps", *tables]
    assert headings == ["# Results", *expected, f"# {report.COUNTS_TITLE}", "## About counts"]


def test_a_failed_run_resumes_from_the_kept_records(run, tmp_path, capsys):
    folder = tmp_path / "kept"
    run.failing.add("counts")
    assert run("--keep", str(folder)) == 1
    assert f"failed: counts ({DEFAULT_CONDITION}); resume with --keep {folder}" in capsys.readouterr().err
    assert not (tmp_path / "RESULTS.md").exists()
    run.failing.clear()
    assert run("--keep", str(folder)) == 0
    assert run.started == [("counts", DEFAULT_CONDITION)]
    assert (tmp_path / "RESULTS.md").exists()
    assert run("all", "--keep", str(folder)) == 0
    assert run.started == [("all", condition) for condition in conditions.NAMES], (
        "a condition that is named is measured again"
    )
    assert run("all", "--condition", "busy", "--keep", str(folder)) == 0
    assert run.started == [("all", "busy")]
    assert run("--quick", "--keep", str(folder)) == 0
    assert len(run.started) == 4, "small runs are kept apart"
    run.failing.add("all")
    assert run("all", "--condition", DEFAULT_CONDITION, "--keep", str(folder)) == 1
    names = [f"all.{condition}.json" for condition in OTHERS] + [
        f"all.{condition}.quick.json" for condition in conditions.NAMES
    ]
    assert {path.name for path in folder.iterdir()} == {
        *names,
        f"counts.{DEFAULT_CONDITION}.json",
        f"counts.{DEFAULT_CONDITION}.quick.json",
    }


def test_without_a_folder_records_are_kept_when_a_group_fails(run, tmp_path, capsys):
    run.failing.add("counts")
    assert run() == 1
    (folder,) = tmp_path.glob("minigraph-benchmarks-*")
    assert {path.name for path in folder.iterdir()} == {f"all.{condition}.json" for condition in conditions.NAMES}
    assert str(folder) in capsys.readouterr().err


def test_import_is_timed_in_the_child_process():
    before = start.children_seconds()
    start.run_import("numpy")
    assert start.children_seconds() > before


def test_an_import_that_fails_is_not_timed():
    with pytest.raises(subprocess.CalledProcessError):
        start.run_import("no_such_module")


def test_the_explorers_pages_have_the_requested_sizes(tmp_path):
    for size, flat in ((50, False), (500, False), (500, True)):
        path, count, seconds = explorer.page_of(size, tmp_path, flat=flat)
        assert size * 0.8 <= count <= size * 1.2 and seconds > 0
        assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_the_explorer_is_measured_in_a_browser():
    pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    if explorer.chromium() is None:
        pytest.skip("needs Chromium")
    (row,) = explorer.rows([50])
    assert row.boxes == 3 and row.first_paint_ms > 0 and row.step_ms > 0 and row.size_kib < 400
    assert explorer.markdown([row]).count("|") == 3 * 9
    assert explorer.section([50]).count("\n| ") == 2


def test_the_explorers_section_reports_why_it_was_not_measured(monkeypatch):
    monkeypatch.setattr(explorer, "rows", lambda sizes: 1 / 0)
    assert explorer.section().endswith("Not measured in this run: division by zero.")


@pytest.mark.skipif(importlib.util.find_spec("tinygrad") is None, reason="tinygrad is not installed")
def test_tinygrad_computes_elementwise_rows(monkeypatch):
    monkeypatch.setattr(peers, "PEER_FACTORIES", (("numpy", peers.tinygrad),))
    for case in fused.cases(small=True)[:3]:
        check_agreement(case)


def test_there_are_no_elementwise_peers_without_peers():
    assert peers.elementwise_peers() == []
