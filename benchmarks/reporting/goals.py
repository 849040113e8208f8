"""The goals for the metrics under each condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.cases import fused, networks, rewriting
from benchmarks.measuring.conditions import Condition
from benchmarks.measuring.goal import Goal
from benchmarks.measuring.harness import Result
from benchmarks.work import hand_tuned_numpy, workloads

EAGER, JIT, NUMBA = "minigraph eager", "minigraph jit", "minigraph jit, numba"
REFERENCE_EAGER, REFERENCE_JIT = "minigraph eager, reference", "minigraph jit, reference"
CALL = "one short call"  # of one operator, which a graph cannot make faster: it has a goal of its own

TUNED = (  # cases with a hand-tuned numpy version
    *(f"100 x (matmul, tanh), n={n}" for n in (16, 64, 256, 512)), "100 x (matmul, tanh), n=64, gradient",
    "MLP 784-512-512-10, forward", "MLP 784-512-512-10, training step", "MLP, 3 layers, forward",
    "MLP, 3 layers, gradient", "attention, 8 heads, forward", "attention, 8 heads, gradient",
)  # fmt: skip
COMPILED = (  # cases that the reference has to run at 0.8 of the speed of plain numpy
    "forward", "forward + backward", *TUNED, "MLP, 3 layers, Hessian-vector product", "LeNet, forward",
    "LeNet, training step", "Vision Transformer, forward", "Vision Transformer, training step",
    "GRU, 32 steps, forward", "GRU, 32 steps, gradient", "digits training step",
)  # fmt: skip
# the main goals, and the further goals: single operators, and passes
GOALS = (
    Goal("forward", EAGER, "speed", 0.45, 0.57),
    Goal("forward + backward", EAGER, "speed", 0.40, 0.51),
    Goal("forward", JIT, "speed", 1.3, 1.39),
    Goal("forward + backward", JIT, "speed", 2.0, 2.35),
    Goal("forward", NUMBA, "speed", 8.0, 23.9),
    Goal("forward + backward", NUMBA, "speed", 10.0),
    Goal(CALL, JIT, "µs", 2.5),
    Goal("100 x (matmul, tanh), n=16", JIT, "speed", 1.0, 1.95),
    Goal("100 x (matmul, tanh), n=64", JIT, "speed", 1.0, 1.11),
    Goal("100 x (matmul, tanh), n=256", JIT, "speed", 1.0, 1.0),
    Goal("100 x (matmul, tanh), n=512", JIT, "speed", 1.0, 1.0),
    Goal("100 x (matmul, tanh), n=64, gradient", JIT, "speed", 1.0, 1.28),
    Goal("MLP 784-512-512-10, forward", JIT, "speed", 1.0, 1.16),
    Goal("MLP 784-512-512-10, training step", JIT, "speed", 0.97, 1.02),
    Goal("attention, 8 heads, forward", JIT, "speed", 1.0, 1.19),
    Goal("attention, 8 heads, gradient", JIT, "speed", 1.0, 1.35),
    *(Goal(case, JIT, "speed", 0.95, relative_to=hand_tuned_numpy.CONTENDER_NAME) for case in TUNED),
    Goal("MLP, 3 layers, Hessian-vector product", JIT, "speed", 1.0, 1.01),
    Goal("LeNet, forward", JIT, "speed", 4.2, 5.97),
    Goal("LeNet, training step", JIT, "speed", 2.8, 3.77),
    Goal("Vision Transformer, training step", networks.JIT_SUNK_SLICES, "speed", 2.2, 2.45),
    Goal("first call, 200 operators", JIT, "µs", 35),
    Goal("first call, 2,000 operators", JIT, "µs", 20),
    Goal("import", "import minigraph", "ms", 150, relative_to="import numpy"),
    *fused.goals(),
)
SECONDARY_GOALS = (
    Goal("import", "import minigraph, and add", "ms", 150, relative_to="import numpy"),
    Goal("digits training step", JIT, "speed", 1.0),
    Goal("GRU, 32 steps, forward", JIT, "speed", 1.0),
    Goal("GRU, 32 steps, gradient", JIT, "speed", 1.0),
    *(Goal(f"eager {name}", EAGER, "speed", 0.25) for name in workloads.OPERATORS),
    *rewriting.goals(),
)
# without the accelerator: at most four times the time in eager mode and on the tape, and 0.8 of numpy's speed compiled
REFERENCE = (
    *(
        Goal(case, REFERENCE_EAGER, "speed", 0.25, relative_to=EAGER)
        for case in ("forward", "forward + backward", *(f"eager {name}" for name in workloads.OPERATORS))
    ),
    *(Goal(case, REFERENCE_JIT, "speed", 0.8) for case in COMPILED),
)


class GoalGroup(NamedTuple):
    """Goals with a sentence that describes them."""

    description: str
    goals: Sequence[Goal]


def goal_groups(condition: Condition, results: Sequence[Result]) -> list[GoalGroup]:
    """The goals under a condition."""
    relaxed = [[goal.with_slack(condition.slack) for goal in goals] for goals in (GOALS, SECONDARY_GOALS, REFERENCE)]
    groups = [
        GoalGroup(LIMIT_NOTE, relaxed[0]),
        GoalGroup("Further goals:", relaxed[1]),
        GoalGroup(REFERENCE_GOALS, relaxed[2]),
    ]
    return [*groups, GoalGroup(NOT_SLOWER, not_slower(results))] if condition.is_busy else groups


def not_slower(results: Sequence[Result]) -> list[Goal]:
    """The goals that no program is slower in graph mode than in eager mode."""
    titles = [result.title for result in results if {EAGER, JIT} <= result.seconds.keys() and result.title != CALL]
    return [Goal(title, JIT, "speed", 1.0, relative_to=EAGER) for title in dict.fromkeys(titles)]


LIMIT_NOTE = """*limit*: the figure of the smallest Python program around numpy that we could write, without loops:
"numpy, tuned" of the same run. In parentheses: the figure of a minimal tape, or of cases without such a row, measured
once with prototypes on another machine."""
REFERENCE_GOALS = "The reference without the accelerator, `MINIGRAPH_ACCEL=0` in a process of its own:"
NOT_SLOWER = "Graph mode compared with eager mode:"
