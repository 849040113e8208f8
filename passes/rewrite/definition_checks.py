"""Checks of rule definitions: errors in patterns and replacements, raised as ``RuleError`` when a rule is defined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from minigraph.core.aliases import Attrs, Function
from minigraph.core.errors import RuleError, UsageError, did_you_mean
from minigraph.core.location import source_name
from minigraph.ir.exact_keys import exact_key
from passes.rewrite.pattern import (
    Call,
    Chain,
    Computed,
    Either,
    Many,
    Number,
    Reapply,
    Term,
    Terms,
    Var,
    captured_names,
    comma_separated,
    expand_alternatives,
    inputs,
    terms,
    variables,
)  # fmt: skip
from passes.rewrite.tracing import TracedPattern

T = TypeVar("T")


def check_pattern(traced: TracedPattern, strict: bool) -> None:
    """Reject patterns that match everything or nothing, and unused parameters or operators."""
    pattern = traced.results
    for term in terms(*pattern):
        _check_term(term, strict)
    for variant in expand_alternatives(pattern):
        for root in variant:
            if not isinstance(root, Call | Chain):
                raise RuleError(f"the result is '{root}', which matches everything; use an operator in the pattern")
    for name in traced.parameters:
        if name not in variables(*pattern):
            raise RuleError(f"'{name}' does not occur in {comma_separated(pattern)}; remove the parameter or use it")
    for call in traced.unused_calls():
        raise RuleError(f"{call} is computed and not used; remove it or return it")


def _check_term(term: Term, strict: bool) -> None:
    if isinstance(term, Reapply):
        raise RuleError(f"{term} is in the pattern; reapply(...) belongs in the replacement")
    if isinstance(term, Number) and not term.is_known:
        raise RuleError(f"{term} has no known value, so a pattern cannot match it; use it in the replacement only")
    if isinstance(term, Many):
        _check_many(term)
    if isinstance(term, Call):
        if term.op.effects:
            raise RuleError(f"{term} has an effect, and rules cannot match effects; leave it out")
        if sum(isinstance(arg, Many) for arg in term.args) > 1:
            raise RuleError(f"{term} has two lists of operands, which is ambiguous; use one many(...)")
        _check_attributes(term, strict)


def _check_many(many: Many) -> None:
    subterms = terms(many.each)
    if variables(many.each) != [many.name] or captured_names(many.each) or any(isinstance(t, Chain) for t in subterms):
        raise RuleError(f"{many}: each operand may use only '{many.name}' and numbers; use other variables outside")


def _check_attributes(call: Call, strict: bool) -> None:
    op_attributes = call.op.attributes
    for name, value in call.attrs.items():
        if name not in op_attributes:
            raise RuleError(f"{call.op} has no attribute '{name}'{did_you_mean(name, op_attributes)}")
        if isinstance(value, Computed):
            raise RuleError(f"{call.op}: {name} is computed in the pattern; capture it with S.{name}")
    for name in op_attributes.keys() - call.op.defaults.keys() - call.attrs.keys() if strict else ():
        raise RuleError(f"{call} would match nothing, {name} has no default; capture it with {name}=S.{name}")


# ---- two sides -------------------------------------------------------------------------------------


def check_sides(pattern: Terms, replacement: Terms, terminates: bool) -> None:
    """Reject replacements that use values which the pattern does not bind, or that contain the pattern.

    ``terminates``: a predicate or ``once`` may end rewriting, so the replacement may contain the pattern.
    """
    for sides in expand_alternatives((*pattern, *replacement)):
        left, right = sides[: len(pattern)], sides[len(pattern) :]
        _check_bindings(left, right)
        if tuple(map(str, left)) == tuple(map(str, right)):
            text = comma_separated(left)
            raise RuleError(f"the replacement is the pattern, {text}, so it would never terminate; change it")
        if not terminates:
            _check_termination(left, right)
    pattern_terms = {id(term) for term in terms(*pattern)}
    for term in terms(*replacement, subterms_of=inputs):
        if isinstance(term, Either | Chain) and id(term) not in pattern_terms:
            raise RuleError(f"the replacement {comma_separated(replacement)} has {term}, which only a pattern can have")
    for reapplied in (term for term in terms(*replacement) if isinstance(term, Reapply)):
        if id(reapplied.chain) not in pattern_terms:
            raise RuleError(f"{reapplied} repeats a chain that is not in the pattern; use one of the pattern's chains")


def _check_bindings(pattern: Terms, replacement: Terms) -> None:
    """Check that this variant of the pattern binds every name in the replacement."""
    _check_bound("variable", variables(*replacement), variables(*pattern), pattern)
    _check_bound("attribute", captured_names(*replacement), captured_names(*pattern), pattern)
    lists = {term.name for term in terms(*pattern) if isinstance(term, Many)}
    for term in terms(*replacement, subterms_of=inputs):
        if isinstance(term, Many) and term.name not in lists:
            text = comma_separated(pattern)
            raise RuleError(f"'{term.name}' is one value in the pattern, {text}; use many(...) there too")
        if isinstance(term, Call) and any(isinstance(arg, Var) and arg.name in lists for arg in term.args):
            raise RuleError(f"{term} takes one value, and '{term.args[0]}' is a list of them; use many(...)")


def _check_bound(kind: str, used: Iterable[str], bound: Iterable[str], pattern: Terms) -> None:
    for name in used:
        if name not in bound:
            raise RuleError(f"the {kind} '{name}' is not in the pattern {comma_separated(pattern)}, so it has no value")


def _check_termination(pattern: Terms, replacement: Terms) -> None:
    """Check that the replacement does not contain the pattern, in any order of commutative operands."""
    if len(pattern) > 1 or any(isinstance(term, Chain | Many) for term in terms(*pattern)):
        return
    for term in terms(*replacement, subterms_of=inputs):
        if _could_match(pattern[0], term):
            advice = "use once=True or where= if it does terminate"
            raise RuleError(f"the replacement contains the pattern, {term}, so it would never terminate; {advice}")


def _could_match(pattern: Term, term: Term) -> bool:
    """Whether a pattern matches a term; recursive, because rules are small."""
    if isinstance(pattern, Call) and isinstance(term, Call) and _has_equal_operator(pattern, term):
        orders = [term.args]
        if term.op.commutative and len(term.args) > 1:
            orders.append((term.args[1], term.args[0], *term.args[2:]))
        return any(all(map(_could_match, pattern.args, args)) for args in orders)
    if isinstance(pattern, Number) and isinstance(term, Number) and term.is_known:
        return exact_key(pattern.value) == exact_key(term.value)
    return isinstance(pattern, Var) and pattern == term


def _has_equal_operator(pattern: Call, term: Call) -> bool:
    """Whether operator, number of operands and attributes, or their defaults, are equal."""
    defaults = pattern.op.defaults
    names = pattern.attrs.keys() | term.attrs.keys()
    return (
        pattern.op is term.op
        and len(pattern.args) == len(term.args)
        and all(pattern.attrs.get(k, defaults.get(k)) == term.attrs.get(k, defaults.get(k)) for k in names)
    )


# ---- arguments and locations -----------------------------------------------------------------------


def with_rule_location(name: str, function: Function, define: Callable[[], T]) -> T:
    """Call ``define``; prefix a ``RuleError`` with the rule's name and location."""
    try:
        return define()
    except RuleError as error:
        raise RuleError(f"rule '{name}' ({location_of(function)}): {error}") from None


