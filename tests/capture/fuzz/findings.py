"""Results of many random programs, in a file from which a later run resumes."""

import json
import re
from collections import Counter
from pathlib import Path

from tests.capture.fuzz.constructs import constructs_of
from tests.capture.fuzz.shrinker import symptom


class Findings:
    """Counts of programs by how they ran, of families and constructs, and one shrunk program of each kind."""

    def __init__(self, seed, file=None):
        self.seed, self.file = seed, Path(file) if file else None
        self.done, self.kinds, self.not_shrunk = 0, [], {}  # the last: name -> symptom
        self.how, self.families, self.constructs = Counter(), Counter(), Counter()
        if self.file and self.file.exists():
            self._load(json.loads(self.file.read_text("utf-8")))

    def _load(self, kept):
        if kept["seed"] != self.seed:
            raise SystemExit(f"{self.file}: it holds the run with --seed {kept['seed']}; give that, or another file")
        self.done, self.kinds, self.not_shrunk = kept["done"], kept["kinds"], kept["not_shrunk"]
        for name in ("how", "families", "constructs"):
            getattr(self, name).update(kept[name])

    def save(self):
        """Write the file, if there is one; an interrupted run leaves the last one whole."""
        if self.file:
            kept = {name: value for name, value in vars(self).items() if name != "file"}
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps(kept, indent=1), "utf-8")
            new.replace(self.file)

    def count(self, program, verdict):
        """Count a program that has run."""
        self.how[verdict.how.partition(":")[0]] += 1
        self.families.update(program.families)
        self.constructs.update(constructs_of(program.text))

    def kind_of(self, program, sign):
        """The kind that explains a symptom: it has the same one, and no construct that the program lacks."""
        constructs = constructs_of(program.text)
        return next((k for k in self.kinds if k["symptom"] == sign and constructs.issuperset(k["constructs"])), None)

    def explain(self, program, sign):
        """Whether a known kind explains a symptom, and then counts it."""
        kind = self.kind_of(program, sign)
        if kind is not None:
            kind["count"] += 1
        return kind is not None

    def add(self, name, program, difference):
        """Add the shrunk program of a finding to its kind, which may be new; a shorter program takes its place."""
        kind = self.kind_of(program, symptom(difference))
        if kind is None:
            kind = {"symptom": symptom(difference), "count": 0, "program": str(program)}
            self.kinds.append(kind)
        kind["count"] += 1
        if kind["count"] == 1 or len(str(program)) < len(kind["program"]):
            kind |= {"program": str(program), "difference": str(difference), "first": name}
            kind["constructs"] = sorted(constructs_of(program.text))

    def write(self, folder):
        """Write a file for each kind of difference: a comment that describes it, then the program."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for number, kind in enumerate(self.kinds):
            words = "_".join(re.findall(r"\w+", kind["symptom"].lower())[:5])
            comment = " ".join(kind["difference"].split())
            text = f"# {comment}\n# from program {kind['first']}\n{kind['program']}"
            (folder / f"{words}_{number}.txt").write_text(text.rstrip() + "\n", "utf-8")

    def report(self):
        """The lines of a report: how programs ran, families, constructs, and kinds of differences."""
        yield f"seed {self.seed}: {self.done:,} programs"
        for title, counts in (("how", self.how), ("families", self.families), ("constructs", self.constructs)):
            yield f"{title}: " + ", ".join(f"{name} {number:,}" for name, number in counts.most_common())
        for kind in sorted(self.kinds, key=lambda kind: -kind["count"]):
            yield f"\n{kind['count']:,} x {kind['difference']}\n{kind['program']}".rstrip()
        if self.not_shrunk:
            yield f"\nnot shrunk yet: {', '.join(f'{name} ({sign})' for name, sign in self.not_shrunk.items())}"
