"""Errors of rule definitions, with the rule's name and line."""

import re

import pytest

from minigraph import ops
from minigraph.core.errors import MinigraphError, RuleError, UsageError
from minigraph.core.op import apply
from passes import S, chain, fuse, fuse_groups, is_cheap, many, maybe, reapply, rule
from tests.tables import cases, error_cases


def foreign(x):
    """A replacement with a variable of another rule."""
    strayed = []

    def first(y):
        strayed.append(y)
        return -y, y

    rule(first)
    return -x, strayed[0]


def dead(x, y):
    """An unused operator."""
    x * y
    return x + y, y


def grows(x, y):
    return x + y, apply("tanh", (y + x) * 2)


def define_fusion(pattern):
    """Define a fusion of this pattern; an error starts with its name and line."""
    try:
        fuse("Nothing", pattern)
    except RuleError as error:
        assert re.match(r"rule 'Nothing' \(test_definition_checks.py:\d+\): ", str(error))
        raise


def concat(xs):
    return apply("concat", many(xs), axis=0)


@cases(
    (lambda x: -x, r"it must return \(pattern, replacement\)"),
    (lambda x: (-x, x, x), "it must return"),
    (lambda x: (x, -x), "the result is 'x', which matches everything"),
    (lambda x: (maybe("neg", x), x), "the result is 'x', which matches everything"),
    (lambda x, y: (-x, y), r"'y' does not occur in neg\(x\)"),
    (lambda x: (-x, None), "the replacement takes variables and numbers, got NoneType"),
    (lambda x: ((-x, apply("exp", x)), x), "the pattern has 2 results and the replacement 1"),
    (foreign, r"the variable 'y' is not in the pattern neg\(x\)"),
    (dead, r"mul\(x, y\) is computed and not used; remove it or return it"),
    (lambda x, b: (apply("exp", maybe(lambda t: t + b, x)), x * b), r"'b' is not in the pattern exp\(x\), so"),
    (lambda x: (-x, apply("sum", x, axis=S.a)), r"the attribute 'a' is not in the pattern neg\(x\)"),
    (lambda x: (-x, -x), r"the replacement is the pattern, neg\(x\), so it would never terminate"),
    (lambda x, y: (x + y, y + x), r"the replacement contains the pattern, add\(y, x\), so it would never terminate"),
    (grows, r"the replacement contains the pattern, add\(y, x\).*use once=True or where="),
    (lambda x, y, z: ((x + y) * z, -(z * (y + x))), r"contains the pattern, mul\(z, add\(y, x\)\)"),
    (lambda x: (apply("sum", x, axis=S.a), -apply("sum", x, axis=S.a)), r"the pattern, sum\(x, axis=\?a\)"),
    (lambda x: (apply("sum", x), -apply("sum", x, keepdims=False)), r"contains the pattern, sum\(x, keepdims=F"),
    (lambda x: (x * 2, 2 * x + 0), r"contains the pattern, mul\(2, x\)"),
    (lambda x: (apply("sum", x, dim=0), x), "sum has no attribute 'dim'"),
    (lambda x: (apply("sum", x, axsi=0), x), "sum has no attribute 'axsi'; did you mean 'axis'?"),
    (lambda x: (apply("softmax", x, axis=S.a) + S.a, x), r"\?a has no known value, so a pattern cannot match it"),
    (lambda x: (-x, x + S.a), r"the attribute 'a' is not in the pattern neg\(x\)"),
    (lambda x: (apply("cast", x), x), r"cast\(x\) would match nothing, dtype has no default; capture it"),
    (lambda x: (apply("transpose", x, axes=S(len)), x), "axes is computed in the pattern; capture it with S.axes"),
    (lambda x: (apply("add", x), x), "add: takes 2 operands, got 1"),
    (lambda x, y: (apply("assign", x, y, name="w"), y), "has an effect, and rules cannot match effects"),
    (lambda x: (reapply(chain(is_cheap, x), x), x), r"reapply\(...\) belongs in the replacement"),
    (lambda x: (-x, chain(is_cheap, x)), "has chain.*which only a pattern can have"),
    (lambda x: (-x, maybe("exp", x)), "which only a pattern can have"),
    (lambda x: (-x, reapply(chain(is_cheap, x), x)), "repeats a chain that is not in the pattern"),
    (lambda x: (-x, reapply(x, x)), r"reapply takes what chain\(...\) returned, got x"),
    (lambda x: (-x, apply("concat", many(x), axis=0)), r"'x' is one value in the pattern, neg\(x\); use many"),
    (lambda xs: (concat(xs), -xs), r"neg\(xs\) takes one value, and 'xs' is a list of them"),
    (lambda xs, y: (apply("concat", many(xs, lambda x: x + y), axis=0), y), "operand may use only 'xs' and numbers"),
    (lambda xs, ys: (apply("concat", many(xs), many(ys), axis=0), -1), "which is ambiguous; use one many"),
    (lambda x: (apply("concat", many(-x), axis=0), x), r"many takes a variable, got neg\(x\)"),
    (lambda *, x: (-x, x), "parameter 'x' is not positional; name every variable"),
)
def test_an_invalid_rule_is_rejected_at_its_definition(function, message):
    name = function.__name__
    with pytest.raises(RuleError, match=rf"rule '{name}' \(test_definition_checks.py:\d+\): .*{message}"):
        rule(function)


