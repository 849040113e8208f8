"""``minigraph learn``: list the lessons, open one, say a hint, check an answer."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax

from minigraph.cli.lesson_page import write_lesson_page
from minigraph.cli.words import counted
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.lessons import Lesson, NotYet, answer_in, lesson_named, lessons, notebook_text, pictures_folder, verdict
from viz.common.files import write_whole

EPILOG = """\
examples:
  minigraph learn                        the lessons
  minigraph learn 5                      read lesson 5 on the terminal
  minigraph learn 5 --to work/           write its notebook, work/05_depend.ipynb
  minigraph learn 5 --to depend.py       the same as a Python file of cells
  minigraph learn 5 --open               run it, and open its page with outputs and pictures in the browser
  minigraph learn hint 5                 a hint; `hint 5 2` is the next one
  minigraph learn check 5 my_answer.py   check an answer: a .py file, or the notebook you filled in
  minigraph learn answer 5               the solution
"""
USES = {
    "check": "learn check LESSON FILE",
    "hint": "learn hint LESSON [NUMBER]",
    "answer": "learn answer LESSON",
    "open": "learn open LESSON",
}


def add_learn(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``learn`` to the other commands."""
    learn = commands.add_parser(
        "learn", help="list the lessons, open one, say a hint, check an answer", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Lessons of a quarter of an hour: a little prose, a little code, one picture, one exercise.",
    )  # fmt: skip
    learn.add_argument("words", nargs="*", metavar="[check|hint|answer] LESSON [FILE]", help="a number or a name")
    learn.add_argument("--to", metavar="PATH", help="write the lesson to a folder, an .ipynb or a .py file")
    learn.add_argument("--open", action="store_true", help="run the lesson, and open its page in the browser")
    learn.set_defaults(run=_learn)


def _learn(arguments: argparse.Namespace) -> int:
    words: list[str] = arguments.words
    if not words:
        return _list()
    if words[0] in VERBS:
        return VERBS[words[0]](words[1:], arguments)
    if len(words) > 1:
        raise UsageError(f"learn: no command '{words[0]}'{did_you_mean(words[0], VERBS)}; use {', '.join(VERBS)}")
    return _open(words, arguments)


def _list() -> int:
    for lesson in lessons():
        print(f"{lesson.number:2}  {lesson.name[3:]:14} {lesson.title}")
    print("\nRead one with `minigraph learn 1`; `minigraph learn --help` says what else there is.")
    return 0


def _open(words: Sequence[str], arguments: argparse.Namespace) -> int:
    (name,) = _exactly(words, 1, "open")
    lesson = lesson_named(name)
    if arguments.to:
        print(f"Wrote {_written(lesson, Path(arguments.to))}")
    if arguments.open:
        page = write_lesson_page(lesson, pictures_folder() / f"{lesson.name}.html")
        print(f"Wrote {page}")
        webbrowser.open(page.resolve().as_uri())
    if not (arguments.to or arguments.open):
        _tell(lesson)
    return 0


def _check(words: Sequence[str], arguments: argparse.Namespace) -> int:
    name, file = _exactly(words, 2, "check")
    lesson = lesson_named(name)
    try:
        print(verdict(lesson, answer_in(Path(file))))
    except NotYet as told:
        print(f"Not yet: {told}")
        print(f"`minigraph learn hint {lesson.number}` helps.")
        return 1
    return 0


def _hint(words: Sequence[str], arguments: argparse.Namespace) -> int:
    name, wanted = _exactly([*words, "1"] if len(words) == 1 else words, 2, "hint")
    lesson = lesson_named(name)
    hints = lesson.hints
    if not wanted.isdigit() or not 1 <= int(wanted) <= len(hints):
        raise UsageError(f"learn: lesson {lesson.number} has {counted(len(hints), 'hint')}, not '{wanted}'")
    number = int(wanted)
    print(hints[number - 1])
    more = f"hint {lesson.number} {number + 1}" if number < len(hints) else f"answer {lesson.number}"
    print(f"\nMore: `minigraph learn {more}`")
    return 0


def _answer(words: Sequence[str], arguments: argparse.Namespace) -> int:
    (name,) = _exactly(words, 1, "answer")
    print(lesson_named(name).solution, end="")
    return 0


def _exactly(words: Sequence[str], count: int, verb: str) -> Sequence[str]:
    if len(words) != count:
        raise UsageError(f"learn: '{verb}' takes {counted(count, 'word')}, not {len(words)}: minigraph {USES[verb]}")
    return words


VERBS: dict[str, Callable[[Sequence[str], argparse.Namespace], int]] = {
    "open": _open,
    "check": _check,
    "hint": _hint,
    "answer": _answer,
}


# ---- reading and writing ---------------------------------------------------------------------------


def _tell(lesson: Lesson) -> None:
    """The lesson on the terminal, its prose set and its code coloured; as it is kept where nobody looks."""
    console = Console()
    if not console.is_terminal:
        sys.stdout.write(lesson.path.read_text(encoding="utf-8"))
        return
    for cell in lesson.cells:
        console.print(Markdown(cell.plain) if cell.is_prose else Syntax(cell.plain, "python", theme="ansi_dark"))
        console.print()
    console.print(f"Take it along: `minigraph learn {lesson.number} --to .`; see it run: `--open`.", highlight=False)


def _written(lesson: Lesson, target: Path) -> Path:
    """The lesson as a notebook or a Python file, whichever the suffix asks for; a folder gets a notebook."""
    if target.is_dir() or not target.suffix:
        target = target / f"{lesson.name}.ipynb"
    if target.suffix not in (".ipynb", ".py"):
        raise UsageError(f"learn: cannot write a lesson as '{target.suffix}'; use a folder, .ipynb or .py")
    if target.exists():
        raise UsageError(f"learn: '{target}' exists, and may hold your answer; name another file")
    text = notebook_text(lesson) if target.suffix == ".ipynb" else lesson.path.read_text(encoding="utf-8")
    return write_whole(target, text)
