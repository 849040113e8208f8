"""Statistics of rules: tries, matches, rewrites, rejections by reason, time, and recomputed work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from minigraph.core.deprecated_names import DeprecatedAttribute
from minigraph.core.op_fields import Work

if TYPE_CHECKING:
    from passes.core.choice import Choice

MAX_NODES_PER_REASON = 8  # nodes kept for each reason why matches were rejected


@dataclass
class RuleStats:
    """The statistics of one rule in one run of a pass.

    ``tries`` counts the nodes at which it was tried, ``rejected`` the rejected matches by reason, ``nodes_by_reason``
    has the first nodes of each reason, ``seconds`` is the time of matching and rewriting, ``added`` the work that
    ``recompute=True`` duplicates. ``text``, ``loc``, ``doc`` and ``file`` describe the rule: before -> after in one
    line, its file:line, its docstring, the full path of its file.
    """

    tries: int = 0
    rewrites: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    nodes_by_reason: dict[str, list[int]] = field(default_factory=dict)
    seconds: float = 0.0
    added: Work = field(default_factory=Work)
    text: str = ""
    loc: str = ""
    doc: str = ""
    file: str = ""

    def reject(self, reason: str, node: int) -> None:
        """Count a rejected match at a node."""
        self.rejected[reason] += 1
        nodes = self.nodes_by_reason.setdefault(reason, [])
        if len(nodes) < MAX_NODES_PER_REASON and node not in nodes:
            nodes.append(node)

    refused = DeprecatedAttribute("rejected")
    near = DeprecatedAttribute("nodes_by_reason")

    @property
    def matches(self) -> int:
        """How often the pattern matched."""
        return self.rewrites + sum(self.rejected.values())

    def __str__(self) -> str:
        """All in one line.

        >>> print(RuleStats(12, 3, Counter({"other uses": 1}), seconds=0.0005))
        12 tries, 4 matches, 3 rewrites, 1 rejected (other uses), 0.5 ms
        """
        rejected = [f"{count} rejected ({reason})" for reason, count in self.rejected.most_common()]
        added = [f"{_work_text(self.added)} recomputed"] if self.added != Work() else []
        tries = "1 try" if self.tries == 1 else f"{self.tries} tries"
        matches = f"{self.matches} match{'es' * (self.matches != 1)}"
        rewrites = f"{self.rewrites} rewrite{'s' * (self.rewrites != 1)}"
        return ", ".join([tries, matches, rewrites, *rejected, *added, f"{self.seconds * 1e3:.1f} ms"])

    __repr__ = __str__


class Statistics(dict[str, RuleStats]):
    """The statistics of one run by rule; a missing rule gets empty statistics on first access.

    ``choices`` are the decisions made by cost.

    >>> statistics = Statistics()
    >>> statistics["R"].rewrites += 1
    >>> statistics
    {'R': 0 tries, 1 match, 1 rewrite, 0.0 ms}
    """

    def __init__(self) -> None:
        super().__init__()
        self.choices: list[Choice] = []

    def __missing__(self, rule: str) -> RuleStats:
        self[rule] = RuleStats()
        return self[rule]


def _work_text(work: Work) -> str:
    """The numbers of multiply-adds and vector lanes."""
    macs, lanes = sum(product.total for product in work.macs), sum(count for _, count in work.lanes)
    return " and ".join([f"{macs:,} multiply-adds"] * bool(macs) + [f"{lanes:,} lanes"] * bool(lanes or not macs))
