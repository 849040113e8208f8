"""Mutation test: broken copies of every pass are detected, the pass itself is accepted."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, ops, trace
from minigraph.core.errors import MinigraphError, VerifyError
from minigraph.execute.interpret import interpret
from minigraph.ir.text import parse
from passes import PASSES, Pass, Pipeline, Validation
from tests.passes.fixtures import cases
from tests.passes.programs import BUILT_IN, program
from tests.passes.validate.faults import forget_order

SEEDS = range(6)

# ---- ways to break -----------------------------------------------------------------------------------


def lose_order(graph, touched):
    """Forgets that one effect has to run before another."""
    for last in graph:
        for first in graph.before(last):
            if graph.op(first).writes and graph.op(last).writes:
                forget_order(graph, first, last)
                return True
    return False


def merge_across_write(graph, touched):
    """Uses the old value of a Parameter for its new one."""
    stored = next((node for node in graph if graph.op(node).stores and graph.use_count(node)), None)
    if stored is not None:
        graph.replace_uses({stored: graph.ins(stored)[0]}, keep=(stored,))
    return stored is not None


def erase_effect(graph, touched):
    """Erases a print as if it were dead."""
    idle = next((node for node in graph if graph.op(node).writes and not graph.types(node)), None)
    if idle is not None:
        graph.discard(idle)
    return idle is not None


def swap_operands(graph, touched):
    """Swaps the operands of a node as if it were commutative."""
    for node in [*touched, *graph]:
        refs = graph.ins(node) if node in graph else ()
        alike = len(refs) == 2 and refs[0] != refs[1] and graph.type(refs[0]) == graph.type(refs[1])
        if alike and not (graph.op(node).commutative or graph.op(node).effects or graph.op(node).role == "depend"):
            graph.set_operands(node, refs[::-1])
            return True
    return False


DAMAGES = (lose_order, merge_across_write, erase_effect, swap_operands)


def mutant(step, damage):
    """A copy of a pass that damages the graph, near its own changes if possible; and whether it did."""
    done = []

    def run_and_damage(graph):
        """The pass, and a fault."""
        journal = graph.journal if graph.journal is not None else []
        start = len(journal)
        step(graph)
        touched = list(dict.fromkeys(edit.node for edit in journal[start:]))
        done.append(damage(graph, touched[::-1]))

    return Pass(run_and_damage, {}, f"broken {step.name}"), done


# ---- programs ----------------------------------------------------------------------------------------


def with_effects(graph):
    """The program of a fixture, whose result is printed, stored, printed again and read back."""
    types = [graph.type(node) for node in graph.inputs]
    result = graph.type(graph.outs[0])
    kept = Parameter(Tensor(np.zeros(result.shape, result.dtype.numpy)), name="kept")

    def step(*args):
        first, *others = interpret(graph, *args)
        ops.Print()(first)
        now = ops.assign(kept, first)
        ops.Print()(now)
        return (now - ops.abs(first) if result.dtype.kind == "f" else now, first, *others)

    return trace(step, *(Tensor(np.zeros(type.shape, type.dtype.numpy)) for type in types))


PREPARATION = {"unfuse": PASSES["fuse_elementwise"]}  # by pass: the pass that it undoes


def programs(name):
    """Programs that the pass changes, with added effects; then random programs."""
    for case in cases():
        graph = parse(case.before) if case.pipeline.partition("{")[0] == name else None
        if graph is not None and graph.outs and not graph.params:
            try:
                yield with_effects(graph)
            except MinigraphError:  # a fixture that cannot be run
                continue
    yield from map(program, SEEDS)
    if name in PREPARATION:
        for seed in SEEDS:
            graph = program(seed)
            PREPARATION[name](graph)
            yield graph


def is_detected(step, graph):
    """Whether a validated pipeline of this pass raises an error."""
    try:
        Pipeline([step]).run(graph, validate=Validation())
    except VerifyError:
        return True
    return False


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_correct_pass_is_accepted(name):
    changed = 0
    for graph in programs(name):
        (record,) = Pipeline([PASSES[name]]).run(graph, validate=Validation() if not PASSES[name].tol else False)
        changed += record.changed
    assert changed or name == "plan_memory", "what it changes is not among the programs"


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_broken_copy_of_a_pass_is_caught(name, damage):
    count = 0
    for graph in programs(name):
        step, done = mutant(PASSES[name], damage)
        detected = is_detected(step, graph)
        count += any(done)
        if detected and any(done):
            return
    raise AssertionError(f"{count} damaged programs were not detected")
