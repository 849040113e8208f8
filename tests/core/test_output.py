import contextlib
import io
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from minigraph.core.output import call_printing_to
from minigraph.core.scope_guard import screen_lock
from tests.inspection import fork_while_held
from tests.rough.interrupts import count_instructions, interrupt


def printed_by(fn, *args):
    """The output of a call."""
    stream = io.StringIO()
    call_printing_to(stream, fn, *args)
    return stream.getvalue()


def test_calls_nest_and_end_after_errors():
    screen, inner = sys.stdout, io.StringIO()

    def outer():
        print("one")
        with pytest.raises(ZeroDivisionError):
            call_printing_to(inner, lambda: print("two") or 1 / 0)
        print("three", flush=True)
        assert sys.stdout.writable()

    assert printed_by(outer) == "one\nthree\n"
    assert (inner.getvalue(), sys.stdout) == ("two\n", screen)


def test_other_threads_print_to_the_screen():
    screen, begun, go_on = io.StringIO(), threading.Event(), threading.Event()

    def capture(name):
        print(name)
        begun.set()
        go_on.wait(10)
        print(name)

    with contextlib.redirect_stdout(screen), ThreadPoolExecutor(2) as pool:
        results = [pool.submit(printed_by, capture, name) for name in "ab"]
        begun.wait(10)
        print("screen")
        kept = sys.stdout
        go_on.set()
        assert [result.result() for result in results] == ["a\na\n", "b\nb\n"]
        assert sys.stdout is screen
        print("late", file=kept)  # a reference kept meanwhile
    assert screen.getvalue() == "screen\nlate\n"


def test_without_a_screen_other_threads_print_to_nowhere(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)  # as of a service, or after `>&-`

    def print_in_a_thread():
        with ThreadPoolExecutor(1) as pool:
            pool.submit(print, "lost").result()

    assert printed_by(print_in_a_thread) == "" and sys.stdout is None


def test_another_stream_that_is_set_meanwhile_stays():
    other, screen = io.StringIO(), sys.stdout
    try:
        assert printed_by(lambda: setattr(sys, "stdout", other)) == ""
        assert sys.stdout is other
    finally:
        sys.stdout = screen


def test_an_exception_at_any_instruction_restores_the_screen_at_once():
    screen, kept = io.StringIO(), []
    with contextlib.redirect_stdout(screen):
        count = count_instructions(lambda: printed_by(print, "captured"))
        assert count > 50
        for at in range(1, count + 1):
            kept.append(interrupt(lambda: printed_by(print, "captured"), at))  # its frames are alive
            assert sys.stdout is screen, str(kept[-1])
            print("later")
    assert screen.getvalue() == "later\n" * count


def test_the_router_comes_off_if_another_thread_redirected_the_output_meanwhile():
    screen, redirected, ended = sys.stdout, threading.Event(), threading.Event()

    def redirect():
        with contextlib.redirect_stdout(io.StringIO()):
            redirected.set()
            ended.wait(10)

    def overlap():
        thread.start()
        redirected.wait(10)

    thread = threading.Thread(target=redirect)
    assert printed_by(overlap) == ""
    ended.set()
    thread.join()
    print("the next output")
    assert sys.stdout is screen


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_waits_until_another_thread_has_replaced_the_screen():
    assert fork_while_held(screen_lock, lambda: printed_by(print, "captured")) == 0
