"""The program of a counterexample: both sides as plain functions, called with inputs for which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.core.types import DType
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import Ref, reference
from minigraph.ir.structural_ops import Literal
from passes.rewrite.pattern import AttrVar, Call, Computed, Number, Term, terms
from passes.validate.difference import Difference
from passes.validate.rule_context import RuleContext

IMPORTS = """\
import numpy as np
from minigraph import Parameter, Tensor, grad
from minigraph.core.op import apply
from minigraph.core.tensor.operator_methods import Operand, Slice
from minigraph.core.types import dtype_named
"""


def snippet_of(
    title: str, context: RuleContext, difference: Difference, before: Graph, after: Graph | Term | None
) -> str:
    """A program that shows a difference; ``after`` is the other graph, or a replacement with another type."""
    names = [f"x{k}" if not name.isidentifier() else name for k, name in enumerate(context.names)]
    sides: list[tuple[str, Graph | Term]] = [("pattern", before)]
    sides += [] if after is None or _has_captured_attrs(after) else [("replacement", after)]
    arrays = difference.arrays or [np.ones(t.shape, t.dtype.numpy) for t in context.types]
    lines = [f"# {title}", IMPORTS]
    for name, side in sides:
        body = _body_lines(side, names) if isinstance(side, Graph) else [f"    return {_expression_text(side)}"]
        lines += [f"def {name}({', '.join(names)}):", *body, "", ""]
    lines += [f"{name} = {_tensor_text(array)}" for name, array in zip(names, arrays, strict=True)]
    for name, _ in sides:
        lines.append(f'print("{name}:", {_call_text(name, names, difference)})')
    return "\n".join(lines) + "\n"


def _call_text(function: str, names: Sequence[str], difference: Difference) -> str:
    args = ", ".join(names)
    if difference.kind != "gradient":
        return f"{function}({args})"
    positions = tuple(k for k, array in enumerate(difference.arrays) if array.dtype.kind == "f")
    seeds = difference.cotangents
    if all((seed == 1).all() for seed in seeds):
        return f"grad({function}, {positions})({args})"
    sens = ", ".join(map(_tensor_text, seeds))
    return f"grad({function}, {positions}, sens_param=True)({args}, ({sens},))"


def _body_lines(graph: Graph, names: Sequence[str]) -> list[str]:
    lines: list[str] = []
    outs = _write_graph(graph, names, lines)
    return [f"    {line}" for line in [*lines, f"return {', '.join(outs)}"]]


def _has_captured_attrs(side: Graph | Term) -> bool:
    """Whether a term has attributes that only a match can provide."""
    calls = [] if isinstance(side, Graph) else [term for term in terms(side) if isinstance(term, Call)]
    return any(isinstance(value, AttrVar | Computed) for call in calls for value in call.attrs.values())


def _expression_text(root: Term) -> str:
    texts: dict[int, str] = {}
    for term in terms(root)[::-1]:
        if isinstance(term, Call):
            attrs = [f"{name}={_value_text(value)}" for name, value in term.attrs.items()]
            args = [repr(term.op.name), *(texts[id(arg)] for arg in term.args), *attrs]
            texts[id(term)] = f"apply({', '.join(args)})"
        else:
            texts[id(term)] = _value_text(term.value) if isinstance(term, Number) else str(term)
    return texts[id(root)]


def _write_graph(graph: Graph, inputs: Sequence[str], lines: list[str]) -> list[str]:
    """Append the assignments that compute a graph, with fused bodies inlined; returns the names of its outputs."""
    names: dict[Ref, str] = dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.topological():
        role = graph.op(node).role
        if role == "fused":
            results = _write_graph(graph.regions(node)[0], [names[ref] for ref in graph.ins(node)], lines)
        elif role == "const":
            results = [_tensor_text(graph.attrs(node)["value"].array)]
        elif role != "input":
            results = _write_node(graph, node, [names[ref] for ref in graph.ins(node)], lines)
        else:
            continue
        names.update((reference(node, r), name) for r, name in enumerate(results))
    return [names[ref] for ref in graph.outs]


def _write_node(graph: Graph, node: int, args: Sequence[str], lines: list[str]) -> list[str]:
    """Append the assignment of one node; returns the expressions of its results."""
    name = f"v{len(lines)}"
    if graph.op(node).role == "parameter":
        lines.append(f"{name} = Parameter({_zeros_text(graph, node)}, name={graph.attrs(node)['name']!r})")
    else:
        lines.append(f"{name} = apply({', '.join([repr(graph.op(node).name), *args, *_attr_texts(graph, node)])})")
    count = len(graph.types(node))
    return [name] if count == 1 else [f"{name}[{r}]" for r in range(count)]


def _attr_texts(graph: Graph, node: int) -> Iterator[str]:
    yield from (f"{name}={_value_text(value)}" for name, value in graph.attrs(node).items())


def _value_text(value: object) -> str:
    if isinstance(value, DType):
        return f'dtype_named("{value.name}")'
    if isinstance(value, float) and not np.isfinite(value):
        return f'float("{value}")'
    if isinstance(value, Literal):
        return _tensor_text(value.array)
    if type(value) is tuple:
        return f"({''.join(_value_text(item) + ', ' for item in value)})"
    return repr(value)


def _zeros_text(graph: Graph, node: int) -> str:
    type = graph.type(node)
    return f"Tensor(np.zeros({type.shape}, '{type.dtype.name}'))"


def _tensor_text(array: np.ndarray) -> str:
    if not array.size:
        return f"Tensor(np.zeros({array.shape}, '{array.dtype.name}'))"
    text = np.array2string(array, separator=", ", threshold=10_000, formatter={"all": _number_text}).replace("\n", "")
    return f"Tensor(np.array({text}, '{array.dtype.name}'))"


def _number_text(value: Any) -> str:
    number = value.item()
    parts = (number.real, number.imag) if isinstance(number, complex) else (number,)
    texts = [repr(p) if np.isfinite(p) else f"np.{p}" if p == p and p > 0 else "np.nan" if p != p else "-np.inf"
             for p in parts]  # fmt: skip
    return texts[0] if len(texts) == 1 else f"complex({texts[0]}, {texts[1]})"
