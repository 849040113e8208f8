"""Threads and processes that train, compile, differentiate, print and interrupt at the same time."""

import itertools
import multiprocessing
import pickle
import random
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from minigraph import GRAPH_MODE, PYNATIVE_MODE, Tensor, grad, jit, nn, ops, set_context, value_and_grad
from minigraph.common.seed import set_seed
from tests.alarms import Alarm, needs_alarms
from tests.inspection import bits
from tests.rough.interrupts import open_state
from tests.rough.program import X, branches, digest

THREADS = 6


def work(seed):
    """Compile new functions, differentiate and print; the results."""
    factor, x = seed % 5 + 1.0, Tensor(X)

    def loss(x):
        return (ops.softmax(x * factor) * x).sum()

    compiled = jit(loss, capture_mode="trace" if seed % 2 else "ast")
    print(f"line of {seed}")
    return [compiled(x), grad(compiled)(x), grad(loss)(x), jit(grad(loss))(x), jit(branches)(x)]


@pytest.mark.filterwarnings("ignore::minigraph.compilation.OpByOpWarning")  # for callbacks of a garbage collection
def test_threads_compute_the_results_of_one_thread(effort, report, capsys):
    expected = {seed: bits(work(seed)) for seed in range(10)}
    before, interval, done = open_state(), sys.getswitchinterval(), 0
    capsys.readouterr()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(THREADS) as pool:
            for k in effort.rounds(seconds=8, most=4):
                seeds = [random.Random(k * 100 + n).randrange(10) for n in range(2 * THREADS)]
                for seed, result in zip(seeds, pool.map(work, seeds), strict=True):
                    assert bits(result) == expected[seed]
                done += len(seeds)
                assert capsys.readouterr().out.count("line of") == len(seeds)
    finally:
        sys.setswitchinterval(interval)
    assert open_state() == before
    report(f"{THREADS} threads", f"{done} times compile, grad, print", "the same bits, no line lost")


def shared_functions():
    """A jitted Cell, its gradients with respect to the Parameters, jitted, and the Cell in the mode of the context."""
    set_seed(1)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
    forward = value_and_grad(lambda x: ops.softmax(net(x)).sum(), None, net.trainable_params())
    return [jit(lambda x: ops.softmax(net(x))), jit(lambda x: forward(x)[1]), lambda x: forward(x)[1], net]


def call_all(functions, seed):
    x = Tensor(np.full((seed % 7 + 1, 3), seed % 5, np.float32))
    return [bits(function(x)) for function in functions]


def test_threads_share_functions_and_cells_while_another_changes_settings(effort, report):
    expected, done, stop = [call_all(shared_functions(), seed) for seed in range(20)], 0, threading.Event()

    def change_settings():
        for mode in itertools.cycle((PYNATIVE_MODE, GRAPH_MODE)):
            if stop.is_set():
                return
            set_context(mode=mode, runtime_num_threads=1 + mode)

    with ThreadPoolExecutor(THREADS) as pool:
        changing = pool.submit(change_settings)
        try:
            for k in effort.rounds(seconds=8, most=2):
                functions, seeds = shared_functions(), [*range(20), *range(20)]
                random.Random(k).shuffle(seeds)
                for seed, result in zip(seeds, pool.map(partial(call_all, functions), seeds), strict=True):
                    assert result == expected[seed]
                done += len(seeds)
        finally:
            stop.set()
        changing.result()
    report(f"{THREADS} threads", f"{done} calls of the same functions and Cell", "the same bits")


@needs_alarms
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Python ignores errors in finalizers
def test_signals_at_any_time(effort, report):
    seed, hits, expected = random.Random(0), 0, [bits(work(seed)) for seed in range(10)]
    before = open_state()
    for k in effort.rounds(seconds=6, most=80):
        try:
            with Alarm(seed.uniform(1e-4, 0.06), KeyboardInterrupt):
                work(k)
        except KeyboardInterrupt:
            hits += 1
        assert open_state() == before
    assert [bits(work(seed)) for seed in range(10)] == expected
    report("signals", f"{hits} Ctrl-C in compile, grad, call", "nothing open, the same bits")


@needs_alarms
def test_an_alarm_after_its_block_raises_nothing():
    alarm = Alarm(1e-4, KeyboardInterrupt)
    with alarm:
        alarm.is_armed = False  # as if the block had just ended
        signal.pause()


def _digest(_):
    return digest()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_worker_processes_compute_equal_results(method, report):
    if method == "fork" and threading.active_count() > 1:
        pytest.skip("other threads run, as those of a test runner")
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert {*pool.map(_digest, range(2))} == {digest()}
    report("processes", method, "the same bits")


def test_jitted_functions_and_tensors_are_pickled(report):
    copy = pickle.loads(pickle.dumps(jit(branches)))
    assert bits(copy(Tensor(X))) == bits(jit(branches)(Tensor(X)))
    report("pickle", "a jitted function", "the same bits")
