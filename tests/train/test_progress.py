"""The progress bar: on terminals only; printed output is kept, and ``sys.stdout`` is that of everyone."""

import contextlib
import io
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from rich.console import Console

from minigraph.train import progress
from minigraph.train.progress import bar_text, call_with_progress_bar
from tests.rough.interrupts import count_instructions, interrupt


class Terminal(io.TextIOWrapper):
    """A stand-in for a terminal; ``text`` is all that was written, ``lines`` what is seen at the end."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding, newline="")

    def isatty(self):
        return True

    @property
    def text(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)

    @property
    def lines(self):
        """Each line, in which text after a carriage return overwrites what stands there."""
        shown = []
        for line in self.text.replace("\r\n", "\n").split("\n"):
            seen = ""
            for part in line.split("\r"):
                seen = part + seen[len(part) :]
            shown.append(seen.rstrip())
        return shown


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")  # "dumb" has no bar
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_DRAWINGS", 0.0)


def output_of(steps, each=lambda i: None, encoding="utf-8", count=3):
    """The terminal after some steps, each of which runs ``each``."""

    def run(advance):
        for i in range(count):
            each(i)
            advance(f"loss {i}")

    with contextlib.redirect_stdout(Terminal(encoding)) as stream:
        call_with_progress_bar(None, steps, run)
        assert sys.stdout is stream
    return stream


@pytest.mark.parametrize(("steps", "count"), [(3, "3/3"), (None, "3/?")])
def test_on_a_terminal(steps, count):
    stream = output_of(steps)
    assert f"loss 2 [{'=' * 30 if steps else ' ' * 30}] {count} 0:00" in stream.text
    assert stream.lines == [""]  # it disappears at the end


def test_on_a_console_of_its_own(capsys):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=40)
    call_with_progress_bar(console, 3, lambda advance: print("printed") or advance("a long description of the step"))
    assert capsys.readouterr().out == "printed\n"
    assert [len(line) for line in stream.getvalue().split("\r") if line] == [39, 39]


@pytest.mark.parametrize("force", ["", "1"])
def test_piped_output_is_empty(force, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", force)
    with contextlib.redirect_stdout(io.StringIO()) as stream:
        assert call_with_progress_bar(None, 3, lambda advance: advance) is None
    assert stream.getvalue() == ""


@pytest.mark.parametrize("force", ["", "1"])
def test_a_standard_output_with_nothing_but_write_and_flush(force, monkeypatch):
    class Output:
        def __init__(self):
            self.write, self.flush = io.StringIO().write, lambda: None

    monkeypatch.setenv("FORCE_COLOR", force)
    with contextlib.redirect_stdout(Output()):
        assert call_with_progress_bar(None, 3, lambda advance: advance) is None


@pytest.mark.parametrize("columns", ["0", "1"])
def test_a_terminal_without_a_width(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    assert output_of(3, each=print).lines == ["0", "1", "2", ""]


TEXTS = [
    "row\n", "[epoch 1]\n", "[/done]\n", ":smile:\n", "two\nlines\n", "carriage\r\nreturn\r\n", "x" * 200 + "\n",
    "\x1b[31mred\x1b[0m\n",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_printed_as_it_is(text):
    lines = output_of(3, each=lambda i: print(text, end="")).lines
    assert [line for line in lines if line] == text.replace("\r\n", "\n").rstrip("\n").split("\n") * 3


def test_a_line_that_has_not_ended_stays_where_it_is():
    stream = output_of(3, each=lambda i: print(f"\rstep {i}", end="", flush=True))
    assert stream.lines == ["step 2"]
    assert output_of(3, each=lambda i: print(i, end=" ")).lines == ["0 1 2"]


def test_text_that_the_terminal_cannot_encode_is_the_error_of_its_print():
    def each(i):
        with pytest.raises(UnicodeEncodeError):
            print("é")
        print("plain")

    assert output_of(3, each, encoding="ascii").lines == ["plain"] * 3 + [""]


def test_the_stream_of_a_call_is_like_the_standard_output():
    seen = []
    output_of(
        3, lambda i: seen.append((sys.stdout.writable(), sys.stdout.isatty(), sys.stdout.errors, sys.stdout.encoding))
    )
    assert {*seen} == {(True, True, "strict", "utf-8")}


def test_streams_of_the_process_stay_for_other_threads():
    errors, seen = sys.stderr, []

    def each(i):
        other = threading.Thread(target=lambda: print("from another thread"))
        other.start()
        other.join()
        seen.append(sys.stderr)

    threads = threading.enumerate()
    assert output_of(3, each).text.count("from another thread") == 3
    assert {*seen} == {errors} and threading.enumerate() == threads


def test_a_reference_that_is_kept_writes_without_a_bar():
    kept = []
    stream = output_of(3, each=lambda i: kept.append(sys.stdout.write))
    kept[0]("afterwards\n")
    assert stream.lines == ["afterwards", ""]


def interrupt_in_thread(run, at):
    """An exception that a trace function raises in the handler of another one stays that of the thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(interrupt, run, at).result()


def test_an_exception_at_any_instruction_restores_the_screen():
    def train():
        call_with_progress_bar(None, 3, lambda advance: print("printed") or advance("loss"))

    with contextlib.redirect_stdout(Terminal()) as stream:
        for at in range(1, count_instructions(train) + 1, 7):
            interrupt_in_thread(train, at)
            assert sys.stdout is stream, at


def test_a_bar_inside_of_a_bar_is_not_drawn():
    inner = []
    stream = output_of(3, lambda i: call_with_progress_bar(None, 3, lambda bar: inner.append(bar) or print("inner")))
    assert inner == [None] * 3
    assert stream.lines == ["inner"] * 3 + [""]


def test_threads_with_bars_of_their_own():
    both = threading.Barrier(2, timeout=10)

    def run(advance):
        both.wait()
        for _ in range(3):
            print("printed")
            advance("loss")
        both.wait()

    with contextlib.redirect_stdout(Terminal()) as stream, ThreadPoolExecutor(2) as pool:
        for result in [pool.submit(call_with_progress_bar, None, 3, run) for _ in range(2)]:
            result.result()
    assert stream.text.count("printed") == 6


def test_the_text_of_a_bar():
    assert bar_text("loss", 3, 4, 3723.4) == "loss [======================        ] 3/4 62:03"


def test_the_stream_has_no_end_in_which_an_exception_is_lost():
    """Python discards that of a signal handler in ``flush``, which the end of a stream of ``io`` calls."""
    assert not issubclass(progress._OutputWithBar, io.IOBase)
    assert not hasattr(progress._OutputWithBar, "__del__")
