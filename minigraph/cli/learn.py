"""``minigraph learn``: list and open lessons, show hints, check answers."""

from __future__ import annotations

import argparse
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.markdown import Markdown
from rich.syntax import Syntax

from minigraph.cli.console import CommandConsole
from minigraph.cli.formatting import count_text
from minigraph.cli.lesson_page import write_lesson_page
from minigraph.core.errors import UsageError, did_you_mean
from minigraph.core.files import write_atomically
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.lessons import (
    Lesson,
    WrongAnswerError,
    answer_in,
    lesson_named,
    lessons,
    notebook_text,
    pictures_folder,
    verdict,
)

EPILOG = """\
examples:
  minigraph learn                        list the lessons
  minigraph learn 5                      read lesson 5 in the terminal
  minigraph learn 5 --to work/           write its notebook, 05_depend.ipynb
  minigraph learn 5 --to depend.py       write it as a Python file with cells
  minigraph learn 5 --open               run it and open its page, with outputs
                                         and pictures, in the browser
  minigraph learn hint 5                 print a hint; `hint 5 2`: the second
  minigraph learn check 5 my_answer.py   check an answer: a .py file, or the
                                         notebook you filled in
  minigraph learn answer 5               show the solution
"""
USAGE = {
    "check": "minigraph learn check LESSON FILE",
    "hint": "minigraph learn hint LESSON [NUMBER]",
    "answer": "minigraph learn answer LESSON",
    "open": "minigraph learn open LESSON",
}


def add_learn(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``learn`` to the commands."""
    learn = commands.add_parser(
        "learn", help="list and open lessons, show hints, check answers", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Lessons of 15 minutes, each with a short text, code, one picture and\none exercise. Without "
        "arguments, list the lessons.",
    )  # fmt: skip
    learn.add_argument("words", nargs="*", metavar="[check|hint|answer] LESSON [FILE]", help="number or name of the "
                       "lesson to read; check tests your answer in FILE, hint prints a hint, answer the solution",
                       )  # fmt: skip
    learn.add_argument("--to", metavar="PATH", help="write the lesson to a folder, an .ipynb file or a .py file")
    learn.add_argument("--open", action="store_true", help="run the lesson and open its page in the browser")
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
    print("\nRead one with `minigraph learn 1`; `minigraph learn --help` lists all options.")
    return 0


def _open(words: Sequence[str], arguments: argparse.Namespace) -> int:
    (name,) = _check_count(words, 1, "open")
    lesson = lesson_named(name)
    if arguments.to:
        print(f"Wrote {_write_lesson(lesson, Path(arguments.to))}")
    if arguments.open:
        page = write_lesson_page(lesson, pictures_folder() / f"{lesson.name}.html")
        print(f"Wrote {page}")
        webbrowser.open(page.resolve().as_uri())
    if not (arguments.to or arguments.open):
        _print_lesson(lesson)
    return 0


def _check(words: Sequence[str], arguments: argparse.Namespace) -> int:
    name, file = _check_count(words, 2, "check")
    lesson = lesson_named(name)
    try:
        print(verdict(lesson, answer_in(Path(file))))
    except WrongAnswerError as error:
        print(f"Not yet: {error}")
        print(f"For a hint: `minigraph learn hint {lesson.number}`")
        return 1
    return 0


def _hint(words: Sequence[str], arguments: argparse.Namespace) -> int:
    name, hint_number = _check_count([*words, "1"] if len(words) == 1 else words, 2, "hint")
    lesson = lesson_named(name)
    hints = lesson.hints
    if not hint_number.isdigit() or not 1 <= int(hint_number) <= len(hints):
        raise UsageError(f"learn: lesson {lesson.number} has {count_text(len(hints), 'hint')}, not '{hint_number}'")
    number = int(hint_number)
    print(hints[number - 1])
    following = f"hint {lesson.number} {number + 1}" if number < len(hints) else f"answer {lesson.number}"
    print(f"\nNext: `minigraph learn {following}`")
    return 0


def _answer(words: Sequence[str], arguments: argparse.Namespace) -> int:
    (name,) = _check_count(words, 1, "answer")
    print(lesson_named(name).solution, end="")
    return 0


def _check_count(words: Sequence[str], count: int, verb: str) -> Sequence[str]:
    if len(words) != count:
        raise UsageError(f"learn: '{verb}' takes {count_text(count, 'argument')}, not {len(words)}: {USAGE[verb]}")
    return words


VERBS: dict[str, Callable[[Sequence[str], argparse.Namespace], int]] = {
    "open": _open,
    "check": _check,
    "hint": _hint,
    "answer": _answer,
}


# ---- reading and writing ---------------------------------------------------------------------------


def _print_lesson(lesson: Lesson) -> None:
    """Print a lesson as formatted prose and code; in colour on a terminal."""
    console = CommandConsole()
    for cell in lesson.cells:
        console.print(
            Markdown(cell.plain_text) if cell.is_prose else Syntax(cell.plain_text, "python", theme="ansi_dark")
        )
        console.print()
    console.print(f"To edit it: `minigraph learn {lesson.number} --to .`; to see it run: `--open`.", highlight=False)


def _write_lesson(lesson: Lesson, target: Path) -> Path:
    """Write a lesson as a notebook or a Python file, depending on the suffix; a folder gets a notebook."""
    if target.is_dir() or not target.suffix:
        target = target / f"{lesson.name}.ipynb"
    if target.suffix not in (".ipynb", ".py"):
        raise UsageError(f"learn: cannot write a lesson as '{target.suffix}'; use a folder, .ipynb or .py")
    if target.exists():
        raise UsageError(f"learn: '{target}' exists and may hold your answer; choose another file")
    text = notebook_text(lesson) if target.suffix == ".ipynb" else lesson.path.read_text(encoding="utf-8")
    try:
        return write_atomically(target, text)
    except OSError as error:
        reraise_handler_error(error)
        raise UsageError(f"learn: cannot write '{target}': {error.strerror}; choose another --to") from None
