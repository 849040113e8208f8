"""What an operator does beside computing."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Effect(NamedTuple):
    """What an operator does beside computing: ``kind`` is ``read`` or ``write``, on ``resource``."""

    kind: str
    resource: str

    @property
    def writes(self) -> bool:
        """Whether the resource is changed, so that the node must not be dropped or moved past readers."""
        return self.kind == "write"


@lru_cache(maxsize=4096)
def effect_of(text: str) -> Effect:
    """An effect from its text, ``kind:resource``; a bare resource is written.

    >>> effect_of("read:w"), effect_of("io")
    (Effect(kind='read', resource='w'), Effect(kind='write', resource='io'))
    """
    kind, _, resource = text.partition(":")
    return Effect(kind, resource) if resource else Effect("write", kind)
