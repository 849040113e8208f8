"""Initializers under MindSpore's path."""

import pytest

from minigraph.common import initializer as module
from minigraph.nn import initializers


@pytest.mark.parametrize("name", module.__all__)
def test_every_name_is_that_of_nn_initializers(name):
    assert getattr(module, name) is getattr(initializers, name)


def test_the_function_of_the_same_name():
    assert module.initializer(module.One(), (2,)).tolist() == [1.0, 1.0]
