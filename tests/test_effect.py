"""Effects: what their texts mean, and that every operator's text is one."""

from __future__ import annotations

import pytest

from minigraph.effect import Effect, effect_of
from minigraph.op import TABLE, Op

DECLARING = [op for op in TABLE.values() if op.effects]


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("read:w", Effect("read", "w")),
        ("write:w", Effect("write", "w")),
        ("io", Effect("write", "io")),
        ("read:fc.weight", Effect("read", "fc.weight")),
        ("write:net:0.w", Effect("write", "net:0.w")),
    ],
)
def test_a_text_is_kind_and_resource(text: str, effect: Effect) -> None:
    assert effect_of(text) == effect


def test_only_reading_leaves_things_as_they_are() -> None:
    assert not effect_of("read:w").writes
    assert effect_of("write:w").writes and effect_of("io").writes


def test_effects_are_values() -> None:
    assert len({effect_of("read:w"), effect_of("read:w"), effect_of("write:w"), effect_of("w")}) == 2


@pytest.mark.parametrize("op", DECLARING, ids=str)
def test_a_records_answer_and_its_effects_agree(op: Op) -> None:
    effects = op.effects_of({name: "w" for name in ("name", *op.attributes)})
    assert {effect.kind for effect in effects} <= {"read", "write"}
    assert all(effect.resource and "{" not in effect.resource for effect in effects)
    assert op.writes == any(effect.writes for effect in effects)


def test_there_are_readers_writers_and_printers() -> None:
    assert {op.writes for op in DECLARING} == {True, False}
