import numpy as np
import pytest

from minigraph import ops
from minigraph.core.errors import UsageError
from minigraph.core.op import TABLE, Op, Sample, apply, define, op_named
from minigraph.core.op_fields import Work
from minigraph.core.types import TensorType, float32
from minigraph.operators.check_operator import check_operator
from minigraph.operators.composite import composite
from minigraph.operators.families import elementwise, reduction
from tests.tables import in_one_test


@in_one_test([op for op in TABLE.values() if op.family not in ("leaf", "region")])
def test_every_operator_of_ours_passes(op):
    check_operator(op)


@pytest.fixture(autouse=True)
def table():
    """Operators of a test go with it."""
    before = dict(TABLE.data)
    yield
    for name in TABLE.data.keys() - before.keys():
        del TABLE.data[name]


def tanh_like(forward=np.tanh, **fields):
    defaults = {"vjp": (lambda g, out, x: g * (1.0 - out * out),), "into": False, "kinds": "f", "doc": "tanh."}
    return elementwise("tanh_like", lambda x: forward(x), **(defaults | fields))


def one_sample(rng):
    return [Sample((rng.uniform(1, 2, (2, 3)),))]


def negation(**fields):
    defaults = {"forward": lambda x: -x, "infer": lambda x: x, "vjp": (lambda g, out, x: -g,), "samples": one_sample}
    return define(Op("plain", **(defaults | fields)))


