"""The techniques of the accelerator: description, how each is switched off, the rows it may affect, and its code.

The product has no switch for them. A technique is listed with the names that implement it, ``"module:name"``, and is
switched off by replacing them when their module is imported (``benchmarks.techniques.worker``). A test checks that all
names resolve.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import io
import tokenize
from collections.abc import Iterator
from typing import Any, NamedTuple

from benchmarks.techniques.replacements import (
    Replacement,
    drop_operators,
    drop_pass,
    replace_by,
    return_empty_list,
    return_false,
    return_none,
    use_reference,
)

SCHEDULE, KERNELS, LOOPS = "minigraph.accel.schedule", "minigraph.accel.kernels", "minigraph.accel.loops"
HOST, PARAMETER_COPIES = "minigraph.accel.host", f"{SCHEDULE}.plan:_elide_parameter_copies"
SEAMS, FORWARDS = "minigraph.core.seams:SEAMS", f"{KERNELS}.table:FORWARDS"
PASSES, PIPELINES = "passes.numpy", "passes.default:PIPELINES"
CONVOLUTIONS, POOLS = ("conv2d", "conv2d_input_grad", "conv2d_weight_grad"), ("max_pool2d", "max_pool2d_grad")
NETWORKS = ("LeNet, forward", "LeNet, step", "perceptron, step", "transformer, step", "digits, step")
PROGRAMS = ("mlp, gradient", "attention, forward", "attention, gradient", "gru, forward", "gru, gradient", "hessian")
LARGE_ROWS = ("elementwise, 1M", "elementwise, 1M, gradient", "elementwise, 16M", "light, 16M")
SMALL_ROWS = ("chain", "chain, gradient", "loop 16", "loop 64")


class Technique(NamedTuple):
    """A technique: a sentence on it, the replacements that switch it off by name, the rows it may affect, and its code.

    ``code`` are modules, or ``"module:function"``.
    """

    name: str
    description: str
    off: dict[str, Replacement]
    rows: tuple[str, ...]
    code: tuple[str, ...]


def _function_technique(name: str, description: str, target: str, off: Replacement, rows: tuple[str, ...]) -> Technique:
    """A technique that is one function or class of a module of its own."""
    return Technique(name, description, {target: off}, rows, (target.partition(":")[0],))


def _pass_technique(name: str, description: str, rows: tuple[str, ...], *code: str) -> Technique:
    """A technique that is a pass of the pipeline ``numpy``; ``code`` is further code that it needs."""
    return Technique(name, description, {PIPELINES: drop_pass(name)}, rows, (f"{PASSES}.{name}", *code))


TECHNIQUES = (
    Technique(
        "eager fast dispatch", "Functions and methods of one operator skip `apply` for operand layouts in their cache.",
        {SEAMS: use_reference("function_of", "minigraph.core.tensor.fast_path:reference_function")},
        ("chain, eager", "chain, eager gradient", "eager add", "eager exp", "eager sum", "eager matmul",
         "eager reshape", "eager index", "digits, eager step"),
        (*(f"minigraph.accel.{name}" for name in ("fast_dispatch", "fast_methods", "array_layouts")), f"{HOST}.ufuncs"),
    ),
    Technique(
        "tape on arrays", "VJPs of simple operators run on bare arrays, in a function generated for each.",
        {SEAMS: use_reference("tape", "minigraph.core.autodiff.tape:Tape")},
        ("chain, eager gradient", "mlp, eager gradient", "digits, eager step", "LeNet, eager step"),
        ("minigraph.accel.tape_arrays", "minigraph.accel.array_vjps", "minigraph.accel.vjp_formulas"),
    ),
    Technique(
        "generated call wrappers", "Generated code checks the arguments, guards and context of a compiled call.",
        {SEAMS: use_reference("call", "minigraph.compilation.cache_entry:no_fast_path")},
        ("short call", "digits, step"), ("minigraph.accel.fast_calls",),
    ),
    Technique(
        "small products on one thread", "BLAS computes small products and convolutions on one thread.",
        {"minigraph.core.machine:MAX_ONE_THREAD_MACS": replace_by(0)},
        ("digits, step", "LeNet, forward", "LeNet, step", "LeNet, eager step", "attention, forward",
         "attention, gradient", "perceptron, step", "mlp, forward"),
        (f"{HOST}.blas:blas_threads", f"{HOST}.blas:single_threaded_blas", f"{KERNELS}.conv:_limit_blas_threads"),
    ),
    Technique(
        "branch-free where", "`where` is branch-free: it selects elements by arithmetic on their bits.",
        {FORWARDS: drop_operators("where")}, ("LeNet, step", "LeNet, eager step", "perceptron, step", "mlp, gradient"),
        (f"{KERNELS}.select",),
    ),
    Technique(
        "cross entropy of classes", "The cross entropy creates no matrix of targets where every label is a class.",
        {FORWARDS: drop_operators("cross_entropy", "cross_entropy_grad")}, ("digits, step", "LeNet, step"),
        (f"{KERNELS}.losses",),
    ),
    Technique(
        "layout-specialized kernels", "Where layouts are known, steps call numpy or BLAS directly, without checks.",
        {f"{KERNELS}.table:KERNELS": replace_by({})},
        (*SMALL_ROWS, "eager sum", "eager reshape", "eager index", *PROGRAMS, *NETWORKS),
        (f"{KERNELS}.indexing", f"{KERNELS}.reduce", f"{KERNELS}.views", f"{KERNELS}.linalg:matmul_kernel",
         f"{SCHEDULE}.layouts:_kernel"),
    ),
    Technique(
        "blocked im2col", "Convolutions use blocked im2col, with cache-sized blocks of columns.",
        {FORWARDS: drop_operators(*CONVOLUTIONS), PIPELINES: drop_pass("chwn")},
        ("LeNet, forward", "LeNet, step", "LeNet, eager step", "transformer, forward"),
        (f"{KERNELS}.conv", f"{KERNELS}.im2col"),
    ),
    _function_technique(
        "MEC columns", "Memory-efficient convolution (MEC): columns of adjacent rows of results overlap in memory.",
        f"{KERNELS}.mec:should_use_mec", return_false, ("LeNet, forward", "LeNet, step", "LeNet, eager step"),
    ),
    Technique(
        "CHWN im2col", "Im2col in CHWN order copies long runs of memory where images are small.",
        {"minigraph.operators.chwn:should_use_chwn": return_false},
        ("LeNet, forward", "LeNet, step", "LeNet, eager step"),
        ("minigraph.operators.chwn", f"{KERNELS}.chwn_im2col"),
    ),
    Technique(
        "vectorized pooling", "Maximum pooling is vectorized over whole images instead of over windows.",
        {FORWARDS: drop_operators(*POOLS, *(f"{name}_chwn" for name in POOLS))},
        ("LeNet, forward", "LeNet, step", "LeNet, eager step"), (f"{KERNELS}.pool",),
    ),
    _pass_technique(
        "chwn", "Many small images stay in CHWN layout between convolutions.", ("LeNet, forward", "LeNet, step"),
        "minigraph.operators.chwn", f"{KERNELS}.chwn",
    ),
    _pass_technique(
        "scatter_sums", "Gradients of slices are accumulated in one array instead of many arrays of zeros.",
        ("gru, gradient", "attention, gradient", "mlp, gradient", "hessian", "transformer, step"),
        f"{SCHEDULE}.scatter_add", "minigraph.accel.schedule.index_ranges",
    ),
    _pass_technique(
        "batch_sums", "A sum of many terms is one reduction of a stack; equal products are computed once.",
        ("chain, gradient", "loop 64, gradient", "gru, gradient", "transformer, step"),
        f"{SCHEDULE}.concat_elision", f"{SCHEDULE}.memory_ops",
    ),
    Technique(
        "transpose_products", "The gradient of a weight that is used transposed is one product, where bits stay equal.",
        {PIPELINES: drop_pass("transpose_products")},
        ("mlp, gradient", "digits, step", "LeNet, step", "perceptron, step", "transformer, step"),
        ("passes.optimize.transpose_products",),
    ),
    Technique(
        "constant views", "Views of buffers and constants are created once, and layouts are propagated.",
        {f"{SCHEDULE}.layouts:note_layouts": return_none},
        (*SMALL_ROWS, *PROGRAMS, *NETWORKS), (f"{SCHEDULE}.layouts",),
    ),
    Technique(
        "loop tiling", "Groups of elementwise steps over large tensors are tiled for the cache.",
        {f"{SCHEDULE}.tiling:tiled_groups_of": return_empty_list},
        (*LARGE_ROWS, *PROGRAMS, *NETWORKS), (f"{SCHEDULE}.tiling",),
    ),
    Technique(
        "parameter copy elision", "Parameters take over results without a copy.",
        {PARAMETER_COPIES: return_none}, NETWORKS, (PARAMETER_COPIES,),
    ),
    Technique(
        "tiles on threads", "Threads share the tiles of a large group.",
        {"minigraph.accel.host.threads:thread_count": lambda old: lambda nbytes, tiles: 1},
        ("elementwise, 16M", "light, 16M", "elementwise, 16M, numba", "light, 16M, numba"),
        ("minigraph.accel.host.threads",),
    ),
    Technique(
        "loops compiled by numba",
        "Fused elementwise steps and reductions are loops that numba compiles, if installed.",
        {f"{LOOPS}.fused_nodes:should_compile_loops": return_false},
        ("chain, numba", "chain, gradient, numba", "elementwise, 16M, numba", "light, 16M, numba"),
        (f"{PASSES}.fuse_loops", f"{PASSES}.expand_composites", "minigraph.operators.scalar_expressions",
         *(f"{LOOPS}.{name}" for name in ("axes", "codegen", "fused_nodes", "numba_kernels", "polynomials"))),
    ),
)  # fmt: skip
BY_NAME = {technique.name: technique for technique in TECHNIQUES}

# modules that every compiled program uses, whatever techniques are on
SHARED_MODULES = (
    "minigraph.accel.tolerances", f"{KERNELS}.table",
    *(f"{SCHEDULE}.{name}" for name in (
        "buffers", "lowering", "plan", "program", "tiled_memory", "tiled_plan", "tiled_source",
    )),
)  # fmt: skip


def resolve(target: str) -> Any:
    """The object of a name ``"module:name"``, or the module; raises where there is none."""
    module, _, name = target.partition(":")
    imported = importlib.import_module(module)
    return getattr(imported, name) if name else imported


def code_lines(target: str) -> int:
    """Lines of code of a module or function, without blanks, comments and docstrings.

    >>> code_lines("benchmarks.techniques.replacements:replace_by")
    2
    """
    text = inspect.getsource(resolve(target))
    lines = {line for token in tokenize.generate_tokens(io.StringIO(text).readline) for line in _lines(token)}
    return len(lines - set(_docstrings(ast.parse(text))))


def _lines(token: tokenize.TokenInfo) -> range:
    """The lines of a token, if it is code."""
    not_code = tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
    return range(0) if token.type in not_code else range(token.start[0], token.end[0] + 1)


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            yield from range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
