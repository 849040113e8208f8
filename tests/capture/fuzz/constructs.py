"""Which constructs a program has, read from its text: statements, calls, methods, ways of storing."""

import ast

NAMED = (
    ast.If, ast.While, ast.For, ast.Try, ast.With, ast.Match, ast.Raise, ast.Assert, ast.Delete, ast.Import, ast.Global,
    ast.Nonlocal, ast.AugAssign, ast.Break, ast.Continue, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp,
    ast.NamedExpr, ast.IfExp, ast.BoolOp, ast.JoinedStr, ast.Starred, ast.Yield,
)  # fmt: skip
BLOCKS = (ast.If, ast.While, ast.For, ast.Try, ast.With, ast.Match)
COMMON = {"Tensor", "call", "super", "__init__", "step", "construct", "Net", "get"}


def constructs_of(text):
    """The names of the constructs in a program, except for constructs of the calling function."""
    tree = ast.parse(text)
    parts = [node for node in tree.body if getattr(node, "name", "") != "calls"]
    return frozenset(name for part in parts for node in ast.walk(part) for name in _names(node)) - COMMON


def _names(node):
    if isinstance(node, NAMED):
        yield type(node).__name__.lower()
    if isinstance(node, ast.Call):
        function = node.func
        yield (
            f".{function.attr}()" if isinstance(function, ast.Attribute) else getattr(function, "id", "call of a value")
        )
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield f"{type(node).__name__.lower()} stored"
    if isinstance(node, ast.FunctionDef) and node.name.startswith("__"):
        yield node.name
    if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        yield "is"
    if isinstance(node, BLOCKS) and any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
        yield "return in a block"
