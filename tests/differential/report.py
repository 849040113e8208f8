"""The result of a comparison as Markdown: how many answers agree, and why the rest differ."""

from collections import Counter

from tests.differential.comparison import common_modes, differences
from tests.differential.reason import CANNOT, DEFECT, DELIBERATE, MISSING, ROUNDING
from tests.differential.reasons import REASONS, reason_of
from tests.differential.worker import MODES

UNEXPLAINED = "unexplained"
VERDICTS = (CANNOT, DEFECT, DELIBERATE, ROUNDING, MISSING, UNEXPLAINED)
HEAD = """# minigraph beside MindSpore {version}

Written by `python -m tests.differential`. Small programs over operators, dtypes, shapes and modes, each run by
both libraries: every public function of `ops`, every primitive, Tensor method and operator, forms of indexing,
`ms.numpy`, layers, losses and optimizers of `nn`, printing. {cases:,} programs in up to four modes (PyNative, `@jit`,
gradient, gradient inside `@jit`) make {answers:,} pairs of answers: **{agree:,} agree ({percent:.1f} %)**, in value,
dtype and shape, or in the class of the error; {differ:,} differ, for the reasons below.

Tolerances, relative: 1e-5, 2e-4 where MindSpore's approximate tanh takes part, 4e-3 for float16.
"""


class Tally:
    """Counts of answers, by module and mode, and of differences, by reason."""

    def __init__(self, cases, theirs, ours):
        self.cases, self.answers, self.agree = len(cases), Counter(), Counter()
        self.verdicts, self.reasons, self.unexplained = Counter(), Counter(), []
        for case in cases:
            self._add(case, theirs[case.key], ours[case.key])

    def _add(self, case, theirs, ours):
        package = place_of(case)
        by_mode = {difference.mode: difference for difference in differences(case, theirs, ours)}
        for mode in common_modes(theirs, ours):
            self.answers[package, mode] += 1
            if mode not in by_mode:
                self.agree[package, mode] += 1
                continue
            reason = reason_of(by_mode[mode])
            if reason is None:
                self.unexplained.append(by_mode[mode])
            else:
                self.reasons[reason] += 1
            self.verdicts[package, reason.verdict if reason else UNEXPLAINED] += 1

    def unused(self):
        """The reasons that cover nothing any more."""
        return [reason for reason in REASONS if reason not in self.reasons]


def place_of(case):
    """The row of the table a case counts in.

    >>> from tests.differential.case import Case
    >>> place_of(Case("ops.add", "")), place_of(Case("operator +", ""))
    ('ops', 'operator')
    """
    return "set index" if case.group == "set index" else case.group.replace(".", " ").split()[0]


def text(tally, version, unrecorded=()):
    """The whole page; ``unrecorded``: what is called without an answer of MindSpore's to compare with."""
    answers, agree = sum(tally.answers.values()), sum(tally.agree.values())
    head = HEAD.format(version=version, cases=tally.cases, answers=answers, agree=agree,
                       percent=100 * agree / max(answers, 1), differ=answers - agree)  # fmt: skip
    unrecorded = [f"\nNot recorded, and not counted: {', '.join(unrecorded)}."] if unrecorded else []
    parts = (*_by_mode(tally), "", *_by_verdict(tally), "", *_by_reason(tally), *unrecorded)
    return "\n".join((head, *parts, ""))


def _places(tally):
    return sorted({package for package, _ in tally.answers})


def _head(title, *columns):
    yield f"## {title}\n"
    yield f"| | {' | '.join(columns)} |"
    yield "|---|" + "--:|" * len(columns)


def _by_mode(tally):
    yield from _head("Agreeing answers, of all, by what is called and in which mode", *MODES)
    for package in _places(tally):
        counts = ((tally.agree[package, mode], tally.answers[package, mode]) for mode in MODES)
        yield f"| {package} | " + " | ".join(f"{agree:,} of {all_:,}" if all_ else "" for agree, all_ in counts) + " |"


def _by_verdict(tally):
    shown = [verdict for verdict in VERDICTS if any(tally.verdicts[package, verdict] for package in _places(tally))]
    yield from _head("Differing answers, by verdict", *shown)
    for place in _places(tally):
        yield f"| {place} | " + " | ".join(f"{tally.verdicts[place, verdict]:,}" for verdict in shown) + " |"


def _by_reason(tally):
    yield "## Differing answers, by reason\n\n| answers | verdict | reason |\n|--:|---|---|"
    for reason, count in sorted(tally.reasons.items(), key=lambda item: (-item[1], item[0].why)):
        yield f"| {count:,} | {reason.verdict} | {reason.why} |"