test_an_invalid_fusion_is_rejected = error_cases(
    (lambda x: x, "matches everything"),
    (lambda x: 3, "the result is '3'"),
    (lambda x: apply("sum", x, dim=0), "sum has no attribute 'dim'"),
    (lambda x, y: -x, "'y' does not occur"),
    by=define_fusion,
    error=RuleError,
)


ENDING = [
    lambda x: (apply("neg", -x), x),
    lambda x: (apply("abs", apply("abs", x)), apply("abs", x)),
    lambda x: (x + x, x * 2),
    lambda x: (x * 2, x + x),
    lambda x: (x * 1, x * 3),
    lambda x: (apply("sum", x), apply("sum", x, axis=S(lambda m: ()))),
    lambda x: (apply("sum", x, axis=0), apply("sum", x, axis=1)),
    lambda x: (apply("sum", x, axis=S.a), apply("sum", x, axis=0)),
    lambda x, y, z: ((x - y) - z, x - (y + z)),
    lambda x, y: (x - y, -(y - x)),  # does not terminate either, but a difference of values is the better message
    lambda x: (apply("exp", -x) * x, apply("exp", x)),
    lambda x, y: (x * x + y, x * (x + y)),
]


@pytest.mark.parametrize("function", ENDING)
def test_terminating_rules_are_accepted(function):
    assert rule(function).loc.startswith("test_definition_checks.py:")


def test_a_predicate_or_once_may_terminate_a_replacement_that_contains_the_pattern():
    def pad(x, w):
        return x @ w, (x @ w) + 0.0

    with pytest.raises(RuleError, match="contains the pattern"):
        rule(pad)
    assert rule(once=True)(pad) and rule(where=lambda m: m.x.shape[0] % 16 > 0)(pad)
    with pytest.raises(RuleError, match="the replacement is the pattern"):
        rule(once=True)(lambda x: (-x, -x))


def test_a_tolerance_is_for_rules_that_are_not_exact():
    with pytest.raises(UsageError, match="tol=0.1 is for rules that are not exact; set exact=False"):
        rule(tol=0.1)(lambda x: (apply("neg", -x), x))
    loose = rule(exact=False, tol=1e-3)(lambda x: (apply("exp", x) * apply("exp", x), apply("exp", x * 2)))
    assert (loose.exact, loose.tol) == (False, 1e-3)
    assert issubclass(RuleError, MinigraphError)


test_arguments_that_are_none_are_refused = error_cases(
    (lambda: rule(wehre=None), "rule: no option 'wehre'; did you mean 'where'?"),
    (lambda: rule(exact=False, tol=-1), "rule: tol=-1 is not between 0 and 1"),
    (lambda: rule(exact=False, tol="x"), "rule: tol='x' is not between 0 and 1"),
    (lambda: rule(3), "rule: 3 is not a function; write a def"),
    (lambda: fuse(lambda x: -x, lambda x: x), "is not a name; write fuse"),
    (lambda: fuse("Nothing", "x + y"), "fuse 'Nothing': 'x \\+ y' is not a function; write a def"),
    (lambda: fuse_groups("elementwise"), "fuse_groups: 'elementwise' is not a predicate; give a function"),
    (lambda: fuse_groups(is_cheap, max_nodes=1), "fuse_groups: max_nodes=1 must be an integer of at least 2"),
    error=UsageError,
)


def test_the_error_of_a_pattern_that_reads_shapes_has_a_remedy():
    with pytest.raises(RuleError, match=r"'x' has no value, shape or dtype; write the operator itself, apply\(\"name"):
        fuse("Conv", lambda x, w: ops.conv2d(x, w))
    assert fuse("Conv", lambda x, w: apply("relu", apply("conv2d", x, w)))
