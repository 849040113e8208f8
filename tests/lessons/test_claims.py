"""Every sentence of a lesson with a figure is computed here, in the lesson's own namespace, or is a definition."""

import re

import pytest

from minigraph import lessons
from minigraph.lessons.grading import _run_cell

NUMBERS = "two three four five six seven eight nine ten half twice double once million percent most least"
FIGURE = re.compile(rf"\d|\b({'|'.join(NUMBERS.split())})\b", re.IGNORECASE)
HELPERS = """
import minigraph as _ms
from minigraph.ops import zeros
large = zeros((8192, 8192), _ms.float32)
from minigraph.npu import simulate as _simulate

def names(graph):
    return [str(graph.op(node)) for node in graph if not graph.op(node).is_leaf]

def ops_of(fn, *inputs):
    return len(names(_ms.jit(fn).graph(*inputs)))

def at_once(report, *queues):
    spans = [[span for span in report.spans if span.queue == queue] for queue in queues]
    moments = [span.start for group in spans for span in group]
    return any(all(any(s.start <= now < s.end for s in group) for group in spans) for now in moments)
"""
# By lesson: the beginning of a sentence, and an expression that must be true after the (solved) lesson has run.
CLAIMS = {
    1: {
        "`f` calls three operators": "len(entries) == 3 and len(names(ms.trace(f, x))) == 3",
        "`y` is used twice": "sum(operand is entries[0].out for one in entries for operand in one.operands()) == 2",
        "The picture shows the same three calls": "len(notes) == len(entries) + 1",
    },
    2: {
        "Four operators are left": "names(graph) == ['tanh', 'mul', 'tanh', 'mul'] and len(graph) == 6",
    },
    3: {
        "The derivative of the square root at 9": "abs(ms.grad(compiled)(Tensor(9.0)).item() - 1 / 6) < 1e-5",
        "`if` works the same way": "[2] == [len(graph.regions(node)) for node in graph if graph.regions(node)]",
    },
    4: {
        "This program computes the same layer twice": "names(ms.trace(program, *inputs)).count('matmul') == 2",
    },
    6: {
        "Three operators mean three kernel launches": "len(_simulate(ms.trace(layer, *inputs)).rows) == 3",
        "Its *body* is a small graph": "len(names(ms.trace(layer, *inputs))) == 3 and DENSE.is_fusion",
        "Is ln(x²) the same as": "passes.examine(log_of_square).counterexample "
        "and not passes.examine(DENSE).counterexample",
    },
    7: {
        "ln(cosh(x)) is a loss": "abs(log_cosh(Tensor(0.01)).item() - 0.00005) < 1e-6 "
        "and abs(log_cosh(Tensor(20.0)).item() - 20) < 1",
        "The second derivative of ln(cosh(x))": "max(abs(second(x).asnumpy() + np.tanh(x.asnumpy()) ** 2 - 1)) < 1e-5",
    },
    8: {
        "The *cube* multiplies 16×16×16": "(chip.cube.m, chip.cube.n, chip.cube.k_f16) == (16, 16, 16)",
        "A matrix of 2 MB": "x.asnumpy().nbytes == w.asnumpy().nbytes == 2 * 1024**2 > chip.buf.l1",
        "Note how MTE2, MTE1 and M": "at_once(small, 'MTE2', 'MTE1', 'M')",
        "All other operators run on the vector units": "chip.cores.aiv == 2 * chip.cores.aic",
        "It would be half only if": "single.cycles / 2 < double.cycles < single.cycles",
        "They have queues, too": "_simulate(ops.tanh, numbers(0, 2048, 2048), schedule=Schedule(buffers=1)).cycles "
        "> report.cycles",
    },
    9: {
        "These are the three projections": "len(report.rows) == 3",
        "The three products read the same `x`": "names(ms.trace(slow, x, *weights)) == ['matmul'] * 3",
        "`w` is `[wq | wk | wv]`": "(weights[0].shape[0], sum(one.shape[1] for one in weights)) == (512, 192)",
    },
    10: {
        "A vector unit adds two numbers": "_simulate(ops.add, large, large).rows[0].cost.verdict == 'memory bound'",
        "A chain of such operators": "round(sum(_simulate(fused).bytes[m] for m in ('GM', 'L2')) "
        "/ x.asnumpy().nbytes, 3) == 2",
        "The variance of these rows is 1": "abs(x.asnumpy().var(-1) - 1).max() < 0.3",
        "So the formula suits data": "float(variance_error(x)[1]) < 1e-4 < float(variance_error(x + 1000.0)[1])",
    },
    11: {
        "With a clock twice as fast": "faster.cores.freq_mhz == 2 * base.cores.freq_mhz "
        "and [now.us < 0.9 * before.us for before, now "
        "in zip(report.rows, _simulate(program, a, large, chip=faster).rows)] == [True, False]",
    },
    12: {
        "The derivatives of tanh are known": "abs(first(x).item() - (1 - t**2)) < 1e-6 "
        "and abs(second(x).item() + 2 * t * (1 - t**2)) < 1e-6",
        "As a graph, the second derivative is short": "len(compiled.graph(x)) < len(compiled.graph(x, pipeline=()))",
        "You can read the formula": "names(compiled.graph(x, pipeline='canonicalize,constant_fold,cse,dce'))"
        ".count('tanh') == 1",
        "That product costs about as much": "0.7 < ops_of(lambda x: hvp(f, x, point), point) "
        "/ (2 * ops_of(lambda x: ms.grad(f)(x), point)) < 1.1",
    },
    13: {
        "The network is `minigraph.examples.vit`": "images.shape[1:] == (1, 8, 8)",
        "So the image is divided into 16 patches": "tokens.shape[1] == 16 == (8 // 2) ** 2",
        "Then every token attends to all others": "len(vit.net.encoder) == 2",
        "The captured graph contains all three": "len(graph) < len(captured) and any(captured.op(one).writes "
        "for one in captured)",
        "On the simulated chip the time": "sum(row.cost.head_us for row in report.rows) > report.us / 2",
    },
    15: {
        "But blocks of 128 × 256 give 32 tiles": "(1024 // 128) * (1024 // 256) == 32 and task.chip.cores.aic == 24",
        "So 16 cores compute two tiles each": "(task.cost.layout.cube[0].cores, "
        "task.cost.layout.cube[0].tiles, task.cost.layout.cube[0].per_core) == (16, 32, 2)",
        "Blocks of 128 × 192 give 8 × 6 = 48 tiles": "(tuned.rows[0].cost.layout.cube[0].tiles, "
        "tuned.rows[0].cost.layout.cube[0].per_core) == (48, 2)",
    },
}  # fmt: skip
# Definitions, mathematics, exercises (tests/lessons/test_variants.py), and the output of the next cell.
DEFINITIONS = """
It starts at `out`|The derivative of tanh is|The checker requires|A *graph* describes|Three things surprise|
In graph mode, the first call|Asking for the graph|The other two surprises|`@jit` then runs it op by op|
`program` is called three times|Tracing runs a function|Write Euclid's algorithm|While `b` is not 0|
Four passes are enough|It is also the most dangerous|The checker runs 50| The record has three parts|
√(x² + y²) has two inputs|An Ascend core has two kinds|MTE2 loads into L1|Two buffers per operand|
 Choose `base` and `buffers`|A tile in L0A has|Sizes are multiples of 16|Two machines run|A graph is issued once|
Concatenate the weights|The checker compares|Rows are *standardised*|This formula has a price|Run two operators|
Which chip would run|Write the section|A network with a million|Five epochs|Do it without one|`reshape` splits|
The architecture is the block|Write a schedule for|Count the tiles: how many|
`buffers` are the slots for loads
"""
KNOWN = [text.strip() for text in DEFINITIONS.split("|")]


