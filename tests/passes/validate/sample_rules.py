"""Wrong rules and correct rules, as samples for the rule checker."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from minigraph.core.op import apply, op_named
from minigraph.core.types import float16, float32
from minigraph.ir.graph import Graph, Ref
from passes import Rule, S, chain, is_cheap, many, reapply
from tests.passes.small_graphs import named_rule


class Wrong(NamedTuple):
    """A wrong rule, the kind of its difference, and the inputs of the counterexample if it has one."""

    rule: Rule
    kind: str


def wrong(name: str, kind: str, function: Callable[..., Any], **options: Any) -> Wrong:
    """A wrong rule of this name, and the kind of its difference."""
    return Wrong(named_rule(name, function, **options), kind)


def inexact(right: Rule) -> Rule:
    """The rule with ``exact=False``."""
    return replace(right, exact=False, tol=1e-9)


def keeps_type(match: Any) -> bool:
    """Whether the result is of the type of ``x``."""
    return bool(match.x.type == match.out.type)


def is_of_kind(kind: str) -> Callable[[Any], bool]:
    """The predicate whether ``x`` has a dtype of a kind."""
    return lambda match: bool(match.x.dtype.kind == kind)


is_whole = is_of_kind("i")


def is_signed(match: Any) -> bool:
    """Whether ``x`` can be negative or NaN."""
    return bool(match.x.dtype.numpy.kind != "u")


def is_constant(name: str) -> Callable[[Any], bool]:
    """The predicate whether a variable is a constant."""
    return lambda match: getattr(match, name).const is not None


def accept_always(match: Any) -> bool:
    """Always true; without a predicate, a non-terminating rule is rejected at its definition."""
    return True


def relu(x: Any) -> Any:
    """max(x, 0)."""
    return apply("relu", x)


def neg(x: Any) -> Any:
    """The negative."""
    return apply("neg", x)


def magnitude(x: Any) -> Any:
    """|x|."""
    return apply("abs", x)


def exp(x: Any) -> Any:
    """e to the power of x."""
    return apply("exp", x)


def rotate_axes(x: Any) -> Any:
    """The axes rotated by one position."""
    return apply("transpose", x, axes=(1, 2, 0))


def transpose(x: Any) -> Any:
    """The transposed matrix."""
    return apply("transpose", x, axes=(1, 0))


def total(x: Any) -> Any:
    """The sum of all elements."""
    return apply("sum", x)


def stop_gradient(x: Any) -> Any:
    """x without a gradient."""
    return apply("stop_gradient", x)


def cast(x: Any, dtype: Any) -> Any:
    """x in another dtype."""
    return apply("cast", x, dtype=dtype)


def pool(x: Any) -> Any:
    """The mean of every two by two."""
    return apply("avg_pool2d", x, kernel=2)


def concat(xs: Any) -> Any:
    """Concatenation along any axis."""
    return apply("concat", xs, axis=S.axis)


# ---- wrong: the first fourteen come from the design -------------------------------------------------

DESIGN = (
    wrong("sum_of_relus", "value", lambda x, y: (relu(x) + relu(y), relu(x + y))),
    wrong("transpose_of_product", "type", lambda x, y: (transpose(x @ y), transpose(x) @ transpose(y))),
    wrong("plus_zeros_like", "type", lambda x, y: (x + y * 0, x)),
    wrong("root_of_square", "value", lambda x: (apply("sqrt", x * x), x)),
    wrong("sum_of_sums", "value", lambda x, y: (total(x) + total(y), total(x + y))),
    wrong("drop_stop_gradient", "gradient", lambda x: (stop_gradient(x), x)),
    wrong("square_of_held", "gradient", lambda x: (x * stop_gradient(x), x * x)),
    wrong("abs_of_held", "gradient", lambda x: (magnitude(stop_gradient(x)), magnitude(x))),
    wrong("swapped_difference", "value", lambda x, y: (x - y, y - x)),
    wrong("product_of_exps", "value", lambda x, y: (exp(x) * exp(y), exp(x * y))),
    wrong("sum_into_maximum", "value", lambda x, y, z: (apply("maximum", x, y) + z, apply("maximum", x, y + z))),
    wrong("bias_transposed", "type", lambda x, w, b: (x @ w + transpose(b), x @ w + b)),
    wrong("swapped_quotient", "value", lambda x, y: (x / y, y / x)),
    wrong("relu_of_negative", "value", lambda x: (relu(-x), -relu(x))),
)

# ---- wrong: more of each family ---------------------------------------------------------------------


def swap_scale_and_shift(x: Any, scale: Any, shift: Any, mean: Any, variance: Any) -> Any:
    moments = mean, variance
    return apply("batch_norm", x, scale, shift, *moments), apply("batch_norm", x, shift, scale, *moments)


def prints_first(graph: Graph, node: int) -> Ref | None:
    """Prints the operand and returns it."""
    graph.emit(op_named("print"), graph.ins(node), {"texts": (None,)})
    return graph.emit(op_named("sigmoid"), graph.ins(node))


def second_result(x: Any, y: Any) -> Any:
    positive = relu(x)
    return (positive + y, positive * y), (positive + y, positive * x)


def chain_on_its_end(x: Any) -> Any:
    steps = chain(is_cheap, -x)
    return relu(steps), relu(reapply(steps, x))


MORE = (
    wrong("other_axis", "value", lambda x: (apply("softmax", x, axis=0), apply("softmax", x, axis=-1))),
    wrong("mean_is_sum", "value", lambda x: (apply("mean", x), total(x))),
    wrong("kept_axes", "type", lambda x: (apply("sum", x, keepdims=True), total(x))),
    wrong("times_zero", "value", lambda x: (x * 0, 0)),
    wrong("over_itself", "value", lambda x: (x / x, 1), where=keeps_type),
    wrong("plus_zero", "sign of zero", lambda x: (x + 0, x)),
    wrong("other_brackets", "loop", lambda x, y, z: ((x + y) + z, x + (y + z))),
    wrong("reciprocal_product", "rounding", lambda x: (x / 3, x * (1 / 3))),
    wrong("through_half", "value", lambda x: (cast(cast(x, float16), float32), x), where=keeps_type),
    wrong("cast_away", "type", lambda x: (cast(x, float32), x)),
    wrong("bigger_when_one_more", "value", lambda x: (apply("maximum", x + 1, x), x + 1), where=is_whole),
    wrong("doubled_and_halved", "value", lambda x: (apply("floor_div", x * 2, 2), x), where=is_whole),
    wrong("abs_twice_negative", "value", lambda x: (apply("maximum", magnitude(x), 0), magnitude(x)), where=is_whole),
    wrong("log_of_product", "value", lambda x, y: (apply("log", x * y), apply("log", x) + apply("log", y))),
    wrong("exp_of_log", "value", lambda x: (exp(apply("log", x)), x)),
    wrong("other_branch", "value", lambda c, x, y: (apply("where", c, x, y), apply("where", c, y, x))),
    wrong("joined_backwards", "value", lambda x, y: (apply("concat", x, y), apply("concat", y, x))),
    wrong("pooled_then_relu", "value", lambda x: (pool(relu(x)), relu(pool(x)))),
    wrong("relu_before_conv", "value", lambda x, w: (relu(apply("conv2d", x, w)), apply("conv2d", relu(x), w))),
    wrong("scale_and_shift_swapped", "value", swap_scale_and_shift),
    wrong("transposed_thrice", "value", lambda x: (rotate_axes(rotate_axes(x)), x)),
    wrong("held_sum", "gradient", lambda x, y: (stop_gradient(x) + y, x + y)),
    wrong("held_product", "gradient", lambda x, w: (stop_gradient(x @ w), x @ w)),
    wrong("broadcast_late", "value", lambda x, y: (relu(x + y), relu(x) + y)),
    wrong("sorted_operands", "loop", lambda x, y: (x * y, y * x), recompute=True, where=accept_always),
    wrong("ever_more_signs", "loop", lambda x: (-x, neg(neg(-x))), recompute=True, where=accept_always),
    wrong("erased_assignment", "driver", lambda graph, node: graph.ins(node)[1], root="assign"),
    wrong("prints_first", "effect", prints_first, root="tanh"),
    wrong("other_dtype", "driver", lambda g, n: g.emit(op_named("cast"), (n,), {"dtype": float16}), root="neg"),
    wrong("one_of_two_forms", "value", lambda x, y: (exp((x + y) | (x - y)), exp(x) * exp(y))),
    wrong("second_result", "type", second_result),
    wrong("only_with_a_constant", "value", lambda x, c: (exp(x) * c, exp(x * c)), where=is_constant("c")),
    wrong("only_on_a_constant", "value", lambda x: (exp(x), apply("tanh", x)), where=is_constant("x")),
    wrong("any_number_of_operands", "value", lambda xs: (relu(concat(many(xs))), concat(many(xs)))),
    wrong("chain_on_its_end", "value", chain_on_its_end),
    wrong("factors_transposed", "type", lambda x, y: (x @ y, y @ x), once=True),
)
WRONG = DESIGN + MORE

# ---- right -----------------------------------------------------------------------------------------


def composed_softmax(x: Any) -> Any:
    powers = exp(x)
    return powers / apply("sum", powers, axis=-1, keepdims=True), apply("softmax", x)


def both_results(x: Any, y: Any) -> Any:
    twice = neg(neg(x))
    return (twice + y, twice * y), (x + y, x * y)


def signs_below_a_chain(x: Any) -> Any:
    steps = chain(is_cheap, neg(neg(x)))
    return steps, reapply(steps, x)


def are_like_floats(match: Any) -> bool:
    """Whether ``x`` and ``y`` have the same float type."""
    return bool(match.x.type == match.y.type and match.x.dtype.is_float)


RIGHT = (
    named_rule("relu_relu", lambda x: (relu(relu(x)), relu(x))),
    named_rule("neg_neg", lambda x: (neg(-x), x)),
    named_rule("transposed_twice", lambda x: (transpose(transpose(x)), x), where=lambda m: len(m.x.shape) == 2),
    named_rule("max_of_same", lambda x: (apply("maximum", x, x), x)),
    inexact(named_rule("times_one", lambda x: (x * 1, x))),
    inexact(named_rule("right_transpose_of_product", lambda x, y: (transpose(x @ y), transpose(y) @ transpose(x)))),
    inexact(named_rule("root_of_square_is_abs", lambda x: (apply("sqrt", x * x), magnitude(x)), where=is_of_kind("f"))),
    inexact(named_rule("exp_of_sum", lambda x, y: (exp(x) * exp(y), exp(x + y)))),
    inexact(
        named_rule("sum_of_sums_of_one_shape", lambda x, y: (total(x) + total(y), total(x + y)), where=are_like_floats)
    ),
    inexact(named_rule("max_with_negative", lambda x: (apply("maximum", x, -x), magnitude(x)), where=is_signed)),
    inexact(named_rule("composed_softmax", composed_softmax, where=lambda m: m.x.type.shape != ())),  # no scalars
    inexact(named_rule("conv_of_negative", lambda x, w: (apply("conv2d", -x, w), -apply("conv2d", x, w)))),
    inexact(named_rule("pool_of_negative", lambda x: (pool(-x), -pool(x)), where=lambda m: m.x.dtype.is_float)),
    named_rule("both_results", both_results),
    named_rule("relu_of_each", lambda xs: (relu(concat(many(xs))), concat(many(xs, relu)))),
    named_rule("signs_below_a_chain", signs_below_a_chain),
    named_rule("maximum_for_relu", lambda x, w: (relu(x @ w), apply("maximum", x @ w, 0)), recompute=True),
)
NAMED = {rule.name: rule for rule in (*(entry.rule for entry in WRONG), *RIGHT)}
FAMILIES: dict[str, tuple[Rule, ...]] = {
    family: tuple(map(NAMED.__getitem__, names.split()))
    for family, names in {
        "value": "swapped_difference swapped_quotient other_branch joined_backwards relu_before_conv transposed_thrice",
        "shape": "transpose_of_product kept_axes bias_transposed factors_transposed",
        "dtype": "cast_away through_half other_dtype",
        "gradient": "drop_stop_gradient square_of_held abs_of_held held_sum held_product",
        "broadcasting": "plus_zeros_like sum_of_sums second_result kept_axes",
        "effect": "erased_assignment prints_first",
        "NaN and infinity": "times_zero over_itself log_of_product exp_of_log",
        "integer overflow": "bigger_when_one_more doubled_and_halved abs_twice_negative",
        "rounding": "reciprocal_product plus_zero through_half",
        "endless": "other_brackets sorted_operands ever_more_signs",
    }.items()
}
