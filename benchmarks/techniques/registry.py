"""The techniques of the accelerator: what each does, how it is switched off, which rows it may move, what it costs.

The product has no switch for them. What a technique is made of stands here by name, ``"module:name"``, and is replaced
by something plain when that module is imported (``benchmarks.techniques.child``). When a name moves, a test says so.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.techniques.plain import (
    Plain,
    instead,
    never,
    no_parts,
    nothing,
    with_seam,
    without,
    without_pass,
    without_places,
)

SCHEDULE, KERNELS, LOOPS = "minigraph.accel.schedule", "minigraph.accel.kernels", "minigraph.accel.loops"
HOST = "minigraph.accel.host"
SEAMS, FORWARDS = "minigraph.core.seams:SEAMS", f"{KERNELS}.table:FORWARDS"
PASSES, PIPELINES = "passes.numpy", "passes.default:PIPELINES"
CONVOLUTIONS, POOLS = ("conv2d", "conv2d_input_grad", "conv2d_weight_grad"), ("max_pool2d", "max_pool2d_grad")
NETWORKS = ("LeNet, forward", "LeNet, step", "perceptron, step", "transformer, step", "digits, step")
WHOLE = ("mlp, gradient", "attention, forward", "attention, gradient", "gru, forward", "gru, gradient", "hessian")
LARGE = ("elementwise, 1M", "elementwise, 1M, gradient", "elementwise, 16M", "light, 16M")
TINY = ("chain", "chain, gradient", "loop 16", "loop 64")


class Technique(NamedTuple):
    """A technique in a sentence; by the names it is made of, what stands there without it; rows; and its code.

    ``code`` are modules, or ``"module:function"``.
    """

    name: str
    about: str
    off: dict[str, Plain]
    rows: tuple[str, ...]
    code: tuple[str, ...]


def _planner(name: str, about: str, target: str, plain: Plain, rows: tuple[str, ...]) -> Technique:
    """A technique that is one name of a module of its own."""
    return Technique(name, about, {target: plain}, rows, (target.partition(":")[0],))


def _pass(name: str, about: str, rows: tuple[str, ...], *code: str) -> Technique:
    """A technique that is a pass of the pipeline ``numpy``, and what else it takes."""
    return Technique(name, about, {PIPELINES: without_pass(name)}, rows, (f"{PASSES}.{name}", *code))


TECHNIQUES = (
    Technique(
        "eager fast dispatch", "Functions and methods that are one operator skip `apply` for operands met before.",
        {SEAMS: with_seam("function_of", "minigraph.ops.functional.operator_functions:as_written")},
        ("chain, eager", "chain, eager gradient", "eager add", "eager exp", "eager sum", "eager matmul",
         "eager reshape", "eager index", "digits, eager step"),
        ("minigraph.accel.fast_dispatch", "minigraph.accel.fast_methods"),
    ),
    Technique(
        "tape on arrays", "Gradients of simple operators are computed on bare arrays, by functions written for each.",
        {SEAMS: with_seam("tape", "minigraph.core.autodiff.tape:Tape")},
        ("chain, eager gradient", "mlp, eager gradient", "digits, eager step", "LeNet, eager step"),
        ("minigraph.accel.tape_arrays", "minigraph.accel.array_vjps", "minigraph.accel.vjp_formulas"),
    ),
    Technique(
        "compiled calls as code", "Arguments, guards and context of a compiled call are checked by code made for it.",
        {SEAMS: with_seam("call", "minigraph.compilation.compiled:unanswered")},
        ("short call", "digits, step"), ("minigraph.accel.fast_calls",),
    ),
    Technique(
        "small products on one thread", "Products and convolutions that threads would not gain from are not divided.",
        {"minigraph.core.machine:MAX_ONE_THREAD_MACS": instead(0)},
        ("digits, step", "LeNet, forward", "LeNet, step", "LeNet, eager step", "attention, forward",
         "attention, gradient", "perceptron, step", "mlp, forward"),
        (f"{HOST}.blas:pool", f"{HOST}.blas:on_one_thread", f"{KERNELS}.conv:_on_few_threads"),
    ),
    Technique(
        "choices by bits", "`where` multiplies bits by 0 or 1 instead of asking each condition.",
        {FORWARDS: without("where")}, ("LeNet, step", "LeNet, eager step", "perceptron, step", "mlp, gradient"),
        (f"{KERNELS}.select",),
    ),
    Technique(
        "kernels without questions", "Where layouts are known, steps call numpy or BLAS, not a forward that looks.",
        {f"{KERNELS}.table:KERNELS": instead({})},
        (*TINY, "eager sum", "eager reshape", "eager index", *WHOLE, *NETWORKS),
        (f"{KERNELS}.indexing", f"{KERNELS}.reduce", f"{KERNELS}.views", f"{KERNELS}.linalg:multiplier",
         f"{SCHEDULE}.layouts:_kernel"),
    ),
    Technique(
        "convolutions by blocks", "Convolutions make columns block by block, while these are in the cache.",
        {FORWARDS: without(*CONVOLUTIONS), PIPELINES: without_pass("chwn")},
        ("LeNet, forward", "LeNet, step", "LeNet, eager step", "transformer, forward"),
        (f"{KERNELS}.conv", f"{KERNELS}.columns"),
    ),
    _planner(
        "sliding columns", "Rows of results share the columns of the pixels that they share.",
        f"{KERNELS}.sliding_columns:slides", never, ("LeNet, forward", "LeNet, step", "LeNet, eager step"),
    ),
    _planner(
        "columns across images", "Columns are ordered by pixel and image, so that runs of memory are long.",
        "minigraph.operators.chwn:prefers_chwn", never, ("LeNet, forward", "LeNet, step", "LeNet, eager step"),
    ),
    Technique(
        "pools of whole images", "Maxima are taken of whole images, a place of the window at a time.",
        {FORWARDS: without(*POOLS, *(f"{name}_chwn" for name in POOLS))},
        ("LeNet, forward", "LeNet, step", "LeNet, eager step"), (f"{KERNELS}.pool",),
    ),
    _pass(
        "chwn", "Many small images lie in CHWN from one convolution to the next.", ("LeNet, forward", "LeNet, step"),
        "minigraph.operators.chwn",
    ),
    _pass(
        "neutral", "A product with ones is its other operand.",
        ("loop 64, gradient", *WHOLE, "elementwise, 1M, gradient", *NETWORKS),
    ),
    _pass(
        "drop_broadcasts", "Elementwise steps read a tensor instead of its repetition.", (*WHOLE, *NETWORKS),
    ),
    _pass(
        "scatter_sums", "Gradients of slices are added into one array instead of many arrays of zeros.",
        ("gru, gradient", "attention, gradient", "mlp, gradient", "hessian", "transformer, step"),
        f"{SCHEDULE}.totals", "minigraph.accel.schedule.boxes",
    ),
    _pass(
        "sum_many", "Many terms of a sum are a stack that is reduced at once; equal products become one.",
        ("chain, gradient", "loop 64, gradient", "gru, gradient", "transformer, step"), f"{SCHEDULE}.joins",
    ),
    Technique(
        "turn_products", "The gradient of a weight that is used transposed is one product, where that keeps its bits.",
        {PIPELINES: without_pass("turn_products")},
        ("mlp, gradient", "digits, step", "LeNet, step", "perceptron, step", "transformer, step"),
        ("passes.optimize.turn_products", "minigraph.operators.linalg:is_exact_transposed"),
    ),
    _planner(
        "padded rows", "Matrices whose rows fall on the same places of a cache have gaps between rows.",
        f"{SCHEDULE}.padding:Padding", without_places, (*WHOLE, "perceptron, step", "transformer, step"),
    ),
    Technique(
        "still views", "Views of buffers and constants are made once, and layouts are known.",
        {f"{SCHEDULE}.layouts:note_layouts": nothing}, (*TINY, *WHOLE, *NETWORKS), (f"{SCHEDULE}.layouts",),
    ),
    Technique(
        "blocks", "Runs of elementwise steps over large tensors go piece by piece through the cache.",
        {f"{SCHEDULE}.blocks:blocks_of": no_parts}, (*LARGE, *WHOLE, *NETWORKS), (f"{SCHEDULE}.blocks",),
    ),
    Technique(
        "kept results", "Parameters keep results as they are instead of copies.",
        {f"{SCHEDULE}.plan:_keep_results": nothing}, NETWORKS, (f"{SCHEDULE}.plan:_keep_results",),
    ),
    Technique(
        "pieces on threads", "Threads share the pieces of large blocks.",
        {"minigraph.accel.host.threads:threads_for": lambda old: lambda nbytes, pieces: 1},
        ("elementwise, 16M", "light, 16M", "elementwise, 16M, numba", "light, 16M, numba"),
        ("minigraph.accel.host.threads",),
    ),
    Technique(
        "loops of numba", "Chains of elementwise steps become one loop, compiled by numba where it is installed.",
        {f"{LOOPS}.joined:joining": never},
        ("chain, numba", "chain, gradient, numba", "elementwise, 16M, numba", "light, 16M, numba"),
        (f"{PASSES}.fuse_loops", f"{PASSES}.open_composites", "minigraph.operators.scalar_expressions",
         *(f"{LOOPS}.{name}" for name in ("axes", "joined", "kernels", "loops", "polynomials"))),
    ),
)  # fmt: skip
BY_NAME = {technique.name: technique for technique in TECHNIQUES}


def resolved(target: str) -> Any:
    """What a name ``"module:name"`` stands for; raises where it stands for nothing."""
    module, _, name = target.partition(":")
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


def code_lines(place: str) -> int:
    """Lines of code of a module or function, without blanks, comments and docstrings.

    >>> code_lines("benchmarks.techniques.plain:instead")
    2
    """
    text = inspect.getsource(resolved(place))
    lines = {line for token in tokenize.generate_tokens(io.StringIO(text).readline) for line in _lines(token)}
    return len(lines - set(_docstrings(ast.parse(text))))


def _lines(token: tokenize.TokenInfo) -> range:
    """The lines that a token stands in, if it is code."""
    others = tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
    return range(0) if token.type in others else range(token.start[0], token.end[0] + 1)


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