def sentences(lesson):
    """The sentences with a figure: headings and code are left out."""
    for cell in lesson.cells:
        text = re.sub(r"^#+ .*$", "", cell.plain_text, flags=re.MULTILINE) if cell.is_prose else ""
        for sentence in re.split(r"(?<=[.:?!)])\s+(?=[A-Z`*(√])", " ".join(text.split())):
            if FIGURE.search(re.sub(r"`[^`]*`", "", sentence)):
                yield sentence


@pytest.mark.parametrize("lesson", lessons.lessons(), ids=lambda lesson: lesson.name)
def test_a_sentence_with_a_figure_is_computed_or_a_definition(lesson):
    known = [*CLAIMS.get(lesson.number, ()), *KNOWN]
    assert [sentence for sentence in sentences(lesson) if not sentence.startswith(tuple(known))] == []
    text = " ".join(" ".join(cell.plain_text for cell in lesson.cells if cell.is_prose).split())
    assert [claim for claim in CLAIMS.get(lesson.number, ()) if claim not in text] == []


@pytest.mark.parametrize("number", CLAIMS)
@pytest.mark.filterwarnings("ignore::minigraph.capture.side_effects.SideEffectWarning")
def test_claims_of_lessons_are_true(number, monkeypatch, tmp_path):
    monkeypatch.setattr("minigraph.lessons.picture.folder", lambda: tmp_path)
    (lesson,) = (candidate for candidate in lessons.lessons() if candidate.number == number)
    namespace = {"__name__": "__main__"}
    for cell in lesson.cells:
        _run_cell(lesson, cell, lesson.solution, namespace)
    exec(HELPERS, namespace)
    assert [claim for claim, expression in CLAIMS[number].items() if not eval(expression, namespace)] == []
