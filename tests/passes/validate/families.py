"""Rules that are wrong, each in its own way, and rules that are right: what the check has to tell apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from minigraph.core.op import apply, op_named
from minigraph.core.types import float16, float32
from minigraph.ir.graph import Graph, Ref
from passes import Rule, S, again, chain, is_cheap, many, rule


class Wrong(NamedTuple):
    """A wrong rule, the kind of difference it shows, and the inputs of the counterexample where there is one."""

    rule: Rule
    kind: str


def inexact(right: Rule) -> Rule:
    """The rule with the claim that rounding may differ."""
    return replace(right, exact=False, tol=1e-9)


def is_whole(match: Any) -> bool:
    """Whether ``x`` holds integers."""
    return bool(match.x.dtype.kind == "i")


def relu(x: Any) -> Any:
    """max(x, 0)."""
    return apply("relu", x)


def turned(x: Any) -> Any:
    """The transposed matrix."""
    return apply("transpose", x, axes=(1, 0))


def total(x: Any) -> Any:
    """The sum of all elements."""
    return apply("sum", x)


def held(x: Any) -> Any:
    """x without a gradient."""
    return apply("stop_gradient", x)


# ---- wrong: the first fourteen are those of the design ----------------------------------------------


@rule
def sum_of_relus(x, y):
    return relu(x) + relu(y), relu(x + y)


@rule
def transpose_of_product(x, y):
    return turned(x @ y), turned(x) @ turned(y)


@rule
def plus_zeros_like(x, y):
    return x + y * 0, x


@rule
def root_of_square(x):
    return apply("sqrt", x * x), x


@rule
def sum_of_sums(x, y):
    return total(x) + total(y), total(x + y)


@rule
def drop_stop_gradient(x):
    return held(x), x


@rule
def square_of_held(x):
    return x * held(x), x * x


@rule
def abs_of_held(x):
    return apply("abs", held(x)), apply("abs", x)


@rule
def swapped_difference(x, y):
    return x - y, y - x


@rule
def product_of_exps(x, y):
    return apply("exp", x) * apply("exp", y), apply("exp", x * y)


@rule
def sum_into_maximum(x, y, z):
    return apply("maximum", x, y) + z, apply("maximum", x, y + z)


@rule
def bias_transposed(x, w, b):
    return x @ w + turned(b), x @ w + b


@rule
def swapped_quotient(x, y):
    return x / y, y / x


@rule
def relu_of_negative(x):
    return relu(-x), -relu(x)


# ---- wrong: more of each family ---------------------------------------------------------------------


@rule
def other_axis(x):
    return apply("softmax", x, axis=0), apply("softmax", x, axis=-1)


@rule
def mean_is_sum(x):
    return apply("mean", x), total(x)


@rule
def kept_axes(x):
    return apply("sum", x, keepdims=True), total(x)


@rule
def times_zero(x):
    return x * 0, 0


@rule(where=lambda m: m.x.type == m.out.type)
def over_itself(x):
    return x / x, 1


@rule
def plus_zero(x):
    return x + 0, x


@rule
def other_brackets(x, y, z):
    return (x + y) + z, x + (y + z)


@rule
def reciprocal_product(x):
    return x / 3, x * (1 / 3)


@rule(where=lambda m: m.x.type == m.out.type)
def through_half(x):
    return apply("cast", apply("cast", x, dtype=float16), dtype=float32), x


@rule
def cast_away(x):
    return apply("cast", x, dtype=float32), x


@rule(where=is_whole)
def bigger_when_one_more(x):
    return apply("maximum", x + 1, x), x + 1


@rule(where=is_whole)
def doubled_and_halved(x):
    return apply("floor_div", x * 2, 2), x


@rule(where=is_whole)
def abs_twice_negative(x):
    return apply("maximum", apply("abs", x), 0), apply("abs", x)


@rule
def log_of_product(x, y):
    return apply("log", x * y), apply("log", x) + apply("log", y)


@rule
def exp_of_log(x):
    return apply("exp", apply("log", x)), x


@rule
def other_branch(c, x, y):
    return apply("where", c, x, y), apply("where", c, y, x)


@rule
def joined_backwards(x, y):
    return apply("concat", x, y), apply("concat", y, x)


@rule
def pooled_then_relu(x):
    return apply("avg_pool2d", relu(x), kernel=2), relu(apply("avg_pool2d", x, kernel=2))


@rule
def relu_before_conv(x, w):
    return relu(apply("conv2d", x, w)), apply("conv2d", relu(x), w)


@rule
def scale_and_shift_swapped(x, scale, shift, mean, variance):
    return (
        apply("batch_norm", x, scale, shift, mean, variance),
        apply("batch_norm", x, shift, scale, mean, variance),
    )


@rule
def turned_thrice(x):
    return apply("transpose", apply("transpose", x, axes=(1, 2, 0)), axes=(1, 2, 0)), x


@rule
def held_sum(x, y):
    return held(x) + y, x + y


@rule
def held_product(x, w):
    return held(x @ w), x @ w


@rule
def broadcast_late(x, y):
    return relu(x + y), relu(x) + y


@rule(recompute=True, where=lambda m: True)  # else it were refused where it is defined
def sorted_operands(x, y):
    return x * y, y * x


@rule(recompute=True, where=lambda m: True)
def ever_more_signs(x):
    return -x, apply("neg", apply("neg", -x))


@rule(root=op_named("assign"))
def erased_assignment(graph: Graph, node: int) -> Ref | None:
    """Gives the value instead of storing it."""
    return graph.ins(node)[1]


@rule(root=op_named("tanh"))
def prints_first(graph: Graph, node: int) -> Ref | None:
    """Prints the operand on the way."""
    graph.emit(op_named("print"), graph.ins(node), {"texts": (None,)})
    return graph.emit(op_named("sigmoid"), graph.ins(node))


@rule(root=op_named("neg"))
def other_dtype(graph: Graph, node: int) -> Ref | None:
    """A value of another type."""
    return graph.emit(op_named("cast"), (node,), {"dtype": float16})


@rule
def one_of_two_spellings(x, y):
    return apply("exp", (x + y) | (x - y)), apply("exp", x) * apply("exp", y)


@rule
def second_result(x, y):
    positive = relu(x)
    return (positive + y, positive * y), (positive + y, positive * x)


@rule(where=lambda m: m.c.const is not None)
def only_with_a_constant(x, c):
    return apply("exp", x) * c, apply("exp", x * c)


@rule(where=lambda m: m.x.const is not None)
def only_on_a_constant(x):
    return apply("exp", x), apply("tanh", x)


@rule
def any_number_of_operands(xs):
    return relu(apply("concat", many(xs), axis=S.axis)), apply("concat", many(xs), axis=S.axis)


@rule
def chain_on_its_end(x):
    steps = chain(is_cheap, -x)
    return relu(steps), relu(again(steps, x))


@rule(once=True)
def factors_turned(x, y):
    return x @ y, y @ x


DESIGN = (
    Wrong(sum_of_relus, "value"), Wrong(transpose_of_product, "type"), Wrong(plus_zeros_like, "type"),
    Wrong(root_of_square, "value"), Wrong(sum_of_sums, "value"), Wrong(drop_stop_gradient, "gradient"),
    Wrong(square_of_held, "gradient"), Wrong(abs_of_held, "gradient"), Wrong(swapped_difference, "value"),
    Wrong(product_of_exps, "value"), Wrong(sum_into_maximum, "value"), Wrong(bias_transposed, "type"),
    Wrong(swapped_quotient, "value"), Wrong(relu_of_negative, "value"),
)  # fmt: skip
MORE = (
    Wrong(other_axis, "value"), Wrong(mean_is_sum, "value"), Wrong(kept_axes, "type"), Wrong(times_zero, "value"),
    Wrong(over_itself, "value"), Wrong(plus_zero, "sign of zero"), Wrong(other_brackets, "loop"),
    Wrong(reciprocal_product, "rounding"), Wrong(through_half, "value"), Wrong(cast_away, "type"),
    Wrong(bigger_when_one_more, "value"), Wrong(doubled_and_halved, "value"), Wrong(abs_twice_negative, "value"),
    Wrong(log_of_product, "value"), Wrong(exp_of_log, "value"), Wrong(other_branch, "value"),
    Wrong(joined_backwards, "value"), Wrong(pooled_then_relu, "value"), Wrong(relu_before_conv, "value"),
    Wrong(scale_and_shift_swapped, "value"), Wrong(turned_thrice, "value"), Wrong(held_sum, "gradient"),
    Wrong(held_product, "gradient"), Wrong(broadcast_late, "value"), Wrong(sorted_operands, "loop"),
    Wrong(ever_more_signs, "loop"), Wrong(erased_assignment, "driver"), Wrong(prints_first, "effect"),
    Wrong(other_dtype, "driver"), Wrong(one_of_two_spellings, "value"), Wrong(second_result, "type"),
    Wrong(only_with_a_constant, "value"), Wrong(only_on_a_constant, "value"), Wrong(any_number_of_operands, "value"),
    Wrong(chain_on_its_end, "value"), Wrong(factors_turned, "type"),
)  # fmt: skip
WRONG = DESIGN + MORE
FAMILIES: dict[str, tuple[Rule, ...]] = {
    "value": (swapped_difference, swapped_quotient, other_branch, joined_backwards, relu_before_conv, turned_thrice),
    "shape": (transpose_of_product, kept_axes, bias_transposed, factors_turned),
    "dtype": (cast_away, through_half, other_dtype),
    "gradient": (drop_stop_gradient, square_of_held, abs_of_held, held_sum, held_product),
    "broadcasting": (plus_zeros_like, sum_of_sums, second_result, kept_axes),
    "effect": (erased_assignment, prints_first),
    "NaN and infinity": (times_zero, over_itself, log_of_product, exp_of_log),
    "integer overflow": (bigger_when_one_more, doubled_and_halved, abs_twice_negative),
    "rounding": (reciprocal_product, plus_zero, through_half),
    "endless": (other_brackets, sorted_operands, ever_more_signs),
}


# ---- right -----------------------------------------------------------------------------------------


@rule
def relu_relu(x):
    return relu(relu(x)), relu(x)


@rule
def neg_neg(x):
    return apply("neg", -x), x


@rule(where=lambda m: len(m.x.shape) == 2)
def turned_twice(x):
    return turned(turned(x)), x


@rule
def times_one(x):
    return x * 1, x


@rule
def max_of_same(x):
    return apply("maximum", x, x), x


@rule
def right_transpose_of_product(x, y):
    return turned(x @ y), turned(y) @ turned(x)


@rule(where=lambda m: m.x.dtype.kind == "f")
def root_of_square_is_abs(x):
    return apply("sqrt", x * x), apply("abs", x)


@rule
def exp_of_sum(x, y):
    return apply("exp", x) * apply("exp", y), apply("exp", x + y)


@rule(where=lambda m: m.x.type == m.y.type and m.x.dtype.is_float)
def sum_of_sums_of_one_shape(x, y):
    return total(x) + total(y), total(x + y)


@rule(where=lambda m: m.x.dtype.numpy.kind != "u")
def max_with_negative(x):
    return apply("maximum", x, -x), apply("abs", x)


@rule(where=lambda m: m.x.type.shape != ())  # a single number has a sum along axis -1, and no softmax
def softmax_spelled(x):
    powers = apply("exp", x)
    return powers / apply("sum", powers, axis=-1, keepdims=True), apply("softmax", x)


@rule
def conv_of_negative(x, w):
    return apply("conv2d", -x, w), -apply("conv2d", x, w)


@rule(where=lambda m: m.x.dtype.is_float)
def pool_of_negative(x):
    return apply("avg_pool2d", -x, kernel=2), -apply("avg_pool2d", x, kernel=2)


@rule
def both_results(x, y):
    twice = apply("neg", apply("neg", x))
    return (twice + y, twice * y), (x + y, x * y)


@rule
def relu_of_each(xs):
    return relu(apply("concat", many(xs), axis=S.axis)), apply("concat", many(xs, relu), axis=S.axis)


@rule
def signs_below_a_chain(x):
    steps = chain(is_cheap, apply("neg", apply("neg", x)))
    return steps, again(steps, x)


@rule(recompute=True)
def maximum_for_relu(x, w):
    return relu(x @ w), apply("maximum", x @ w, 0)


RIGHT = (
    relu_relu, neg_neg, turned_twice, max_of_same, inexact(times_one), inexact(right_transpose_of_product),
    inexact(root_of_square_is_abs), inexact(exp_of_sum), inexact(sum_of_sums_of_one_shape),
    inexact(max_with_negative), inexact(softmax_spelled), inexact(conv_of_negative),
    inexact(pool_of_negative), both_results, relu_of_each, signs_below_a_chain, maximum_for_relu,
)  # fmt: skip
