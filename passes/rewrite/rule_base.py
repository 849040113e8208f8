"""The base class of all kinds of rules: name, description and location, for messages and tables."""

from __future__ import annotations


class RuleBase:
    """A rule with a ``name``, a one-line ``text`` (``name: before -> after``), and a ``loc``, its file:line."""

    name: str
    text: str
    loc: str

    @property
    def summary(self) -> str:
        """Before -> after, in one line."""
        return self.text.partition(": ")[2]

    @property
    def label(self) -> str:
        """Name and location, for messages."""
        return f"rule '{self.name}' ({self.loc})"

    @property
    def __name__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.text
