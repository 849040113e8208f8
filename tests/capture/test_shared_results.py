import pytest

from minigraph import Tensor, ops
from minigraph.capture.shared_results import check_shared, may_share
from minigraph.capture.structure import UnknownStateError
from minigraph.capture.trace import trace
from tests.tables import cases

OUTER = Tensor([1.0, 2.0])


def both(value):
    return value, value


@cases(
    (lambda x: (x, x + 1), ""),
    (lambda x: both(x), ""),  # the argument itself is known to the caller
    (lambda x: both(x + 1), ""),  # they are one tensor afterwards, too
    (lambda x: (lambda y: (y, y[0:1]))(ops.sin(x)), "two variables have one tensor"),
    (lambda x: (lambda y: [y[0:1]])(ops.sin(x)), ""),
    (lambda x: [x[0:1]], "a view of a tensor that is used elsewhere"),
    (lambda x: [OUTER[0:1]], "a view of a tensor that is used elsewhere"),
    (lambda x: (lambda y: (y[0:1], [y]))(ops.sin(x)), "two variables have one tensor"),
    (lambda x: ([x + 1], [x + 1]), ""),
    (lambda x: [{1, 2}], "a set is created"),
    (lambda x: [lambda: x], "a function is defined"),
)
def test_results_that_share_state(fn, words):
    def check(x):
        seen = set()
        for result in fn(x):
            check_shared(result, seen, None)
        return x

    if words:
        with pytest.raises(UnknownStateError, match=words):
            trace(check, OUTER * 2)
    else:
        trace(check, OUTER * 2)


def test_views_and_containers_may_share():
    y = OUTER * 2
    assert [may_share(y), may_share(y[0:1]), may_share([y])] == [False, True, True]
