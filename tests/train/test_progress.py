"""The progress bar: on terminals only; printed output is kept, and ``sys.stdout`` is that of everyone."""

import contextlib
import io
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from rich.console import Console
from rich.progress import TextColumn

from minigraph.train.progress import ProgressBar, call_with_progress_bar
from tests.rough.interrupts import interrupt


def console_of(stream, terminal=True):
    return Console(file=stream, force_terminal=terminal, width=80, color_system=None)


def bar_text(steps, terminal=True, each=lambda i: None):
    """The output of three steps, and the function that advances the bar."""
    stream = io.StringIO()

    def run(advance):
        for i in range(3):
            each(i)
            if advance is not None:
                advance(f"loss {i}")
        return advance

    advance = call_with_progress_bar(console_of(stream, terminal), steps, run)
    return stream.getvalue(), advance


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")  # "dumb" has no bar


@pytest.mark.parametrize(("steps", "count"), [(3, "3/3"), (None, "3/?")])
def test_on_a_terminal(steps, count):
    text, advance = bar_text(steps)
    assert advance is not None
    assert "loss 2" in text
    assert count in text


def test_piped_output_is_empty():
    assert bar_text(3, terminal=False) == ("", None)


def test_output_of_the_call_stands_on_lines_of_its_own(capsys):
    text, _ = bar_text(3, each=lambda i: print(f"row {i}", end="" if i == 2 else "\n"))
    for i in range(3):
        assert re.search(rf"(\r|\x1b\[2K)row {i}\n", text), text
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("text", ["[epoch 1]", "[/done]", ":smile:", "a\tb", "x" * 200])
def test_text_is_printed_as_it_is(text):
    shown, _ = bar_text(3, each=lambda i: print(text, end=" ", flush=True) if i < 2 else print(text, end=""))
    assert f"{text} {text} {text}\n".expandtabs() in shown.expandtabs()


def test_the_stream_of_a_call_is_like_the_standard_output():
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    stream.isatty = lambda: True
    with contextlib.redirect_stdout(stream):
        kinds = call_with_progress_bar(
            None, 3, lambda _: (sys.stdout.writable(), sys.stdout.isatty(), sys.stdout.errors)
        )
    assert kinds == (True, True, "strict")


def test_streams_of_the_process_stay_for_other_threads(capsys):
    shown, stream, errors = [], sys.stdout, sys.stderr

    def run(advance):
        other = threading.Thread(target=lambda: print("from another thread"))
        other.start()
        other.join()
        shown.append(sys.stderr)
        return sys.stdout

    text = io.StringIO()
    call_with_progress_bar(console_of(text), 1, run)
    assert (shown, sys.stdout) == ([errors], stream)
    assert "another" not in text.getvalue() and capsys.readouterr().out == "from another thread\n"


def test_an_exception_at_any_instruction_restores_the_screen():
    screen = sys.stdout
    for at in range(0, 3000, 59):
        interrupt(lambda: bar_text(3, each=print), at)
        assert sys.stdout is screen, at


def test_the_cursor_waits_at_the_start_of_the_line_for_warnings():
    stream = io.StringIO()
    console = console_of(stream)
    with ProgressBar(TextColumn("working"), console=console, transient=True) as bar:
        bar.add_task("")
        bar.refresh()
        assert stream.getvalue().rstrip(" ").endswith("\r")


def test_a_bar_inside_of_a_bar_is_not_drawn():
    inner = []

    def run(advance):
        print("outer", sys.stdout.encoding is not None)
        call_with_progress_bar(None, 3, lambda advance: inner.append(advance) or print("inner"))

    stream = io.TextIOWrapper(io.BytesIO(), "utf-8")
    stream.isatty = lambda: True
    with contextlib.redirect_stdout(stream):
        call_with_progress_bar(None, 3, run)
        assert sys.stdout is stream
    stream.flush()
    text = stream.buffer.getvalue().decode()
    assert inner == [None]
    assert "outer True\n" in text and "inner\n" in text


def test_a_bar_has_no_thread_which_could_hold_a_lock_during_a_fork():
    before = threading.enumerate()
    threads = call_with_progress_bar(
        console_of(io.StringIO()), 3, lambda advance: advance("loss") or threading.enumerate()
    )
    assert threads == before


def test_threads_with_bars_of_their_own():
    stream, both = io.StringIO(), threading.Barrier(2, timeout=10)
    stream.isatty = lambda: True

    def run(advance):
        both.wait()
        for _ in range(3):
            print("printed")
            advance("loss")
        both.wait()

    with contextlib.redirect_stdout(stream), ThreadPoolExecutor(2) as pool:
        for result in [pool.submit(call_with_progress_bar, None, 3, run) for _ in range(2)]:
            result.result()
    assert stream.getvalue().count("printed") == 6
