"""The operator record, the table and ``apply``."""

import dataclasses
import inspect
import pickle
import threading

import numpy as np
import pytest

from minigraph import Tensor, ops
from minigraph.core.errors import DuplicateNameError, UnknownNameError, UsageError
from minigraph.core.op import (
    TABLE,
    Op,
    active_observers,
    apply,
    current_interpreter,
    is_eager,
    record_on,
    use_interpreter,
)
from minigraph.core.op_fields import EachOperand
from minigraph.op import define, op_named
from tests.tables import in_one_test, results

X = Tensor([1.0, 2.0])


class Recorder:
    """An interpreter and observer that records the calls it gets."""

    typed = False

    def __init__(self):
        self.calls = []

    def lift(self, op, args):
        return tuple(args)

    def emit(self, op, args, attrs):
        self.calls.append((op.name, args, attrs))
        return "value"

    def record(self, op, args, attrs, out):
        self.calls.append((op.name, out))


# ---- records -----------------------------------------------------------------------------------------


def test_a_record_is_called_like_a_function_prints_as_its_name_and_is_pickled_by_it():
    assert TABLE["add"](X, X).tolist() == [2.0, 4.0]
    assert (str(TABLE["add"]), repr(TABLE["add"])) == ("add", "<operator add>")
    assert pickle.loads(pickle.dumps(TABLE["add"])) is TABLE["add"]


@in_one_test(TABLE.values())
def test_every_record_has_an_origin_and_a_docstring(op):
    assert op.doc.endswith(".")
    file, _, line = op.origin.rpartition(":")
    assert file.endswith(".py")
    assert int(line) > 0


@in_one_test(op for op in TABLE.values() if op.samples)
def test_samples_have_as_many_operands_as_the_arity(op):
    for sample in op.samples(np.random.default_rng(0)):
        assert op.arity in (None, len(sample.args))


@pytest.mark.parametrize("op", [op for op in TABLE.values() if op.canonical], ids=str)
def test_defaults_are_attributes_with_a_default(op):
    assert op.defaults == {k: v for k, v in op.attributes.items() if v is not inspect.Parameter.empty}


def test_effects_are_filled_in_from_the_attributes():
    (effect,) = TABLE["assign"].effects_of({"name": "fc.w"})
    assert (effect.kind, effect.resource, effect.writes) == ("write", "fc.w", True)
    assert TABLE["assign"].writes
    assert not TABLE["parameter"].writes
    assert not TABLE["add"].writes


def test_gradient_functions_by_position():
    assert TABLE["add"].vjp_of(1) is not None
    assert TABLE["add"].vjp_of(2) is None
    each = Op("each", lambda *xs: xs[0], lambda *ts: ts[0], vjp=EachOperand(lambda i, g, out, *xs: (i, g)))
    assert each.vjp_of(7)("g", "out", "x") == (7, "g")
    assert each.arity is None


test_the_arity_is_what_the_record_says = results(
    lambda infer, vjp: Op("some", np.hypot, infer, vjp).arity,
    (lambda x, y: x, (), 2),
    (lambda x, *, k: x, (), 1),
    (lambda *types: types[0], (None, None, None), 3),
    (lambda *types: types[0], (), None),
    (lambda x, *more: x, EachOperand(lambda *args: None), None),
)


def test_result_types_are_a_tuple_and_labels_default_to_the_name():
    assert TABLE["add"].types([X.type, X.type], {}) == (X.type,)
    assert TABLE["add"].label_of({}) == "add"
    assert TABLE["sum"].label_of({"axis": (0,), "keepdims": False}) == "sum axis 0"


# ---- the table ---------------------------------------------------------------------------------------


@pytest.fixture
def mine():
    return define(Op("test_mine", np.negative, lambda x: x, vjp=(None,), doc="Mine."))


def test_a_defined_operator_is_found_by_name_and_defined_once(mine):
    assert op_named("test_mine") is mine
    assert apply("test_mine", X).tolist() == [-1.0, -2.0]
    assert __file__ in mine.origin
    with pytest.raises(DuplicateNameError, match=r"'test_mine' is already defined at .*test_op.py:\d+"):
        define(mine)


@pytest.mark.parametrize("name", ["", "a b", "1st", "x\nimport os", "#", "a-b"])
def test_invalid_operator_names_are_refused(name):
    with pytest.raises(UsageError, match="a name starts with a letter"):
        define(Op(name, np.negative, lambda x: x))
    assert name not in TABLE


# ---- apply -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_operands_is_refused_and_nothing_written(count):
    """numpy would write its result into a third array."""
    with pytest.raises(UsageError, match=rf"add: takes 2 operands, got {count} in `.*` \(test_op.py:\d+\)"):
        apply("add", *[X] * count)
    assert X.tolist() == [1.0, 2.0]


NEAREST = r"sum: no attribute 'axes' in .*; did you mean 'axis'\?"
MISSING = r"cast: attribute 'dtype' is missing in .*; give dtype=\.\.\."
WRONG = {
    "an attribute": (lambda: apply("sum", X, axes=0), UsageError, NEAREST),
    "any attribute": (lambda: apply("add", X, X, scale=2), UsageError, r"add: no attribute 'scale' in"),
    "one missing": (lambda: apply("cast", X), UsageError, MISSING),
    "operands of others": (lambda: apply("layer_norm", X), UsageError, "layer_norm: takes 3 operands, got 1"),
    "a name": (lambda: apply("matmull", X, X), UnknownNameError, "no operator 'matmull'; did you mean 'matmul'?"),
}


@pytest.mark.parametrize(("call", "error", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_is_refused_by_name(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_refusals_of_canonical_attributes_name_the_users_line():
    with pytest.raises(IndexError, match=r"sum: axis 3 does not exist .* in `X.sum\(axis=3\)` \(test_op.py:\d+\)"):
        X.sum(axis=3)


def test_another_interpreter_computes_the_values():
    recorder = Recorder()
    with use_interpreter(recorder):
        assert not is_eager()
        assert current_interpreter() is recorder
        assert X + 1.0 == "value"
        with use_interpreter(None):
            assert is_eager()
            assert (X + 1.0).tolist() == [2.0, 3.0]
    assert is_eager()
    assert recorder.calls == [("add", (X, 1.0), {})]


def test_observers_get_lifted_operands_innermost_last():
    outer, inner, exclusive = Recorder(), Recorder(), Recorder()
    with record_on(outer):
        with record_on(inner):
            assert active_observers() == (outer, inner)
            y = X * 2.0
        with record_on(exclusive, alone=True):
            ops.exp(X)
    assert active_observers() == ()
    assert [name for name, _ in (*outer.calls, *inner.calls, *exclusive.calls)] == ["mul", "mul", "exp"]
    assert outer.calls[0][1] is y


def test_an_exception_restores_the_dispatch_context():
    recorder = Recorder()
    with pytest.raises(KeyError), use_interpreter(recorder), record_on(recorder):
        raise KeyError
    assert is_eager()
    assert active_observers() == ()


def test_threads_have_separate_dispatch_contexts():
    seen = []
    with use_interpreter(Recorder()), record_on(Recorder()):
        thread = threading.Thread(target=lambda: seen.append((is_eager(), active_observers())))
        thread.start()
        thread.join()
    assert seen == [(True, ())]


def test_a_record_has_twenty_fields_at_most():
    """Data that only speed needs is in tables of the accelerator, keyed by the record."""
    assert len(dataclasses.fields(Op)) <= 20
