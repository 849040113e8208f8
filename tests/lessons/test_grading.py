import pytest

from minigraph.core.errors import UsageError
from minigraph.lessons import WrongAnswerError
from minigraph.lessons.grading import run, verdict
from minigraph.lessons.lesson_files import Lesson

TEXT = """\
# %% [markdown]
# # 3. Doubling

# %%
import minigraph as ms
from minigraph import Tensor
from minigraph.lessons import WrongAnswerError

print("hello")

# %% exercise
double = None  # your line

# %%
def check_double(double):
    if double is None:
        raise WrongAnswerError("double is None")
    if ms.jit(double)(Tensor(2.0)).item() != 4.0:
        raise WrongAnswerError("that is not twice as much")
    print("so far", "Right: twice as much", sep="\\n")

# %%
check_double(double)
"""


@pytest.fixture
def lesson(tmp_path):
    file = tmp_path / "03_double.py"
    file.write_text(TEXT)
    return Lesson(file)


def test_cells_run_one_by_one_with_their_output(lesson):
    runs = run(lesson, "def double(x):\n    return x * 2")
    assert [attempt.printed for attempt in runs] == ["", "hello\n", "", "", "so far\nRight: twice as much\n"]


def test_without_an_answer_the_exercise_runs_as_it_is(lesson):
    runs = run(lesson)
    assert next(runs).cell.is_prose
    assert next(runs).printed == "hello\n"
    with pytest.raises(WrongAnswerError, match="double is None"):
        list(runs)


def test_the_verdict_is_the_last_line(lesson, capsys):
    assert verdict(lesson, "def double(x):\n    return x + x\n") == "Right: twice as much"
    assert capsys.readouterr().out == ""


FAILING = [
    ("y = 1\ndouble = undefined", r"NameError: name 'undefined' is not defined \(line 2 of the answer\)"),
    ("def double(x)", "SyntaxError: "),
    ("def double(x):\n    return x @ x", "ShapeError: matmul.*line 2 of the answer"),
    ("raise SystemExit(3)", "SystemExit: 3"),
    ("y = 1", "the answer has no 'double'; "),
    ("def duoble(x): ...", "no 'double'; did you mean"),
]


@pytest.mark.parametrize(("answer", "message"), FAILING)
def test_a_failing_answer_is_located(lesson, answer, message):
    with pytest.raises((UsageError, WrongAnswerError), match=message):
        verdict(lesson, answer)


def test_the_checkers_message_is_raised(lesson):
    with pytest.raises(WrongAnswerError, match="not twice"):
        verdict(lesson, "def double(x):\n    return x + 1\n")


def test_the_source_of_an_answer_can_be_read(lesson):
    """`@jit` translates it: a `while` with a tensor condition."""
    answer = "def double(x):\n    start = x\n    while x < start * 2:\n        x = x + 0.5\n    return x\n"
    assert verdict(lesson, answer).startswith("Right")
