"""Effects and their text."""

import pytest

from minigraph.core.op import TABLE
from minigraph.core.op_fields import Effect, effect_of

DECLARING = [op for op in TABLE.values() if op.effects]


TEXTS = [
    ("read:w", Effect("read", "w"), False),
    ("write:w", Effect("write", "w"), True),
    ("io", Effect("write", "io"), True),
    ("write:a:b", Effect("write", "a:b"), True),
]


@pytest.mark.parametrize(("text", "expected", "writes"), TEXTS)
def test_an_effect_is_parsed_from_its_text(text, expected, writes):
    assert effect_of(text) == expected
    assert expected.writes is writes


@pytest.mark.parametrize("op", DECLARING, ids=str)
def test_declarations_of_a_record_are_effects(op):
    effects = op.effects_of(dict.fromkeys(("name", *op.attributes), "w"))
    assert {effect.kind for effect in effects} <= {"read", "write"}
    assert all(effect.resource and "{" not in effect.resource for effect in effects)
    assert op.writes == any(effect.writes for effect in effects)
    assert {op.writes for op in DECLARING} == {True, False}
