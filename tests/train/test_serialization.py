"""Checkpoints under MindSpore's path."""

import pytest

from minigraph import serialize
from minigraph.train import serialization


@pytest.mark.parametrize("name", serialization.__all__)
def test_every_name_is_a_name_of_serialize(name):
    assert getattr(serialization, name) is getattr(serialize, name)
