"""What every kind of rule says of itself in messages and tables."""

from __future__ import annotations


class RuleBase:
    """Something with a ``name``, its ``text`` in one line (``name: what -> what``), and a ``loc``, its file:line."""

    name: str
    text: str
    loc: str

    @property
    def summary(self) -> str:
        """What it makes of what, in one line."""
        return self.text.partition(": ")[2]

    @property
    def at(self) -> str:
        """Name and place, for messages."""
        return f"rule '{self.name}' ({self.loc})"

    @property
    def __name__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.text
