"""Specialized compiled calls: which calls they answer, and which they leave to the lookup by key."""

import types

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, jit
from minigraph.accel.fast_calls import SOURCE_FILE, _compile_source, make_fast_path
from minigraph.capture.container_contents import items_of
from minigraph.capture.guards import (
    MISSING,
    ContentsGuard,
    FailingGuard,
    Guard,
    elements_guard,
)
from minigraph.capture.parameter_types import ParameterTypesGuard, types_of
from minigraph.compilation.cache_entry import NOT_HANDLED
from minigraph.core.context import STORED_SETTINGS
from minigraph.core.pytree import Leaf

X = Tensor([1.0, 2.0])
SCALE = [2.0]


class Owner:
    value: object = None


def test_a_call_is_answered_for_the_same_types_and_guards():
    fn = jit(lambda x, scale=1: x * SCALE[0] * scale)
    fn(X)
    entry = fn._latest
    assert entry.answers((X,)).tolist() == (X * SCALE[0]).tolist()
    others = [(), (X, X), (2.0,), (X, 2), (Tensor([1.0]),), (Tensor([1, 2]),), (X.array,)]
    assert [entry.answers(args) for args in others] == [NOT_HANDLED] * len(others)
    SCALE[0] += 1.0
    assert entry.answers((X,)) is NOT_HANDLED
    assert fn(X).tolist() == (X * SCALE[0]).tolist()
    assert fn(X, scale=2).tolist() == fn(X, 2).tolist() == (X * SCALE[0] * 2).tolist()
    assert fn._latest.answers((X, 2)) is fn._latest.answers((X,)) is NOT_HANDLED, "a number is among the arguments"


def test_a_call_in_another_context_is_not_answered():
    fn = jit(lambda x: x * 2.0)
    fn(X)
    ms.set_context(pipeline=())
    assert fn._latest.answers((X,)) is NOT_HANDLED


def test_a_call_is_answered_as_long_as_every_guard_holds():
    owner, cell, items, tensor = Owner(), types.CellType(1), [1], Tensor([1.0])
    owner.value = 1.5
    scope = {"rate": 2}
    table, empty, old, new = {"a": Owner()}, {}, Owner(), Owner()
    table["b"] = old
    call = answers([
        Guard(owner, "value", 1.5), Guard(scope, "rate", 2), Guard(scope, "missing", MISSING),
        Guard(cell, "cell_contents", 1), ContentsGuard(items, (1,), "items"), elements_guard(tensor),
        ContentsGuard(table, items_of(table), "table"), ContentsGuard(empty, (), "empty"),
        ParameterTypesGuard((tensor,), types_of([tensor])),
    ])  # fmt: skip
    assert call(()) == 7
    owner.value = float("1.5")
    assert call(()) == 7, "an equal value is accepted"
    for change, undo in [
        (lambda: setattr(owner, "value", 1), lambda: setattr(owner, "value", 1.5)),
        (lambda: delattr(owner, "value"), lambda: setattr(owner, "value", 1.5)),
        (lambda: scope.update(rate=3), lambda: scope.update(rate=2)),
        (lambda: scope.update(missing=3), lambda: scope.pop("missing")),
        (lambda: setattr(cell, "cell_contents", 2), lambda: setattr(cell, "cell_contents", 1)),
        (lambda: items.append(2), lambda: items.pop()),
        (lambda: table.update(b=new), lambda: table.update(b=old)),
        (lambda: table.update(c=new), lambda: table.pop("c")),
        (lambda: table.update(a=table.pop("a")), lambda: table.update(b=table.pop("b"))),
        (lambda: empty.update(c=new), lambda: empty.pop("c")),
        (lambda: setattr(tensor, "array", tensor.array + 1), lambda: setattr(tensor, "array", tensor.array - 1)),
        (lambda: setattr(tensor, "array", np.ones(2)), lambda: setattr(tensor, "array", np.ones(1, np.float32))),
    ]:
        change()
        assert call(()) is NOT_HANDLED
        undo()
        assert call(()) == 7
    assert answers([FailingGuard("the weather")])(()) is NOT_HANDLED


class Seven:
    """A program without arguments."""

    stored_keys = ()

    def __call__(self):
        return [np.float32(7)]


def answers(guards):
    """A specialised call without arguments: 7, as long as the guards hold."""
    return make_fast_path(((), None, STORED_SETTINGS["compiled_for"]), guards, Seven(), Leaf(0))


def test_equal_texts_share_their_code():
    assert _compile_source("x = 1") is _compile_source("x = 1") is not _compile_source("x = 2")
    assert _compile_source("x = 1").co_filename == SOURCE_FILE
    with pytest.raises(SyntaxError):
        _compile_source("def")
