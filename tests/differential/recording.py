"""Run cases in another interpreter, in several processes, and record the answers; a hang or a crash is an answer, too.

Answers are stored by case key, one per mode, in a compressed file in this folder, so that the comparison needs no
MindSpore.
"""

import json
import lzma
import os
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.differential.worker import MODES, UNUSABLE_PROCESS

ROOT = Path(__file__).parents[2]
ANSWERS = Path(__file__).with_name("answers.json.xz")
CHUNK, PATIENCE = 200, 60  # cases per process; seconds without an answer before it counts as hanging
NICE = ["nice", "-n", "5"] if os.name == "posix" else []


def collect_answers(python, library, cases, jobs=2, chunk=CHUNK):
    """The answers of ``library`` as seen by the interpreter ``python``: case key -> answers, one per mode."""
    parts = [cases[start : start + chunk] for start in range(0, len(cases), chunk)]
    with ThreadPoolExecutor(jobs) as pool:
        answers_by_part = pool.map(lambda part: _collect_part(python, library, part), parts)
        return {case.key: answers for part, part_answers in zip(parts, answers_by_part, strict=True)
                for case, answers in zip(part, part_answers, strict=True)}  # fmt: skip


def _collect_part(python, library, cases):
    steps = len(cases) * len(MODES)
    answers = [None] * steps
    with tempfile.TemporaryDirectory() as folder:
        start = 0
        while start < steps:
            end = _one_process(python, library, cases, Path(folder), start)
            for step, answer in _read_answers(Path(folder) / "answers.jsonl"):
                answers[step] = answer
            done = max((step for step, _ in _read_answers(Path(folder) / "answers.jsonl")), default=start - 1)
            if end == "sick" and done >= start:
                start = done + 1
                continue
            if done + 1 < steps:
                answers[done + 1] = {"error": [end], "text": f"the process {end}"}
                with open(Path(folder) / "answers.jsonl", "a", encoding="utf-8") as file:
                    file.write("\n" + json.dumps([done + 1, answers[done + 1]]) + "\n")
            start = done + 2
    return [answers[at : at + len(MODES)] for at in range(0, steps, len(MODES))]


def _one_process(python, library, cases, folder, start):
    """Run a worker: "hangs" if it is silent for ``PATIENCE`` seconds, "crashes" if it exits early, or "sick"."""
    (folder / "cases.json").write_text(json.dumps(cases))
    answers = folder / "answers.jsonl"
    answers.touch()
    command = [*NICE, str(python), "-m", "tests.differential.worker", library,
               str(folder / "cases.json"), str(answers), str(start)]  # fmt: skip
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GLOG_v": "4", "PYTHONHASHSEED": "0"}
    process = subprocess.Popen(command, cwd=folder, env=environment, **quiet)
    size, since = 0, time.monotonic()
    while process.poll() is None:
        time.sleep(0.05)
        if answers.stat().st_size != size:
            size, since = answers.stat().st_size, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            process.kill()
            process.wait()
            return "hangs"
    return "sick" if process.returncode == UNUSABLE_PROCESS else "crashes"


def _read_answers(path):
    """The whole lines of an answers file."""
    lines = path.read_text(encoding="utf-8").split("\n")
    for line in lines:
        try:
            yield json.loads(line)
        except ValueError:  # cut off by a crash, or empty
            continue


# ---- the file --------------------------------------------------------------------------------------


def save(answers, path=ANSWERS):
    """Write answers, modes that answer the same as the first one shortened to ``"="``."""
    short = {key: ["=" if i and item == items[0] else item for i, item in enumerate(items)]
             for key, items in sorted(answers.items())}  # fmt: skip
    path.write_bytes(lzma.compress(json.dumps(short, separators=(",", ":")).encode(), preset=9))


def load(path=ANSWERS):
    """The recorded answers: case key -> answers, one per mode."""
    if not path.exists():
        return {}
    short = json.loads(lzma.decompress(path.read_bytes()))
    return {key: [items[0] if item == "=" else item for item in items] for key, items in short.items()}
