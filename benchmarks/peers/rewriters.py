"""Other systems that rewrite graphs, used if they are installed: how each builds a graph, and its passes."""

from __future__ import annotations

import importlib
import importlib.util
import operator
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from benchmarks.work.graph_specs import INPUT_COUNT, GraphSpec

Run = Callable[[Any], Any]
MAX_NODES = 1_000_000


class Task(NamedTuple):
    """A pass: ``run`` takes the graph of ``build``, ``count`` counts the operators of the result.

    ``max_nodes`` is the largest size that is run, because some passes are quadratic.
    """

    run: Run
    count: Run | None = None
    max_nodes: int = MAX_NODES


class Rewriter(NamedTuple):
    """A system: how it builds a graph, and its passes by task."""

    name: str
    build: Callable[[GraphSpec], Any]
    tasks: Mapping[str, Task]


def rewriters() -> list[Rewriter]:
    """The installed systems, in a fixed order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [make() for module, make in REWRITER_FACTORIES if importlib.util.find_spec(module)]


def missing_systems() -> list[str]:
    """The systems that are not installed."""
    return [module for module, _ in REWRITER_FACTORIES if not importlib.util.find_spec(module)]


def _import(*names: str) -> list[Any]:
    return [importlib.import_module(name) for name in names]


# ---- torch.fx ------------------------------------------------------------------------------------------


@cache
def torch_fx() -> Rewriter:
    """PyTorch's graphs; ``replace_pattern`` and the partitioner take quadratic time."""
    torch, fx = _import("torch", "torch.fx")
    rewriter, utils = _import("torch.fx.subgraph_rewriter", "torch._functorch.compile_utils")
    partitioner, support = _import("torch.fx.passes.infra.partitioner", "torch.fx.passes.operator_support")
    functions = {"add": operator.add, "mul": operator.mul, "sub": operator.sub, "maximum": torch.maximum}

    def build(spec: GraphSpec) -> Any:
        graph = fx.Graph()
        values = [graph.placeholder(f"x{k}") for k in range(INPUT_COUNT)]
        for name, ins in spec.nodes:
            values.append(graph.call_function(functions[name], tuple([values[k] for k in ins])))
        graph.output(tuple([values[k] for k in spec.outs]))
        return fx.GraphModule({}, graph)

    def fuse(module: Any) -> Any:
        for pattern in (lambda a, b, c: a * b + c, lambda a, b, c: c + a * b):
            rewriter.replace_pattern(module, pattern, lambda a, b, c: torch.addcmul(c, a, b))
        return module

    class AllSupported(support.OperatorSupportBase):  # type: ignore[name-defined,misc]
        def is_node_supported(self, modules: Any, node: Any) -> bool:
            return bool(node.op == "call_function")

    def count_operators(graph: Any) -> int:
        return sum(node.op == "call_function" for node in getattr(graph, "graph", graph).nodes)

    def group(module: Any) -> Any:
        return partitioner.CapabilityBasedPartitioner(module, AllSupported()).propose_partitions()

    return Rewriter("torch.fx", build, {
        "dce": Task(lambda module: module.graph.eliminate_dead_code() and module, count_operators),
        "cse": Task(lambda module: utils.fx_graph_cse(module.graph), count_operators),
        "fuse": Task(fuse, count_operators, 10_000),
        "groups": Task(group, None, 1_000),
        "verify": Task(lambda module: module.graph.lint()),
    })  # fmt: skip


# ---- xDSL ----------------------------------------------------------------------------------------------