RULE_OPTIONS = ("where", "recompute", "once", "same_memory", "target", "exact", "tol", "examples")  # of @rule


def check_options(options: Attrs) -> None:
    """Raise ``UsageError`` for unknown keywords of ``@rule`` and for invalid tolerances."""
    for name in options.keys() - set(RULE_OPTIONS):
        raise UsageError(f"rule: no option '{name}'{did_you_mean(name, ('root', *RULE_OPTIONS))}")
    tol = options.get("tol", 0.0)
    if isinstance(tol, bool) or not isinstance(tol, int | float) or not 0 <= tol < 1:
        raise UsageError(f"rule: tol={tol!r} is not between 0 and 1; give the relative tolerance of results")
    if tol and options.get("exact", True):
        raise UsageError(f"rule: tol={tol} is for rules that are not exact; set exact=False")


def check_callable(caller: str, function: object) -> None:
    """Raise ``UsageError`` for an object that is no Python function."""
    if not hasattr(function, "__code__"):
        raise UsageError(f"{caller}: {function!r:.60} is not a function; write a def or a lambda")


def file_of(function: Function) -> str:
    """The full path of a function's file."""
    return function.__code__.co_filename


def location_of(function: Function) -> str:
    """The file:line of a function."""
    code = function.__code__
    return f"{source_name(code.co_filename)}:{code.co_firstlineno}"