WRONG = {
    "a wrong gradient": (
        lambda: tanh_like(vjp=(lambda g, out, x: g * (1.0 - out),)),
        r"the gradient of operand 0 at .* is .*, finite differences give .*; correct vjp\[0\]",
    ),
    "a gradient without g": (lambda: tanh_like(vjp=(lambda g, out, x: 1.0 - out * out,)), "the gradient of operand 0"),
    "a VJP that is no tuple": (lambda: tanh_like(vjp=lambda g, out, x: g), "vjp is a function, not a tuple"),
    "a VJP for each of two operands, one given": (
        lambda: negation(infer=lambda x, y: x), "vjp has 1 entries for 2 operands",
    ),
    "a VJP that takes too few": (lambda: tanh_like(vjp=(lambda g: g,)), "its gradient fails for .*TypeError"),
    "a VJP in numpy": (lambda: tanh_like(vjp=(lambda g, out, x: g * np.cos(x.asnumpy()),)), "its gradient"),
    "an unknown lane": (lambda: tanh_like(lanes=("simpel",)), "no lane 'simpel' .*; did you mean 'simple'?"),
    "a forward of another dtype": (
        lambda: tanh_like(lambda x: np.tanh(x).astype(np.float16)),
        r"forward returns f16\[2,3\] for f64\[2,3\], infer says f64\[2,3\]",
    ),
    "a forward of another shape": (
        lambda: tanh_like(lambda x: np.tanh(x).sum(axis=0)), r"forward returns f64\[3\] for f64\[2,3\]",
    ),
    "a forward without a result": (
        lambda: tanh_like(lambda x: None), r"returns None of dtype object for f64\[2,3\] .*; return one array",
    ),
    "a forward that returns objects": (
        lambda: tanh_like(lambda x: np.full(x.shape, "x", object)), r"forward returns \[\['x', .* of dtype object for",
    ),
    "a forward that fails": (lambda: tanh_like(lambda x: x.nothing), "forward fails for .*: AttributeError"),
    "a forward without out=": (lambda: tanh_like(into=True), "forward takes no out="),
    "a forward that changes its operand": (
        lambda: negation(forward=lambda x: np.negative(x, out=x)), r"forward writes into its operands, f64\[2,3\]",
    ),
    "work that is no Work": (lambda: negation(work=lambda out, x: 3), "work returns a int, not a Work"),
    "work that fails": (lambda: negation(work=lambda out: Work()), "work fails for .*: TypeError"),
    "less than no work": (lambda: negation(work=lambda out, x: Work(lanes=(("simple", -1),))), "-1 lanes of 'simple'"),
    "an unknown unit": (lambda: negation(unit="vectr"), "no unit 'vectr' .*; did you mean 'vector'?"),
    "commutative subtraction": (
        lambda: elementwise("minus", lambda x, y: x - y, vjp=(lambda g, out, x, y: g, lambda g, out, x, y: -g),
                            commutative=True, into=False, kinds="f", doc="x - y."),
        "commutative, but swapped operands",
    ),
    "a wrong gradient of a reduction": (
        lambda: reduction("total", lambda x, axis, keepdims: np.asarray(x.sum(axis=axis, keepdims=keepdims)),
                          vjp=lambda g, out, x, axis, keepdims: ops.ones_like(x), kinds="f", doc="Sum."),
        "the gradient of operand 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("definition", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_record_is_refused_where_it_is_defined(definition, message):
    before = set(TABLE.data)
    with pytest.raises(UsageError, match=message) as raised:
        definition()
    assert "(test_check_operator.py:" in str(raised.value) and str(raised.value).count("\n") < 3
    assert set(TABLE.data) == before


def test_the_line_of_a_failing_gradient_is_named_once():
    with pytest.raises(UsageError, match=r"its gradient fails for f64\[2,3\]: .*; correct its vjp$") as raised:
        tanh_like(vjp=(lambda g, out, x: ops.reshape(g, (5,)),))
    assert str(raised.value).count("(test_check_operator.py:") == 1


def test_a_record_without_samples_raises_that_it_cannot_be_checked():
    without = negation(samples=None)
    with pytest.raises(UsageError, match=r"operator 'plain': it has no samples .*; define it with samples=lambda rng"):
        check_operator(without)


def test_a_refused_definition_keeps_the_one_before():
    def again(slope):
        return tanh_like(vjp=(lambda g, out, x: g * (1.0 - slope * out * out),))

    first = again(1.0)
    with pytest.raises(UsageError, match="the gradient of operand 0"):
        again(2.0)
    assert op_named("tanh_like") is first


def double(x):
    return x + x


RIGHT = {
    "elementwise": tanh_like,
    "whatever samples it has": lambda: tanh_like(samples=lambda rng: []),
    "one that is not a number outside of its domain": lambda: elementwise(
        "root", lambda x: np.sqrt(x), vjp=(lambda g, out, x: g / (2.0 * out),), into=False, kinds="f", doc="Root."),
    "of a dtype that its samples lack": lambda: elementwise(
        "flip", lambda x: ~x, vjp=(None,), into=False, kinds="i", doc="Bits."),
    "without samples": lambda: negation(samples=None, forward=lambda x: x.nothing),
    "in float32 only": lambda: negation(
        infer=lambda x: TensorType(x.shape, float32), forward=lambda x: -x.astype(np.float32),
        samples=lambda rng: [Sample((rng.uniform(1, 2, (2, 3)).astype(np.float32),))]),
    "a composite": lambda: composite("doubled", double, doc="Twice.", samples=one_sample),
    "with a kink in a sample that says so": lambda: negation(
        forward=np.abs, vjp=(lambda g, out, x: g * ops.sign(x),),
        samples=lambda rng: [Sample((np.array([0.0, 1e-6]),), smooth=False)]),
    "whose gradient uses itself": lambda: elementwise(
        "recip", lambda x: 1.0 / x, vjp=(lambda g, out, x: -g * apply("recip", x) ** 2,), into=False, kinds="f",
        doc="1 / x."),
    "whose gradient uses one defined later": lambda: negation(vjp=(lambda g, out, x: apply("later", g),)),
}  # fmt: skip


@pytest.mark.parametrize("definition", RIGHT.values(), ids=RIGHT)
def test_a_right_record_is_defined(definition):
    op = definition()
    assert op_named(op.name) is op


def test_names_that_are_still_missing_are_an_error_when_it_is_checked_by_name():
    negation(vjp=(lambda g, out, x: apply("later", g),))
    with pytest.raises(UsageError, match="its gradient fails: UnknownNameError: no operator 'later'"):
        check_operator("plain")
