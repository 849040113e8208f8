"""A decision between alternative rewrites by their cost."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.core.deprecated_names import warn_renamed


class Choice(NamedTuple):
    """One decision by cost: the last node and its user lines, the chosen and the rejected alternatives with cycles.

    For a decision on the whole graph, ``node`` is -1.
    """

    node: int
    lines: tuple[str, ...]
    chosen: str
    cycles: int
    rejected: tuple[tuple[str, int], ...]

    @property
    def taken(self) -> str:
        """The old name of ``chosen``; Python 3.11 gives a descriptor in a NamedTuple no name."""
        warn_renamed("Choice.taken", "Choice.chosen")
        return self.chosen

    def __str__(self) -> str:
        """All in one line.

        >>> print(Choice(5, ("net.py:3",), "MatMulBias", 900, (("no fusion", 1400),)))
        %5 (net.py:3): MatMulBias at 900 cycles; rejected no fusion at 1,400
        """
        others = ", ".join(f"{plan} at {cycles:,}" for plan, cycles in self.rejected)
        lines = f" ({', '.join(self.lines)})" if self.lines else ""
        rejected = f"; rejected {others}" if others else ""
        where = f"%{self.node}{lines}" if self.node >= 0 else "the graph"
        return f"{where}: {self.chosen} at {self.cycles:,} cycles{rejected}"
