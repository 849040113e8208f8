"""The result of a comparison as Markdown: how many answers agree, and why the rest differ."""

from collections import Counter

from tests.differential.comparison import common_modes, differences
from tests.differential.reason import CANNOT, DEFECT, DELIBERATE, MISSING, ROUNDING
from tests.differential.reasons import REASONS, reason_of
from tests.differential.worker import MODES

UNEXPLAINED = "unexplained"
VERDICTS = (CANNOT, DEFECT, DELIBERATE, ROUNDING, MISSING, UNEXPLAINED)
HEAD = """# minigraph compared with MindSpore {version}

Written by `python -m tests.differential`. Small programs over operators, dtypes, shapes and modes, each run by
both libraries: every public function of `ops`, every primitive, Tensor method and operator, forms of indexing,
`ms.numpy`, layers, losses and optimizers of `nn`, printing. {cases:,} programs in up to four modes (PyNative, `@jit`,
gradient, gradient inside `@jit`) make {answers:,} pairs of answers: **{agree:,} agree ({percent:.1f} %)**, in value,
dtype and shape, or in the class of the error; {differ:,} differ, for the reasons below.

Tolerances, relative: 1e-5, 2e-4 where MindSpore's approximate tanh takes part, 4e-3 for float16.
"""


class Statistics:
    """Counts of answers, by module and mode, and of differences, by reason."""

    def __init__(self, cases, recorded, answers):
        self.cases, self.answers, self.agree = len(cases), Counter(), Counter()
        self.verdicts, self.reasons, self.unexplained = Counter(), Counter(), []
        for case in cases:
            self._add(case, recorded[case.key], answers[case.key])

    def _add(self, case, recorded, answers):
        package = package_of(case)
        by_mode = {difference.mode: difference for difference in differences(case, recorded, answers)}
        for mode in common_modes(recorded, answers):
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

    def unused_rows(self):
        """The reasons that no longer cover any difference."""
        return [reason for reason in REASONS if reason not in self.reasons]


def package_of(case):
    """The row of the table a case counts in.

    >>> from tests.differential.case import Case
    >>> package_of(Case("ops.add", "")), package_of(Case("operator +", ""))
    ('ops', 'operator')
    """
    return "set index" if case.group == "set index" else case.group.replace(".", " ").split()[0]


def text(statistics, version, unrecorded=()):
    """The text of the page; ``unrecorded``: calls without an answer of MindSpore."""
    answers, agree = sum(statistics.answers.values()), sum(statistics.agree.values())
    head = HEAD.format(version=version, cases=statistics.cases, answers=answers, agree=agree,
                       percent=100 * agree / max(answers, 1), differ=answers - agree)  # fmt: skip
    unrecorded = [f"\nNot recorded, and not counted: {', '.join(unrecorded)}."] if unrecorded else []
    parts = (*_by_mode(statistics), "", *_by_verdict(statistics), "", *_by_reason(statistics), *unrecorded)
    return "\n".join((head, *parts, ""))


def _packages(statistics):
    return sorted({package for package, _ in statistics.answers})


def _head(title, *columns):
    yield f"## {title}\n"
    yield f"| | {' | '.join(columns)} |"
    yield "|---|" + "--:|" * len(columns)


def _by_mode(statistics):
    yield from _head("Agreeing answers, of all, by what is called and in which mode", *MODES)
    for package in _packages(statistics):
        counts = ((statistics.agree[package, mode], statistics.answers[package, mode]) for mode in MODES)
        yield f"| {package} | " + " | ".join(f"{agree:,} of {all_:,}" if all_ else "" for agree, all_ in counts) + " |"


def _by_verdict(statistics):
    columns = [
        verdict
        for verdict in VERDICTS
        if any(statistics.verdicts[package, verdict] for package in _packages(statistics))
    ]
    yield from _head("Differing answers, by verdict", *columns)
    for package in _packages(statistics):
        yield f"| {package} | " + " | ".join(f"{statistics.verdicts[package, verdict]:,}" for verdict in columns) + " |"


def _by_reason(statistics):
    yield "## Differing answers, by reason\n\n| answers | verdict | reason |\n|--:|---|---|"
    for reason, count in sorted(statistics.reasons.items(), key=lambda item: (-item[1], item[0].why)):
        yield f"| {count:,} | {reason.verdict} | {reason.why} |"
