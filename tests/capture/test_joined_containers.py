"""Lists and dicts that a branch or loop on a tensor chooses: changes reach the one that eager mode changes."""

import warnings

import pytest

import minigraph as ms
from minigraph import Tensor, jit, nn, ops
from minigraph.capture.joined_containers import containers_in, is_same_container
from minigraph.capture.structure import UnknownStateError
from tests.same_as_eager import same_as_eager

# Each gives a function and its observed state, for ``tests.same_as_eager``.


def append_to_the_chosen():
    up, down = [], []

    def fn(x):
        chosen = up if x.sum() > 0 else down
        chosen.append(1)
        return x

    return fn, lambda: (up, down)


def a_history():
    history = {"warm": [], "main": []}

    def fn(x):
        loss = (x * x).sum()
        bucket = history["warm"] if loss > 4 else history["main"]
        bucket.append(float(loss))
        return loss

    return fn, lambda: history


def a_local_list_or_an_outer_one():
    outer = []

    def fn(x):
        chosen = []
        if x.sum() > 0:
            chosen = outer
        chosen.append(2)
        return x, len(outer)

    return fn, lambda: outer


def two_local_lists():
    def fn(x):
        a, b = [0], [0]
        chosen = a if x.sum() > 0 else b
        a.append(5)
        chosen.append(7)
        return chosen, a, b, chosen[-1] * x

    return fn


def a_swap():
    def fn(x):
        a, b = [1], [2]
        if x.sum() > 0:
            a, b = b, a
        a.append(x)
        return a, b

    return fn


def a_swap_in_a_loop():
    def fn(x):
        a, b = [1], [2]
        while x.sum() < 9:
            a, b, x = b, a, x * x + 1
        a.append(3)
        return x, a, b

    return fn


def an_attribute():
    class Both(nn.Cell):
        def __init__(self):
            super().__init__()
            self.up, self.down = [], []

        def construct(self, x):
            (self.up if x.sum() > 0 else self.down).append(1)
            return x * 2

    net = Both()
    return lambda x: net(x), lambda: (net.up, net.down)


def a_list_from_a_helper():
    up, down = [], []

    def choose(x):
        if x.sum() > 0:
            return up
        return down

    def fn(x):
        choose(x).append(2)
        return x

    return fn, lambda: (up, down)


def a_list_chosen_in_one_segment_and_changed_after_another():
    up, down = [], []

    def fn(x):
        chosen = up if x.sum() > 0 else down
        y = x * 2 + 1
        try:
            y = y + 1
        finally:
            pass
        chosen.append(1)
        return y * 2 + 1

    return fn, lambda: (up, down)


def identity():
    a, b = [1], [1]

    def fn(x):
        chosen = a if x.sum() > 0 else b
        return x, chosen is a

    return fn


def two_names_of_a_new_list():
    def fn(x):
        if x.sum() > 0:
            a = [x]
            b = a
        else:
            a = [x * 2]
            b = a
        a.append(1)
        return len(b) * x

    return fn


def in_a_tuple_and_in_a_dict():
    up, down = {"n": 0}, {"n": 0}

    def fn(x):
        pair = (up, 1) if x.sum() > 0 else (down, 1)
        pair[0]["n"] += 1
        return x

    return fn, lambda: (up, down)


def the_same_list_in_both_branches():
    items = []

    def fn(x):
        if x.sum() > 0:
            x, chosen = x * 2, items
        else:
            x, chosen = x * 3, items
        chosen.append(1)
        return x

    return fn, lambda: items


def before_a_loop():
    items = []

    def fn(x):
        chosen = items
        while x.sum() < 9:
            x, chosen = x * x + 1, []
        chosen.append(1)
        return x

    return fn, lambda: items


test_changes_reach_the_list_that_eager_mode_changes = same_as_eager(
    append_to_the_chosen, a_history, a_local_list_or_an_outer_one, two_local_lists, a_swap, a_swap_in_a_loop,
    an_attribute, a_list_from_a_helper,
    a_list_chosen_in_one_segment_and_changed_after_another, identity, two_names_of_a_new_list, in_a_tuple_and_in_a_dict,
    the_same_list_in_both_branches, before_a_loop,
)  # fmt: skip


def test_the_reason_is_named_and_refused_with_fullgraph():
    def fn(x):
        chosen = OUTER[0] if x.sum() > 0 else OUTER[1]
        chosen.append(1)
        return x

    with pytest.raises(UnknownStateError, match="a list is chosen by a branch or loop on a tensor, and may be changed"):
        jit(fn, fullgraph=True)(Tensor([1.0]))
    assert OUTER == [[], []]


OUTER = [[], []]


def test_lists_that_nothing_tells_apart_stay_in_the_graph():
    def fn(x):
        pair = [x, x * 2]
        if x.sum() > 0:
            pair = [x * 3, x]
        while x.sum() < 9:
            pair, x = [pair[1], pair[0] * 2], x * x + 1
        return pair[0] + pair[1]

    with warnings.catch_warnings(action="error"):
        for value in (1.0, -1.0, 20.0):
            assert jit(fn, fullgraph=True)(Tensor([value])).tolist() == fn(Tensor([value])).tolist()


def test_loops_of_functions_keep_lists():
    with warnings.catch_warnings(action="error"):
        loop = jit(lambda x: ops.while_loop(lambda s: s[0] < 9, lambda s: (s[0] * 2, [s[1][0] + 1]), (x, [x])))
        assert loop(Tensor(1.0))[1][0].item() == 5.0


def test_parts():
    inner = {"k": [1]}
    assert list(containers_in((1, [inner], ms.Tensor(1)))) == [[inner], inner, [1]]
    assert is_same_container([inner, inner]) and not is_same_container([[1], [1]]) and not is_same_container([(), ()])
