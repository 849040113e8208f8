"""What the tests of interrupts count."""

import weakref

from tests.rough.interrupts import Interrupted, count_instructions, interrupt


class Node:
    """An object whose finalizers run Python."""

    def __del__(self):
        divmod_of_nine()


def drop_with_finalizers():
    node = Node()
    weakref.finalize(node, divmod_of_nine)
    del node
    return divmod_of_nine()


def drop_nothing():
    node = object()
    weakref.finalize(Node, divmod_of_nine).detach()
    del node
    return divmod_of_nine()


def divmod_of_nine():
    return divmod(9, 2)


def test_instructions_of_finalizers_are_not_counted():
    baseline = count_instructions(divmod_of_nine)
    assert count_instructions(drop_with_finalizers) - count_instructions(drop_nothing) < baseline + 20


def test_no_interrupt_is_dropped_by_a_finalizer():
    count = count_instructions(drop_with_finalizers)
    assert all(isinstance(interrupt(drop_with_finalizers, at), Interrupted) for at in range(1, count + 1))
    assert interrupt(drop_with_finalizers, count + 1) is None
