"""Rules: ``fuse`` puts what a pattern matches into one node, ``@rule`` replaces it by something equal.

>>> MATMUL_BIAS = fuse("MatMulBias", lambda x, w, b: x @ w + b)
>>> @rule
... def neg_neg(x):
...     '''Flipping the sign bit twice gives the same bits.'''
...     return -(-x), x
>>> print(neg_neg)
neg_neg: neg(neg(x)) -> x

A rule is a pass too: put it into a pipeline, or into a list of rules of your own pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from minigraph.errors import RuleError
from minigraph.ir.graph import Graph, Ref
from minigraph.op import Op
from passes.build import Template
from passes.match import Match, Matcher
from passes.pattern import Call, Term, Var, checked, run, term_of, terms, traced
from passes.rewrite import Rule

Where = Callable[[Match], bool]


def fuse(name: str, pattern: Callable[..., Any], *, where: Where | None = None) -> Rule:
    """A rule that outlines every match into a fused node called ``name``: no operator to define.

    Attributes the pattern does not mention may be anything, because the body keeps them. ``where`` sees the
    match: ``where=lambda m: m.w.shape[0] >= 16``. Raises ``RuleError`` for a pattern that is none.
    """
    tree = _located(pattern, traced, pattern)
    matcher = Matcher(tree, strict=False)
    find = _with(matcher, where)
    text = f"{name}: {tree} -> fused"
    return Rule(name, tree.op, len(matcher.calls), find, None, text, _loc(pattern), pattern=tree)


@overload
def rule(function: Callable[..., Any], /) -> Rule: ...
@overload
def rule(
    *, where: Where | None = None, recompute: bool = False, same_memory: bool = False
) -> Callable[[Callable[..., Any]], Rule]: ...
def rule(
    function: Callable[..., Any] | None = None,
    /,
    *,
    where: Where | None = None,
    recompute: bool = False,
    same_memory: bool = False,
) -> Rule | Callable[[Callable[..., Any]], Rule]:
    """Make a rule of a function that returns (pattern, replacement), both computed from its parameters.

    The replacement must equal the pattern in shape, dtype and value; a match where shape or dtype differ is
    left alone. Attributes the pattern does not mention must be at their defaults. Raises ``RuleError`` for a
    parameter that does not occur in the pattern, or a replacement that is the pattern again.
    """
    if function is None:
        return lambda f: _rewriting(f, where, recompute, same_memory)
    return _rewriting(function, where, recompute, same_memory)


def local_rule(root: Op, *, same_memory: bool = False) -> Callable[[Callable[[Graph, int], Ref | None]], Rule]:
    """Make a rule of ``function(graph, node)``, called at every node of ``root``.

    It returns the value that replaces the node's, a new node's or an existing one, or ``None`` where the rule
    does not apply; it emits nothing then.
    """

    def make(function: Callable[[Graph, int], Ref | None]) -> Rule:
        return Rule(
            function.__name__, root, 1, lambda graph, node: Match(graph, (node,), {}, {}),
            lambda match: function(match.graph, match.root), f"{function.__name__}: {root}(...) -> computed",
            _loc(function), same_memory=same_memory, doc=function.__doc__ or "",
        )  # fmt: skip

    return make


def _rewriting(function: Callable[..., Any], where: Where | None, recompute: bool, same_memory: bool) -> Rule:
    pattern, replacement = _located(function, _two_sides, function)
    matcher = Matcher(pattern, strict=True)
    return Rule(
        function.__name__, pattern.op, len(matcher.calls), _with(matcher, where), Template(replacement).build,
        f"{function.__name__}: {pattern} -> {replacement}", _loc(function), recompute, same_memory,
        function.__doc__ or "", pattern, replacement,
    )  # fmt: skip


def _two_sides(function: Callable[..., Any]) -> tuple[Call, Term]:
    sides = run(function)
    if not isinstance(sides, tuple) or len(sides) != 2:
        raise RuleError("it must return (pattern, replacement)")
    pattern, replacement = checked(function, sides[0]), term_of("the replacement", sides[1])
    if str(pattern) == str(replacement):
        raise RuleError(f"the replacement is the pattern, {pattern}, so it would never end; replace by something else")
    known = {t.name for t in terms(pattern) if isinstance(t, Var)}
    unknown = [t.name for t in terms(replacement) if isinstance(t, Var) and t.name not in known]
    if unknown:
        raise RuleError(f"'{unknown[0]}' is not in the pattern {pattern}")
    return pattern, replacement


def _with(matcher: Matcher, where: Where | None) -> Callable[[Graph, int], Match | str | None]:
    if where is None:
        return matcher.find

    def find(graph: Graph, node: int) -> Match | str | None:
        found = matcher.find(graph, node)
        return found if not isinstance(found, Match) or where(found) else "where"

    return find


def _located(function: Callable[..., Any], make: Callable[..., Any], *args: Any) -> Any:
    try:
        return make(*args)
    except RuleError as error:
        raise RuleError(f"rule '{function.__name__}' ({_loc(function)}): {error}") from None


def _loc(function: Callable[..., Any]) -> str:
    code = function.__code__
    return f"{code.co_filename.rpartition('/')[2]}:{code.co_firstlineno}"
