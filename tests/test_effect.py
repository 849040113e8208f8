"""Effects and their text."""

import pytest

from minigraph.effect import Effect, effect_of


@pytest.mark.parametrize(
    ("text", "expected", "writes"),
    [
        ("read:w", Effect("read", "w"), False),
        ("write:w", Effect("write", "w"), True),
        ("io", Effect("write", "io"), True),
        ("write:a:b", Effect("write", "a:b"), True),
    ],
)
def test_an_effect_is_read_from_its_text(text, expected, writes):
    assert effect_of(text) == expected
    assert expected.writes is writes
