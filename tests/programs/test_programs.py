"""MindSpore programs, import line changed, against what MindSpore 2.10 printed.

Programs ``s0`` to ``s4`` are published by others, numbered by source; ``conf`` programs are our own. Each has an
``.out`` file, recorded from MindSpore on a CPU. A program runs in a fresh interpreter, as it is and once more with
GRAPH_MODE from beginning to end. Its lines must equal the recorded ones, but for decimals, which may differ by the
tolerance of ``PROGRAMS`` (2e-4 where tanh is involved: MindSpore's own is an approximation) or by one unit of the last
printed digit. A ``.right`` file has the correct output where MindSpore's is wrong.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.tables import cases, every

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXACT_TOLERANCE, TANH_TOLERANCE = 1e-5, 2e-4


class Program(NamedTuple):
    """All lines are compared, except those that begin with a key of ``differs``; its value is the reason.

    ``recorded`` is the suffix of the file with the expected output; ``needs`` names the package of an extra.
    """

    tolerance: float = EXACT_TOLERANCE
    differs: dict[str, str] = {}  # noqa: RUF012 - a default that is never changed
    recorded: str = "out"
    needs: str = "numpy"


EXCEPTIONS = {
    "conf_tutorial_highlevel": Program(needs="onnx"),  # exports a model
    "conf_checkpoints": Program(
        differs={
            "save dict ->": "a dict of Tensors is saved",
            "into net, prefix": "names are never guessed",
            "into net, one more prefix": "the same",
            "into net tensors ->": "Tensors are accepted like Parameters",
        },
    ),
    "conf_every_layer": Program(
        TANH_TOLERANCE,
        differs={
            "  output 0 (2, 6, 12, 10) sum 136.17": "output_padding makes room for results; MindSpore pads zeros there",
            "  gradient (2, 4, 6, 5) sum 0.6217": "the same",
            "  gradient (3, 4) sum -0.2213": "the derivative of SeLU; MindSpore's is wrong below 0",
            "  (rnn): _Dynamic": "no inner Cell; the sizes instead",
        },
    ),
    "conf_jit_control_flow": Program(
        differs={
            "ops.cond is the matrix condition number": "ops.while_loop exists here, and ops.cond branches, too",
            "try_stmt": "what no graph can represent runs op by op, with a warning",
            "import_stmt": "the same",
            "walrus": "the same",
            "join_dtype": "the same",
            "unbound": "the same",
            "vector_cond": "the same, so the error is that of PyNative mode",
        },
    ),
    "conf_losses": Program(
        differs={
            "CrossEntropyLoss() logits Float32 (4, 3), labels Int64 (4,)": "classes of any integer type are accepted"
        }
    ),
    "conf_model": Program(
        differs={
            "wrong shapes ->": "both shapes, in words",
            "no metric ->": "LookupError, which lists the names, in place of KeyError",
            "optimizer ->": "names one base class, Optimizer",
            "epoch ": "names Model",
            "dataset ->": "refused as an argument, not by a missing method",
            "callbacks ->": "names the type",
            "predict ->": "the error of Python",
            "TrainOneStepCell ->": "the error of Python",
        },
    ),
    "conf_optimizers": Program(
        differs={
            "   Momentum nesterov ": "MindSpore ignores use_nesterov on a CPU",
            "a network ->": "says what to pass",
            "group with": "LookupError with the nearest key in place of KeyError",
            "lr str ->": "names the type",
            "use_nesterov int ->": "names the argument",
            "list ->": "names optimizer and type",
            "too few ->": "names both numbers",
            "wrong shape ->": "names the Parameter, both types, and what to do",
        },
    ),
    "conf_pipelines": Program(
        differs={
            "padded_batch default": "columns that are not named are padded, as MindSpore documents",
            "classes": "a dataset does not count classes",
            "source dict": "a TypeError, when the source is given",
            "shuffle of a generator": "refused where MindSpore leaves the order as it is, silently",
            "map not callable": "a TypeError",
            "map unknown column": "a LookupError with the nearest name, before any row",
            "rename unknown": "the same",
            "project unknown": "the same",
            "zip same names": "a ValueError, before any row",
            "concat other columns": "a ValueError, before any row",
            "epochs 0": "a ValueError, as for other numbers out of range",
            "an error in map": "the user's own error is raised",
        },
    ),
    "conf_tensor_print": Program(
        differs={"Tensor([1.,2.])+Tensor([1.,2.,3.])": "names both types and the line; no later call raises it again"},
    ),
    "conf_tutorial_dataset": Program(
        differs={
            "{'x': Tensor": "a tensor of a dataset is printed as any other",
            "0 [[('x'": "the same for arrays",
            "1 [[('x'": "the same",
            "[Tensor(shape=[], dtype=Float64": "the same for tensors",
        },
    ),
    "conf_tutorial_graphs": Program(
        TANH_TOLERANCE,
        differs={"(Tensor(shape=[], dtype=Bool, value= False), Tensor": "not gives a bool, as in eager mode"},
    ),
    "conf_tutorial_training": Program(
        TANH_TOLERANCE,
        differs={"[3.2891, 1.8118": "get_lr gives the number of the step; state of optimizers is not trainable"},
    ),
    "gotcha_jit_silent": Program(recorded="right"),
    "s3_1_rigid_compute": Program(TANH_TOLERANCE),
    "s3_3_save_graphs": Program(
        differs={
            "extensions": "text, diffs and a page; no protobuf of the graph",
            "35 numbered stages": "one per pass that changed the graph, named after it, between bootstrap and execute",
        },
    ),
}
PROGRAMS = {path.stem: EXCEPTIONS.get(path.stem, Program()) for path in sorted(HERE.glob("*.out"))}

DECIMAL = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")


# GRAPH_MODE from the first line on, whatever the program says of modes: the key takes any value and keeps 0.
IN_GRAPH_MODE = (
    "import runpy, sys; from minigraph import context; "
    "context.KEYS['mode'] = (context.GRAPH_MODE, lambda given: context.GRAPH_MODE); context.reset(); "
    "runpy.run_path(sys.argv[1], run_name='__main__')"
)


def output_of(program: str, folder: Path, mode: str) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(HERE)))}  # the latter for parts.py
    start = ["-c", IN_GRAPH_MODE] if mode == "graph" else []
    command = [sys.executable, "-W", "ignore", *start, str(HERE / f"{program}.py")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def is_same_line(got: str, want: str, tolerance: float) -> bool:
    if got == want:
        return True
    rest = [re.sub(r"\s*#\s*", " # ", DECIMAL.sub("#", line)) for line in (got, want)]
    pairs = zip(DECIMAL.findall(got), DECIMAL.findall(want), strict=False)
    return rest[0] == rest[1] and all(is_close(a, b, tolerance) for a, b in pairs)


def is_close(got: str, want: str, tolerance: float) -> bool:
    last_digit = 10.0 ** -len(want.partition("e")[0].partition(".")[2])
    scale = 10.0 ** int(want.partition("e")[2] or 0)
    difference = abs(float(got) - float(want))
    return difference <= max(tolerance * (1 + abs(float(want))), 1.01 * last_digit * scale)


def differences(got: str, want: str, program: Program) -> list[str]:
    """The lines that should be the same and are not, as printed by both."""
    got_lines, want_lines = got.splitlines(), want.splitlines()
    differing = tuple(program.differs)
    wrong = [
        f"printed {mine!r}\n wanted {theirs!r}"
        for mine, theirs in zip(got_lines, want_lines, strict=False)
        if not is_same_line(mine, theirs, program.tolerance) and not theirs.startswith(differing)
    ]
    missing = len(want_lines) - len(got_lines)
    return wrong + [f"{missing} lines are missing"] * (missing != 0)


@every(name=PROGRAMS, mode=["as it is", "graph"])
def test_program_prints_the_text_of_mindspore(name: str, mode: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    pytest.importorskip(program.needs)
    want = (HERE / f"{name}.{program.recorded}").read_text()
    assert "\n".join(differences(output_of(name, tmp_path, mode), want, program)) == ""


def test_correct_programs_are_equal_in_eager_mode_and_jitted():
    lines = (HERE / "gotcha_jit_silent.right").read_text().splitlines()
    eager = [line[12:].removeprefix("eager ") for line in lines if line[12:].startswith("eager ")]
    jitted = [line[12:].removeprefix("jit   ") for line in lines if line[12:].startswith("jit   ")]
    assert len(eager) == 9
    assert eager == jitted
    assert not any("<-- differs" in line for line in lines)


def test_every_program_has_a_recording_and_every_exception_a_program():
    programs = {path.stem for path in HERE.glob("*.py")} - {"conftest", "parts", "test_programs"}
    assert programs == set(PROGRAMS) >= set(EXCEPTIONS)


def test_every_deliberate_difference_is_a_line_of_the_recording():
    for name, program in PROGRAMS.items():
        lines = (HERE / f"{name}.out").read_text().splitlines()
        for beginning in program.differs:
            assert any(line.startswith(beginning) for line in lines), (name, beginning)


@cases(
    ("loss 1.00001", "loss 1.00002", True),
    ("loss 1.0001", "loss 1.0003", False),
    ("[ 0.5  1.5]", "[0.5 1.5]", True),
    ("shape 3", "shape 4", False),
    ("x 1.0 y", "x 1.0 z", False),
    ("x 1.0", "x 1.0 2.0", False),
)
def test_equality_of_lines(got, want, same):
    assert is_same_line(got, want, EXACT_TOLERANCE) is same
