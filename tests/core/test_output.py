import contextlib
import io
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from minigraph.core.output import capture_output
from tests.rough.interrupts import count_instructions, interrupt


def test_blocks_nest_and_end_after_errors():
    screen = sys.stdout
    with capture_output() as outer:
        print("one")
        with pytest.raises(ZeroDivisionError), capture_output() as inner:
            print("two")
            _ = 1 / 0
        print("three", flush=True)
        assert sys.stdout.writable()
    assert (outer.getvalue(), inner.getvalue(), sys.stdout) == ("one\nthree\n", "two\n", screen)


def test_other_threads_print_to_the_screen():
    screen, begun, go_on = io.StringIO(), threading.Event(), threading.Event()

    def capturing(name):
        with capture_output() as printed:
            print(name)
            begun.set()
            go_on.wait(10)
            print(name)
        return printed.getvalue()

    with contextlib.redirect_stdout(screen), ThreadPoolExecutor(2) as pool:
        results = [pool.submit(capturing, name) for name in "ab"]
        begun.wait(10)
        print("screen")
        kept = sys.stdout
        go_on.set()
        assert [result.result() for result in results] == ["a\na\n", "b\nb\n"]
        assert sys.stdout is screen
        print("late", file=kept)  # a reference kept meanwhile
    assert screen.getvalue() == "screen\nlate\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Python ignores those in callbacks
def test_an_exception_at_any_instruction_loses_no_later_output():
    def run():
        with capture_output():
            print("captured")

    screen = io.StringIO()
    with contextlib.redirect_stdout(screen):
        run()
        count = count_instructions(run)
        assert count > 50
        for at in range(1, count + 1):
            interrupt(run, at)
            print("later")
        run()
        assert sys.stdout is screen
    assert screen.getvalue() == "later\n" * count