@cache
def xdsl() -> Rewriter:
    """xDSL, on the operators of MLIR's arith dialect."""
    arith, math, func, builtin = _import(*(f"xdsl.dialects.{name}" for name in ("arith", "math", "func", "builtin")))
    ir, patterns, dead, repeated = _import(
        "xdsl.ir", "xdsl.pattern_rewriter", "xdsl.transforms.dead_code_elimination",
        "xdsl.transforms.common_subexpression_elimination",
    )  # fmt: skip
    operators = {"add": arith.AddfOp, "mul": arith.MulfOp, "sub": arith.SubfOp, "maximum": arith.MaximumfOp}

    def build(spec: GraphSpec) -> Any:
        block = ir.Block(arg_types=[builtin.f32] * INPUT_COUNT)
        values = list(block.args)
        for name, ins in spec.nodes:
            op = operators[name](*[values[k] for k in ins])
            block.add_op(op)
            values.append(op.results[0])
        block.add_op(func.ReturnOp(*[values[k] for k in spec.outs]))
        types = [builtin.f32] * INPUT_COUNT, [builtin.f32] * len(spec.outs)
        return builtin.ModuleOp([func.FuncOp("f", types, ir.Region(block))])

    class MulAdd(patterns.RewritePattern):  # type: ignore[name-defined,misc]
        def match_and_rewrite(self, op: Any, rewriter: Any) -> None:
            for first, other in ((0, 1), (1, 0)) if isinstance(op, arith.AddfOp) else ():
                product = op.operands[first].owner
                if isinstance(product, arith.MulfOp) and product.results[0].has_one_use():
                    rewriter.replace_op(op, math.FmaOp(*product.operands, op.operands[other]))
                    rewriter.erase_op(product)
                    return

    def count_operators(module: Any) -> int:
        return sum(1 for _ in module.walk()) - 3  # without the module, the function, and its return

    def fuse(module: Any) -> Any:
        patterns.PatternRewriteWalker(MulAdd()).rewrite_module(module)
        return module

    def in_place(run: Run) -> Run:
        return lambda module: (run(module) and None) or module

    return Rewriter("xDSL", build, {
        "dce": Task(in_place(dead.dce), count_operators),
        "cse": Task(in_place(lambda module: repeated.cse(module.body.block)), count_operators),
        "fuse": Task(fuse, count_operators),
        "verify": Task(lambda module: module.verify()),
    })  # fmt: skip


# ---- onnx-ir and onnxscript ----------------------------------------------------------------------------


@cache
def onnxscript() -> Rewriter:
    """onnx-ir's passes, and onnxscript's rules, which try both operand orders of commutative operators."""
    ir, common, pattern = _import("onnx_ir", "onnx_ir.passes.common", "onnxscript.rewriter.pattern")
    operators = {"add": "Add", "mul": "Mul", "sub": "Sub", "maximum": "Max"}
    fma = pattern.RewriteRule(lambda op, a, b, c: op.Add(op.Mul(a, b), c),
                              lambda op, a, b, c: op.MulAdd(a, b, c, _domain="benchmark"))  # fmt: skip
    rules = pattern.RewriteRuleSet([fma], commute=True)

    def value(name: str) -> Any:
        return ir.Value(name=name, type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([4, 4]))

    def build(spec: GraphSpec) -> Any:
        values = [value(f"x{k}") for k in range(INPUT_COUNT)]
        nodes = []
        for name, ins in spec.nodes:
            values.append(value(f"v{len(values)}"))
            nodes.append(ir.Node("", operators[name], [values[k] for k in ins], outputs=[values[-1]]))
        outs = [values[k] for k in spec.outs]
        graph = ir.Graph(values[:INPUT_COUNT], outs, nodes=nodes, opset_imports={"": 18}, name="f")
        return ir.Model(graph, ir_version=10)

    def fuse(model: Any) -> Any:
        rules.apply_to_model(model)
        return model

    def count_operators(model: Any) -> int:
        return len(model.graph)

    def as_run(run: Any) -> Run:
        return lambda model: run(model).model

    return Rewriter("onnxscript", build, {
        "dce": Task(as_run(common.RemoveUnusedNodesPass()), count_operators),
        "cse": Task(as_run(common.CommonSubexpressionEliminationPass()), count_operators),
        "fuse": Task(fuse, count_operators, 100_000),
        "verify": Task(common.CheckerPass()),
    })  # fmt: skip


REWRITER_FACTORIES: tuple[tuple[str, Callable[[], Rewriter]], ...] = (
    ("torch", torch_fx), ("xdsl", xdsl), ("onnxscript", onnxscript),
)  # fmt: skip
