"""A pool of worker processes that end with their parent and do not rerun the caller's script.

The processes of ``multiprocessing`` import the caller's script, unless ``sys.modules["__main__"]`` is replaced while
they start, which other threads would see. A worker here is a plain subprocess: it reads calls from its stdin and writes
results to its stdout, both pickled. So a script needs no ``__main__`` guard, and builds its model only once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from queue import SimpleQueue
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from typing import Any, BinaryIO, TypeVar
from weakref import finalize

from minigraph.core.files import suppress_file_errors
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.weak_table import WeakTable

T = TypeVar("T")

# Run by a worker: Ctrl-C is handled by the parent; the modules are the parent's.
START = """
import pickle, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = pickle.loads(sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(8), "little")))
from minigraph.core.worker_processes import serve
serve()
"""
CLOSED_PIPE_ERRORS = (EOFError, OSError, ValueError)  # of a pipe that is closed at one end


_pools = WeakTable["ProcessPool", bool]()


def _leave_pools_to_the_parent() -> None:
    """In a forked child: close its copies of the pipes, which would keep the workers from ending with the parent."""
    for pool in _pools:
        pool.is_broken = True
        for worker in pool.workers:
            for pipe in (worker.process.stdin, worker.process.stdout):
                pipe.close()  # type: ignore[union-attr]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_pools_to_the_parent)


class _Worker:
    """A process, which runs one call at a time."""

    def __init__(self) -> None:
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        command = [sys.executable, *flags, "-P", "-c", START]  # -P: no module of the current folder is taken for pickle
        # Without buffers, whose locks a forked child would have as another thread held them.
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        _send(self.process.stdin, pickle.dumps(sys.path))

    def run(self, call: bytes) -> bytes:
        """The answer to a pickled call; raises ``BrokenExecutor`` if the process ends before."""
        try:
            _send(self.process.stdin, call)
            return _receive(self.process.stdout)
        except CLOSED_PIPE_ERRORS as error:
            reraise_handler_error(error)
            raise BrokenExecutor("a worker process ended before its call") from error


class ProcessPool(ThreadPoolExecutor):
    """An executor whose threads pass each call to a process; it is broken when one of these ends.

    >>> with ProcessPool(1) as pool:
    ...     pool.submit(pow, 2, 3).result()
    8
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.workers, self.is_broken, self._idle = list[_Worker](), False, SimpleQueue[_Worker]()
        self._close = finalize(self, _end_workers, self.workers)
        _pools[self] = True
        for _ in range(workers):
            self.workers.append(_Worker())
            self._idle.put(self.workers[-1])

    def submit(self, fn: Callable[..., T], /, *args: object, **kwargs: object) -> Future[T]:
        """Pass a call to the next idle process; raises ``BrokenExecutor`` after one has ended, and in a fork."""
        if self.is_broken:
            raise BrokenExecutor("a worker process ended, or is the parent's; start another pool")
        return super().submit(self._run, fn, args, kwargs)

    def _run(self, fn: Callable[..., T], args: tuple[object, ...], kwargs: dict[str, Any]) -> T:
        call, worker = pickle.dumps((fn, args, kwargs)), self._idle.get()
        try:
            succeeded, result = pickle.loads(worker.run(call))
        except BrokenExecutor:
            self.is_broken = True
            for other in self.workers:
                other.process.kill()
            raise
        finally:
            self._idle.put(worker)
        if not succeeded:
            raise result
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes when all calls are done; without ``wait``, when the pool is dropped."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        if wait:
            self._close()


def make_process_pool(workers: int | None = None) -> ProcessPool:
    """A pool of fresh processes (``None``: one per processor), which inherit no threads, locks or memory.

    Raises what the platform raises where it has no processes, or no threads, which serve the pool.
    """
    Thread(target=int).start()  # a pool would start its threads after its processes, and leave them behind
    return ProcessPool(workers or os.cpu_count() or 1)


def _end_workers(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        for pipe in (worker.process.stdin, worker.process.stdout):
            with suppress_file_errors():  # it is broken
                pipe.close()  # type: ignore[union-attr]
    for worker in workers:
        worker.process.wait()


def _send(pipe: Any, message: bytes) -> None:
    """Write the length of a message, and the message; a pipe without a buffer may take a part of it at a time."""
    for part in (len(message).to_bytes(8, "little"), message):
        rest = memoryview(part)
        while rest:
            rest = rest[pipe.write(rest) :]
    pipe.flush()


def _receive(pipe: Any) -> bytes:
    """The next message; raises ``EOFError`` at the end of the pipe."""
    return _read(pipe, int.from_bytes(_read(pipe, 8), "little"))


def _read(pipe: Any, size: int) -> bytes:
    parts = list[bytes]()
    while size:
        parts.append(pipe.read(size))
        size -= len(parts[-1])
        if not parts[-1]:
            raise EOFError
    return b"".join(parts)


# ---- in a worker -----------------------------------------------------------------------------------


def serve() -> None:
    """Run the calls that arrive on stdin until it is closed, at the latest when the parent ends."""
    signal(SIGINT, SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY) if sys.stderr is None else 2, 1)  # output of calls is not an answer
    calls = SimpleQueue[bytes]()
    Thread(target=_queue_calls, args=(sys.stdin.buffer, calls), daemon=True).start()
    while True:
        _send(answers, _answer(calls.get()))


def _queue_calls(pipe: BinaryIO, calls: SimpleQueue[bytes]) -> None:
    """Queue the calls; exit when the parent has closed the pipe or ended, also in the middle of a call."""
    try:
        while True:
            calls.put(_receive(pipe))
    finally:
        os._exit(0)


def _answer(call: bytes) -> bytes:
    """Whether a call succeeded, and its result or its error, pickled."""
    try:
        fn, args, kwargs = pickle.loads(call)
        return pickle.dumps((True, fn(*args, **kwargs)))
    except BaseException as error:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            return pickle.dumps((False, error))
        except Exception:
            return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    finally:
        if sys.stdout is not None:
            sys.stdout.flush()
