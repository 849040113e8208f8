"""Files whose bytes change: each is read, or refused by one clear error; no other exception is raised, and no code
runs.
"""

import json
import math
import random
import re
from contextlib import nullcontext

import pytest

import minigraph as ms
from minigraph import Tensor, jit, ops, set_context
from minigraph.cli import main
from minigraph.compilation import disk_cache
from minigraph.errors import MinigraphError
from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify
from minigraph.lessons import answer_in, lesson_named, verdict
from minigraph.lessons.feedback import WrongAnswerError
from minigraph.lessons.notebook import as_notebook
from minigraph.npu import simulate
from minigraph.npu.chips import load_chip
from minigraph.npu.chips.chip_file import SHIPPED_FOLDER
from tests.inspection import bits
from tests.rough.program import X, branches

# Texts that a person or a program may write in place of a word or a number.
WORDS = (
    "nan", "inf", "-1", "0", "1e308", "-1e308", "1e-320", "2.5", "0x10", "10**9", "9" * 4301, "1" * 400, "é", "\udc80",
    "[", "]", "{" * 3000, "[" * 3000, "''", '"', "\\", "\n", "true", "null", "x.y",
)  # fmt: skip


def mutate(content, seed):
    """Some bytes changed, removed, repeated, or the end cut off."""
    data = bytearray(content)
    for _ in range(seed.randrange(1, 4)):
        at, kind = seed.randrange(len(data)), seed.randrange(5)
        if kind == 0:
            data[at] ^= 1 << seed.randrange(8)
        elif kind == 1:
            del data[at : at + seed.randrange(1, 20)]
        elif kind == 2:
            data[at:at] = data[at : at + seed.randrange(1, 20)]
        elif kind == 3:
            data[at] = seed.randrange(256)
        else:
            del data[max(1, at) :]
        data = data or bytearray(b"\0")
    return bytes(data)


def mutate_text(text, seed):
    """The bytes of a text with changed bytes, a changed word, or a line repeated, moved or removed."""
    kind, lines = seed.randrange(6), text.splitlines(keepends=True)
    if kind < 2:
        return mutate(text.encode(), seed)
    if kind == 2:
        at = seed.randrange(len(lines))
        lines[at] = seed.choice(["", lines[at] * 2, seed.choice(lines)])
        return "".join(lines).encode()
    start, end = seed.choice([match.span() for match in re.finditer(r"[\w.]+", text)])
    return (text[:start] + seed.choice(WORDS) + text[end:]).encode(errors="surrogateescape")


def is_clear(text):
    """Whether an error message can be read at a glance."""
    return bool(text.strip()) and len(text.splitlines()) <= 3 and len(text) < 1000


def test_a_mutated_checkpoint_is_refused_or_whole(tmp_path, effort, report):
    path, refused = tmp_path / "net.ckpt", 0
    ms.save_checkpoint([{"name": "a", "data": Tensor(X)}, {"name": "b", "data": Tensor(2)}], str(path))
    content, expected = path.read_bytes(), bits(ms.load_checkpoint(str(path)))
    count = effort.samples(150)
    for k in range(count):
        path.write_bytes(mutate(content, random.Random(k)))
        try:
            checkpoint = ms.load_checkpoint(str(path))
        except MinigraphError as error:
            refused += 1
            assert "net.ckpt" in str(error) and len(str(error).splitlines()) <= 3
        else:
            assert bits(checkpoint) == expected
    report("checkpoint mutated", f"{count} times", f"{refused} refused by name, the others whole")


def test_a_mutated_graph_text_is_refused_or_a_graph(effort, report):
    text = to_text(jit(lambda x: branches(x) @ x.T).graph(Tensor(X), pipeline=()))
    refused, count = 0, effort.samples(150)
    for k in range(count):
        mutated = mutate(text.encode(), random.Random(k)).decode("utf-8", "replace")
        try:
            graph = parse(mutated)
            verify(graph)
        except MinigraphError as error:
            refused += 1
            assert str(error)
        else:
            assert to_text(parse(to_text(graph))) == to_text(graph)
    report("graph text mutated", f"{count} times", f"{refused} refused, the others graphs")


def test_a_mutated_compile_cache_changes_no_number(tmp_path, monkeypatch, effort, report):
    monkeypatch.setattr(disk_cache, "READ_SECONDS_PER_NODE", 0.0)
    set_context(enable_compile_cache=True, compile_cache_path=str(tmp_path))

    def function(x):
        return (x * 1.0 + 2.0) @ x.T

    def result():
        return bits(jit(function)(Tensor(X)))  # on one line, which is part of the entry's key

    expected = result()
    (entry,) = [path for path in tmp_path.iterdir() if path.is_file()]
    content, count = entry.read_bytes(), effort.samples(60)
    for k in range(count):
        mutated = mutate(content, random.Random(k))
        entry.write_bytes(mutated)
        message = "cannot be used and is replaced"
        warned = nullcontext() if mutated == content else pytest.warns(disk_cache.CompileCacheWarning, match=message)
        with warned:
            assert result() == expected
        assert [path for path in tmp_path.iterdir() if path.is_file()] == [entry]
    report("compile cache mutated", f"{count} times", "refused by name, the same bits")


def test_a_mutated_chip_is_refused_or_simulated(tmp_path, effort, report):
    path, shipped = tmp_path / "mine.toml", [*SHIPPED_FOLDER.glob("*.toml")]
    graph = ms.trace(lambda x: ops.softmax(x @ x.T) @ x, ops.ones((64, 64)))
    refused, count = 0, effort.samples(120)
    for k in range(count):
        path.write_bytes(mutate_text(shipped[k % len(shipped)].read_text("utf-8"), random.Random(k)))
        try:
            cycles = simulate(graph, chip=load_chip(path)).cycles
        except MinigraphError as error:
            refused += 1
            assert is_clear(str(error)) and ("mine" in str(error) or "buf." in str(error))
        else:
            assert 0 < cycles < math.inf
    report("chip file mutated", f"{count} times", f"{refused} refused by name, the others simulated")


def test_a_mutated_notebook_is_refused_or_graded(tmp_path, effort, report):
    path, lesson = tmp_path / "answer.ipynb", lesson_named("2")
    text = json.dumps(as_notebook(lesson, lesson.solution), indent=1, ensure_ascii=False)
    refused, count = 0, effort.samples(60)
    for k in range(count):
        path.write_bytes(mutate_text(text, random.Random(k)))
        try:
            assert verdict(lesson, answer_in(path))
        except (MinigraphError, WrongAnswerError) as error:
            refused += 1
            assert is_clear(str(error))
    report("notebook mutated", f"{count} times", f"{refused} refused, the others right")


RULES = """
from minigraph import ops
from passes import fuse, rule

@rule
def double(x):
    return x + x, x * 2.0

@rule
def once(x):
    return abs(abs(x)), abs(x)

smooth = fuse("smooth", lambda x: ops.tanh(x * 0.5) + 1.0)
"""


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_mutated_rule_file_is_refused_or_checked(tmp_path, capsys, effort, report):
    path, refused = tmp_path / "rules.py", 0
    path.write_text(RULES)
    assert main(["check-rule", str(path)]) == 0
    count = effort.samples(30)
    for k in range(count):
        path.write_bytes(mutate_text(RULES, random.Random(k)))
        capsys.readouterr()
        code, (out, error) = main(["check-rule", str(path)]), capsys.readouterr()
        refused += code == 2
        assert is_clear(error) and error.startswith("minigraph: ") if code == 2 else out.startswith(("right", "WRONG"))
    report("rule file mutated", f"{count} times", f"{refused} refused, the others checked")
